/** Salt's filters on data (3006.16 salt/utils/data.py, salt/utils/dictupdate.py, salt/utils/jinja.py). */
import { toPyInt } from '../../python/conversions.ts';
import { PythonError } from '../../python/exceptions.ts';
import { traverse, type KeyPath } from '../data/traverse.ts';
import { strip } from '../../python/values/text.ts';
import { float, PyObject, type Value } from '../../python/values/value.ts';
import { getAttr } from './access.ts';
import { atOnce as now } from './asking.ts';
import { typeError, valueError } from './errors.ts';
import { environmentOf } from './filters-sequence.ts';
import { sizeOf, whole } from './filters-text.ts';
import {
  PyIterator,
  PyTuple,
  TFunction,
  tuple,
  typeName,
  type NativeBody,
  type TDict,
  type TValue,
} from './model.ts';
import { Undefined } from './undefined.ts';
import {
  add,
  callValue,
  dictGet,
  dictSet,
  eq,
  gt,
  isIn,
  itemsOf,
  iter,
  list,
  lt,
  numberOf,
  truthy,
} from './operators.ts';
import { toPyFloat } from '../../python/values/number-format.ts';
import { PySet } from './set.ts';
import { sortValues } from './sorting.ts';
import { str } from './text-of.ts';
import { bound, type BoundBody, type Entry } from './bind.ts';

/** Python's `Hashable`: what can be a key. Tuples count whatever they hold. */
function isHashable(value: TValue): boolean {
  if (value instanceof PyTuple) return true;
  return !(Array.isArray(value) || value instanceof Map || value instanceof PySet || isSetThere(value));
}

/** A set that a function in Python has given. */
const isSetThere = (value: TValue): boolean => value instanceof PyObject && value.title === 'set';

/** Salt's `unique`: a set of what can be hashed, a list of what a list holds. */
function unique(value: TValue): TValue {
  if (isHashable(value)) return new PySet(iter(value));
  const out: TValue[] = [];
  for (const item of iter(value)) if (isIn(item, out) === false) out.push(item);
  return out;
}

type SetOperation = (a: PySet, b: PySet) => PySet;

/** Operations on two sets or two lists. */
function setLike(onSets: SetOperation, onLists: (a: TValue, b: TValue) => TValue): BoundBody<2> {
  return ([a, b]) => {
    const [x, y] = [a, b];
    return isHashable(x) && isHashable(y) ? onSets(new PySet(iter(x)), new PySet(iter(y))) : onLists(x, y);
  };
}

const member = (item: TValue, items: TValue): boolean => isIn(item, items) === true;
const keep = (items: TValue, test: (item: TValue) => boolean): TValue =>
  unique([...iter(items)].filter(test));
const union = (a: TValue, b: TValue): TValue => unique(add(a, b));
const intersect = (a: TValue, b: TValue): TValue => keep(a, (item) => member(item, b));

function extreme(better: (a: TValue, b: TValue) => boolean, name: string): BoundBody<1> {
  return ([value]) => {
    let best: TValue | undefined;
    for (const item of iter(value)) if (best === undefined || better(item, best)) best = item;
    if (best === undefined) throw valueError(`${name}() arg is an empty sequence`);
    return best;
  };
}

function average(value: TValue): TValue {
  if (!isHashable(value)) {
    const items = list(value);
    if (items.length === 0) throw new PythonError('ZeroDivisionError', 'division by zero');
    const total = items.reduce((sum, item) => add(sum, item), 0);
    return float(Number(numberOf(total)) / items.length);
  }
  const number =
    value instanceof Undefined || value instanceof PyTuple ? 'TypeError' : toPyFloat(value as Value);
  if (typeof number === 'number') return float(number);
  throw typeError(`float() argument must be a string or a real number, not '${typeName(value)}'`);
}

/** Salt's `to_num`: an int, a float, or the text itself. */
export function toNumberOr(value: TValue): TValue {
  const whole = toPyInt(value as Value);
  if (whole !== undefined) return whole;
  const number = typeof value === 'string' ? toPyFloat(value) : 'TypeError';
  if (typeof number === 'number') return float(number);
  if (typeof value === 'string') return value;
  throw typeError(
    `int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`,
  );
}

function compareDicts(old: TValue, fresh: TValue): TDict {
  const out: TDict = new Map();
  if (!(old instanceof Map) || !(fresh instanceof Map)) throw typeError('compare_dicts needs two mappings');
  for (const key of new Set([...fresh.keys(), ...old.keys()])) {
    const before = dictGet(old, key);
    const after = dictGet(fresh, key);
    if (before === undefined)
      out.set(
        key,
        new Map<TValue, TValue>([
          ['old', ''],
          ['new', after as TValue],
        ]),
      );
    else if (after === undefined)
      out.set(
        key,
        new Map<TValue, TValue>([
          ['new', ''],
          ['old', before],
        ]),
      );
    else if (!eq(before, after))
      out.set(
        key,
        new Map<TValue, TValue>([
          ['old', before],
          ['new', after],
        ]),
      );
  }
  return out;
}

function compareLists(old: TValue, fresh: TValue): TDict {
  const added = [...iter(fresh)].filter((item) => !member(item, old));
  const gone = [...iter(old)].filter((item) => !member(item, fresh));
  return new Map<TValue, TValue>([
    ...(added.length > 0 ? [['new', added] as const] : []),
    ...(gone.length > 0 ? [['old', gone] as const] : []),
  ]);
}

function flatten(
  value: TValue,
  levels: number | null,
  preserveNulls: boolean,
  above: readonly TValue[],
): TValue[] {
  if (above.includes(value))
    throw new PythonError('RecursionError', 'Reference cycle detected. Check input list.');
  const out: TValue[] = [];
  for (const item of iter(value)) {
    if (!preserveNulls && (item === null || item === 'None' || item === 'null')) continue;
    const isNested = typeof item !== 'string' && itemsOf(item) !== undefined;
    if (isNested && (levels === null || levels >= 1))
      out.push(...flatten(item, levels === null ? null : levels - 1, preserveNulls, [...above, value]));
    else out.push(item);
  }
  return out;
}

function exactly(value: TValue, amount: number): boolean {
  return [...iter(value)].filter((item) => truthy(item)).length === amount;
}

function mysqlToDict(value: TValue, key: TValue): TDict {
  const out: TDict = new Map();
  let headers = [''];
  for (const item of iter(value)) {
    const line = str(item);
    if (line === '' || line.startsWith('+')) continue;
    const cells = line.split('|').map((cell) => strip(cell));
    if (headers.length <= 1) {
      headers = cells;
      continue;
    }
    const row: TDict = new Map();
    for (let i = 1; i < headers.length - 1; i++) row.set(headers[i] as string, toNumberOr(cells[i] ?? ''));
    const name = dictGet(row, key);
    if (name === undefined) throw new PythonError('KeyError', `'${str(key)}'`);
    dictSet(out, name, row);
  }
  return out;
}

/** The mapping that holds the last key of a path, made where it is missing, and that key. */
function lastLevel(value: TValue, keys: TValue, delimiter: string): [TDict, string] {
  if (!(value instanceof Map))
    throw typeError(`'${typeName(value)}' object does not support item assignment`);
  const path = str(keys).split(delimiter);
  const key = path.pop() ?? '';
  let level = value;
  for (const step of path) {
    let next = level.get(step);
    if (!(next instanceof Map)) level.set(step, (next = new Map()));
    level = next;
  }
  return [level, key];
}

type Change = (level: TDict, key: string, given: TValue) => void;

function pathChange(name: string, change: Change): Entry {
  return bound(
    name,
    ['keys', 'value_', ['delimiter', ':'], ['ordered_dict', false]],
    ([data, keys, given, delimiter]) => {
      const [level, key] = lastLevel(data, keys, str(delimiter));
      change(level, key, given);
      return data;
    },
  );
}

const updateKey: Change = (level, key, given) => {
  if (!(given instanceof Map)) throw typeError(`Cannot update ${typeName(given)}`);
  const old = level.get(key) ?? new Map();
  if (!(old instanceof Map)) throw typeError(`Last key contains a ${typeName(old)}`);
  for (const [name, item] of given) dictSet(old, name, item);
  level.set(key, old);
};

const listAt = (level: TDict, key: string): TValue[] => {
  const old = level.get(key) ?? [];
  if (!Array.isArray(old)) throw typeError(`Last key contains a ${typeName(old)}`);
  level.set(key, old);
  return old;
};

function keyPath(path: TValue): KeyPath {
  return typeof path === 'string' || typeof path === 'number'
    ? path
    : Array.isArray(path)
      ? (path as Value[])
      : str(path);
}

function* combinations(
  items: readonly TValue[],
  size: number,
  repeat: boolean,
  from = 0,
  head: readonly TValue[] = [],
): Iterable<TValue> {
  if (head.length === size) {
    yield tuple(head);
    return;
  }
  for (let i = from; i < items.length; i++)
    yield* combinations(items, size, repeat, repeat ? i : i + 1, [...head, items[i] as TValue]);
}

function* permutations(
  items: readonly TValue[],
  size: number,
  used: readonly number[] = [],
): Iterable<TValue> {
  if (used.length === size) {
    yield tuple(used.map((i) => items[i] as TValue));
    return;
  }
  for (let i = 0; i < items.length; i++)
    if (!used.includes(i)) yield* permutations(items, size, [...used, i]);
}

function* product(lists: readonly (readonly TValue[])[], head: readonly TValue[] = []): Iterable<TValue> {
  if (head.length === lists.length) {
    yield tuple(head);
    return;
  }
  for (const item of lists[head.length] ?? []) yield* product(lists, [...head, item]);
}

function* zip(lists: readonly (readonly TValue[])[], fill: TValue | undefined): Iterable<TValue> {
  const lengths = lists.map((items) => items.length);
  const count = lists.length === 0 ? 0 : fill === undefined ? Math.min(...lengths) : Math.max(...lengths);
  for (let i = 0; i < count; i++)
    yield tuple(lists.map((items) => (i < items.length ? (items[i] as TValue) : (fill as TValue))));
}

const itertool = (name: string, items: Iterable<TValue>): TValue =>
  new PyIterator(items, name, `itertools.${name} object`);

/** Filters with arguments of any number. */
export const ITERTOOLS: readonly (readonly [string, NativeBody])[] = [
  [
    'product',
    (args, kwargs) => {
      const lists = args.map((arg) => list(arg));
      const times = sizeOf(kwargs?.get('repeat') ?? 1);
      return itertool('product', product(Array.from({ length: times }, () => lists).flat()));
    },
  ],
  [
    'zip',
    (args) =>
      new PyIterator(
        zip(
          args.map((arg) => list(arg)),
          undefined,
        ),
        'zip',
        'zip object',
      ),
  ],
  [
    'zip_longest',
    (args, kwargs) =>
      itertool(
        'zip_longest',
        zip(
          args.map((arg) => list(arg)),
          kwargs?.get('fillvalue') ?? null,
        ),
      ),
  ],
];

export const DATA_FILTERS: readonly Entry[] = [
  bound('unique', [], ([v]) => unique(v)),
  bound(
    'union',
    ['lst2'],
    setLike((a, b) => a.union(b.iterate()), union),
  ),
  bound(
    'intersect',
    ['lst2'],
    setLike((a, b) => a.intersection(b), intersect),
  ),
  bound(
    'difference',
    ['lst2'],
    setLike(
      (a, b) => a.difference(b),
      (a, b) => keep(a, (item) => !member(item, b)),
    ),
  ),
  bound(
    'symmetric_difference',
    ['lst2'],
    setLike(
      (a, b) => a.difference(b).union(b.difference(a).iterate()),
      (a, b) => keep(union(a, b), (item) => !member(item, intersect(a, b))),
    ),
  ),
  bound('min', [], extreme(lt, 'min')),
  bound('max', [], extreme(gt, 'max')),
  bound('avg', [], ([v]) => average(v)),
  bound('skip', [], () => ''),
  bound('sequence', [], ([v]) =>
    Array.isArray(v) || v instanceof Map || v instanceof PySet ? v : [v as TValue],
  ),
  bound('method_call', ['f_name', '*', '**'], ([v, name], scope, rest, kwargs) => {
    const found = now(getAttr(environmentOf(scope), v, str(name)));
    if (found instanceof Undefined) return null;
    return found instanceof TFunction || typeof found === 'object'
      ? callValue(found, rest, kwargs, scope)
      : null;
  }),
  bound('traverse', ['key', ['default', null], ['delimiter', ':']], ([v, key, fallback, delimiter]) => {
    const found = traverse(v as Value, keyPath(key), {
      fallback: undefined,
      delimiter: str(delimiter),
    });
    return found === undefined ? fallback : found;
  }),
  bound('compare_dicts', [['new', null]], ([old, fresh]) => compareDicts(old, fresh)),
  bound('compare_lists', [['new', null]], ([old, fresh]) => compareLists(old, fresh)),
  bound('json_decode_dict', [], ([v]) => v),
  bound('json_encode_dict', [], ([v]) => v),
  bound('json_decode_list', [], ([v]) => v),
  bound('json_encode_list', [], ([v]) => v),
  bound('exactly_n_true', [['amount', 1]], ([v, n]) => exactly(v, whole(n))),
  bound('exactly_one_true', [], ([v]) => exactly(v, 1)),
  bound('substring_in_list', ['list_to_search'], ([v, items]) =>
    [...iter(items)].some((item) => isIn(v, item) === true),
  ),
  bound('is_list', [], ([v]) => Array.isArray(v) && !(v instanceof PyTuple)),
  bound('is_iter', [], ([v]) => typeof v !== 'string' && itemsOf(v as TValue) !== undefined),
  bound('sorted_ignorecase', [], ([v]) =>
    sortValues(iter(v), (item) => {
      if (typeof item !== 'string')
        throw new PythonError('AttributeError', `'${typeName(item)}' object has no attribute 'lower'`);
      return item.toLowerCase();
    }),
  ),
  bound('mysql_to_dict', ['key'], ([v, key]) => mysqlToDict(v, key)),
  bound(
    'flatten',
    [
      ['levels', null],
      ['preserve_nulls', false],
    ],
    ([v, levels, nulls]) => flatten(v, levels === null ? null : whole(levels), truthy(nulls), []),
  ),
  pathChange('set_dict_key_value', (level, key, given) => void level.set(key, given)),
  pathChange('update_dict_key_value', updateKey),
  pathChange('append_dict_key_value', (level, key, given) => void listAt(level, key).push(given)),
  pathChange('extend_dict_key_value', (level, key, given) => void listAt(level, key).push(...iter(given))),
  bound('combinations', ['r'], ([v, r]) => itertool('combinations', combinations(list(v), whole(r), false))),
  bound('combinations_with_replacement', ['r'], ([v, r]) =>
    itertool('combinations_with_replacement', combinations(list(v), whole(r), true)),
  ),
  bound('permutations', [['r', null]], ([v, r]) => {
    const items = list(v);
    return itertool('permutations', permutations(items, r === null ? items.length : whole(r)));
  }),
  bound('compress', ['selectors'], ([v, selectors]) => {
    const marks = list(selectors);
    return itertool(
      'compress',
      list(v).filter((_, i) => i < marks.length && truthy(marks[i] as TValue)),
    );
  }),
];
