/**
 * Functions of the minion whose answer is read in one place. `answered('cp.cache_file', readText)` calls the function
 * through the minion, so that a site's own counts, with arguments that the compiler checks (built-in-calls.ts).
 */
import { pyStr } from '../../python/values/repr.ts';
import { isDict, toNumber, truthy, type Dict, type DictInit, type Value } from '../../python/values/value.ts';
import type { FunctionName, Keywords, OpenCall, Positions } from './built-in-calls.ts';
import type { FunctionCaller } from './module.ts';

/** Whoever has functions: a context of a module, of a state, of the reactor. */
interface HasFunctions {
  readonly functions: Pick<FunctionCaller, 'call'>;
}

/** A function as its callers see it. */
type Answered<F extends string, T> = <A extends readonly Value[] | [] = []>(
  ctx: HasFunctions,
  args?: A & Positions<F, A>,
  ...kwargs: Keywords<F, A>
) => Promise<T>;

/** A function with the reader of its answer. @param read takes whatever a site's own function may answer */
export function answered<F extends string, T>(
  fun: FunctionName<F>,
  read: (answer: Value) => T,
): Answered<F, T> {
  const anyCall = async (
    { functions }: { readonly functions: { readonly call: OpenCall } },
    args: readonly Value[] = [],
    kwargs: Dict | DictInit = {},
  ): Promise<T> => read(await functions.call(fun, args, kwargs));
  return anyCall;
}

/** A text; undefined for what is false in Python: most functions answer '' or False when they have nothing. */
export function readText(answer: Value): string | undefined {
  return truthy(answer) ? pyStr(answer) : undefined;
}

/** What `if` of Python makes of an answer. */
export function readFlag(answer: Value): boolean {
  return truthy(answer);
}

/** A mapping with something in it; undefined for all else, as no account, no hash and no answer are told. */
export function readFilled(answer: Value): Dict | undefined {
  return isDict(answer) && answer.size > 0 ? answer : undefined;
}

/** A mapping, an empty one for what is none. */
export function readDict(answer: Value): Dict {
  return isDict(answer) ? answer : new Map();
}

/** A number, undefined for what is none: `file.user_to_uid` answers '' for a user that there is not. */
export function readNumber(answer: Value): number | undefined {
  return toNumber(answer);
}
