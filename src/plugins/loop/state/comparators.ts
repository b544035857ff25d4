/** How `loop.until_no_eval` compares what a function gives with what is waited for (3006.16 salt/states/loop.py). */
import { subdictMatch } from '../../../formats/data/subdict-match.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { expressionMatch } from '../../../python/text/expression-match.ts';
import { lessThan, UnorderableError } from '../../../python/values/order.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, pyTypeName, truthy, valuesEqual, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';

/** @returns whether what a function gave is what is waited for */
export type Comparator = (given: Value, expected: Value) => boolean | Promise<boolean>;

/** An order, with Python's words for values that have none between them. */
function ordered(sign: string, holds: (a: Value, b: Value) => boolean): Comparator {
  return (given, expected) => {
    try {
      return holds(given, expected);
    } catch (error) {
      if (!(error instanceof UnorderableError)) throw error;
      const types = `'${pyTypeName(given)}' and '${pyTypeName(expected)}'`;
      throw new PythonError('TypeError', `'${sign}' not supported between instances of ${types}`);
    }
  };
}

function contains(container: Value, item: Value): boolean {
  if (Array.isArray(container)) return container.some((one) => valuesEqual(one, item));
  if (isDict(container)) return [...container.keys()].some((key) => valuesEqual(key, item));
  if (typeof container !== 'string')
    throw new PythonError('TypeError', `argument of type '${pyTypeName(container)}' is not iterable`);
  if (typeof item === 'string') return container.includes(item);
  const type = pyTypeName(item);
  throw new PythonError('TypeError', `'in <string>' requires string as left operand, not ${type}`);
}

/** Those of Python's module `operator` that compare two values. */
const OPERATORS: ReadonlyMap<string, Comparator> = new Map<string, Comparator>([
  ['eq', valuesEqual],
  ['ne', (a, b) => !valuesEqual(a, b)],
  ['lt', ordered('<', lessThan)],
  ['le', ordered('<=', (a, b) => lessThan(a, b) || valuesEqual(a, b))],
  ['gt', ordered('>', (a, b) => lessThan(b, a))],
  ['ge', ordered('>=', (a, b) => lessThan(b, a) || valuesEqual(a, b))],
  ['contains', contains],
  ['is_', (a, b) => a === b],
  ['is_not', (a, b) => a !== b],
]);

/** Those of Salt's `__utils__` that compare two values. */
const UTILITIES: ReadonlyMap<string, Comparator> = new Map<string, Comparator>([
  ['data.subdict_match', (data, expression) => subdictMatch(data, pyStr(expression))],
  ['stringutils.expr_match', (line, expression) => expressionMatch(pyStr(line), pyStr(expression))],
]);

/**
 * Finds how to compare: an execution function, one of `__utils__`, an operator.
 * @returns undefined where there is none of that name
 */
export async function comparatorNamed(ctx: ModuleContext, name: string): Promise<Comparator | undefined> {
  if (await ctx.functions.has(name))
    return async (given, expected) => truthy(await ctx.functions.call(name, [given, expected]));
  return UTILITIES.get(name) ?? OPERATORS.get(name.replace(/^__(.+)__$/, '$1'));
}
