/**
 * What `zpool status` and `zpool iostat` print (3006.16 salt/modules/zpool.py `status`, `iostat`,
 * `_clean_vdev_config`).
 */
import { splitLines, strip } from '../../../python/values/text.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { wordsIn } from './command.ts';
import { allFromZfs, type PropertyTypes } from './values.ts';

/** Fields of a line under their names. */
const fieldsOf = (names: readonly string[], line: string): Dict => {
  const words = wordsIn(line);
  return new Map(names.slice(0, words.length).map((name, i): [Value, Value] => [name, words[i] ?? '']));
};

/** Puts what a line says of a disk below that which it is indented under. */
class Tree {
  readonly top = dict();
  readonly #path: Dict[] = [];

  /** @param row with `name`, which is taken out of it @param depth how far its line is indented, in steps */
  add(row: Dict, depth: number): void {
    const name = row.get('name') ?? null;
    row.delete('name');
    (depth === 0 ? this.top : (this.#path[depth - 1] ?? this.top)).set(name, row);
    this.#path[depth] = row;
  }
}

const STEP = 2;

/** How far a line is indented, in steps. */
function depthOf(line: string, most: number): number {
  const spaces = line.length - line.replace(/^ +/, '').length;
  return Math.min(Math.floor(spaces / STEP), most);
}

function disksIn(config: string, types: PropertyTypes): Dict {
  const tree = new Tree();
  let header: string[] = [];
  for (const line of splitLines(config)) {
    if (header.length === 0) header = wordsIn(line.toLowerCase());
    else {
      const own = line.startsWith('\t') ? line.slice(1) : line;
      tree.add(allFromZfs(types, fieldsOf(header, own)), depthOf(own, 3));
    }
  }
  return tree.top;
}

/** What `zpool status` says, by pool. */
export function statusIn(said: string, types: PropertyTypes): Dict {
  const found = dict();
  let about = dict();
  let last = '';
  for (const line of splitLines(said).filter((each) => strip(each) !== '')) {
    if (line.includes(':') && !line.startsWith('\t')) {
      const [key = '', ...rest] = line.split(':');
      const value = strip(rest.join(':'));
      last = strip(key);
      if (last === 'pool') {
        about = dict();
        found.set(value, about);
      } else about.set(last, value);
    } else about.set(last, `${String(about.get(last) ?? '')}\n${line}`);
  }
  for (const pool of found.values())
    if (isDict(pool) && pool.has('config')) pool.set('config', disksIn(String(pool.get('config')), types));
  return found;
}

const FIGURES = [
  'name',
  'capacity-alloc',
  'capacity-free',
  'operations-read',
  'operations-write',
  'bandwidth-read',
  'bandwidth-write',
];

/** What `zpool iostat -v` says, by pool; of several samples the last. @param convert the values of a line */
export function iostatIn(said: string, convert: (row: Dict) => Dict): Dict {
  const found = dict();
  let tree = new Tree();
  for (const line of splitLines(said)) {
    const lastWord = wordsIn(line).at(-1);
    if (lastWord === undefined || lastWord === 'write' || lastWord === 'bandwidth') continue;
    if (line.startsWith('-') && line.endsWith('-')) {
      for (const [name, figures] of tree.top) found.set(name, figures);
      tree = new Tree();
    } else tree.add(convert(fieldsOf(FIGURES, line)), depthOf(line, 2));
  }
  return found;
}

const OWN_FIELDS = new Set<Value>(['state', 'read', 'write', 'cksum']);

/** How a pool is made of its disks, without their states: a list of disks, or a mapping of groups to such. */
export function vdevsOf(config: Dict): Value {
  let groups = dict();
  let list: Value[] | undefined;
  for (const [label, inner] of config) {
    if (OWN_FIELDS.has(label)) continue;
    const below = isDict(inner) ? vdevsOf(inner) : dict();
    if (truthy(below)) {
      if (list === undefined) groups.set(label, below);
      else list.push(new Map([[label, below]]));
      continue;
    }
    list ??= [...groups].map((group): Value => new Map([group]));
    groups = dict();
    list.push(label);
  }
  return list ?? groups;
}
