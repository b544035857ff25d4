/** Python's `sorted()` of template values. */
import { sortedBy } from '../../python/values/order.ts';
import type { TValue } from './model.ts';
import { lt } from './operators.ts';

/** Sorts by a key; stable in either direction. @throws TypeError for values without an order */
export function sortValues<T extends TValue>(
  items: Iterable<T>,
  keyOf: (item: T) => TValue = (item) => item,
  reverse = false,
): T[] {
  const keyed = [...items].map((item) => ({ item, key: keyOf(item) }));
  if (!reverse) return sortedBy(keyed, (a, b) => lt(a.key, b.key)).map(({ item }) => item);
  // Python turns the list round before and after, so that equal items keep their order
  return sortedBy(keyed.reverse(), (a, b) => lt(a.key, b.key))
    .reverse()
    .map(({ item }) => item);
}
