/** What two nested mappings do not have in common (3006.16 salt/utils/dictdiffer.py `deep_diff`). */
import { copyValue, isDict, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';

/**
 * The parts of two mappings that differ.
 * @param ignore keys that are left out, at every depth
 * @returns `{old, new}` as far as there is something in them
 */
export function deepDiff(old: Dict, wanted: Dict, ignore: readonly string[] = []): Dict {
  const [before, after] = [copyValue(old), copyValue(wanted)];
  prune(before, after, ignore);
  const found: Dict = new Map();
  if (before.size > 0) found.set('old', before);
  if (after.size > 0) found.set('new', after);
  return found;
}

function prune(old: Dict, wanted: Dict, ignore: readonly string[]): void {
  for (const key of new Set([...old.keys(), ...wanted.keys()])) {
    if (dropEqual(old, wanted, key)) continue;
    if (typeof key === 'string' && ignore.includes(key)) {
      old.delete(key);
      wanted.delete(key);
    }
    const [before, after] = [old.get(key), wanted.get(key)];
    if (!isDict(before) || !isDict(after)) continue;
    prune(before, after, ignore);
    dropEqual(old, wanted, key);
  }
}

function dropEqual(old: Dict, wanted: Dict, key: Value): boolean {
  const [before, after] = [old.get(key), wanted.get(key)];
  if (before === undefined || after === undefined || !valuesEqual(before, after)) return false;
  old.delete(key);
  wanted.delete(key);
  return true;
}
