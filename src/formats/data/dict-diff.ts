/** What is new in a mapping (3006.16 salt/utils/dictdiffer.py `recursive_diff`). */
import { dict, isDict, valuesEqual, type Dict } from '../../python/values/value.ts';

/** What stands for a value that is not there. */
const NONE = '<_null_>';

/**
 * The values that differ, as `{new, old}`, mappings within both compared in their turn.
 * @param now the mapping whose keys count; keys that only `before` has are left out
 */
export function dictDifference(now: Dict, before: Dict): Dict {
  const out: Dict = new Map();
  for (const [key, value] of now) {
    const old = before.get(key);
    if (old === undefined) out.set(key, dict({ new: value, old: NONE }));
    else if (valuesEqual(value, old)) continue;
    else if (!isDict(value) || !isDict(old)) out.set(key, dict({ new: value, old }));
    else {
      const inner = dictDifference(value, old);
      if (inner.size > 0) out.set(key, inner);
    }
  }
  return out;
}
