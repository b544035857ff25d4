/** Calls of `zfs` on behalf of states (3006.16 salt/states/zfs.py). */
import { dict, isDict, truthy, type Value } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';

/** Calls a function of `zfs`. */
export const zfsCall = (
  ctx: StateContext,
  fun: string,
  args: readonly Value[],
  kwargs: Readonly<Record<string, Value>> = {},
): Promise<Value> => ctx.functions.call(`zfs.${fun}`, args, dict(kwargs));

/** Whether something is there. @param type its kind, or several with commas between them */
export const exists = async (ctx: StateContext, name: string, type: string): Promise<boolean> =>
  truthy(await zfsCall(ctx, 'exists', [name], { type }));

/** How a call has ended. */
export interface Attempted {
  readonly isDone: boolean;
  readonly error: Value | undefined;
}

/**
 * Has something done; in test mode it is taken for done.
 * @param label what the answer says it has done
 */
export async function attempt(
  ctx: StateContext,
  fun: string,
  label: string,
  args: readonly Value[],
  kwargs: Readonly<Record<string, Value>>,
): Promise<Attempted> {
  if (ctx.state.test) return { isDone: true, error: undefined };
  const said = await zfsCall(ctx, fun, args, kwargs);
  if (!isDict(said)) return { isDone: false, error: undefined };
  return { isDone: truthy(said.get(label) ?? null), error: said.get('error') };
}
