/** Jinja's filters on sequences, mappings and numbers (jinja2/filters.py 3.1). */
import { PythonError } from '../../python/exceptions.ts';
import { toPyInt } from '../../python/conversions.ts';
import { fromBigInt } from '../../python/values/int-text.ts';
import { formatFixed, roundTo, toPyFloat } from '../../python/values/number-format.ts';
import { float, PyFloat, type Value, PyObject } from '../../python/values/value.ts';
import { getAttr, getItem } from './access.ts';
import { asksFor, atOnce as now, lookedUp, operated } from './asking.ts';
import type { Environment } from './environment.ts';
import { TemplateRuntimeError, typeError, UndefinedError } from './errors.ts';
import { reckoned, sizeOf, whole } from './filters-text.ts';
import {
  LazyIterator,
  NamedTuple,
  PyIterator,
  PyTuple,
  TObject,
  tuple,
  typeName,
  type CallScope,
  type Kwargs,
  type NativeBody,
  type TValue,
} from './model.ts';
import { Undefined } from './undefined.ts';
import { add, eq, isFloatValue, iter, itemsOf, len, list, neg, numberOf, truthy } from './operators.ts';
import { sortValues } from './sorting.ts';
import { str } from './text-of.ts';
import { bound, type Entry, type Values } from './bind.ts';

/** The environment a native function is called in. */
export const environmentOf = (scope: CallScope): Environment => scope.env as Environment;

const undefinedHint = (scope: CallScope, hint: string): Undefined =>
  new Undefined({ name: null, hint, strict: environmentOf(scope).strict });

/** Jinja's `make_attrgetter`: follows `a.b.0`. */
function attributeGetter(scope: CallScope, path: TValue, fallback: TValue = null): (item: TValue) => TValue {
  const env = environmentOf(scope);
  const parts: TValue[] =
    typeof path === 'string'
      ? path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))
      : path === null
        ? []
        : [path];
  return (item) => {
    let value = item;
    for (const part of parts) {
      value = value instanceof PyObject ? known(env, value, part) : now(getItem(env, value, part));
      if (value instanceof Undefined && fallback !== null) value = fallback;
    }
    return value;
  };
}

/**
 * An attribute or an item of an object in Python; of one that nobody can be asked about, as it was when the object
 * came.
 */
function known(env: Environment, object: PyObject, name: TValue): TValue {
  if (object.isKept)
    return (
      lookedUp(object, 'item', name) ??
      new Undefined({ name, strict: env.strict, owner: `${object.title} object` })
    );
  const found = typeof name === 'string' ? object.attributes.get(name) : undefined;
  if (found !== undefined) return found;
  throw new TemplateRuntimeError(
    `a filter cannot look at ${JSON.stringify(name)} of a ${object.type} object, which is in Python; do so with {% for %}`,
  );
}

const ignoreCase = (value: TValue): TValue => (typeof value === 'string' ? value.toLowerCase() : value);

/** The key function of `sort`, by one attribute or several with commas between them. */
function sortKey(scope: CallScope, attribute: TValue, caseSensitive: boolean): (item: TValue) => TValue {
  const post = caseSensitive ? (value: TValue) => value : ignoreCase;
  if (attribute === null) return post;
  const getters = (typeof attribute === 'string' ? attribute.split(',') : [attribute]).map((one) =>
    attributeGetter(scope, one),
  );
  const [only] = getters;
  if (getters.length === 1 && only) return (item) => post(only(item));
  return (item) => tuple(getters.map((get) => post(get(item))));
}

function groupBy([value, attribute, fallback, caseSensitive]: Values<4>, scope: CallScope): TValue {
  const get = attributeGetter(scope, attribute, fallback);
  const sensitive = truthy(caseSensitive);
  const key = (item: TValue): TValue => (sensitive ? get(item) : ignoreCase(get(item)));
  const out: { key: TValue; shown: TValue; items: TValue[] }[] = [];
  for (const item of sortValues(iter(value), key)) {
    const last = out.at(-1);
    const group = key(item);
    if (last && eq(last.key, group)) last.items.push(item);
    else out.push({ key: group, shown: sensitive ? group : get(item), items: [item] });
  }
  return out.map(({ shown, items }) => {
    const group = new NamedTuple();
    group.fields = ['grouper', 'list'];
    group.push(shown, items);
    return group;
  });
}

type Apply = (item: TValue) => TValue;

function filterCall(
  scope: CallScope,
  kind: 'filter' | 'test',
  name: TValue,
  args: readonly TValue[],
  kwargs: Kwargs,
): Apply {
  const env = environmentOf(scope);
  const text = str(name);
  const known = kind === 'filter' ? env.deps.filters : env.deps.tests;
  if (!known.has(text)) throw new TemplateRuntimeError(`No ${kind} named '${text}'.`);
  const body = kind === 'filter' ? env.filter(text) : env.test(text);
  return (item) => now(body([item, ...args], kwargs, scope));
}

/** jinja2/filters.py `prepare_map`. */
function mapping(scope: CallScope, rest: readonly TValue[], kwargs: Kwargs): Apply {
  const named = new Map(kwargs);
  if (rest.length === 0 && named.has('attribute')) {
    const attribute = named.get('attribute') as TValue;
    const fallback = named.get('default') ?? null;
    named.delete('attribute');
    named.delete('default');
    if (named.size > 0)
      throw new TemplateRuntimeError(`Unexpected keyword argument '${[...named.keys()][0] ?? ''}'`);
    return attributeGetter(scope, attribute, fallback);
  }
  if (rest.length === 0) throw new TemplateRuntimeError('map requires a filter argument');
  return filterCall(scope, 'filter', rest[0] as TValue, rest.slice(1), kwargs);
}

function mapFilter(args: TValue[], scope: CallScope, rest: readonly TValue[], kwargs: Kwargs): TValue {
  const value = args[0] as TValue;
  // wrong arguments are no error while there is nothing to map
  function* mapped(): Iterable<TValue> {
    if (!truthy(value)) return;
    const apply = mapping(scope, rest, kwargs);
    for (const item of iter(value)) yield apply(item);
  }
  return new LazyIterator(value, mapped, 'generator object sync_do_map');
}

/** jinja2/filters.py `prepare_select_or_reject`. */
function choosing(
  scope: CallScope,
  given: readonly TValue[],
  kwargs: Kwargs | undefined,
  byAttribute: boolean,
): Apply {
  const rest = [...given];
  let get: Apply = (item) => item;
  if (byAttribute) {
    if (rest.length === 0) throw new TemplateRuntimeError('Missing parameter for attribute name');
    get = attributeGetter(scope, rest.shift() as TValue);
  }
  const name = rest.shift();
  if (name === undefined) return (item) => truthy(get(item));
  const test = filterCall(scope, 'test', name, rest, kwargs ?? new Map());
  return (item) => test(get(item));
}

function selection(keep: boolean, byAttribute: boolean): NativeBody {
  return (args, kwargs, scope) => {
    const [value, ...given] = args as TValue[];
    function* selected(): Iterable<TValue> {
      if (!truthy(value as TValue)) return;
      const chosen = choosing(scope, given, kwargs, byAttribute);
      for (const item of iter(value as TValue)) if (truthy(chosen(item)) === keep) yield item;
    }
    return new LazyIterator(value as TValue, selected, 'generator object select_or_reject');
  };
}

export const SELECTION_FILTERS: readonly (readonly [string, NativeBody])[] = [
  ['select', selection(true, false)],
  ['reject', selection(false, false)],
  ['selectattr', selection(true, true)],
  ['rejectattr', selection(false, true)],
];

const generator = (source: TValue, make: () => Iterable<TValue>, name: string): TValue =>
  new LazyIterator(source, make, `generator object ${name}`);

function* batches(value: TValue, size: TValue, fill: TValue): Iterable<TValue> {
  let part: TValue[] = [];
  if (size instanceof Undefined) size.fail();
  // what is no number is never as many as there are
  const count = numberOf(size) === undefined && fill === null ? NaN : sizeOf(size);
  for (const item of iter(value)) {
    if (part.length === count) {
      yield part;
      part = [];
    }
    part.push(item);
  }
  if (part.length === 0) return;
  if (fill !== null) while (part.length < count) part.push(fill);
  yield part;
}

function* slices(value: TValue, slicesWanted: TValue, fill: TValue): Iterable<TValue> {
  const items = list(value);
  const count = sizeOf(
    reckoned(slicesWanted, (type) => `unsupported operand type(s) for //: 'int' and '${type}'`),
  );
  if (count === 0) throw new PythonError('ZeroDivisionError', 'integer division or modulo by zero');
  const per = Math.floor(items.length / count);
  const extra = items.length % count;
  let offset = 0;
  for (let i = 0; i < count; i++) {
    const start = offset + i * per;
    if (i < extra) offset++;
    const part = items.slice(start, offset + (i + 1) * per);
    if (fill !== null && i >= extra) part.push(fill);
    yield part;
  }
}

function toInt([value, fallback, base]: Values<3>): TValue {
  if (value instanceof Undefined && value.strict) throw new UndefinedError(value.sentence);
  const object = asksFor(value);
  if (object !== undefined) return operated(object, 'int', object, base) ?? fallback;
  const exact = toPyInt(value as Value, whole(base));
  if (exact !== undefined) return exact;
  const number =
    value instanceof TObject || Array.isArray(value) || value instanceof Map ? NaN : toPyFloat(value);
  if (typeof number !== 'number' || Number.isNaN(number)) return fallback;
  // since Jinja 3.1.4; before, infinity ended the rendering
  if (!Number.isFinite(number)) return fallback;
  return fromBigInt(BigInt(Math.trunc(number)));
}

function toFloat([value, fallback]: Values<2>): TValue {
  if (value instanceof Undefined && value.strict) throw new UndefinedError(value.sentence);
  const object = asksFor(value);
  if (object !== undefined) return operated(object, 'float', object) ?? fallback;
  const number =
    value instanceof TObject || Array.isArray(value) || value instanceof Map ? 'TypeError' : toPyFloat(value);
  return typeof number === 'number' ? float(number) : fallback;
}

function round([value, precision, method]: Values<3>): TValue {
  // more digits mean nothing in a float
  const digits = Math.min(whole(precision), 100);
  const number = numberOf(value);
  const object = asksFor(value);
  if (object !== undefined && method === 'common') return operated(object, 'round', object, digits) ?? null;
  if (number === undefined) throw typeError(`type ${typeName(value)} doesn't define __round__ method`);
  if (method === 'common') {
    if (!isFloatValue(value)) {
      if (digits >= 0) return typeof value === 'boolean' ? Number(value) : value;
      const unit = 10 ** -digits;
      return Number(formatFixed(Number(number) / unit, 0)) * unit;
    }
    if (digits >= 0) return float(roundTo(Number(number), digits));
    const unit = 10 ** -digits;
    return float(roundTo(Number(number) / unit, 0) * unit);
  }
  if (method !== 'ceil' && method !== 'floor')
    throw new TemplateRuntimeError('method must be common, ceil or floor');
  const factor = 10 ** digits;
  return float((method === 'ceil' ? Math.ceil : Math.floor)(Number(number) * factor) / factor);
}

function reverse([value]: Values<1>): TValue {
  if (typeof value === 'string') return [...value].reverse().join('');
  if (Array.isArray(value))
    return new PyIterator(
      [...value].reverse(),
      'list_reverseiterator',
      `${value instanceof PyTuple ? 'reversed' : 'list_reverseiterator'} object`,
    );
  const items = itemsOf(value);
  if (!items) throw new TemplateRuntimeError('argument must be iterable');
  const turned = [...items].reverse();
  return value instanceof Map ? new PyIterator(turned, 'dict_reversekeyiterator') : turned;
}

function last([value]: Values<1>, scope: CallScope): TValue {
  if (value instanceof PyObject && value.length === undefined) len(value);
  const items = typeof value === 'string' ? [...value] : list(value);
  return items.length > 0
    ? (items.at(-1) as TValue)
    : undefinedHint(scope, 'No last item, sequence was empty.');
}

function first([value]: Values<1>, scope: CallScope): TValue {
  for (const item of iter(value)) return item;
  return undefinedHint(scope, 'No first item, sequence was empty.');
}

function random([value]: Values<1>, scope: CallScope): TValue {
  const items = list(value);
  const fraction = environmentOf(scope).deps.random?.() ?? 0;
  if (items.length === 0) return undefinedHint(scope, 'No random item, sequence was empty.');
  return items[Math.floor(fraction * items.length)] as TValue;
}

function dictsort([value, caseSensitive, by, reverse]: Values<4>): TValue {
  if (by !== 'key' && by !== 'value')
    throw new TemplateRuntimeError('You can only sort by either "key" or "value"');
  if (value instanceof Undefined) value.fail();
  if (!(value instanceof Map))
    throw new PythonError('AttributeError', `'${typeName(value)}' object has no attribute 'items'`);
  const sensitive = value.size > 0 && truthy(caseSensitive);
  const at = by === 'key' ? 0 : 1;
  const pairs = [...value].map((pair) => tuple(pair));
  return sortValues(
    pairs,
    (pair) => (sensitive ? pair[at] : ignoreCase(pair[at] as TValue)) as TValue,
    truthy(reverse),
  );
}

function sum([value, attribute, start]: Values<3>, scope: CallScope): TValue {
  const get = attribute === null ? (item: TValue) => item : attributeGetter(scope, attribute);
  let total = start;
  if (typeof total === 'string') throw typeError("sum() can't sum strings [use ''.join(seq) instead]");
  for (const item of iter(value)) total = add(total, get(item));
  return total;
}

function join([value, separator, attribute]: Values<3>, scope: CallScope): TValue {
  const get = attribute === null ? (item: TValue) => item : attributeGetter(scope, attribute);
  return [...iter(value)].map((item) => str(get(item))).join(str(separator));
}

function abs([value]: Values<1>): TValue {
  const number = numberOf(value);
  const object = asksFor(value);
  if (object !== undefined) return operated(object, 'abs', object) ?? null;
  if (number === undefined) throw typeError(`bad operand type for abs(): '${typeName(value)}'`);
  if (value instanceof PyFloat) return new PyFloat(Math.abs(value.value));
  return number < 0 ? neg(value) : number;
}

function attr([value, name]: Values<2>, scope: CallScope): TValue {
  const found = now(getAttr(environmentOf(scope), value, str(name)));
  // only attributes count here, no items
  const isItem = value instanceof Map && value.get(name) === found;
  return isItem
    ? new Undefined({ name: name, strict: environmentOf(scope).strict, owner: 'dict object' })
    : found;
}

function* entriesOf(value: TValue): Iterable<TValue> {
  if (value instanceof Undefined) return;
  if (!(value instanceof Map)) throw typeError('Can only get item pairs from a mapping.');
  for (const pair of value) yield tuple(pair);
}

export const SEQUENCE_FILTERS: readonly Entry[] = [
  bound('abs', [], abs),
  bound('attr', ['name'], attr),
  bound('batch', ['linecount', ['fill_with', null]], ([v, n, fill]) =>
    generator(v, () => batches(v, n, fill), 'do_batch'),
  ),
  bound(
    'd',
    [
      ['default_value', ''],
      ['boolean', false],
    ],
    fallback,
  ),
  bound(
    'default',
    [
      ['default_value', ''],
      ['boolean', false],
    ],
    fallback,
  ),
  bound(
    'dictsort',
    [
      ['case_sensitive', false],
      ['by', 'key'],
      ['reverse', false],
    ],
    dictsort,
  ),
  bound('first', [], first),
  bound('float', [['default', new PyFloat(0)]], toFloat),
  bound('groupby', ['attribute', ['default', null], ['case_sensitive', false]], groupBy),
  bound(
    'int',
    [
      ['default', 0],
      ['base', 10],
    ],
    toInt,
  ),
  bound('items', [], ([v]) => generator(v, () => entriesOf(v), 'do_items')),
  bound(
    'join',
    [
      ['d', ''],
      ['attribute', null],
    ],
    join,
  ),
  bound('last', [], last),
  bound('list', [], ([v]) => list(v)),
  bound('map', ['*', '**'], mapFilter),
  bound('random', [], random),
  bound('reverse', [], reverse),
  bound(
    'round',
    [
      ['precision', 0],
      ['method', 'common'],
    ],
    round,
  ),
  bound('slice', ['slices', ['fill_with', null]], ([v, n, fill]) =>
    generator(v, () => slices(v, n, fill), 'sync_do_slice'),
  ),
  bound(
    'sort',
    [
      ['reverse', false],
      ['case_sensitive', false],
      ['attribute', null],
    ],
    ([v, reversed, sensitive, attribute], scope) =>
      sortValues(iter(v), sortKey(scope, attribute, truthy(sensitive)), truthy(reversed)),
  ),
  bound(
    'sum',
    [
      ['attribute', null],
      ['start', 0],
    ],
    sum,
  ),
];

function fallback([value, other, boolean]: Values<3>): TValue {
  if (value instanceof Undefined) return other;
  return truthy(boolean) && !truthy(value) ? other : value;
}
