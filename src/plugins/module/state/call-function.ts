/** Calls with arguments as `module.run` takes them in lists (3006.16 salt/utils/functools.py `call_function`). */
import { SaltInvocationError } from '../../../errors/errors.ts';
import type { FunctionSpec } from '../../../runtime/loader/module.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { isDict, pyTypeName, type Dict, type Value } from '../../../python/values/value.ts';
import { signatureOf } from './signature.ts';

/** What is handed to the function. */
export interface FunctionArguments {
  readonly args: readonly Value[];
  readonly kwargs: Dict;
}

/** Items of what stands behind the function's name, as Python's `*` takes them apart. */
function itemsOf(given: Value): Value[] {
  if (given === null) return [];
  if (Array.isArray(given)) return given;
  if (typeof given === 'string') return [...given];
  if (isDict(given)) return [...given.keys()];
  throw new PythonError('TypeError', `Value after * must be an iterable, not ${pyTypeName(given)}`);
}

/**
 * Puts the items of a list in their places: mappings are keywords, anything else is positional.
 * @throws SaltInvocationError when required arguments are missing
 */
export function functionArguments(spec: FunctionSpec, given: Value): FunctionArguments {
  const { required, defaults } = signatureOf(spec);
  const kwargs: Dict = new Map(defaults);
  const named = new Map<Value, Value>();
  const items = itemsOf(given);
  for (const item of items.filter(isDict).reverse()) {
    for (const [key, value] of item) if (required.includes(key as string)) named.set(key, value);
    // Salt compat: one key that is no required argument makes keywords of the whole mapping.
    if ([...item.keys()].some((key) => !required.includes(key as string)))
      for (const [key, value] of item) kwargs.set(key, value);
  }
  const args = items.filter((item) => !isDict(item));
  for (const name of required) if (named.has(name)) args.push(named.get(name) as Value);
  assertComplete(required, [...required, ...defaults.keys()].slice(args.length), {
    given: args.length,
    kwargs,
  });
  return { args, kwargs };
}

function assertComplete(
  required: readonly string[],
  unfilled: readonly string[],
  { given, kwargs }: { given: number; kwargs: Dict },
): void {
  if (required.length <= given) return;
  const missing = unfilled.filter((name) => !kwargs.has(name));
  if (missing.length > 0) throw new SaltInvocationError(`Missing arguments: ${missing.join(', ')}`);
}
