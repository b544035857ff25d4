/** Python's order of values: what `sorted()` does with keys, including refusing to compare unlike types. */
import { pyStr } from './repr.ts';
import { isBytes, PyDatetime, toNumber, valuesEqual, type Dict, type Value } from './value.ts';

/** `sorted()` met two values that Python cannot compare (`'<' not supported between …`). */
export class UnorderableError extends TypeError {
  override readonly name = 'UnorderableError';
}

/** Orders text by code points, as Python does (JavaScript's `<` orders by UTF-16 units). */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return aboveSurrogates(x) - aboveSurrogates(y);
  }
  return a.length - b.length;
}

// Surrogates stand for code points above U+FFFF, so they sort after U+E000 to U+FFFF.
function aboveSurrogates(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/**
 * Python's `a < b`.
 * @throws UnorderableError when the types have no order between them
 */
export function lessThan(a: Value, b: Value): boolean {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b) < 0;
  const x = orderedNumber(a);
  const y = orderedNumber(b);
  if (x !== undefined && y !== undefined) return x < y;
  if (Array.isArray(a) && Array.isArray(b)) return listLessThan(a, b);
  if (isBytes(a) && isBytes(b)) return Buffer.compare(a, b) < 0;
  if (a instanceof PyDatetime && b instanceof PyDatetime) return a.text < b.text;
  throw new UnorderableError('values of unlike types have no order');
}

function orderedNumber(value: Value): number | bigint | undefined {
  if (typeof value === 'bigint') return value;
  return typeof value === 'boolean' ? Number(value) : toNumber(value);
}

function listLessThan(a: readonly Value[], b: readonly Value[]): boolean {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a[i] as Value;
    const y = b[i] as Value;
    if (!valuesEqual(x, y)) return lessThan(x, y);
  }
  return a.length < b.length;
}

/**
 * Python's `sorted(items, key=…)` with its own order of comparisons, so that even inconsistent orders (pprint's, of
 * mixed types) come out alike for up to 63 items.
 */
export function sortedBy<T>(items: Iterable<T>, less: (a: T, b: T) => boolean): T[] {
  const list = [...items];
  if (list.length >= 64) return list.sort((a, b) => (less(a, b) ? -1 : less(b, a) ? 1 : 0));
  for (let i = leadingRun(list, less); i < list.length; i++) {
    const pivot = list[i] as T;
    let low = 0;
    let high = i;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (less(pivot, list[middle] as T)) high = middle;
      else low = middle + 1;
    }
    list.splice(i, 1);
    list.splice(low, 0, pivot);
  }
  return list;
}

/** The length of the ascending run a list begins with; a strictly descending one is turned round in place. */
function leadingRun<T>(list: T[], less: (a: T, b: T) => boolean): number {
  if (list.length < 2) return list.length;
  const descending = less(list[1] as T, list[0] as T);
  let end = 2;
  while (end < list.length && less(list[end] as T, list[end - 1] as T) === descending) end++;
  if (descending) list.splice(0, end, ...list.slice(0, end).reverse());
  return end;
}

const SURROGATE = /[\ud800-\udfff]/;

/** Sorts by text keys with JavaScript's own order, where that is Python's; undefined where it may not be. */
function sortedByText<T>(items: Iterable<T>, keyOf: (item: T) => Value): T[] | undefined {
  const list = [...items];
  for (const item of list) {
    const key = keyOf(item);
    if (typeof key !== 'string' || SURROGATE.test(key)) return undefined;
  }
  return list.sort((x, y) => {
    const [a, b] = [keyOf(x) as string, keyOf(y) as string];
    return a < b ? -1 : a > b ? 1 : 0;
  });
}

/**
 * The entries of a mapping in the order of `sorted(mapping.items())`.
 * @throws UnorderableError for keys of unlike types
 */
export function sortedEntries(map: Dict): [Value, Value][] {
  return sortedByText(map, ([key]) => key) ?? sortedBy(map, ([a], [b]) => lessThan(a, b));
}

/** A mapping's keys as `sorted(mapping)` gives them. @throws UnorderableError for keys of unlike types */
export function sortedKeys(map: Dict): Value[] {
  return sortedByText(map.keys(), (key) => key) ?? sortedBy(map.keys(), lessThan);
}

/**
 * The entries as Salt's nested outputter walks them (3006.16 salt/output/nested.py): sorted; keys of unlike types all
 * become text first, whereby a later key replaces an earlier one of the same text.
 */
export function displayEntries(map: Dict): [Value, Value][] {
  try {
    return sortedEntries(map);
  } catch (error) {
    if (!(error instanceof UnorderableError)) throw error;
    return sortedEntries(new Map([...map].map(([key, value]) => [pyStr(key), value])));
  }
}
