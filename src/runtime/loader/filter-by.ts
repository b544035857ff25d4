/** Choosing a value from a table by another value, as `grains.filter_by` and `pillar.filter_by` do. */
import { ArgumentError } from '../../errors/errors.ts';
import { PythonError } from '../../python/exceptions.ts';
import { compileGlob } from '../../python/text/fnmatch.ts';
import { updateDict } from '../../formats/data/dict-merge.ts';
import { pyStr } from '../../python/values/repr.ts';
import { copyValue, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';

/** How the chosen value is completed. */
export interface FilterByOptions {
  /** A mapping merged over the chosen value. */
  readonly merge?: Value;
  /** Key of the table to use when nothing matches. */
  readonly fallback?: Value;
  /** Key of the table whose mapping lies under the chosen value. */
  readonly base?: Value;
}

/**
 * Follows Salt's `filter_by` (3006.16 salt/utils/data.py): keys of the table are globs, the first one that matches the
 * wanted value, or the first item of a wanted list, gives the result.
 * @param table glob to value
 * @param wanted what the keys are matched against; undefined when there is no such thing
 * @returns the value of the table, completed; null when nothing matches. The table stays as it is
 * @throws PythonError SaltException, ArgumentError in Salt's words, when things that should be merged are no mappings
 */
export function filterBy(table: Dict, wanted: Value | undefined, options: FilterByOptions = {}): Value {
  const { merge, fallback = 'default', base } = options;
  let chosen = copyValue(firstMatch(table, wanted) ?? table.get(fallback) ?? null, 'shared');
  const under = truthy(base) ? table.get(base as Value) : undefined;
  if (under !== undefined && chosen === null) chosen = copyValue(under);
  else if (isDict(under)) {
    if (!isDict(chosen))
      throw saltException('filter_by default and look-up values must both be dictionaries.');
    chosen = updateDict(copyValue(under), chosen);
  }
  if (!truthy(merge)) return chosen;
  if (!isDict(merge)) throw saltException('filter_by merge argument must be a dictionary.');
  if (chosen === null) return merge;
  if (!isDict(chosen)) throw new ArgumentError('Cannot update using non-dict types in dictupdate.update()');
  return updateDict(chosen, copyValue(merge));
}

function firstMatch(table: Dict, wanted: Value | undefined): Value | undefined {
  const globs = [...table].map(([key, value]) => ({ glob: compileGlob(pyStr(key)), value }));
  for (const item of wanted === undefined ? [] : Array.isArray(wanted) ? wanted : [wanted]) {
    const text = pyStr(item);
    const found = globs.find(({ glob }) => glob.matches(text))?.value;
    if (found !== undefined && found !== null) return found;
  }
  return undefined;
}

/** A plain SaltException, which reaches the user as the last line of a traceback. */
export function saltException(message: string): PythonError {
  return new PythonError('salt.exceptions.SaltException', message);
}
