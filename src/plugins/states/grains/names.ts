/** Names and values of grains, as the states of `grains` see them (3006.16 salt/states/grains.py). */
import type { StateContext } from '../state-function.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { replaceAll, textPattern } from '../../modules/file/regex.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, pyTypeName, type Dict, type Value } from '../../../python/values/value.ts';

const MISSING: Dict = new Map();

/** The name with colons for the delimiter, which Salt takes for a regular expression. */
export function grainName(name: Value, delimiter: Value): string {
  return replaceAll(textPattern(pyStr(delimiter)), ':', pyStr(name)).text;
}

/** A grain's value, undefined when there is none. */
export async function grainValue(ctx: StateContext, name: string): Promise<Value | undefined> {
  const value = await ctx.functions.call('grains.get', [name, MISSING]);
  return value === MISSING ? undefined : value;
}

/**
 * The items of a list of texts, lists and mappings as sets of their letters and keys, as Salt compares them.
 * @throws PythonError TypeError for other items
 */
export function hashableItems(list: readonly Value[], found = new Set<string>()): Set<string> {
  for (const item of list)
    if (Array.isArray(item)) {
      // Salt compat: what is found in a list that comes first is lost.
      if (found.size > 0) hashableItems(item, found);
    } else if (typeof item === 'string') found.add(setText([...item]));
    else if (isDict(item)) found.add(setText([...item.keys()].map(pyStr)));
    else throw new PythonError('TypeError', `'${pyTypeName(item)}' object is not iterable`);
  return found;
}

const setText = (parts: string[]): string => JSON.stringify([...new Set(parts)].sort());
