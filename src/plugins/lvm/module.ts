/** `lvm`: physical volumes, volume groups and logical volumes. Follows 3006.16 salt/modules/linux_lvm.py. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { pyStr } from '../../python/values/repr.ts';
import { truthy, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import {
  changePhysical,
  createGroup,
  createLogical,
  createPhysical,
  extendGroup,
  removeVolume,
  resizeLogical,
} from './module/change.ts';
import { byRealDevice, displayed } from './module/display.ts';
import { runText } from '../shared/program.ts';

const devicesOf = (value: Value): string[] => {
  if (!truthy(value)) return [];
  return Array.isArray(value) ? value.map(pyStr) : pyStr(value).split(',');
};
const DEVICES = {
  devices: param.by(devicesOf, { type: 'list or str', doc: 'The devices; a text with commas between them.' }),
} as const;
const OVERRIDE = {
  override: param.flag({ default: true, doc: 'Leave devices aside for which there is nothing to do.' }),
} as const;
const agreed = (preset: boolean): { readonly force: ReturnType<typeof flagOf> } => ({
  force: flagOf(preset),
});
const flagOf = (preset: boolean) => param.flag({ default: preset, doc: 'Ask nothing.' });
const QUIET = {
  quiet: param.flag({ default: false, doc: 'That there is none is no failure of the job.' }),
} as const;
const GROUP = { vgname: param.text({ doc: 'The volume group.' }) } as const;
const LOGICAL = { lvname: param.text({ doc: 'The logical volume.' }) } as const;
const SIZE = {
  size: param.textIfGiven({ default: null, doc: 'Its size, as 10G; megabytes without a unit.' }),
} as const;
const EXTENTS = {
  extents: param.textIfGiven({
    default: null,
    type: 'int or str',
    doc: 'Its size in extents, or as 100%FREE.',
  }),
} as const;
const NEW_SIZE = {
  ...SIZE,
  lvpath: param.text({ default: null, doc: 'The logical volume, as /dev/group/volume.' }),
  ...EXTENTS,
  force: param.flag({ default: false, doc: 'Ask nothing.' }),
  resizefs: param.flag({ default: false, doc: 'Change the size of the file system too.' }),
} as const;
const DONE = 'true, or what went wrong';
const NO_GROUP = 'Error: vgname and device(s) are both required';

/** Why there are no functions for LVM here. */
export function withoutLvm(): string | undefined {
  return findProgram('lvm') === undefined
    ? 'The linux_lvm execution module cannot be loaded: the lvm binary is not in the path.'
    : undefined;
}

/** The lines of `lvm version` as name and value. */
async function versionLines(ctx: ModuleContext): Promise<[string, string][]> {
  const lines = (await runText(ctx, ['lvm', 'version'])).split('\n');
  return lines.flatMap((line): [string, string][] => {
    const [name = '', value] = line.split(':');
    return value === undefined ? [] : [[name.trim(), value.trim()]];
  });
}

const reading = {
  version: defineFunction({
    doc: 'Returns the version of LVM.',
    returns: 'text',
    examples: ["salt '*' lvm.version"],
    run: async (ctx) => {
      const first = (await versionLines(ctx))[0];
      if (first === undefined) throw new CommandExecutionError('lvm says no version.');
      return first[1];
    },
  }),
  fullversion: defineFunction({
    doc: 'Returns all versions that LVM tells.',
    returns: 'mapping of name to version',
    examples: ["salt '*' lvm.fullversion"],
    run: async (ctx) => new Map<Value, Value>(await versionLines(ctx)),
  }),
  pvdisplay: defineFunction({
    doc: 'Describes the physical volumes.',
    params: {
      pvname: param.textOrEmpty({ default: '', doc: 'Only this device.' }),
      real: param.flag({ default: false, doc: 'Name the devices that links lead to.' }),
      ...QUIET,
    },
    returns: 'mapping of device to fields',
    examples: ["salt '*' lvm.pvdisplay", "salt '*' lvm.pvdisplay /dev/md0"],
    run: async (ctx, { pvname, real, quiet }) => {
      const volumes = await displayed(ctx, 'pvdisplay', pvname, quiet);
      return real ? byRealDevice(volumes) : volumes;
    },
  }),
  vgdisplay: defineFunction({
    doc: 'Describes the volume groups.',
    params: { vgname: param.textOrEmpty({ default: '', doc: 'Only this group.' }), ...QUIET },
    returns: 'mapping of group to fields',
    examples: ["salt '*' lvm.vgdisplay"],
    run: (ctx, { vgname, quiet }) => displayed(ctx, 'vgdisplay', vgname, quiet),
  }),
  lvdisplay: defineFunction({
    doc: 'Describes the logical volumes.',
    params: { lvname: param.textOrEmpty({ default: '', doc: 'Only this volume.' }), ...QUIET },
    returns: 'mapping of volume to fields',
    examples: ["salt '*' lvm.lvdisplay /dev/vg_myserver/root"],
    run: (ctx, { lvname, quiet }) => displayed(ctx, 'lvdisplay', lvname, quiet),
  }),
};

const changing = {
  pvcreate: defineFunction({
    doc: 'Makes devices physical volumes; options of pvcreate are given as keywords.',
    params: { ...DEVICES, ...OVERRIDE, ...agreed(true) },
    kwargs: 'kwargs',
    returns: DONE,
    examples: ["salt '*' lvm.pvcreate /dev/sdb1,/dev/sdb2 dataalignmentoffset=7s"],
    run: (ctx, given, _rest, kwargs) => createPhysical(ctx, given, kwargs),
  }),
  pvremove: defineFunction({
    doc: 'Makes physical volumes plain devices again.',
    params: { ...DEVICES, ...OVERRIDE, ...agreed(true) },
    returns: DONE,
    examples: ["salt '*' lvm.pvremove /dev/sdb1,/dev/sdb2"],
    run: (ctx, given) => changePhysical(ctx, 'pvremove', given),
  }),
  pvresize: defineFunction({
    doc: 'Gives physical volumes the size of their devices.',
    params: { ...DEVICES, ...OVERRIDE, ...agreed(true) },
    returns: DONE,
    examples: ["salt '*' lvm.pvresize /dev/sdb1,/dev/sdb2"],
    run: (ctx, given) => changePhysical(ctx, 'pvresize', given),
  }),
  vgcreate: defineFunction({
    doc: 'Makes a volume group; options of vgcreate are given as keywords.',
    params: { vgname: param.textIfGiven({ doc: 'The volume group.' }), ...DEVICES, ...agreed(false) },
    kwargs: 'kwargs',
    returns: 'mapping of group to fields, and of `Output from vgcreate` to a sentence',
    examples: ["salt '*' lvm.vgcreate my_vg /dev/sdb1,/dev/sdb2 clustered=y"],
    run: (ctx, { vgname, devices, force }, _rest, kwargs) =>
      vgname === undefined || devices.length === 0
        ? NO_GROUP
        : createGroup(ctx, { vgname, devices, force }, kwargs),
  }),
  vgextend: defineFunction({
    doc: 'Adds devices to a volume group.',
    params: { vgname: param.textIfGiven({ doc: 'The volume group.' }), ...DEVICES, ...agreed(false) },
    returns: 'mapping of `Output from vgextend` to a sentence',
    examples: ["salt '*' lvm.vgextend my_vg /dev/sdb1,/dev/sdb2"],
    run: (ctx, { vgname, devices, force }) =>
      vgname === undefined || devices.length === 0 ? NO_GROUP : extendGroup(ctx, { vgname, devices, force }),
  }),
  vgremove: defineFunction({
    doc: 'Removes a volume group.',
    params: { ...GROUP, ...agreed(true) },
    returns: 'a sentence',
    examples: ["salt '*' lvm.vgremove vgname"],
    run: (ctx, { vgname, force }) => removeVolume(ctx, 'vgremove', { path: vgname, name: vgname, force }),
  }),
  lvcreate: defineFunction({
    doc: 'Makes a logical volume; options of lvcreate are given as keywords.',
    params: {
      ...LOGICAL,
      ...GROUP,
      ...SIZE,
      ...EXTENTS,
      snapshot: param.textIfGiven({ default: null, doc: 'The volume of which it is to be a snapshot.' }),
      pv: param.textIfGiven({ default: null, doc: 'The device on which it is to be.' }),
      thinvolume: param.flag({ default: false, doc: 'A thin volume; the group is group/pool.' }),
      thinpool: param.flag({ default: false, doc: 'A pool for thin volumes.' }),
      ...agreed(false),
    },
    kwargs: 'kwargs',
    returns: 'mapping of volume to fields, and of `Output from lvcreate` to a sentence',
    examples: ["salt '*' lvm.lvcreate new_volume_name vg_name size=10G"],
    run: (ctx, given, _rest, kwargs) => createLogical(ctx, given, kwargs),
  }),
  lvremove: defineFunction({
    doc: 'Removes a logical volume.',
    params: { ...LOGICAL, ...GROUP, ...agreed(true) },
    returns: 'a sentence',
    examples: ["salt '*' lvm.lvremove lvname vgname"],
    run: (ctx, { lvname, vgname, force }) =>
      removeVolume(ctx, 'lvremove', { path: `${vgname}/${lvname}`, name: lvname, force }),
  }),
  lvresize: defineFunction({
    doc: 'Changes the size of a logical volume.',
    params: NEW_SIZE,
    returns: 'mapping of `Output from lvresize` to a sentence',
    examples: ["salt '*' lvm.lvresize +12M /dev/mapper/vg1-test"],
    run: (ctx, given) => resizeLogical(ctx, 'lvresize', given),
  }),
  lvextend: defineFunction({
    doc: 'Makes a logical volume larger.',
    params: NEW_SIZE,
    returns: 'mapping of `Output from lvextend` to a sentence',
    examples: ["salt '*' lvm.lvextend +12M /dev/mapper/vg1-test"],
    run: (ctx, given) => resizeLogical(ctx, 'lvextend', given),
  }),
};

/** The module. */
export const lvmModule = defineModule({
  name: 'lvm',
  file: 'linux_lvm',
  doc: 'Physical volumes, volume groups and logical volumes of LVM.',
  unavailable: withoutLvm,
  // a size may be said as -1G
  words: { dashes: ['size', 'extents'] },
  failsWith: { text: ['pvcreate', 'pvremove', 'pvresize'] },
  functions: { ...reading, ...changing },
});
