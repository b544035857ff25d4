/**
 * The calls of built-in functions by each other, for the compiler: in `ctx.functions.call('file.rmdir', [path], words)`
 * it holds name, number of arguments and keywords against what `file.rmdir` declares, so that a slip does not compile.
 * A name that is only known at run time is not checked.
 */
import { dict, type Dict, type DictInit, type Value } from '../../python/values/value.ts';
import type { BuiltInCalls } from './built-in-calls.generated.ts';
import type { Takes } from './takes.ts';

/** Functions that only a site's own module has; whoever calls them asks first whether they are there. */
interface CallsOfASite {
  'pkg.version_clean': Takes<['version'], 'version'>;
  'pkg.check_extra_requirements': Takes<['name', 'version'], 'name' | 'version'>;
}

interface Calls extends BuiltInCalls, CallsOfASite {}

/** Whether a name is more than one text: made of parts, or any. */
type IsOpen<F extends string> = Record<never, never> extends Record<F, 1> ? true : false;

type TakenBy<F extends string> = F extends keyof Calls ? Calls[F] : never;

/** The name of a function, or a type whose text says that there is none. */
export type FunctionName<F extends string> =
  IsOpen<F> extends true ? F : F extends keyof Calls ? F : `there is no function ${F}`;

/** The names of the parameters that positional arguments fill; all, when their number is not known. */
type Filled<Places extends readonly string[], A extends readonly unknown[]> = number extends A['length']
  ? Places[number]
  : Places extends readonly [infer First, ...infer Others extends readonly string[]]
    ? A extends readonly [unknown, ...infer Further]
      ? First | Filled<Others, Further>
      : never
    : never;

/** A value of a keyword; without one (`undefined`) the keyword is left out. */
type Word = Value | DictInit | undefined;

type Places<T, A extends readonly unknown[]> =
  T extends Takes<infer Names, string, string, infer More>
    ? 'places' extends More
      ? readonly Value[]
      : number extends A['length']
        ? readonly Value[]
        : { readonly [K in keyof Names]?: Value }
    : never;

/** The positional arguments of a call. */
export type Positions<F extends string, A extends readonly unknown[]> =
  IsOpen<F> extends true ? unknown : Places<TakenBy<F>, A>;

type Names<T, A extends readonly unknown[]> =
  T extends Takes<infer Order, infer Required, infer Named, infer More>
    ? number extends A['length']
      ? Words<never, Order[number] | Named, More>
      : Words<Exclude<Required, Filled<Order, A>>, Exclude<Order[number] | Named, Filled<Order, A>>, More>
    : never;

type Words<Required extends string, All extends string, More> = 'names' extends More
  ? { readonly [K in Required]: Word } & DictInit
  : [All] extends [never]
    ? Readonly<Record<string, never>>
    : { readonly [K in Required]: Word } & { readonly [K in All]?: Word };

/** The keywords of a call, which may be left out when the positions have all that is required. */
export type Keywords<F extends string, A extends readonly unknown[]> =
  IsOpen<F> extends true
    ? [kwargs?: Dict | DictInit]
    : F extends keyof Calls
      ? | [kwargs: Dict | Names<TakenBy<F>, A>]
        | (Record<never, never> extends Names<TakenBy<F>, A> ? [] : never)
      : [];

/** A call as {@link FunctionCaller} takes it. */
export type CheckedCall = <F extends string, A extends readonly Value[] | [] = []>(
  fun: FunctionName<F>,
  args?: A & Positions<F, A>,
  ...kwargs: Keywords<F, A>
) => Promise<Value>;

/** A call of what only running tells. */
export type OpenCall = (fun: string, args?: readonly Value[], kwargs?: Dict | DictInit) => Promise<Value>;

/** The calls of functions as the compiler checks them. @param call carries one out */
export function checkedCall(
  call: (fun: string, args: readonly Value[], kwargs: Dict) => Promise<Value>,
): CheckedCall {
  const anyCall: OpenCall = (fun, args = [], kwargs = {}) =>
    call(fun, args, kwargs instanceof Map ? kwargs : dict(kwargs));
  return anyCall;
}
