/** `lvm`: physical volumes, volume groups and logical volumes (3006.16 salt/states/lvm.py). */
import { pathExists } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { withoutLvm } from './module.ts';
import { groupPresent } from './state/group.ts';
import { logicalPresent } from './state/logical.ts';
import { mayBeMade } from '../shared/made-earlier.ts';
import { emptyRefusal } from '../shared/name-check.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const DEVICE = { name: param.text({ doc: 'The device.' }) } as const;
const GROUP = { name: param.text({ doc: 'The volume group.' }) } as const;
const VGNAME = { vgname: param.text({ default: null, doc: 'The volume group; required.' }) } as const;
const devicesOf = (value: Value): string[] => {
  if (!truthy(value)) return [];
  return Array.isArray(value) ? value.map(pyStr) : pyStr(value).split(',');
};

/** A thing that is removed: how it is looked for, how it is called, how it is removed. */
interface Removed {
  readonly name: string;
  readonly label: string;
  readonly absent: string;
  readonly display: string;
  readonly path: string;
  readonly remove: readonly [fun: string, args: readonly Value[]];
}

async function isThere(ctx: StateContext, display: string, path: string, isQuiet = true): Promise<boolean> {
  const found = await ctx.functions.call(display, [path], isQuiet ? dict({ quiet: true }) : dict());
  return isDict(found) && found.size > 0;
}

function made(name: string, result: boolean | null, comment: string, changes = dict()): StateResult {
  return { changes, comment, name, result };
}

async function absent(ctx: StateContext, thing: Removed): Promise<StateResult> {
  const { name, label, display, path } = thing;
  if (!(await isThere(ctx, display, path))) return made(name, true, `${label} ${thing.absent}`);
  if (ctx.state.test) return made(name, null, `${label} is set to be removed`);
  const removed = await ctx.functions.call(thing.remove[0], thing.remove[1]);
  return (await isThere(ctx, display, path))
    ? made(name, false, `Failed to remove ${label}`)
    : made(name, true, `Removed ${label}`, dict({ removed }));
}

async function physicalPresent(ctx: StateContext, name: string, kwargs: Dict): Promise<StateResult> {
  if (await isThere(ctx, 'lvm.pvdisplay', name))
    return made(name, true, `Physical Volume ${name} already present`);
  // Salt compat: there, test mode promises it on a device that there is not
  if (ctx.state.test && !pathExists(name) && !mayBeMade(ctx))
    return made(name, false, `Failed to create Physical Volume ${name}: there is no such device`);
  if (ctx.state.test) return made(name, null, `Physical Volume ${name} is set to be created`);
  const created = await ctx.functions.call('lvm.pvcreate', [name], kwargs);
  return (await isThere(ctx, 'lvm.pvdisplay', name, false))
    ? made(name, true, `Created Physical Volume ${name}`, dict({ created }))
    : made(name, false, `Failed to create Physical Volume ${name}`);
}

/** The states of `lvm`. */
export const lvmStates = defineModule({
  name: 'lvm',
  file: 'lvm',
  doc: 'Volumes of LVM.',
  unavailable: () => (withoutLvm() === undefined ? undefined : 'lvm command not found'),
  words: { dashes: ['size', 'extents'] },
  functions: {
    pv_present: defineState({
      doc: 'Makes sure that a device is a physical volume; options of pvcreate are given beside it.',
      params: DEVICE,
      refuses: ({ name }) => emptyRefusal('A physical volume', name),
      kwargs: 'kwargs',
      run: (ctx, { name }, kwargs) => physicalPresent(ctx, name, kwargs),
    }),
    pv_absent: defineState({
      doc: 'Makes sure that a device is no physical volume.',
      params: DEVICE,
      refuses: ({ name }) => emptyRefusal('A physical volume', name),
      run: (ctx, { name }) =>
        absent(ctx, {
          ...{ name, label: `Physical Volume ${name}`, absent: 'does not exist' },
          ...{ display: 'lvm.pvdisplay', path: name, remove: ['lvm.pvremove', [name]] },
        }),
    }),
    vg_present: defineState({
      doc: 'Makes sure that there is a volume group with devices; options of vgcreate are given beside them.',
      params: {
        ...GROUP,
        devices: param.by(devicesOf, { default: null, type: 'list or str', doc: 'Its devices.' }),
      },
      kwargs: 'kwargs',
      run: (ctx, { name, devices }, kwargs) => groupPresent(ctx, name, devices, kwargs),
    }),
    vg_absent: defineState({
      doc: 'Makes sure that there is no such volume group.',
      params: GROUP,
      refuses: ({ name }) => emptyRefusal('A volume group', name),
      run: (ctx, { name }) =>
        absent(ctx, {
          ...{ name, label: `Volume Group ${name}`, absent: 'already absent' },
          ...{ display: 'lvm.vgdisplay', path: name, remove: ['lvm.vgremove', [name]] },
        }),
    }),
    lv_present: defineState({
      doc: 'Makes sure that there is a logical volume, as large as said; options of lvcreate are given beside it.',
      params: {
        name: param.text({ doc: 'The logical volume; with `snapshot` the volume of which it is made.' }),
        ...VGNAME,
        size: param.textIfGiven({ default: null, doc: 'Its size, as 10G; megabytes without a unit.' }),
        extents: param.textIfGiven({
          default: null,
          type: 'int or str',
          doc: 'Its size in extents; a percentage is for a new one only.',
        }),
        snapshot: param.textIfGiven({ default: null, doc: 'The name of a snapshot.' }),
        pv: param.textOrEmpty({ default: '', doc: 'The device on which it is to be.' }),
        thinvolume: param.flag({ default: false, doc: 'A thin volume; the group is group/pool.' }),
        thinpool: param.flag({ default: false, doc: 'A pool for thin volumes.' }),
        force: param.flag({ default: false, doc: 'Ask nothing, and let it be made smaller.' }),
        resizefs: param.flag({ default: false, doc: 'Change the size of the file system too.' }),
      },
      kwargs: 'kwargs',
      run: (ctx, wanted, kwargs) => logicalPresent(ctx, wanted, kwargs),
    }),
    lv_absent: defineState({
      doc: 'Makes sure that there is no such logical volume.',
      params: { name: param.text({ doc: 'The logical volume.' }), ...VGNAME },
      run: (ctx, { name, vgname }) =>
        absent(ctx, {
          ...{ name, label: `Logical Volume ${name}`, absent: 'already absent', display: 'lvm.lvdisplay' },
          ...{ path: `/dev/${vgname}/${name}`, remove: ['lvm.lvremove', [name, vgname]] },
        }),
    }),
  },
});
