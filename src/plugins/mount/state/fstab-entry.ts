/** `mount.fstab_present` and `mount.fstab_absent`: lines of the table (3006.16 salt/states/mount.py). */
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { outcomeResultFirst as outcome } from '../../shared/outcome.ts';
import { missingDevice } from './device.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { fstabEntries } from './tables.ts';

/** A line of the table. */
export interface TableEntry {
  /** The device, in one of its forms. */
  readonly name: string;
  readonly folder: string;
  /** The form in which the table is to name the device: `device`, `label`, `uuid`, `partlabel`, `partuuid`. */
  readonly mountBy: string | undefined;
  readonly config: string;
}

/** One that is to be there. */
export interface WantedEntry extends TableEntry {
  readonly fstype: Value;
  readonly opts: Value;
  readonly dump: Value;
  readonly passNum: Value;
  readonly mount: boolean;
  readonly matchOn: Value;
  readonly notChange: Value;
}

/** The device as the table is to name it; undefined where it does not exist. */
async function deviceText(
  ctx: StateContext,
  name: string,
  form: string | undefined,
): Promise<string | undefined> {
  const isPath = name.startsWith('/');
  if (form === undefined || (form === 'device' && isPath) || name.startsWith(`${form.toUpperCase()}=`))
    return name;
  const found = await ctx.functions.call(
    'disk.blkid',
    isPath ? [name] : [],
    isPath ? dict() : dict({ token: name }),
  );
  const [entry, ...others] = isDict(found) ? [...found] : [];
  if (entry === undefined || others.length > 0) return undefined;
  const [device, facts] = entry;
  if (form === 'device') return pyStr(device);
  const key = form.toUpperCase();
  const value = isDict(facts) ? facts.get(key) : undefined;
  // Salt compat: Salt ends with a KeyError where the device has no such name.
  return value === undefined ? undefined : `${key}=${pyStr(value)}`;
}

/** The path of a mount point without slashes at its end. */
export const plainFolder = (folder: string): string => (folder === '/' ? folder : folder.replace(/\/+$/, ''));

function entryArguments(wanted: WantedEntry, folder: string, device: string): Dict {
  return dict({
    name: folder,
    device,
    fstype: wanted.fstype,
    opts: wanted.opts,
    dump: wanted.dump,
    pass_num: wanted.passNum,
    config: wanted.config,
    match_on: wanted.matchOn,
    not_change: wanted.notChange,
  });
}

const FORETOLD: ReadonlyMap<Value, (folder: string, config: string) => string> = new Map([
  ['present', (folder, config) => `${folder} entry is already in ${config}.`],
  ['new', (folder, config) => `${folder} entry will be written in ${config}.`],
  ['change', (folder, config) => `${folder} entry will be updated in ${config}.`],
]);

/** Makes sure that the table has a line. */
export async function fstabPresent(ctx: StateContext, wanted: WantedEntry): Promise<StateResult> {
  const { name, config, mountBy } = wanted;
  const folder = plainFolder(wanted.folder);
  const device = await deviceText(ctx, name, mountBy);
  if (device === undefined)
    return outcome(name, false, `Device ${name} cannot be converted to ${mountBy ?? ''}`);
  const args = entryArguments(wanted, folder, device);
  if (ctx.state.test) {
    const out = await ctx.functions.call('mount.set_fstab', [], args.set('test', true));
    const said = FORETOLD.get(out)?.(folder, config);
    if (said === undefined)
      return outcome(name, false, `${folder} entry cannot be created in ${config}: ${pyStr(out)}.`);
    const missing = out === 'new' && wanted.mount ? missingDevice(ctx, name) : undefined;
    if (missing !== undefined) return outcome(name, false, `${folder} cannot be mounted: ${missing}`);
    const more = out === 'new' && wanted.mount ? [`Will mount ${name} on ${folder}`] : [];
    return outcome(name, out === 'present' ? true : null, [said, ...more]);
  }
  const out = await ctx.functions.call('mount.set_fstab', [], args);
  if (out === 'present') return outcome(name, true, `${folder} entry was already in ${config}.`);
  if (out === 'change')
    return outcome(name, true, `${folder} entry updated in ${config}.`, dict({ persist: out }));
  if (out !== 'new')
    return outcome(name, false, `${folder} entry cannot be changed in ${config}: ${pyStr(out)}.`);
  return mountNew(ctx, { wanted, folder });
}

async function mountNew(
  ctx: StateContext,
  { wanted, folder }: { wanted: WantedEntry; folder: string },
): Promise<StateResult> {
  const { name, config } = wanted;
  const changes = dict({ persist: 'new' });
  const added = `${folder} entry added in ${config}.`;
  if (!wanted.mount) return outcome(name, true, added, changes);
  const out = await ctx.functions.call('mount.mount', [folder]);
  if (typeof out !== 'string') return outcome(name, true, [added, `Mounted ${name} on ${folder}`], changes);
  const why = out.includes(':') ? out.slice(out.indexOf(':') + 1) : out;
  return outcome(name, false, [added, `Error while mounting ${why}`], changes);
}

/** Makes sure that the table does not have a line. */
export async function fstabAbsent(ctx: StateContext, unwanted: TableEntry): Promise<StateResult> {
  const { name, config, mountBy } = unwanted;
  const folder = plainFolder(unwanted.folder);
  const device = await deviceText(ctx, name, mountBy);
  const table = await fstabEntries(ctx, [config]);
  if (!table.has(folder)) return outcome(name, true, `${folder} entry is already missing in ${config}.`);
  if (ctx.state.test) return outcome(name, null, `${folder} entry will be removed from ${config}.`);
  const words = dict({ name: folder, device: device ?? null, config });
  return (await ctx.functions.call('mount.rm_fstab', [], words)) === true
    ? outcome(name, true, `${folder} entry removed from ${config}.`, dict({ persist: 'removed' }))
    : outcome(name, false, `${folder} entry failed when removing from ${config}.`);
}
