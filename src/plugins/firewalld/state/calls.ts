/** Calls of the execution module `firewalld`, and what it complains of. */
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';

/** Calls a function of `firewalld`. @throws CommandExecutionError with what `firewall-cmd` complains of */
export function firewalld(
  ctx: StateContext,
  fun: string,
  args: readonly Value[] = [],
  kwargs: Dict = dict(),
): Promise<Value> {
  return ctx.functions.call(`firewalld.${fun}`, args, kwargs);
}

/** Why something did not work; undefined where it did. */
export async function complaintOf(run: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandExecutionError) && !(error instanceof SaltInvocationError)) throw error;
    return error.message;
  }
}
