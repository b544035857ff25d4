/** Joining the data of two classes (3006.16 salt/utils/saltclass.py `dict_merge`). */
import { isDict, type Dict } from '../../python/values/value.ts';

/** The first item of a list that replaces instead of adding. */
const REPLACES = '^';

/**
 * Adds `over` to `base`, which is changed: mappings are joined, lists are appended to, or replaced by one that begins
 * with `^`.
 *
 * Salt compat: what `base` has not before becomes the very object of `over`, and grows with the next class that is
 * added; so lists of several classes may hold what a later class adds twice, as in Salt. Salt fails at an empty list;
 * here it adds nothing.
 */
export function mergeClass(base: Dict, over: Dict): void {
  for (const [key, value] of over) {
    const before = base.get(key);
    if (Array.isArray(before) && Array.isArray(value)) {
      if (value[0] === REPLACES) {
        value.shift();
        base.set(key, value);
      } else before.push(...value);
    } else if (isDict(before) && isDict(value)) mergeClass(before, value);
    else base.set(key, value);
  }
}
