/** Template values as plain values, for JSON, YAML, functions and the outside. */
import { pformat } from '../../python/values/pprint.ts';
import { emptyLike, PyObject, type Dict, type Value } from '../../python/values/value.ts';
import { TemplateRuntimeError, typeError } from './errors.ts';
import { tupleOf } from '../../python/values/tuple.ts';
import { TObject, PyTuple, typeName, type TValue } from './model.ts';
import { Undefined } from './undefined.ts';
import { repr } from './text-of.ts';

/** What to do with what has no plain form. */
type Odd = (value: TObject) => Value;

function convert(value: TValue, odd: Odd): Value {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    if (value.every(isLeaf)) return value as Value[];
    const items = value.map((item) => convert(item, odd));
    return value instanceof PyTuple ? tupleOf(items) : items;
  }
  if (value instanceof Map) {
    if (!holdsOdd(value)) return value as Dict;
    const out = emptyLike(value as Dict);
    for (const [key, item] of value)
      out.set(key instanceof PyTuple ? repr(key) : convert(key, odd), convert(item, odd));
    return out;
  }
  if (!(value instanceof TObject)) return value;
  // nothing is known of its parts either, and they have no end
  return value.isAnything ? value.str() : odd(value);
}

const isLeaf = (value: TValue): boolean => value === null || typeof value !== 'object';

/** True when something inside has to be changed; otherwise the very same object can be handed on. */
function holdsOdd(value: TValue): boolean {
  if (isLeaf(value)) return false;
  if (value instanceof TObject || value instanceof PyTuple) return true;
  if (Array.isArray(value)) return value.some(holdsOdd);
  if (!(value instanceof Map)) return false;
  for (const [key, item] of value) if (holdsOdd(key) || holdsOdd(item)) return true;
  return false;
}

/** For functions: sets, views and iterators become lists. @throws UndefinedError for undefined values */
export function toValue(value: TValue): Value {
  return toValueWith(value, (missing) => (missing.strict ? missing.fail() : null));
}

/** {@link toValue} with something else for undefined values. */
export function toValueWith(value: TValue, missing: (value: Undefined) => Value): Value {
  return convert(value, (object) => {
    if (object instanceof Undefined) return missing(object);
    const items = object.iterate();
    return items ? [...items].map((item) => toValueWith(item, missing)) : object.str();
  });
}

/** For JSON. @throws TypeError for what JSON has no form for */
export function toJsonValue(value: TValue): Value {
  // a named tuple of Python's
  if (value instanceof PyObject && value.isSequence && Array.isArray(value.data)) return value.data;
  return convert(value, (object) => {
    throw typeError(`Object of type ${object.typeName} is not JSON serializable`);
  });
}

/**
 * A set of Python's, as YAML writes it; only where it is the value itself or an item of it, as deep as templates hand
 * any on.
 */
function setsAsMappings(value: TValue): TValue {
  if (value instanceof PyObject)
    return value.type === 'set' && Array.isArray(value.data)
      ? new Map(value.data.map((item) => [item, null]))
      : value;
  if (Array.isArray(value)) return value.some(isSetLike) ? value.map(setsAsMappings) : value;
  if (!(value instanceof Map) || ![...value.values()].some(isSetLike)) return value;
  const out = emptyLike(value as Dict) as Map<TValue, TValue>;
  for (const [key, item] of value) out.set(key, setsAsMappings(item));
  return out;
}

const isSetLike = (value: TValue): boolean => value instanceof PyObject && value.type === 'set';

/** For YAML. @throws TemplateRuntimeError for what YAML has no form for */
export function toYamlValue(value: TValue): Value {
  return convert(setsAsMappings(value), (object) => {
    if (object instanceof Undefined) return null;
    if (object.typeName === 'set')
      return new Map([...(object.iterate() ?? [])].map((item) => [toYamlValue(item), null]));
    throw new TemplateRuntimeError(`('cannot represent an object', ${object.repr()})`);
  });
}

/** Python's `pprint.pformat(value)`. */
export function pretty(value: TValue): string {
  if (!holdsOdd(value)) return pformat(value as Value);
  return value instanceof TObject || typeName(value) === 'tuple'
    ? repr(value)
    : pformat(convert(value, (object) => object.repr()));
}
