/** `lvm.vg_present`: volume groups and their devices (3006.16 salt/states/lvm.py). */
import { realPath } from '../../../python/paths.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';

/** The volume groups of a device that has none. */
const NO_GROUP: readonly Value[] = ['', '#orphans_lvm2'];

/** The group of a device: undefined where it is no physical volume. */
async function groupOf(ctx: StateContext, device: string): Promise<Value | undefined> {
  const real = realPath(device);
  const volumes = await ctx.functions.call('lvm.pvdisplay', [real], { real: true });
  const fields = isDict(volumes) ? volumes.get(real) : undefined;
  return isDict(fields) ? (fields.get('Volume Group Name') ?? null) : undefined;
}

/** Makes sure that a group that is there has devices. */
async function withDevices(
  ctx: StateContext,
  name: string,
  devices: readonly string[],
): Promise<StateResult> {
  const changes = dict();
  const lines = [`Volume Group ${name} already present`];
  let result: boolean | null = true;
  for (const device of devices) {
    const group = await groupOf(ctx, device);
    if (group === name) {
      lines.push(`${device} is part of Volume Group`);
    } else if (group === undefined) {
      lines.push(`pv ${device} is not present`);
      result = false;
    } else if (!NO_GROUP.includes(group)) {
      lines.push(`${device} is part of ${String(group)}`);
      result = false;
    } else if (ctx.state.test) {
      // Salt compat: Salt adds it in test mode, too.
      lines.push(`${device} is set to be added`);
      result = result === false ? false : null;
    } else {
      await ctx.functions.call('lvm.vgextend', [name, device]);
      if ((await groupOf(ctx, device)) === name) changes.set(device, `added to ${name}`);
      else {
        lines.push(`${device} could not be added`);
        result = false;
      }
    }
  }
  return { changes, comment: lines.join('\n'), name, result };
}

/** Makes sure that there is a volume group with devices. */
export async function groupPresent(
  ctx: StateContext,
  name: string,
  devices: readonly string[],
  kwargs: Dict,
): Promise<StateResult> {
  const made = (result: boolean | null, comment: string, changes = dict()): StateResult => ({
    ...{ changes, comment, name, result },
  });
  const isThere = async (words: Dict): Promise<boolean> => {
    const groups = await ctx.functions.call('lvm.vgdisplay', [name], words);
    return isDict(groups) && groups.size > 0;
  };
  if (await isThere(dict({ quiet: true }))) return withDevices(ctx, name, devices);
  if (ctx.state.test) return made(null, `Volume Group ${name} is set to be created`);
  const answer = await ctx.functions.call('lvm.vgcreate', [name, [...devices]], kwargs);
  return (await isThere(dict()))
    ? made(true, `Created Volume Group ${name}`, dict({ created: answer }))
    : made(false, `Failed to create Volume Group ${name}`);
}
