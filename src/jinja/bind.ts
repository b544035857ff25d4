/** Arguments of native functions, bound as Python binds them. */
import { typeError } from './errors.ts';
import type { CallScope, Kwargs, Later, NativeBody, TValue } from './model.ts';

/** A parameter: its name, with its default where it has one; `*` takes the rest, `**` the remaining keywords. */
export type Param = string | readonly [name: string, fallback: TValue];

/** The body of a function with bound arguments. */
export type BoundBody = (args: TValue[], scope: CallScope, rest: readonly TValue[], kwargs: Kwargs) => Later;

const NO_KWARGS: Kwargs = new Map();

/**
 * Wraps a body so that it gets one argument for each parameter.
 * @throws TypeError in Python's words when the arguments do not fit
 */
export function native(name: string, params: readonly Param[], body: BoundBody): NativeBody {
  const takesRest = params.includes('*');
  const takesKwargs = params.includes('**');
  const own = params.filter((param) => param !== '*' && param !== '**');
  const names = own.map((param) => (typeof param === 'string' ? param : param[0]));
  const required = own.filter((param) => typeof param === 'string').length;
  return (args, kwargs, scope) => {
    const out: TValue[] = [];
    const used = new Set<string>();
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
    if (args.length > own.length && !takesRest) throw typeError(tooMany(name, own.length, required, args.length));
    if (kwargs === undefined || kwargs.size === used.size)
      return body(out, scope, args.slice(own.length), NO_KWARGS);
    const others = new Map([...kwargs].filter(([key]) => !used.has(key)));
    if (!takesKwargs) throw typeError(`${name}() got an unexpected keyword argument '${[...others.keys()][0]}'`);
    return body(out, scope, args.slice(own.length), others);
  };
}

function missing(name: string, names: readonly string[], required: number, from: number, kwargs?: Kwargs): string {
  const lacking = names.slice(from, required).filter((key) => !kwargs?.has(key)).map((key) => `'${key}'`);
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
