/** Tags and results of states, as a run returns them (salt/state.py, 3006.16). */
import type { Clock } from '../../host/clock.ts';
import { stateTag } from './state-tag.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, float, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';

/** What stands between the parts of a tag. */
export const TAG_SEPARATOR = '_|-';

/** The key of a state's result in the return of a run. */
export const tagOf = stateTag;

/** The text of a field; empty where there is none. */
export function textIn(low: Dict, key: string): string {
  const value = low.get(key);
  return value === undefined || value === null ? '' : pyStr(value);
}

/** The local time of day as Python's `time.isoformat()`: `05:06:07.000890`. */
export function timeOfDay(atMs: number): string {
  const date = new Date(Math.floor(atMs));
  const two = (value: number): string => String(value).padStart(2, '0');
  const micros = Math.floor((atMs - Math.floor(atMs)) * 1000);
  const fraction = `${String(date.getMilliseconds()).padStart(3, '0')}${String(micros).padStart(3, '0')}`;
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${fraction}`;
}

/** Milliseconds as Salt tells durations: a float with at most three digits behind the point. */
export function durationOf(ms: number): Value {
  return float(Math.round(ms * 1000) / 1000);
}

/** Measures one state. */
export class StopWatch {
  readonly #clock: Clock;
  readonly #startMs: number;
  readonly #startedAtMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startMs = clock.monotonicMs();
    this.#startedAtMs = clock.nowMs();
  }

  /** The local time at which it was started. */
  get startTime(): string {
    return timeOfDay(this.#startedAtMs);
  }

  /** @returns the milliseconds since it was started */
  read(): number {
    return this.#clock.monotonicMs() - this.#startMs;
  }
}

/** The fields that tell whose result it is. */
const IDENTITY = ['__sls__', '__id__', 'name'] as const;

/** A result of a state that did not run. @param fields beside `changes` and the identity */
export function resultWithoutRun(
  low: Dict,
  clock: Clock,
  fields: { readonly result: boolean; readonly comment: string; readonly [key: string]: Value },
): Dict {
  const { result, comment, ...more } = fields;
  const watch = new StopWatch(clock);
  const out = dict({
    changes: {},
    result,
    duration: durationOf(watch.read()),
    start_time: watch.startTime,
    comment,
    ...more,
  });
  return identified(out, low);
}

/** Writes whose result it is. */
export function identified(result: Dict, low: Dict): Dict {
  for (const key of IDENTITY) result.set(key, low.get(key) ?? null);
  return result;
}

/** The result for something thrown or malformed. */
export function failedResult(name: Value, comment: string): Dict {
  return dict({ result: false, name, changes: {}, comment });
}

/** Why a state's return cannot be used; undefined when it can. */
function faultIn(result: Value | undefined): string | undefined {
  if (!isDict(result)) return 'Malformed state return. Data must be a dictionary type.';
  if (!isDict(result.get('changes'))) return "'Changes' should be a dictionary.";
  const missing = ['name', 'result', 'changes', 'comment'].filter((key) => !result.has(key));
  if (missing.length > 0)
    return `The following keys were not present in the state return: ${missing.join(', ')}.`;
  const subs = result.get('sub_state_run');
  return Array.isArray(subs) ? subs.map(faultIn).find((fault) => fault !== undefined) : undefined;
}

/**
 * A state's return as a run keeps it: comments that are lists become lines, the result true, false or null; what is no
 * return becomes a failure (salt/utils/decorators/state.py `OutputUnifier`).
 */
export function unified(result: Value): Dict {
  const fault = faultIn(result);
  if (fault !== undefined || !isDict(result))
    return failedResult('later', `An exception occurred in this state: ${fault ?? ''}`);
  const comment = result.get('comment');
  if (Array.isArray(comment)) result.set('comment', comment.map(pyStr).join('\n'));
  const outcome = result.get('result');
  if (outcome !== null) result.set('result', truthy(outcome));
  return result;
}

/** Whether the state changed anything, or says it would. */
export function hasChanges(result: Dict): boolean {
  return truthy(result.get('changes'));
}
