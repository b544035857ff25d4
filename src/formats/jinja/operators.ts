/** Python's operators on template values. */
import { fromBigInt } from '../../python/values/int-text.ts';
import { PythonError } from '../../python/exceptions.ts';
import { compareText } from '../../python/values/order.ts';
import { textLength } from '../../python/values/text.ts';
import {
  float,
  isBytes,
  isFloat,
  isInt,
  PyDatetime,
  PyFloat,
  truthy as valueTruthy,
  type Value,
  PyObject,
} from '../../python/values/value.ts';
import { asksFor, lookedUp, operated } from './asking.ts';
import { TemplateRuntimeError, typeError } from './errors.ts';
import { formatPercent } from './format-percent.ts';
import {
  isCallable,
  PyTuple,
  TObject,
  typeName,
  type Kwargs,
  type Later,
  type TDict,
  type TValue,
} from './model.ts';
import { toValue } from './plain.ts';
import { Undefined } from './undefined.ts';
import { PySet } from './set.ts';

/** Texts and lists may not grow beyond this by an operator, which would exhaust the memory. */
const PRODUCT_MAX = 50_000_000;
const ITEMS_MAX = 10_000_000;
const BITS_MAX = 400_000;
const GREATEST = 1n << BigInt(BITS_MAX);

/** Python's truth. @throws UndefinedError for strict undefined values */
export function truthy(value: TValue): boolean {
  if (typeof value === 'boolean') return value;
  if (value instanceof TObject) return value.truthy();
  return valueTruthy(value as Value);
}

/** The number of a bool, int or float; undefined for other types. */
export function numberOf(value: TValue): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return Number(value);
  return value instanceof PyFloat ? value.value : undefined;
}

/** True for a Python float. */
export const isFloatValue = (value: TValue): value is number | PyFloat => isFloat(value as Value);
/** True for a Python int, booleans included. */
export const isIntValue = (value: TValue): value is number | bigint | boolean =>
  typeof value === 'boolean' || isInt(value as Value);

function checkUndefined(a: TValue, b: TValue): void {
  if (a instanceof Undefined) a.fail();
  if (b instanceof Undefined) b.fail();
}

/** The one of two values that stands for any, if one does. */
function absorbing(a: TValue, b: TValue): TValue | undefined {
  if (a instanceof TObject && a.isAnything) return a;
  return b instanceof TObject && b.isAnything ? b : undefined;
}

/**
 * What Python gives where one of them is an object there.
 * @throws TypeError unless there is such a one, or one that stands for any value
 */
function unsupported(symbol: string, a: TValue, b: TValue): TValue {
  const object = asksFor(a, b);
  if (object !== undefined) return operated(object, symbol === '** or pow()' ? '**' : symbol, a, b) ?? null;
  const anything = absorbing(a, b);
  if (anything !== undefined) return anything;
  checkUndefined(a, b);
  throw typeError(`unsupported operand type(s) for ${symbol}: '${typeName(a)}' and '${typeName(b)}'`);
}

/** Arithmetic on numbers: exact on ints, floating otherwise. Undefined when an operand is no number. */
function arithmetic(
  a: TValue,
  b: TValue,
  onInts: (x: bigint, y: bigint) => bigint,
  onFloats: (x: number, y: number) => number,
): TValue | undefined {
  const x = numberOf(a);
  const y = numberOf(b);
  if (x === undefined || y === undefined) return undefined;
  if (isFloatValue(a) || isFloatValue(b)) return float(onFloats(Number(x), Number(y)));
  const quick = onFloats(Number(x), Number(y));
  if (Number.isSafeInteger(quick) && typeof x === 'number' && typeof y === 'number')
    return quick === 0 ? 0 : quick;
  const exact = onInts(BigInt(x), BigInt(y));
  if (exact > GREATEST || exact < -GREATEST) throw tooLarge();
  return fromBigInt(exact);
}

export function add(a: TValue, b: TValue): TValue {
  if (typeof a === 'number' && typeof b === 'number' && Number.isInteger(a) && Number.isInteger(b)) {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  if (typeof a === 'string') {
    if (typeof b === 'string') {
      if (a.length + b.length > PRODUCT_MAX) throw tooLarge();
      return a + b;
    }
    if (asksFor(b) !== undefined) return unsupported('+', a, b);
    const anything = absorbing(a, b);
    if (anything !== undefined) return anything;
    checkUndefined(a, b);
    throw typeError(`can only concatenate str (not "${typeName(b)}") to str`);
  }
  if (Array.isArray(a)) {
    if (Array.isArray(b) && a instanceof PyTuple === b instanceof PyTuple) return joined(a, b);
    if (asksFor(b) !== undefined) return unsupported('+', a, b);
    const anything = absorbing(a, b);
    if (anything !== undefined) return anything;
    checkUndefined(a, b);
    const kind = typeName(a);
    throw typeError(`can only concatenate ${kind} (not "${typeName(b)}") to ${kind}`);
  }
  if (isBytes(a)) {
    if (isBytes(b)) return Buffer.concat([a, b]);
    if (asksFor(b) !== undefined) return unsupported('+', a, b);
    throw typeError(`can't concat ${typeName(b)} to bytes`);
  }
  return (
    arithmetic(
      a,
      b,
      (x, y) => x + y,
      (x, y) => x + y,
    ) ?? unsupported('+', a, b)
  );
}

const tooLarge = (): PythonError => new PythonError('OverflowError', 'the result is too large');

function joined(a: TValue[], b: TValue[]): TValue[] {
  if (a.length + b.length > ITEMS_MAX) throw tooLarge();
  if (!(a instanceof PyTuple)) return [...a, ...b];
  const out = new PyTuple();
  for (const item of a) out.push(item);
  for (const item of b) out.push(item);
  return out;
}

export function sub(a: TValue, b: TValue): TValue {
  if (a instanceof PySet && b instanceof PySet) return a.difference(b);
  return (
    arithmetic(
      a,
      b,
      (x, y) => x - y,
      (x, y) => x - y,
    ) ?? unsupported('-', a, b)
  );
}

export function mul(a: TValue, b: TValue): TValue {
  const product = arithmetic(
    a,
    b,
    (x, y) => x * y,
    (x, y) => x * y,
  );
  if (product !== undefined) return product;
  const [sequence, count] = isIntValue(a) ? [b, a] : [a, b];
  if (isIntValue(count) && (typeof sequence === 'string' || Array.isArray(sequence))) {
    const times = Math.max(0, Number(count));
    if (sequence.length * times > (typeof sequence === 'string' ? PRODUCT_MAX : ITEMS_MAX)) throw tooLarge();
    if (typeof sequence === 'string') return sequence.repeat(times);
    const out: TValue[] = sequence instanceof PyTuple ? new PyTuple() : [];
    for (let i = 0; i < times; i++) for (const item of sequence) out.push(item);
    return out;
  }
  if (asksFor(a, b) !== undefined) return unsupported('*', a, b);
  if (typeof a === 'string' || Array.isArray(a) || typeof b === 'string' || Array.isArray(b)) {
    checkUndefined(a, b);
    const other = typeof a === 'string' || Array.isArray(a) ? b : a;
    throw typeError(`can't multiply sequence by non-int of type '${typeName(other)}'`);
  }
  return unsupported('*', a, b);
}

export function div(a: TValue, b: TValue): TValue {
  const x = numberOf(a);
  const y = numberOf(b);
  if (x === undefined || y === undefined) return unsupported('/', a, b);
  if (Number(y) === 0)
    throw new PythonError(
      'ZeroDivisionError',
      isFloatValue(a) || isFloatValue(b) ? 'float division by zero' : 'division by zero',
    );
  return float(Number(x) / Number(y));
}

function floorMod(x: number, y: number): number {
  const rest = x % y;
  return rest !== 0 && rest < 0 !== y < 0 ? rest + y : rest;
}

function bigFloorDiv(x: bigint, y: bigint): bigint {
  const quotient = x / y;
  return x % y !== 0n && x < 0n !== y < 0n ? quotient - 1n : quotient;
}

export function floordiv(a: TValue, b: TValue): TValue {
  const y = numberOf(b);
  if (y === undefined || numberOf(a) === undefined) return unsupported('//', a, b);
  if (Number(y) === 0) {
    const isInts = isIntValue(a) && isIntValue(b);
    throw new PythonError(
      'ZeroDivisionError',
      isInts ? 'integer division or modulo by zero' : 'float floor division by zero',
    );
  }
  return arithmetic(a, b, bigFloorDiv, (x, z) => Math.floor(x / z)) as TValue;
}

export function mod(a: TValue, b: TValue): TValue {
  if (typeof a === 'string') {
    const object = asksFor(b, ...(b instanceof PyTuple ? b : []));
    return object === undefined ? formatPercent(a, b) : (operated(object, '%', a, b) ?? null);
  }
  const y = numberOf(b);
  if (y === undefined || numberOf(a) === undefined) return unsupported('%', a, b);
  if (Number(y) === 0) {
    const isInts = isIntValue(a) && isIntValue(b);
    throw new PythonError('ZeroDivisionError', isInts ? 'integer modulo by zero' : 'float modulo');
  }
  return arithmetic(a, b, (x, z) => x - z * bigFloorDiv(x, z), floorMod) as TValue;
}

export function pow(a: TValue, b: TValue): TValue {
  const x = numberOf(a);
  const y = numberOf(b);
  if (x === undefined || y === undefined) return unsupported('** or pow()', a, b);
  if (isIntValue(a) && isIntValue(b) && y >= 0) {
    const quick = Number(x) ** Number(y);
    if (Number.isSafeInteger(quick)) return quick;
    const base = BigInt(x);
    if (base.toString(2).length * Number(y) > BITS_MAX) throw tooLarge();
    return fromBigInt(base ** BigInt(y));
  }
  if (Number(x) === 0 && Number(y) < 0)
    throw new PythonError('ZeroDivisionError', '0.0 cannot be raised to a negative power');
  return float(Number(x) ** Number(y));
}

export function neg(a: TValue): TValue {
  const x = numberOf(a);
  if (x === undefined) return badUnary('-', 'negative', a);
  if (isFloatValue(a)) return float(-Number(x));
  return typeof x === 'bigint' ? fromBigInt(-x) : x === 0 ? 0 : -x;
}

export function pos(a: TValue): TValue {
  const x = numberOf(a);
  if (x === undefined) return badUnary('+', 'positive', a);
  return typeof a === 'boolean' ? Number(a) : a;
}

function badUnary(symbol: string, name: string, a: TValue): TValue {
  const object = asksFor(a);
  if (object !== undefined) return operated(object, name, a) ?? null;
  if (a instanceof Undefined) a.fail();
  throw typeError(`bad operand type for unary ${symbol}: '${typeName(a)}'`);
}

/** Python's `==`. @throws UndefinedError for strict undefined values */
export function eq(a: TValue, b: TValue): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a === b;
  if (a instanceof TObject) return a.equals(b);
  if (b instanceof TObject) return b.equals(a);
  if (a === b) return true;
  if (a instanceof PyObject || b instanceof PyObject) return objectsEqual(a, b);
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length || a instanceof PyTuple !== b instanceof PyTuple)
      return false;
    return a.every((item, i) => eq(item, b[i] as TValue));
  }
  if (a instanceof Map) return b instanceof Map && equalDicts(a, b);
  if (isBytes(a)) return isBytes(b) && Buffer.compare(a, b) === 0;
  if (a instanceof PyDatetime) return b instanceof PyDatetime && a.text === b.text;
  const x = numberOf(a);
  const y = numberOf(b);
  // mixed int and bigint compare by value
  return x !== undefined && y !== undefined && x == y; // eslint-disable-line eqeqeq
}

function objectsEqual(a: TValue, b: TValue): boolean {
  const object = asksFor(a, b);
  if (object !== undefined) return truthy(operated(object, '==', a, b) ?? null);
  return a instanceof PyObject && b instanceof PyObject && a.equals(b);
}

function equalDicts(a: TDict, b: TDict): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) {
    const other = b.get(key);
    if (other === undefined || !eq(value, other)) return false;
  }
  return true;
}

export function ne(a: TValue, b: TValue): boolean {
  const object = a instanceof PyObject || b instanceof PyObject ? asksFor(a, b) : undefined;
  return object === undefined ? !eq(a, b) : truthy(operated(object, '!=', a, b) ?? null);
}

function order(a: TValue, b: TValue, symbol: string): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  const x = numberOf(a);
  const y = numberOf(b);
  if (x !== undefined && y !== undefined) return x < y ? -1 : x > y ? 1 : x == y ? 0 : NaN; // eslint-disable-line eqeqeq
  if (Array.isArray(a) && Array.isArray(b) && a instanceof PyTuple === b instanceof PyTuple) {
    for (let i = 0; i < a.length && i < b.length; i++) {
      const [p, q] = [a[i] as TValue, b[i] as TValue];
      if (!eq(p, q)) return order(p, q, symbol);
    }
    return a.length - b.length;
  }
  if (isBytes(a) && isBytes(b)) return Buffer.compare(a, b);
  if (a instanceof PyDatetime && b instanceof PyDatetime) return compareText(a.text, b.text);
  const object = asksFor(a, b);
  if (object !== undefined) {
    const holds = truthy(operated(object, symbol, a, b) ?? null);
    return holds === symbol.startsWith('<') ? -1 : 1;
  }
  if (absorbing(a, b) !== undefined) return 1;
  checkUndefined(a, b);
  throw typeError(`'${symbol}' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`);
}

const bothSets = (a: TValue, b: TValue): a is PySet => a instanceof PySet && b instanceof PySet;

export function lt(a: TValue, b: TValue): boolean {
  if (bothSets(a, b)) return (b as PySet).hasAll(a) && a.length < (b as PySet).length;
  return order(a, b, '<') < 0;
}
export function le(a: TValue, b: TValue): boolean {
  if (bothSets(a, b)) return (b as PySet).hasAll(a);
  return order(a, b, '<=') <= 0;
}
export const gt = (a: TValue, b: TValue): boolean => (bothSets(a, b) ? lt(b, a) : order(a, b, '>') > 0);
export const ge = (a: TValue, b: TValue): boolean => (bothSets(a, b) ? le(b, a) : order(a, b, '>=') >= 0);

/** Python's `item in container`. */
export function isIn(item: TValue, container: TValue): boolean | Promise<boolean> {
  if (typeof container === 'string') {
    if (typeof item === 'string') return container.includes(item);
    throw typeError(`'in <string>' requires string as left operand, not ${typeName(item)}`);
  }
  if (container instanceof Map) return dictGet(container, item) !== undefined;
  if (Array.isArray(container)) return container.some((other) => other === item || eq(other, item));
  if (container instanceof TObject) {
    const answer = container.contains(item);
    if (answer !== undefined) return answer;
    const items = container.iterate();
    if (items) {
      for (const other of items) if (other === item || eq(other, item)) return true;
      return false;
    }
  }
  if (container instanceof PyObject) return lookedUp(container, 'contains', item) === true;
  if (isBytes(container)) return isInBytes(item, container);
  throw typeError(`argument of type '${typeName(container)}' is not iterable`);
}

function isInBytes(item: TValue, container: Uint8Array): boolean {
  if (isBytes(item)) return Buffer.from(container).includes(Buffer.from(item));
  if (isIntValue(item)) return container.includes(Number(item));
  throw typeError(`a bytes-like object is required, not '${typeName(item)}'`);
}

export function notIn(item: TValue, container: TValue): boolean | Promise<boolean> {
  const answer = isIn(item, container);
  return answer instanceof Promise ? answer.then((found) => !found) : !answer;
}

/** The key under which a mapping holds an equal key, or undefined. */
function heldKey(dict: TDict, key: TValue): TValue | undefined {
  if (dict.has(key)) return key;
  if (typeof key === 'string' || key === null) return undefined;
  if (key instanceof Undefined && key.strict) key.fail();
  if (Array.isArray(key) && !(key instanceof PyTuple)) throw typeError("unhashable type: 'list'");
  if (key instanceof Map) throw typeError("unhashable type: 'dict'");
  for (const other of dict.keys()) if (typeof other !== 'string' && eq(other, key)) return other;
  return undefined;
}

/** `dict[key]` by equality, or undefined. @throws TypeError for keys that cannot be hashed */
export function dictGet(dict: TDict, key: TValue): TValue | undefined {
  if (typeof key === 'string') return dict.get(key);
  const held = heldKey(dict, key);
  return held === undefined ? undefined : dict.get(held);
}

/** `dict[key] = value` by equality. */
export function dictSet(dict: TDict, key: TValue, value: TValue): void {
  dict.set(typeof key === 'string' ? key : (heldKey(dict, key) ?? key), value);
}

/** `dict.pop(key)`: the value, or undefined. */
export function dictDelete(dict: TDict, key: TValue): TValue | undefined {
  const held = heldKey(dict, key);
  if (held === undefined) return undefined;
  const value = dict.get(held);
  dict.delete(held);
  return value;
}

/** `len(value)`. @throws TypeError */
export function len(value: TValue): number {
  if (typeof value === 'string') return textLength(value);
  if (Array.isArray(value) || isBytes(value)) return value.length;
  if (value instanceof Map) return value.size;
  if (value instanceof TObject) {
    const { length } = value;
    if (length !== undefined) return length;
  }
  if (value instanceof PyObject && value.length !== undefined) return value.length;
  throw typeError(`object of type '${typeName(value)}' has no len()`);
}

/** The items of anything that can be iterated over, or undefined. */
export function itemsOf(value: TValue): Iterable<TValue> | undefined {
  if (Array.isArray(value)) return value;
  if (value instanceof Map) return guarded(value);
  if (typeof value === 'string') return value;
  if (value instanceof TObject) return value.iterate();
  if (value instanceof PyObject) return objectItems(value);
  return isBytes(value) ? value : undefined;
}

/** @throws TemplateRuntimeError for those with more than a template is told of them */
function objectItems({ items, tooMany, type }: PyObject): Iterable<TValue> | undefined {
  if (tooMany)
    throw new TemplateRuntimeError(`'${type}' object: there is more in it than a template can walk through`);
  return items as TValue[] | undefined;
}

/** `iter(value)`. @throws TypeError */
export function iter(value: TValue): Iterable<TValue> {
  const items = itemsOf(value);
  if (items === undefined) throw typeError(`'${typeName(value)}' object is not iterable`);
  return items;
}

/** The keys of a mapping that may not change its size meanwhile. */
export function* guarded(dict: TDict): Iterable<TValue> {
  const { size } = dict;
  for (const key of dict.keys()) {
    yield key;
    if (dict.size !== size) throw new PythonError('RuntimeError', 'dictionary changed size during iteration');
  }
}

/** `list(value)`. */
export const list = (value: TValue): TValue[] => [...iter(value)];

async function calledObject(
  f: PyObject,
  args: readonly TValue[],
  kwargs: Kwargs | undefined,
): Promise<TValue> {
  const named = Array.from(kwargs ?? [], ([name, value]) => [name, toValue(value)] as const);
  return (await f.ask('call', args.map(toValue), new Map(named))) ?? null;
}

/** Calls anything. @throws TypeError, UndefinedError */
export function callValue(
  f: TValue | undefined,
  args: readonly TValue[],
  kwargs: ReadonlyMap<string, TValue> | undefined,
  scope: { readonly env: unknown },
): Later {
  if (isCallable(f)) return f.call(args, kwargs, scope);
  if (f instanceof PyObject && f.isCallable) return calledObject(f, args, kwargs);
  if (f instanceof Undefined) return f.fail();
  throw typeError(`'${typeName(f ?? null)}' object is not callable`);
}
