/** Parameters of functions in Python as the loader knows them, and its arguments as a call there takes them. */
import type { PythonParameter } from '../../network/ipc/contracts/python-host.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import type { ParamSpec } from '../loader/module.ts';

/** A default that only Python knows; the parameter is left out of the call. */
const OPAQUE = Symbol('opaque');

/** A parameter as the loader describes it. */
export function paramSpec({ how, fallback, byNameOnly }: PythonParameter): ParamSpec {
  const spec: ParamSpec = byNameOnly ? { keywordOnly: true } : {};
  if (how === 'required') return spec;
  return how === 'default'
    ? { ...spec, default: fallback }
    : { ...spec, default: null, defaultFrom: String(fallback) };
}

/** The arguments as Python's call takes them: by position as far as what follows needs it, else by name. */
export function callArguments(
  params: readonly PythonParameter[],
  given: Readonly<Record<string, Value>>,
  rest: readonly Value[],
  keywords: Dict,
): { args: Value[]; kwargs: Dict } {
  const kwargs: Dict = new Map(keywords);
  const args: Value[] = [];
  for (const { name, how, byNameOnly } of params) {
    const value = how === 'opaque' && given[name] === null ? OPAQUE : (given[name] ?? null);
    if (value === OPAQUE) continue;
    if (rest.length > 0 && !byNameOnly) args.push(value);
    else kwargs.set(name, value);
  }
  return { args: [...args, ...rest], kwargs };
}
