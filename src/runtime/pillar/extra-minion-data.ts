/**
 * What a minion tells external pillars besides its grains (`pass_to_ext_pillars`; 3006.16 salt/pillar/__init__.py
 * `RemotePillarMixin`).
 */
import { mergeRecurse } from '../../formats/data/dict-merge.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';

/**
 * The named options. @param opts of the minion
 * @returns as {@link parts}; empty when nothing is named
 */
export function extraMinionData(opts: Dict): Dict {
  const named = opts.get('pass_to_ext_pillars');
  return parts(opts, Array.isArray(named) ? named : []);
}

/**
 * Parts of a mapping, each in the mappings that it stands in.
 * @param names `a:b` names what is inside of `a`; names that lead nowhere are left out
 */
export function parts(from: Dict, names: readonly Value[]): Dict {
  return names
    .map((name) => only(from, pyStr(name).split(':')))
    .reduce<Dict>((all, one) => mergeRecurse(all, one, true), new Map());
}

/** A mapping with nothing in it but what a path leads to. */
function only(from: Dict, [key = '', ...rest]: readonly string[]): Dict {
  const value = from.get(key);
  if (value === undefined) return new Map();
  if (rest.length === 0) return new Map([[key, value]]);
  const inner: Dict = isDict(value) ? only(value, rest) : new Map();
  return inner.size === 0 ? inner : new Map<Value, Value>([[key, inner]]);
}
