/**
 * Which chunks may be joined with one that is about to run (`aggregate: True`, the option `state_aggregate`).
 *
 * Salt compat: 3006.16 gives the chunk the requisites of all others in place of its own: what fails or is missing for
 * one keeps all from running, what the chunk itself requires is forgotten, and a requisite that leads back to it is a
 * circle (65304). 3008 joins states whose requisites are still to run. Here a chunk is joined that would run at this
 * very moment; what it requires is run before, if it can be.
 */
import { truthy, type Dict } from '../../python/values/value.ts';
import type { ModuleHooks } from './aggregate.ts';
import { hasRequisites, type Named, type Status } from './requisites.ts';
import { tagOf } from './result.ts';

/** What must not be decided ahead: conditions, and what another state foresees. */
const ALONE = ['onlyif', 'unless', 'prereq', 'prerequired', '__prereq__', '__prerequired__'] as const;

/** What joining asks of the run. */
export interface JoinDeps {
  readonly hooks: ModuleHooks;
  /** What the results so far mean for a chunk; does not wait for states that go on beside the run. */
  readonly status: (chunk: Dict) => Promise<Status | 'pending'>;
  /** The chunks that a chunk requires; undefined when an entry names none. */
  readonly required: (chunk: Dict) => Named | undefined;
  /** Whether a chunk is being looked at. */
  readonly isActive: (chunk: Dict) => boolean;
  /** Runs a chunk that another one requires. @returns whether the run goes on */
  readonly run: (chunk: Dict) => Promise<boolean>;
}

/**
 * Joins a chunk that is about to run with others of its kind.
 * @param chunks all of the run
 * @returns the chunk that is to be called
 */
export async function joinWithOthers(
  low: Dict,
  running: Dict,
  chunks: readonly Dict[],
  deps: JoinDeps,
): Promise<Dict> {
  if (truthy(low.get('__prereq__')) || !(await deps.hooks.mayJoin(low))) return low;
  low.set('__agg__', true);
  const group: Dict[] = [low];
  for (const chunk of chunks) {
    if (!(await isCandidate(chunk, low, running, deps))) continue;
    const isReady = await becomesReady(chunk, low, running, deps);
    if (isReady === undefined) return low;
    if (isReady) group.push(chunk);
  }
  return deps.hooks.join(low, group, running);
}

async function isCandidate(chunk: Dict, low: Dict, running: Dict, deps: JoinDeps): Promise<boolean> {
  if (chunk === low || chunk.get('state') !== low.get('state') || running.has(tagOf(chunk))) return false;
  return !isAlone(chunk) && !deps.isActive(chunk) && (await deps.hooks.mayBeJoined(chunk));
}

function isAlone(chunk: Dict): boolean {
  return ALONE.some((key) => truthy(chunk.get(key)));
}

/** Whether a chunk would run now, after what it requires; undefined when the run has ended over that. */
async function becomesReady(
  chunk: Dict,
  low: Dict,
  running: Dict,
  deps: JoinDeps,
): Promise<boolean | undefined> {
  if (!hasRequisites(chunk)) return true;
  const status = await deps.status(chunk);
  if (status !== 'unmet') return status === 'met';
  if (chunk.get('fun') !== low.get('fun') || !canRunBefore(chunk, running, deps, new Set())) return false;
  for (const required of requiredBy(chunk, deps) ?? [])
    if (!running.has(tagOf(required)) && !(await deps.run(required))) return undefined;
  // one of those may have been joined with this one
  return !truthy(chunk.get('__agg__')) && (await deps.status(chunk)) === 'met';
}

/** Whether all that a chunk requires can run before the one that is about to, which none of them may require. */
function canRunBefore(chunk: Dict, running: Dict, deps: JoinDeps, seen: Set<Dict>): boolean {
  seen.add(chunk);
  const required = requiredBy(chunk, deps);
  if (required === undefined) return false;
  return required.every(
    (one) =>
      seen.has(one) ||
      running.has(tagOf(one)) ||
      (!deps.isActive(one) && !isForeseen(one) && canRunBefore(one, running, deps, seen)),
  );
}

/** Whether a chunk has to do with a `prereq`, which turns the order around. */
function isForeseen(chunk: Dict): boolean {
  return ['prereq', 'prerequired', '__prereq__', '__prerequired__'].some((key) => truthy(chunk.get(key)));
}

function requiredBy(chunk: Dict, deps: JoinDeps): readonly Dict[] | undefined {
  const named = deps.required(chunk);
  return named === undefined ? undefined : [...named.values()].flat();
}
