/**
 * Joining the files of a stack, by the strategies that their data name (3006.16 salt/pillar/stack.py `_merge_dict`).
 */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, pyTypeName, valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';

/** The key, in a mapping or in the first item of a list, that names how it is joined to what was there. */
const STRATEGY = '__';
const STRATEGIES = ['overwrite', 'merge-first', 'merge-last', 'remove'];

/**
 * Joins a file's data to the stack, which is changed and returned unless the data replaces it.
 * @throws CommandExecutionError for a strategy that does not exist
 */
export function mergeStack(stack: Dict, data: Dict): Dict {
  const strategy = strategyOf(data.get(STRATEGY));
  data.delete(STRATEGY);
  if (strategy === 'overwrite') return withoutMarks(data) as Dict;
  for (const [key, value] of data) {
    if (strategy === 'remove') {
      stack.delete(key);
      continue;
    }
    const before = stack.get(key);
    if (before === undefined) stack.set(key, withoutMarks(value));
    else if (strategy === 'merge-first') stack.set(key, mergeValues(withoutMarks(value), before));
    else stack.set(key, mergeValues(before, value));
  }
  return stack;
}

function mergeValues(under: Value, over: Value): Value {
  if (pyTypeName(under) !== pyTypeName(over)) return withoutMarks(over);
  if (isDict(under) && isDict(over)) return mergeStack(under, over);
  return Array.isArray(under) && Array.isArray(over) ? mergeLists(under, over) : over;
}

function mergeLists(stack: readonly Value[], list: readonly Value[]): Value[] {
  const marked = isMarked(list);
  const strategy = strategyOf(marked ? (list[0] as Dict).get(STRATEGY) : undefined);
  const items = marked ? list.slice(1) : [...list];
  if (strategy === 'overwrite') return items;
  if (strategy === 'remove') return stack.filter((item) => !items.some((one) => valuesEqual(one, item)));
  return strategy === 'merge-first' ? [...items, ...stack] : [...stack, ...items];
}

function strategyOf(given: Value | undefined): string {
  const strategy = given === undefined ? 'merge-last' : pyStr(given);
  if (STRATEGIES.includes(strategy)) return strategy;
  throw new CommandExecutionError(
    `Unknown strategy "${strategy}", should be one of ${STRATEGIES.join(', ')}`,
  );
}

function isMarked(list: readonly Value[]): boolean {
  const [first] = list;
  return isDict(first) && first.has(STRATEGY);
}

/**
 * The data without the marks of strategies; Salt compat: those inside of lists stay, but for one at their beginning.
 */
function withoutMarks(value: Value): Value {
  if (isDict(value)) {
    value.delete(STRATEGY);
    for (const [key, item] of value) value.set(key, withoutMarks(item));
  } else if (Array.isArray(value) && isMarked(value)) value.shift();
  return value;
}
