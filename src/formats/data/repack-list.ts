/** Lists of names and one-key mappings, as Salt's options have them. */
import { isDict, type Dict, type Value } from '../../python/values/value.ts';

/**
 * A list of texts and one-key mappings as one mapping (3006.16 salt/utils/data.py `repack_dictlist`); undefined for
 * anything else.
 */
export function repackList(list: readonly Value[]): Dict | undefined {
  const out: Dict = new Map();
  for (const item of list) {
    if (isDict(item)) {
      if (item.size !== 1) return undefined;
      for (const [key, value] of item) out.set(key, value);
    } else if (typeof item === 'string' || typeof item === 'number') out.set(item, null);
    else return undefined;
  }
  return out;
}
