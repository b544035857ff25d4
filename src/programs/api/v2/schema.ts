/**
 * What requests and answers look like. Each schema knows its TypeScript type, how a value of it is read from JSON, and
 * its JSON Schema for the OpenAPI document, so that what is documented is what is checked.
 */
import { isDict, isInt, toNumber, type Dict, type Value } from '../../../python/values/value.ts';

/** The part of JSON Schema (2020-12) that is used. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

/** A value is not of the schema. `at` is where in it: `arg[0].name`, empty for the whole. */
export class SchemaFault extends Error {
  override readonly name = 'SchemaFault';
  readonly at: string;

  /** @param message what follows the name: "is not a text" */
  constructor(at: string, message: string) {
    super(message);
    this.at = at;
  }
}

/** One kind of values. */
export interface Schema<T> {
  readonly json: JsonSchema;
  /** @param at where the value stands, for errors @throws SchemaFault */
  read(value: Value, at: string): T;
  /** The components of the document that this one speaks of, itself among them. */
  readonly named: ReadonlyMap<string, JsonSchema>;
}

/** A field that may be left out. */
export interface OptionalSchema<T> extends Schema<T | undefined> {
  readonly isOptional: true;
}

/** The type of a schema. */
export type SchemaType<S> = S extends Schema<infer T> ? T : never;

/** Fields by name. */
export type Shape = Readonly<Record<string, Schema<unknown>>>;
type OptionalNames<S extends Shape> = {
  [K in keyof S]: S[K] extends OptionalSchema<unknown> ? K : never;
}[keyof S];

/** The type of an object with these fields. */
export type ObjectOf<S extends Shape> = {
  readonly [K in Exclude<keyof S, OptionalNames<S>>]: SchemaType<S[K]>;
} & { readonly [K in OptionalNames<S>]?: Exclude<SchemaType<S[K]>, undefined> };

const NOTHING_NAMED: ReadonlyMap<string, JsonSchema> = new Map();

function fail(at: string, message: string): never {
  throw new SchemaFault(at, message);
}

function namedIn(schemas: Iterable<Schema<unknown>>): ReadonlyMap<string, JsonSchema> {
  return new Map([...schemas].flatMap(({ named }) => [...named]));
}

/** How a text may be. */
export interface TextLimits {
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly description?: string;
}

/** A text. */
export function text(limits: TextLimits = {}): Schema<string> {
  const { pattern, minLength = 0, maxLength = Infinity } = limits;
  const regex = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  return {
    json: { type: 'string', ...limits },
    named: NOTHING_NAMED,
    read: (value, at) => {
      if (typeof value !== 'string') fail(at, 'is not a text');
      if (value.length < minLength) fail(at, 'is empty');
      if (value.length > maxLength) fail(at, `is longer than ${maxLength} characters`);
      if (regex?.test(value) === false) fail(at, `is not of the form ${pattern ?? ''}`);
      return value;
    },
  };
}

/** One of a few texts. */
export function oneOf<const T extends readonly string[]>(values: T, description?: string): Schema<T[number]> {
  return {
    json: { type: 'string', enum: values, ...(description === undefined ? {} : { description }) },
    named: NOTHING_NAMED,
    read: (value, at) =>
      values.find((each) => each === value) ?? fail(at, `is not one of ${values.join(', ')}`),
  };
}

/** A whole number. */
export function integer(
  limits: { minimum?: number; maximum?: number; description?: string } = {},
): Schema<number> {
  return numeric('integer', limits);
}

/** A number. */
export function number(
  limits: { minimum?: number; maximum?: number; description?: string } = {},
): Schema<number> {
  return numeric('number', limits);
}

function numeric(
  type: 'integer' | 'number',
  limits: { readonly minimum?: number; readonly maximum?: number; readonly description?: string },
): Schema<number> {
  const { minimum = -Infinity, maximum = Infinity } = limits;
  return {
    json: { type, ...limits },
    named: NOTHING_NAMED,
    read: (value, at) => {
      const found = type === 'integer' && !isInt(value) ? undefined : toNumber(value);
      if (found === undefined || Number.isNaN(found))
        fail(at, type === 'integer' ? 'is not a whole number' : 'is not a number');
      if (found < minimum) fail(at, `is less than ${minimum}`);
      if (found > maximum) fail(at, `is more than ${maximum}`);
      return found;
    },
  };
}

/** True or false. */
export function flag(description?: string): Schema<boolean> {
  return {
    json: { type: 'boolean', ...(description === undefined ? {} : { description }) },
    named: NOTHING_NAMED,
    read: (value, at) => (typeof value === 'boolean' ? value : fail(at, 'is neither true nor false')),
  };
}

/** Whatever JSON can say. */
export function anything(description?: string): Schema<Value> {
  return {
    json: description === undefined ? {} : { description },
    named: NOTHING_NAMED,
    read: (value) => value,
  };
}

/** A mapping of names to values of one kind. */
export function mapping<T>(of: Schema<T>, description?: string): Schema<ReadonlyMap<string, T>> {
  return {
    json: {
      type: 'object',
      additionalProperties: of.json,
      ...(description === undefined ? {} : { description }),
    },
    named: of.named,
    read: (value, at) => {
      if (!isDict(value)) fail(at, 'is not an object');
      return new Map([...value].map(([key, each]) => [String(key), of.read(each, join(at, String(key)))]));
    },
  };
}

/** A mapping of names to whatever JSON can say, as Salt's functions take it. */
export function dictionary(description?: string): Schema<Dict> {
  return {
    json: {
      type: 'object',
      additionalProperties: true,
      ...(description === undefined ? {} : { description }),
    },
    named: NOTHING_NAMED,
    read: (value, at) => (isDict(value) ? value : fail(at, 'is not an object')),
  };
}

/** A list. */
export function list<T>(
  of: Schema<T>,
  limits: { minItems?: number; maxItems?: number; description?: string } = {},
): Schema<readonly T[]> {
  const { minItems = 0, maxItems = Infinity } = limits;
  return {
    json: { type: 'array', items: of.json, ...limits },
    named: of.named,
    read: (value, at) => {
      if (!Array.isArray(value)) fail(at, 'is not a list');
      if (value.length < minItems) fail(at, `has fewer than ${minItems} items`);
      if (value.length > maxItems) fail(at, `has more than ${maxItems} items`);
      return value.map((each, index) => of.read(each, `${at}[${index}]`));
    },
  };
}

/** That, or null. */
export function nullable<T>(of: Schema<T>): Schema<T | null> {
  const { type } = of.json;
  const json: JsonSchema =
    typeof type === 'string' && of.json.enum === undefined
      ? { ...of.json, type: [type, 'null'] }
      : { anyOf: [of.json, { type: 'null' }] };
  return { json, named: of.named, read: (value, at) => (value === null ? null : of.read(value, at)) };
}

/** One of two kinds: the first that takes the value. */
export function either<A, B>(one: Schema<A>, other: Schema<B>, description?: string): Schema<A | B> {
  return {
    json: {
      anyOf: [one.json, other.json],
      ...(description === undefined ? {} : { description }),
    },
    named: namedIn([one, other]),
    read: (value, at) => {
      try {
        return one.read(value, at);
      } catch (error) {
        if (!(error instanceof SchemaFault)) throw error;
        return other.read(value, at);
      }
    },
  };
}

/** That, or left out. */
export function optional<T>(of: Schema<T>): OptionalSchema<T> {
  return { ...of, isOptional: true };
}

/** An object with these fields and no others. */
export function object<S extends Shape>(shape: S, description?: string): Schema<ObjectOf<S>> {
  const fields = Object.entries(shape);
  const names = new Set(fields.map(([name]) => name));
  const required = fields.filter(([, field]) => !isOptional(field)).map(([name]) => name);
  return {
    json: {
      type: 'object',
      ...(description === undefined ? {} : { description }),
      properties: Object.fromEntries(fields.map(([name, { json }]) => [name, json])),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    },
    named: namedIn(Object.values(shape)),
    read: (value, at) => {
      if (!isDict(value)) fail(at, 'is not an object');
      for (const key of value.keys())
        if (typeof key !== 'string' || !names.has(key)) fail(join(at, String(key)), 'is not known here');
      return Object.fromEntries(
        fields.flatMap(([name, field]) => {
          const given = value.get(name);
          if (given !== undefined) return [[name, field.read(given, join(at, name))]];
          return isOptional(field) ? [] : fail(join(at, name), 'is missing');
        }),
      ) as ObjectOf<S>;
    },
  };
}

/** Gives a schema a name, under which it is a component of the document and a type of the client. */
export function component<T>(name: string, of: Schema<T>): Schema<T> {
  return {
    json: { $ref: `#/components/schemas/${name}` },
    named: new Map([...of.named, [name, of.json]]),
    read: of.read,
  };
}

function isOptional(field: Schema<unknown>): boolean {
  return 'isOptional' in field;
}

function join(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`;
}

/**
 * A parameter of an address, which is text, as the value that a schema reads.
 * @throws SchemaFault
 */
export function readText<T>(schema: Schema<T>, given: string, at: string): T {
  const { type, items } = schema.json;
  const types = typeof type === 'string' ? [type] : (type ?? []);
  if (types.includes('array') && items !== undefined) return schema.read([given], at);
  if (types.includes('boolean'))
    return schema.read(given === 'true' ? true : given === 'false' ? false : given, at);
  if (types.includes('integer') || types.includes('number'))
    return schema.read(/^-?\d{1,15}(\.\d{1,15})?$/.test(given) ? Number(given) : given, at);
  return schema.read(given, at);
}
