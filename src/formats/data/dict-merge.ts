/** Salt's ways to merge two mappings (3006.16 salt/utils/dictupdate.py). */
import { copyValue, isDict, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';

/** Strategies of `pillar_source_merging_strategy` and `config.get merge=`; `smart` is `recurse` without yamlex. */
export type MergeStrategy = 'smart' | 'recurse' | 'aggregate' | 'overwrite' | 'list' | 'none';

/** How {@link updateDict} treats what both sides have. */
export interface UpdateOptions {
  /** False: keys of `upd` replace those of `dest` as a whole. Default true. */
  readonly recursive?: boolean;
  /** True: lists are joined, without members that `dest` has already. Default false. */
  readonly mergeLists?: boolean;
  /** True: what `upd` leaves empty (null) does not replace what `dest` has. Default false. */
  readonly keepsOnEmpty?: boolean;
}

/**
 * Merges `upd` into `dest` and returns `dest` (Salt's `dictupdate.update`). Values of `upd` are shared, not copied;
 * hand in a copy of `dest` when it must stay as it is.
 */
export function updateDict(dest: Dict, upd: Dict, options: UpdateOptions = {}): Dict {
  const { recursive = true, mergeLists = false, keepsOnEmpty = false } = options;
  for (const [key, value] of upd) {
    if (keepsOnEmpty && value === null && dest.has(key)) continue;
    const old = recursive ? dest.get(key) : undefined;
    if (isDict(old) && isDict(value)) dest.set(key, updateDict(old, value, { mergeLists, keepsOnEmpty }));
    else if (mergeLists && Array.isArray(old) && Array.isArray(value)) dest.set(key, joinLists(old, value));
    else dest.set(key, value);
  }
  return dest;
}

/** The old list and what is new in the other; what the other list has twice stays twice, as in Salt. */
function joinLists(old: readonly Value[], added: readonly Value[]): Value[] {
  const texts = new Set(old.filter((item) => typeof item === 'string'));
  const known = (item: Value): boolean =>
    typeof item === 'string' ? texts.has(item) : old.some((other) => valuesEqual(other, item));
  return [...old.map((item) => copyValue(item)), ...added.filter((item) => !known(item))];
}

/** A new mapping: `a` with `b` merged in recursively (Salt's `merge_recurse`). */
export function mergeRecurse(a: Dict, b: Dict, mergeLists = false): Dict {
  return updateDict(copyValue(a), b, { mergeLists });
}

/** The keys of `a`; where `b` has the key too, a list of both values (Salt's `merge_list`). */
function mergeList(a: Dict, b: Dict): Dict {
  const out: Dict = new Map();
  for (const [key, value] of a) {
    const other = b.get(key);
    out.set(key, other === undefined ? value : [value, other]);
  }
  return out;
}

/**
 * Merges by a strategy's name (Salt's `dictupdate.merge`); `a` and `b` stay as they are. Unknown names count as
 * `recurse`; the caller logs them. Without yamlex marks, which are not supported, `aggregate` only joins the top level.
 */
export function mergeDicts(
  a: Dict,
  b: Dict,
  strategy: MergeStrategy = 'smart',
  mergeLists = false,
  keepsOnEmpty = false,
): Dict {
  return mergeInto(strategy === 'list' ? a : copyValue(a), b, strategy, mergeLists, keepsOnEmpty);
}

/**
 * As {@link mergeDicts}, for who merges many into one: `dest` belongs to the caller and is changed, and what it returns
 * takes its place; copying all that has been merged before with each further one takes time that grows with the square
 * of their number. Values of `b` become part of it.
 */
export function mergeInto(
  dest: Dict,
  b: Dict,
  strategy: MergeStrategy = 'smart',
  mergeLists = false,
  keepsOnEmpty = false,
): Dict {
  switch (strategy) {
    case 'list':
      return mergeList(dest, b);
    case 'overwrite':
    case 'aggregate':
      return updateDict(dest, b, { recursive: false, keepsOnEmpty });
    case 'none':
      return updateDict(dest, b, { keepsOnEmpty });
    case 'smart':
    case 'recurse':
      return updateDict(dest, b, { mergeLists, keepsOnEmpty });
  }
  // the names come from options and arguments
  return updateDict(dest, b, { mergeLists, keepsOnEmpty });
}
