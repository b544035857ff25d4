/**
 * A low chunk as the arguments of its state function (salt/utils/args.py `format_call`, salt/state.py `verify_data`,
 * 3006.16).
 */
import { SaltInvocationError } from '../../errors/errors.ts';
import type { FunctionSpec } from '../loader/module.ts';
import { pyStr } from '../../python/values/repr.ts';
import { copyValue, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { INTERNAL_KEYWORDS } from './keywords.ts';

/** Functions that the state system calls by itself, and what it says more to them than the state's own parameters. */
const CALLED_BY_RUN: readonly string[] = ['mod_watch', 'mod_beacon'];
const SAID_BY_RUN: readonly string[] = ['sfun', '__reqs__'];

/** The arguments of one state call. */
export interface StateArguments {
  /** Every parameter by name. Has no prototype. */
  readonly args: Record<string, Value>;
  readonly kwargs: Dict;
}

/** The parameters without a default. */
export function requiredParams(spec: FunctionSpec): string[] {
  return Object.entries(spec.params ?? {}).flatMap(([name, param]) =>
    param.default === undefined && param.keywordOnly !== true ? [name] : [],
  );
}

/**
 * @param full the state function's full name
 * @throws SaltInvocationError for arguments that the function does not take
 */
export function bindState(full: string, spec: FunctionSpec, low: Dict): StateArguments {
  const args = Object.create(null) as Record<string, Value>;
  const rest: Dict = new Map(low);
  for (const [name, param] of Object.entries(spec.params ?? {})) {
    const given = rest.get(name);
    args[name] = given === undefined ? copyValue(param.default ?? null) : given;
    rest.delete(name);
  }
  // Salt compat: Salt fails the run of a `mod_watch` that neither names them nor takes any keyword.
  const isLenient = spec.kwargs === undefined && CALLED_BY_RUN.includes(pyStr(low.get('fun') ?? ''));
  if (isLenient) for (const name of SAID_BY_RUN) rest.delete(name);
  const kwargs: Dict = new Map([...rest].filter(([key]) => !INTERNAL_KEYWORDS.has(pyStr(key))));
  if (spec.kwargs === undefined && kwargs.size > 0)
    throw new SaltInvocationError(invalidKeywords([...kwargs.keys()].map(pyStr), full));
  return { args, kwargs };
}

function invalidKeywords(names: readonly string[], full: string): string {
  const quoted = names.map((name) => `'${name}'`);
  if (quoted.length === 1) return `${quoted[0] ?? ''} is an invalid keyword argument for '${full}'`;
  return `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1) ?? ''} are invalid keyword arguments for '${full}'`;
}

/** The name that a call goes by where its function has returned none. */
export function nameOfCall(spec: FunctionSpec, { args, kwargs }: StateArguments, low: Dict): Value {
  const [first] = requiredParams(spec);
  const candidates = [first === undefined ? undefined : args[first], args['name'], kwargs.get('name')];
  return candidates.find((name) => truthy(name)) ?? low.get('name') ?? low.get('__id__') ?? null;
}
