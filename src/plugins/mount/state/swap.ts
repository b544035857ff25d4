/** `mount.swap`: a swap area that is in use, now and at the machine's start (3006.16 salt/states/mount.py `swap`). */
import { baseName, isAbs, linkTarget } from '../../../python/paths.ts';
import { dict, isDict, type Dict } from '../../../python/values/value.ts';
import { outcome } from '../../shared/outcome.ts';
import { missingDevice } from './device.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { fstabEntries } from './tables.ts';

/** A swap area that is to be in use. */
export interface WantedSwap {
  readonly name: string;
  readonly persist: boolean;
  /** The table, `/etc/fstab`. */
  readonly config: string;
}

/** What a link stands for, as the kernel names it. */
function realArea(name: string): string {
  const target = linkTarget(name);
  if (target === undefined) return name;
  return isAbs(target) ? target : `/dev/${baseName(target)}`;
}

async function areas(ctx: StateContext): Promise<Dict> {
  const found = await ctx.functions.call('mount.swaps');
  return isDict(found) ? found : dict();
}

const ENTRY_DONE: ReadonlyMap<unknown, readonly [text: string, change: string | undefined]> = new Map([
  ['new', ['. Added new entry to the fstab.', 'new']],
  ['change', ['. Updated the entry in the fstab.', 'update']],
]);

/** Makes sure that a swap area is in use. */
export async function swap(ctx: StateContext, { name, persist, config }: WantedSwap): Promise<StateResult> {
  const area = realArea(name);
  const before = await areas(ctx);
  let made = outcome(name, true, `Swap ${name} already active`);
  let after = before;
  if (!before.has(area)) {
    if (ctx.state.test) {
      const missing = missingDevice(ctx, area);
      if (missing !== undefined) return outcome(name, false, `Swap ${name} failed to activate: ${missing}`);
      made = outcome(name, null, `Swap ${name} is set to be activated`);
    } else {
      await ctx.functions.call('mount.swapon', [area]);
      after = await areas(ctx);
      const facts = after.get(area);
      made = isDict(facts)
        ? outcome(name, true, `Swap ${name} activated`, new Map(facts))
        : outcome(name, false, `Swap ${name} failed to activate`);
    }
  }
  return persist ? persisted(ctx, { name, config, after, made }) : made;
}

/** Has the area in use at the machine's start, too. */
async function persisted(
  ctx: StateContext,
  { name, config, after, made }: { name: string; config: string; after: Dict; made: StateResult },
): Promise<StateResult> {
  const table = await fstabEntries(ctx, [config]);
  const devices = [...table.values()].map((entry) => (isDict(entry) ? entry.get('device') : undefined));
  if (ctx.state.test) {
    if (table.has(name) || devices.includes(name)) return made;
    const text = `Swap ${name} is set to be added to the fstab and to be activated`;
    return { ...made, result: null, ...(after.has(name) ? { comment: text } : {}) };
  }
  const other = table.get('none');
  if (isDict(other) && other.get('device') === name && other.get('fstype') !== 'swap') return made;
  const out = await ctx.functions.call('mount.set_fstab', ['none', name, 'swap', ['defaults'], 0, 0, config]);
  const [text = '', change] = ENTRY_DONE.get(out) ?? [];
  const changes = change === undefined ? made.changes : new Map(made.changes).set('persist', change);
  return { ...made, changes, comment: `${String(made.comment)}${text}`, result: made.result };
}
