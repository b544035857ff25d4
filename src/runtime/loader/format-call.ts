/**
 * Arguments that stand beside other keys of a mapping, each under the name of its parameter (salt/utils/args.py
 * `format_call`, 3006.16).
 */
import { SaltInvocationError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import type { CallArguments } from './bind.ts';
import type { FunctionDescription } from './module.ts';

/**
 * The keys of a mapping as the arguments of a function.
 * @param fun its full name
 * @param known keys that are no arguments, unless a parameter has their name
 * @throws SaltInvocationError for what is missing or not a parameter
 */
export function formatCall(
  fun: string,
  spec: FunctionDescription,
  data: Dict,
  known: ReadonlySet<Value>,
): CallArguments {
  const left: Dict = new Map(data);
  const positional: Value[] = [];
  const keywords: Dict = new Map();
  let missing = 0;
  const name = spec.pythonName ?? fun.slice(fun.indexOf('.') + 1);
  for (const [param, { default: fallback }] of Object.entries(spec.params ?? {})) {
    const value = left.get(param);
    left.delete(param);
    if (fallback !== undefined) keywords.set(param, value ?? fallback);
    else if (value === undefined) missing++;
    else positional.push(value);
  }
  if (missing > 0) {
    const count = positional.length + missing;
    throw new SaltInvocationError(
      `${name} takes at least ${count} argument${count > 1 ? 's' : ''} (${positional.length} given)`,
    );
  }
  const extra = [...left].filter(([key]) => !known.has(key));
  if (spec.kwargs !== undefined) for (const [key, value] of extra) keywords.set(key, value);
  else if (extra.length > 0) {
    const names = extra.map(([key]) => pyStr(key));
    throw new SaltInvocationError(unknownKeys(names, fun));
  }
  return { positional, keywords };
}

function unknownKeys(keys: readonly string[], fun: string): string {
  const last = keys[keys.length - 1] as string;
  const others = keys.slice(0, -1).map((key) => `'${key}'`);
  return others.length === 0
    ? `'${last}' is an invalid keyword argument for '${fun}'`
    : `${others.join(', ')} and '${last}' are invalid keyword arguments for '${fun}'`;
}
