/** Python's `sorted()` of template values. */
import { sortedBy } from '../../python/values/order.ts';
import { PyObject } from '../../python/values/value.ts';
import { asksFor, operated } from './asking.ts';
import { PyTuple, type TValue } from './model.ts';
import { lt } from './operators.ts';

/** Sorts by a key; stable in either direction. @throws TypeError for values without an order */
export function sortValues<T extends TValue>(
  items: Iterable<T>,
  keyOf: (item: T) => TValue = (item) => item,
  reverse = false,
): T[] {
  const keyed = [...items].map((item) => ({ item, key: keyOf(item) }));
  const object = keyed.length > 1 ? objectAmong(keyed) : undefined;
  if (object !== undefined) {
    const keys = keyed.map(({ key }) => key);
    const places = operated(object, 'sorted', keys, reverse) as number[];
    return places.map((at) => (keyed[at] as { item: T }).item);
  }
  if (!reverse) return sortedBy(keyed, (a, b) => lt(a.key, b.key)).map(({ item }) => item);
  // Python turns the list round before and after, so that equal items keep their order
  return sortedBy(keyed.reverse(), (a, b) => lt(a.key, b.key))
    .reverse()
    .map(({ item }) => item);
}

/** An object in Python that has to be asked for the order. */
function objectAmong(keyed: readonly { readonly key: TValue }[]): PyObject | undefined {
  for (const { key } of keyed) {
    const found =
      key instanceof PyTuple ? asksFor(...key) : key instanceof PyObject ? asksFor(key) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
