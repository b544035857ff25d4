/** Keys of etcd that are paths, and the tree that they make (3006.16 salt/utils/etcd_util.py). */
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';

/**
 * What lies below a path, of pairs of version 3.
 * @param pairs the pairs whose keys begin with the path
 */
export function treeOfPairs(path: string, pairs: readonly (readonly [key: string, value: Value])[]): Dict {
  const [only] = pairs;
  if (pairs.length === 1 && only?.[0] === path)
    return new Map<Value, Value>([[path.split('/').at(-1) ?? '', only[1]]]);
  const tree: Dict = new Map();
  for (const [key, value] of pairs)
    addAt(tree, key.slice(path.length).replace(/^\/+/, '').split(/\/+/), value);
  return tree;
}

function addAt(tree: Dict, words: readonly string[], value: Value): void {
  let at = tree;
  for (const word of words.slice(0, -1)) {
    const known = at.get(word);
    const below: Dict = isDict(known) ? known : new Map();
    if (below !== known) at.set(word, below);
    at = below;
  }
  at.set(words.at(-1) ?? '', value);
}

/** The other way (`EtcdBase._flatten`): nested mappings as one of paths; one that is empty stays a mapping. */
export function flattened(data: Dict, path: string): Dict {
  if (data.size === 0) return new Map<Value, Value>([[path, new Map()]]);
  const flat: Dict = new Map();
  const trimmed = trimSlashes(path);
  for (const [name, value] of data) {
    const at = `${trimmed === '' ? '' : `/${trimmed}`}/${trimSlashes(pyStr(name))}`;
    if (!isDict(value)) flat.set(at, value);
    else for (const [below, each] of flattened(value, at)) flat.set(below, each);
  }
  return flat;
}

const trimSlashes = (text: string): string => text.replace(/^\/+|\/+$/g, '');
