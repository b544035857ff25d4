/** Which keys of two mappings differ (3006.16 salt/utils/dictdiffer.py `DictDiffer`). */
import { valuesEqual, type Dict, type Value } from '../../python/values/value.ts';

/**
 * Which keys two mappings do not have in common, and of which the values differ; in the order of the first, then of the
 * second.
 */
export function keysOfDiff(
  wanted: Dict,
  old: Dict,
): { readonly added: Value[]; readonly removed: Value[]; readonly changed: Value[] } {
  return {
    added: [...wanted.keys()].filter((key) => !old.has(key)),
    removed: [...old.keys()].filter((key) => !wanted.has(key)),
    changed: [...wanted].flatMap(([key, value]) => {
      const before = old.get(key);
      return before !== undefined && !valuesEqual(before, value) ? [key] : [];
    }),
  };
}
