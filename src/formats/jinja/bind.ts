/** Arguments of native functions, bound as Python binds them. */
import { typeError } from './errors.ts';
import type { CallScope, Kwargs, Later, NativeBody, TValue } from './model.ts';

/** A parameter: its name, with its default where it has one; `*` takes the rest, `**` the remaining keywords. */
export type Param = string | readonly [name: string, fallback: TValue];

/** So many values, and perhaps more: what a body takes. */
export type Values<N extends number, T extends TValue[] = []> = T['length'] extends N
  ? [...T, ...TValue[]]
  : Values<N, [...T, TValue]>;

/** One value for each parameter. */
type Bound<P extends readonly Param[]> = { -readonly [K in keyof P]: TValue };

type Body<A extends readonly TValue[]> = (
  args: A,
  scope: CallScope,
  rest: readonly TValue[],
  kwargs: Kwargs,
) => Later;

/** A body that takes so many bound arguments. */
export type BoundBody<N extends number> = Body<Values<N>>;

/** An entry of a table of filters, tests or methods. */
export interface Entry {
  readonly name: string;
  /** Those behind the value that is filtered, or whose method it is. */
  readonly params: readonly Param[];
  /** It gets the value and one argument for each parameter. */
  readonly body: Body<TValue[]>;
}

/** Makes an entry, whose body can take no more than its parameters. */
export function bound<const P extends readonly Param[]>(
  name: string,
  params: P,
  body: Body<[TValue, ...Bound<P>]>,
): Entry {
  // `native` gives it exactly these
  return { name, params, body: body as Body<TValue[]> };
}

const NO_KWARGS: Kwargs = new Map();

/**
 * Wraps a body so that it gets one argument for each parameter.
 * @param method the type whose method it is: Python's own methods have other words for their complaints
 * @throws TypeError in Python's words when the arguments do not fit
 */
export function native<const P extends readonly Param[]>(
  name: string,
  params: P,
  body: Body<Bound<P>>,
  method?: string,
): NativeBody {
  const takesRest = params.includes('*');
  const takesKwargs = params.includes('**');
  const own = params.filter((param) => param !== '*' && param !== '**');
  const names = own.map((param) => (typeof param === 'string' ? param : param[0]));
  const required = own.filter((param) => typeof param === 'string').length;
  return (args, kwargs, scope) => {
    const out: TValue[] = [];
    const used = new Set<string>();
    if (method !== undefined)
      checkMethod(method, name, own.length - 1, required - 1, args.length - 1, takesRest, kwargs);
    for (let i = 0; i < own.length; i++) {
      const param = own[i] as Param;
      const key = names[i] as string;
      const named = kwargs?.get(key);
      if (i < args.length) {
        if (named !== undefined) throw typeError(`${name}() got multiple values for argument '${key}'`);
        out.push(args[i] as TValue);
      } else if (named !== undefined) {
        used.add(key);
        out.push(named);
      } else if (typeof param === 'string') throw typeError(missing(name, names, required, i, kwargs));
      else out.push(param[1]);
    }
    if (args.length > own.length && !takesRest)
      throw typeError(tooMany(name, own.length, required, args.length));
    if (kwargs === undefined || kwargs.size === used.size)
      return body(out as Bound<P>, scope, args.slice(own.length), NO_KWARGS);
    const others = new Map([...kwargs].filter(([key]) => !used.has(key)));
    if (!takesKwargs)
      throw typeError(`${name}() got an unexpected keyword argument '${[...others.keys()][0]}'`);
    return body(out as Bound<P>, scope, args.slice(own.length), others);
  };
}

function missing(
  name: string,
  names: readonly string[],
  required: number,
  from: number,
  kwargs?: Kwargs,
): string {
  const lacking = names
    .slice(from, required)
    .filter((key) => !kwargs?.has(key))
    .map((key) => `'${key}'`);
  const last = lacking.pop() ?? '';
  const list =
    lacking.length === 0 ? last : `${lacking.join(', ')}${lacking.length > 1 ? ',' : ''} and ${last}`;
  const many = lacking.length > 0 ? 's' : '';
  return `${name}() missing ${lacking.length + 1} required positional argument${many}: ${list}`;
}

function tooMany(name: string, most: number, least: number, given: number): string {
  const range = least === most ? `${most}` : `from ${least} to ${most}`;
  const plural = most === 1 && least === most ? '' : 's';
  return `${name}() takes ${range} positional argument${plural} but ${given} ${given === 1 ? 'was' : 'were'} given`;
}

/** How Python's own methods complain. */
function checkMethod(
  type: string,
  name: string,
  most: number,
  least: number,
  given: number,
  takesRest: boolean,
  kwargs?: Kwargs,
): void {
  const plural = (count: number): string => `${count} argument${count === 1 ? '' : 's'}`;
  if (kwargs !== undefined && kwargs.size > 0) return;
  if (most === 0 && given > 0 && !takesRest)
    throw typeError(`${type}.${name}() takes no arguments (${given} given)`);
  if (most === 1 && least === 1 && given !== 1 && !takesRest)
    throw typeError(`${type}.${name}() takes exactly one argument (${given} given)`);
  if (given < least) throw typeError(`${name} expected at least ${plural(least)}, got ${given}`);
  if (given > most && !takesRest) throw typeError(`${name} expected at most ${plural(most)}, got ${given}`);
}
