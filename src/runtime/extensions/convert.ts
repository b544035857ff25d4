/** Between the values of Salt and plain JavaScript data, which is what custom modules work with. */
import { SaltInvocationError } from '../../errors/errors.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import {
  isFloat,
  isInt,
  PyDatetime,
  PyFloat,
  toNumber,
  type Dict,
  type Value,
  PyObject,
} from '../../python/values/value.ts';
import type { Data, ParamTypes } from './brine.d.ts';

/** Deepest nesting; what goes further refers to itself. */
const NESTING_MAX = 200;

/** A mapping becomes an object when all its keys are texts, else it stays a `Map`. Floats become numbers. */
export function toData(value: Value): Data {
  if (value instanceof PyFloat) return value.value;
  if (value instanceof PyDatetime) return value.toString();
  if (value instanceof PyObject) return value.str;
  if (Array.isArray(value)) return value.map(toData);
  if (!(value instanceof Map)) return value;
  const entries = [...value].map(([key, item]): [Data, Data] => [toData(key), toData(item)]);
  const isPlain = entries.every(([key]) => typeof key === 'string' && key !== '__proto__');
  return isPlain ? (Object.fromEntries(entries) as Record<string, Data>) : new Map(entries);
}

/** As an object whatever its keys are: those that are no text are written as Python writes them. */
export function toRecord(value: Dict): Record<string, Data> {
  const out = Object.create(null) as Record<string, Data>;
  for (const [key, item] of value) out[pyStr(key)] = toData(item);
  return out;
}

/** @throws TypeError for what is no data, such as functions and objects of classes */
export function fromData(data: unknown, depth = 0): Value {
  if (depth > NESTING_MAX) throw new TypeError('The value is nested too deeply, or contains itself.');
  if (data === undefined || data === null) return null;
  switch (typeof data) {
    case 'boolean':
    case 'number':
    case 'bigint':
    case 'string':
      return data;
    case 'object':
      return fromObject(data, depth + 1);
    default:
      throw new TypeError(`A ${typeof data} cannot be returned.`);
  }
}

function fromObject(data: object, depth: number): Value {
  if (data instanceof PyFloat || data instanceof Uint8Array) return data;
  if (Array.isArray(data)) return data.map((item) => fromData(item, depth));
  if (data instanceof Date) return data.toISOString();
  if (data instanceof Set) return [...data].map((item) => fromData(item, depth));
  const entries: [unknown, unknown][] =
    data instanceof Map ? [...(data as Map<unknown, unknown>)] : plainEntries(data);
  return new Map(
    entries
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [fromData(key, depth), fromData(item, depth)]),
  );
}

function plainEntries(data: object): [string, unknown][] {
  const prototype: unknown = Object.getPrototypeOf(data);
  // objects from another realm have another Object.prototype
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (!isPlain)
    throw new TypeError(`An object of the class ${data.constructor.name} cannot be returned; make it plain.`);
  return Object.entries(data);
}

/**
 * An argument as the type that its parameter asks for.
 * @throws SaltInvocationError `greet.hello: count must be an int, not 'many'`
 */
export function toTyped(value: Value, type: keyof ParamTypes | undefined, where: string): Data {
  if (type === undefined || type === 'any' || value === null) return toData(value);
  const fitting = convert(value, type);
  if (fitting === undefined)
    throw new SaltInvocationError(`${where} must be ${ARTICLES[type]}, not ${pyRepr(value)}`);
  return fitting;
}

const ARTICLES: Readonly<Record<keyof ParamTypes, string>> = {
  str: 'a str',
  int: 'an int',
  float: 'a number',
  bool: 'a bool',
  list: 'a list',
  dict: 'a dict',
  any: 'anything',
};

function convert(value: Value, type: keyof ParamTypes): Data | undefined {
  const isScalar = typeof value === 'boolean' || isInt(value) || isFloat(value);
  switch (type) {
    case 'str':
      return typeof value === 'string' ? value : isScalar ? pyStr(value) : undefined;
    case 'int':
      if (typeof value === 'string') return /^[-+]?\d{1,15}$/.test(value) ? Number(value) : undefined;
      return isInt(value) ? value : undefined;
    case 'float':
      if (typeof value === 'string') return value.trim() !== '' ? numberOf(value) : undefined;
      return toNumber(value);
    case 'bool':
      return typeof value === 'boolean' ? value : undefined;
    case 'list':
      return Array.isArray(value) ? toData(value) : undefined;
    case 'dict':
      return value instanceof Map ? toRecord(value) : undefined;
    case 'any':
      return toData(value);
  }
}

function numberOf(text: string): number | undefined {
  const number = Number(text);
  return Number.isNaN(number) ? undefined : number;
}
