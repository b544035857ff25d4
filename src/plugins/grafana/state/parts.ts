/** What the states of Grafana share. */
import { BrineError, messageOf } from '../../../errors/errors.ts';
import { deepDiff } from '../../../formats/data/deep-diff.ts';
import { updateDict } from '../../../formats/data/dict-merge.ts';
import { dict, isDict, valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';
import { failure, outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';

/** Calls a function of `grafana4`. */
export const grafana = (
  ctx: StateContext,
  fun: string,
  args: readonly Value[],
  given: Readonly<Record<string, Value>>,
): Promise<Value> => ctx.functions.call(`grafana4.${fun}`, args, dict(given));

/** What a state would do, which ends it in test mode. */
class Foretold extends Error {}

/**
 * Runs a state that goes from step to step.
 * Salt compat: what Grafana refuses is told; Salt ends with a traceback.
 */
export async function stepwise(name: string, run: () => Promise<StateResult>): Promise<StateResult> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Foretold) return outcome(name, null, error.message);
    if (!(error instanceof BrineError)) throw error;
    return failure(name, messageOf(error));
  }
}

/** Ends a state in test mode. @throws Foretold */
export function foretell(ctx: StateContext, comment: string): void {
  if (ctx.state.test) throw new Foretold(comment);
}

/** Fields that are wanted, those that nobody has said as they are. */
export function withDefaults(wanted: Readonly<Record<string, Value>>, current: Dict): Dict {
  return new Map(Object.entries(wanted).map(([key, value]) => [key, value ?? current.get(key) ?? null]));
}

/** Those fields of a mapping that another has, too: what Grafana has besides is none of the state's business. */
export function sameFields(current: Dict, wanted: Dict): Dict {
  return new Map(
    [...wanted.keys()].flatMap((key) => (current.has(key) ? [[key, current.get(key) ?? null]] : [])),
  );
}

/** Whether fields are as they are wanted; one that is not there is None. */
export const isAs = (current: Dict, wanted: Dict): boolean =>
  [...wanted].every(([key, value]) => valuesEqual(current.get(key) ?? null, value));

/** Adds what differs to changes. */
export const addDiff = (changes: Dict, old: Value, now: Value): Dict =>
  updateDict(changes, deepDiff(isDict(old) ? old : dict(), isDict(now) ? now : dict()));

/** A mapping, or an empty one. */
export const asDict = (value: Value | undefined): Dict => (isDict(value) ? value : dict());
