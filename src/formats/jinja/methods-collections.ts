/** The methods of Python's list, tuple, dict and set. */
import { PythonError } from '../../python/exceptions.ts';
import { OrderedDict, type Dict } from '../../python/values/value.ts';
import { bound, native, type BoundBody, type Entry, type Values } from './bind.ts';
import { typeError, valueError } from './errors.ts';
import { callValueSync } from './call.ts';
import { tuple, typeName, type CallScope, type NativeBody, type TDict, type TValue } from './model.ts';
import { assertHashable } from './hashable.ts';
import { dictDelete, dictGet, dictSet, eq, iter, truthy } from './operators.ts';
import { PySet } from './set.ts';
import { sortValues } from './sorting.ts';
import { repr } from './text-of.ts';
import { DictView } from './views.ts';

const table = (type: string, entries: readonly Entry[]): ReadonlyMap<string, NativeBody> =>
  new Map(entries.map(({ name, params, body }) => [name, native(name, ['self', ...params], body, type)]));

const l = (value: TValue | undefined): TValue[] => value as TValue[];
const d = (value: TValue | undefined): TDict => value as TDict;
const s = (value: TValue | undefined): PySet => value as PySet;

/** A value that is there, null included, or another. */
const orElse = (value: TValue | undefined, fallback: TValue | undefined): TValue =>
  (value === undefined ? fallback : value) as TValue;

function position(value: TValue, length: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`);
  return value < 0 ? value + length : value;
}

function indexOf(items: readonly TValue[], item: TValue, kind: string): number {
  const at = items.findIndex((other) => other === item || eq(other, item));
  if (at < 0)
    throw valueError(kind === 'tuple' ? 'tuple.index(x): x not in tuple' : `${repr(item)} is not in list`);
  return at;
}

const count: BoundBody<2> = ([self, item]) => l(self).filter((other) => eq(other, item)).length;

/** The methods of lists. */
export const LIST_METHODS = table('list', [
  bound('append', ['object'], ([self, item]) => {
    l(self).push(item);
    return null;
  }),
  bound('clear', [], ([self]) => {
    l(self).length = 0;
    return null;
  }),
  bound('copy', [], ([self]) => [...l(self)]),
  bound('count', ['value'], count),
  bound('extend', ['iterable'], ([self, items]) => {
    l(self).push(...iter(items));
    return null;
  }),
  bound('index', ['value', ['start', 0], ['stop', null]], ([self, item]) => indexOf(l(self), item, 'list')),
  bound('insert', ['index', 'object'], ([self, at, item]) => {
    l(self).splice(Math.max(0, position(at, l(self).length)), 0, item);
    return null;
  }),
  bound('pop', [['index', -1]], ([self, index]) => {
    const items = l(self);
    if (items.length === 0) throw new PythonError('IndexError', 'pop from empty list');
    const at = position(index, items.length);
    if (at < 0 || at >= items.length) throw new PythonError('IndexError', 'pop index out of range');
    return items.splice(at, 1)[0] as TValue;
  }),
  bound('remove', ['value'], ([self, item]) => {
    const at = l(self).findIndex((other) => eq(other, item));
    if (at < 0) throw valueError('list.remove(x): x not in list');
    l(self).splice(at, 1);
    return null;
  }),
  bound('reverse', [], ([self]) => {
    l(self).reverse();
    return null;
  }),
  bound(
    'sort',
    [
      ['key', null],
      ['reverse', false],
    ],
    ([self, key, reverse], scope) => {
      const items = l(self);
      const keyOf = key === null ? undefined : (item: TValue) => callValueSync(key, [item], scope);
      const sorted = sortValues(items, keyOf, truthy(reverse));
      items.splice(0, items.length, ...sorted);
      return null;
    },
  ),
]);

/** The methods of tuples. */
export const TUPLE_METHODS = table('tuple', [
  bound('count', ['value'], count),
  bound('index', ['value', ['start', 0], ['stop', null]], ([self, item]) => indexOf(l(self), item, 'tuple')),
]);

/** Adds what `dict(…)` and `dict.update(…)` take. @throws TypeError, ValueError */
export function updateDictFrom(target: TDict, source: TValue, kwargs: ReadonlyMap<string, TValue>): void {
  if (source instanceof Map) for (const [key, value] of [...source]) dictSet(target, key, value);
  else {
    let at = 0;
    for (const pair of iter(source)) {
      const items =
        pair instanceof Map || typeof pair === 'string' || Array.isArray(pair) ? [...iter(pair)] : undefined;
      if (!items) throw typeError(`cannot convert dictionary update sequence element #${at} to a sequence`);
      if (items.length !== 2)
        throw valueError(
          `dictionary update sequence element #${at} has length ${items.length}; 2 is required`,
        );
      assertHashable(items[0] as TValue);
      dictSet(target, items[0] as TValue, items[1] as TValue);
      at++;
    }
  }
  for (const [key, value] of kwargs) target.set(key, value);
}

/** The methods of mappings. */
export const DICT_METHODS = table('dict', [
  bound('clear', [], ([self]) => {
    d(self).clear();
    return null;
  }),
  bound('copy', [], ([self]) =>
    self instanceof OrderedDict ? new OrderedDict(self as Dict) : new Map(d(self)),
  ),
  bound('get', ['key', ['default', null]], ([self, key, fallback]) =>
    orElse(dictGet(d(self), key), fallback),
  ),
  bound('items', [], ([self]) => new DictView(d(self), 'items')),
  bound('keys', [], ([self]) => new DictView(d(self), 'keys')),
  bound('values', [], ([self]) => new DictView(d(self), 'values')),
  bound('pop', ['key', '*'], ([self, key], _scope, rest) => {
    const value = orElse(dictDelete(d(self), key), rest[0]) as TValue | undefined;
    if (value === undefined) throw new PythonError('KeyError', repr(key));
    return value;
  }),
  bound('popitem', [], ([self]) => {
    const last = [...d(self)].at(-1);
    if (!last) throw new PythonError('KeyError', "'popitem(): dictionary is empty'");
    d(self).delete(last[0]);
    return tuple(last);
  }),
  bound('setdefault', ['key', ['default', null]], ([self, key, fallback]) => {
    const value = dictGet(d(self), key);
    if (value !== undefined) return value;
    dictSet(d(self), key, fallback);
    return fallback;
  }),
  bound('update', ['*', '**'], ([self], _scope, rest, kwargs) => {
    if (rest.length > 1) throw typeError(`update expected at most 1 argument, got ${rest.length}`);
    updateDictFrom(d(self), rest[0] ?? new Map(), kwargs);
    return null;
  }),
  bound(
    'fromkeys',
    ['iterable', ['value', null]],
    ([, keys, value]) => new Map([...iter(keys)].map((key) => [key, value])),
  ),
]);

const asSet = (value: TValue): PySet => (value instanceof PySet ? value : new PySet(iter(value)));
const change =
  (run: (set: PySet, item: TValue) => void): BoundBody<2> =>
  ([self, item]) => {
    run(s(self), item);
    return null;
  };
type Combine = (set: PySet, others: readonly PySet[]) => PySet;
const combined =
  (combine: Combine) =>
  ([self]: Values<1>, _scope: CallScope, rest: readonly TValue[]) =>
    combine(s(self), rest.map(asSet));

/** The methods of sets. */
export const SET_METHODS = table('set', [
  bound(
    'add',
    ['item'],
    change((set, item) => set.add(item)),
  ),
  bound('clear', [], ([self]) => {
    s(self).clear();
    return null;
  }),
  bound('copy', [], ([self]) => new PySet(s(self).iterate())),
  bound(
    'discard',
    ['item'],
    change((set, item) => void set.remove(item)),
  ),
  bound(
    'remove',
    ['item'],
    change((set, item) => {
      if (!set.remove(item)) throw new PythonError('KeyError', repr(item));
    }),
  ),
  bound('pop', [], ([self]) => {
    const [first] = s(self).iterate();
    if (first === undefined) throw new PythonError('KeyError', "'pop from an empty set'");
    s(self).remove(first);
    return first;
  }),
  bound('update', ['*'], ([self], _scope, rest) => {
    for (const items of rest) for (const item of iter(items)) s(self).add(item);
    return null;
  }),
  bound(
    'union',
    ['*'],
    combined((set, others) => others.reduce((a, b) => a.union(b.iterate()), set)),
  ),
  bound(
    'intersection',
    ['*'],
    combined((set, others) => others.reduce((a, b) => a.intersection(b), set)),
  ),
  bound(
    'difference',
    ['*'],
    combined((set, others) => others.reduce((a, b) => a.difference(b), set)),
  ),
  bound('symmetric_difference', ['other'], ([self, other]) => {
    const b = asSet(other);
    return s(self)
      .difference(b)
      .union(b.difference(s(self)).iterate());
  }),
  bound('issubset', ['other'], ([self, other]) => asSet(other).hasAll(s(self))),
  bound('issuperset', ['other'], ([self, other]) => s(self).hasAll(asSet(other))),
  bound('isdisjoint', ['other'], ([self, other]) => s(self).intersection(asSet(other)).length === 0),
]);
