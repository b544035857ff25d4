/** What all states of MySQL share. */
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { dict, type Dict, type DictInit, type Value } from '../../../python/values/value.ts';
import { MYSQL_ERROR } from '../module/connection.ts';
import { outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';

/** The keywords that say where, which the functions take as they are. */
export const CONNECTION = 'connection_args';

/** Calls a function of `mysql`. @param connection the keywords that say where */
export function mysql(
  ctx: StateContext,
  fun: string,
  args: readonly Value[],
  connection: Dict,
  keywords: DictInit = {},
): Promise<Value> {
  return ctx.functions.call(`mysql.${fun}`, args, new Map([...dict(keywords), ...connection]));
}

/** Why a host can never be one. Salt compat: None is a host of that name; an empty one the server takes for any. */
export function hostRefusal(host: Value | undefined): string | undefined {
  return host === null || host === ''
    ? `host says from where the user comes, not ${pyRepr(host)}: '%' is from anywhere`
    : undefined;
}

/** The last error, which is forgotten then. */
export function takeError(ctx: StateContext): string | undefined {
  const found = ctx.state.memory.get(MYSQL_ERROR);
  ctx.state.memory.delete(MYSQL_ERROR);
  return found === undefined || found === null ? undefined : pyStr(found);
}

/** ` (MySQL Error …)` behind a comment; empty where there was none. */
export function errorInParentheses(ctx: StateContext): string {
  const error = takeError(ctx);
  return error === undefined ? '' : ` (${error})`;
}

/** A failure with the last error as its comment; undefined where there was none. */
export function failureByError(
  ctx: StateContext,
  name: Value,
  comment: (error: string) => string = (error) => error,
): StateResult | undefined {
  const error = takeError(ctx);
  return error === undefined ? undefined : outcome(name, false, comment(error));
}
