/** What all states of RabbitMQ share. */
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { findProgram } from '../../../host/which.ts';
import { param } from '../../../runtime/loader/params.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import { outcomeChangesLast as outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';

/** Why the states cannot be used here. */
export const withoutRabbitmq = (): string | undefined =>
  findProgram('rabbitmqctl') === undefined ? 'Command not found: rabbitmqctl' : undefined;

/** Who runs the program. */
export const RUNAS = {
  runas: param.value({
    default: null,
    type: 'str',
    account: 'user',
    doc: 'The user of the system who runs the program.',
  }),
} as const;

/** The parameter `name`. @param noun what it names */
export const nameOf = (noun: string): { readonly name: ReturnType<typeof param.text> } => ({
  name: param.text({ doc: `The ${noun}.` }),
});

/** Calls a function of `rabbitmq`. */
export function rabbit(
  ctx: StateContext,
  fun: string,
  args: readonly Value[],
  kwargs: Dict = dict(),
): Promise<Value> {
  return ctx.functions.call(`rabbitmq.${fun}`, args, kwargs);
}

/**
 * A state whose failures are its result: `Error: RabbitMQ command failed: …`.
 * Salt compat: Salt's states of virtual hosts, policies and clusters end with a traceback instead.
 */
export async function orFailure(name: Value, run: () => Promise<StateResult>): Promise<StateResult> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof CommandExecutionError) && !(error instanceof SaltInvocationError)) throw error;
    return outcome(name, false, `Error: ${error.message}`);
  }
}

/** What a state changes that only adds or removes one thing. */
export interface Switch {
  readonly name: string;
  readonly isRight: boolean;
  readonly changes: Dict;
  /** The comments: nothing is to do, it is foretold, it is done. */
  readonly right: string;
  readonly foretold: string;
  readonly done: (answer: Value) => Value;
  run(): Promise<Value>;
}

/** Does one thing, or says what it would do. */
export async function switched(ctx: StateContext, wanted: Switch): Promise<StateResult> {
  const { name, changes } = wanted;
  if (wanted.isRight) return outcome(name, true, wanted.right);
  if (ctx.state.test) return outcome(name, null, wanted.foretold, changes);
  return outcome(name, true, wanted.done(await wanted.run()), changes);
}

/** One field of what an execution function returned. */
export const fieldOf = (value: Value, name: string): Value =>
  value instanceof Map ? (value.get(name) ?? '') : '';
