/** What all states of InfluxDB share. */
import type { Dict, Value } from '../../../python/values/value.ts';
import { dict } from '../../../python/values/value.ts';
import { failure, outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';

/** Calls a function of `influxdb`. */
export const influx = (
  ctx: StateContext,
  fun: string,
  args: readonly Value[],
  client: Dict,
): Promise<Value> => ctx.functions.call(`influxdb.${fun}`, args, client);

/** One thing that is made or removed as a whole. */
export interface Whole {
  readonly name: string;
  readonly isRight: boolean;
  readonly comments: {
    readonly right: string;
    readonly foretold: string;
    readonly done: string;
    readonly failed: string;
  };
  /** What the changes say of it: Present, Absent. */
  readonly word: string;
  run(): Promise<Value>;
}

/** Makes or removes one thing, or says that it would. */
export async function whole(ctx: StateContext, wanted: Whole): Promise<StateResult> {
  const { name, comments } = wanted;
  if (wanted.isRight) return outcome(name, true, comments.right);
  if (ctx.state.test) return outcome(name, null, comments.foretold);
  if ((await wanted.run()) !== true) return failure(name, comments.failed);
  return outcome(name, true, comments.done, dict().set(name, wanted.word));
}
