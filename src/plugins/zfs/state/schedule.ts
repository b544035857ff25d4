/** Snapshots that are kept for a while (3006.16 salt/states/zfs.py `scheduled_snapshot`). */
import { PythonError } from '../../../python/exceptions.ts';
import { localTimeMs, strftime, strptime } from '../../../python/text/strftime.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, isInt, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { isDataset } from '../module/values.ts';
import { outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { attempt, exists, zfsCall } from './attempt.ts';

/** The holds, and how much of a time tells their periods apart: `20171201_0002`. */
const PERIODS = { minute: 13, hour: 11, day: 8, month: 6, year: 4 } as const;
type Hold = keyof typeof PERIODS;
const HOLDS = Object.keys(PERIODS) as Hold[];
const STAMP = '%Y%m%d_%H%M%S';
const PREFIX_SHORTEST = 4;

/** What is wanted. */
interface Plan {
  readonly name: string;
  readonly prefix: string;
  readonly recursive: Value;
  readonly counts: Readonly<Record<Hold, number>>;
}

/** How many of each are kept. @returns what is wrong with the schedule */
function countsIn(schedule: Dict): Record<Hold, number> | string {
  const counts: Record<Hold, number> = { minute: 0, hour: 0, day: 0, month: 0, year: 0 };
  for (const hold of HOLDS) {
    const given = schedule.get(hold) ?? (schedule.has(hold) ? null : 0);
    if (!isInt(given) && typeof given !== 'boolean') return `schedule value for ${hold} is not an integer`;
    counts[hold] = Number(given);
  }
  const total = HOLDS.reduce((sum, hold) => sum + counts[hold], 0);
  return total === 0 ? 'schedule is not valid, you need to keep atleast 1 snapshot' : counts;
}

/** What is wrong, or nothing. Salt compat: of several faults the last is told. */
async function faultOf(
  ctx: StateContext,
  { name, prefix }: { readonly name: string; readonly prefix: Value },
): Promise<string | undefined> {
  const isThere = await exists(ctx, name, 'filesystem,volume');
  if (!truthy(prefix) || pyStr(prefix).length < PREFIX_SHORTEST)
    return `prefix (${pyStr(prefix)}) must be at least 4 long`;
  if (!isThere) return `dataset ${name} does not exist`;
  return isDataset(name) ? undefined : `invalid dataset name: ${name}`;
}

/** Snapshots by hold, the oldest first, and those that nothing holds. */
class Snapshots {
  readonly held: Readonly<Record<Hold, string[]>> = { minute: [], hour: [], day: [], month: [], year: [] };
  readonly prunable: string[] = [];

  static async of(ctx: StateContext, { name, prefix }: Plan): Promise<Snapshots> {
    const found = new Snapshots();
    const listed = await zfsCall(ctx, 'list', [name], { recursive: true, depth: 1, type: 'snapshot' });
    const all = isDict(listed) ? [...listed.keys()].map(pyStr).sort() : [];
    for (const snapshot of all) {
      if (!snapshot.slice(snapshot.indexOf('@') + 1).startsWith(`${prefix}-`)) continue;
      const holds = await zfsCall(ctx, 'holds', [snapshot]);
      if (!truthy(holds)) found.prunable.push(snapshot);
      for (const hold of HOLDS) if (isDict(holds) && holds.has(hold)) found.held[hold].push(snapshot);
    }
    return found;
  }

  /** The holds that a new snapshot is for. @param now as in its name */
  due({ name, prefix, counts }: Plan, now: string): Hold[] {
    return HOLDS.filter((hold) => {
      if (counts[hold] === 0) return false;
      const last = this.held[hold].at(-1);
      if (last === undefined) return true;
      const time = last.slice(`${name}@${prefix}-`.length);
      if (strptime(time, STAMP) === undefined)
        throw new PythonError(
          'ValueError',
          `time data '${last}' does not match format '${name}@${prefix}-${STAMP}'`,
        );
      return now.slice(0, PERIODS[hold]) > time.slice(0, PERIODS[hold]);
    });
  }
}

/** Makes the snapshot with its holds. @returns what went wrong */
async function make(
  ctx: StateContext,
  { recursive }: Plan,
  {
    name,
    holds,
    snapshots,
  }: { readonly name: string; readonly holds: readonly Hold[]; snapshots: Snapshots },
): Promise<string | undefined> {
  if (!(await attempt(ctx, 'snapshot', 'snapshotted', [name], { recursive })).isDone)
    return `error creating snapshot (${name})`;
  for (const hold of holds) {
    if (!(await attempt(ctx, 'hold', 'held', [hold, name], { recursive })).isDone)
      return `error adding hold (${hold}) to snapshot (${name})`;
    snapshots.held[hold].push(name);
  }
  return undefined;
}

/** Takes holds off snapshots that are too many. @returns what went wrong */
async function letGo(
  ctx: StateContext,
  { counts, recursive }: Plan,
  snapshots: Snapshots,
): Promise<string | undefined> {
  let wrong: string | undefined;
  for (const hold of HOLDS)
    while (wrong === undefined && snapshots.held[hold].length > counts[hold]) {
      const name = snapshots.held[hold].shift() ?? '';
      if (!(await attempt(ctx, 'release', 'released', [hold, name], { recursive })).isDone)
        wrong = `error adding hold (${hold}) to snapshot (${name})`;
      if (!truthy(await zfsCall(ctx, 'holds', [name]))) snapshots.prunable.push(name);
    }
  return wrong;
}

/** Makes a snapshot where one is due, and removes those that are too many. */
export async function scheduledSnapshot(
  ctx: StateContext,
  given: {
    readonly name: string;
    readonly prefix: Value;
    readonly recursive: Value;
    readonly schedule: Dict;
  },
): Promise<StateResult> {
  const { name, recursive } = given;
  const counts = countsIn(given.schedule);
  const fault = await faultOf(ctx, given);
  // Salt compat: a value that is no number is told before all else, and a schedule without any only when all else is
  // right
  if (typeof counts === 'string')
    return outcome(name, false, counts.startsWith('schedule value') ? counts : (fault ?? counts));
  if (fault !== undefined) return outcome(name, false, fault);
  const plan: Plan = { name, prefix: pyStr(given.prefix), recursive, counts };
  const snapshots = await Snapshots.of(ctx, plan);
  const now = strftime(localTimeMs(ctx.clock.nowMs()), STAMP);
  const holds = snapshots.due(plan, now);
  const fresh = `${name}@${plan.prefix}-${now}`;
  const changes = new Map<Value, Value>();
  let wrong: string | undefined;
  if (holds.length > 0) {
    wrong = await make(ctx, plan, { name: fresh, holds, snapshots });
    if (wrong === undefined) changes.set('created', [fresh]);
  }
  wrong ??= await letGo(ctx, plan, snapshots);
  for (const each of snapshots.prunable) {
    if ((await attempt(ctx, 'destroy', 'destroyed', [each], { recursive })).isDone) continue;
    wrong = `error prunding snapshot (${each})`;
    break;
  }
  if (wrong !== undefined) return outcome(name, false, wrong, changes);
  if (snapshots.prunable.length > 0) changes.set('pruned', snapshots.prunable);
  return outcome(
    name,
    true,
    changes.size > 0 ? 'scheduled snapshots updated' : 'scheduled snapshots are up to date',
    changes,
  );
}
