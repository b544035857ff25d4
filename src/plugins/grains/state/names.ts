/** Names and values of grains, as the states of `grains` see them (3006.16 salt/states/grains.py). */
import type { StateContext } from '../../shared/state-function.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { Dict, Value } from '../../../python/values/value.ts';

const MISSING: Dict = new Map();

/**
 * The name with colons for the delimiter. Salt compat: Salt takes it for a regular expression, so that `|` stands
 * between all letters.
 */
export function grainName(name: Value, delimiter: Value): string {
  const mark = pyStr(delimiter);
  return mark === '' ? pyStr(name) : pyStr(name).replaceAll(mark, ':');
}

/** A grain's value, undefined when there is none. */
export async function grainValue(ctx: StateContext, name: string): Promise<Value | undefined> {
  const value = await ctx.functions.call('grains.get', [name, MISSING]);
  return value === MISSING ? undefined : value;
}
