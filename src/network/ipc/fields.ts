/**
 * The fields of messages between our own processes: each knows its TypeScript type, how it is packed and how it is
 * checked when it is read, so that a contract is written once and holds for both ends.
 */
import type { ErrorCode } from '../../errors/codes.ts';
import { BrineError } from '../../errors/errors.ts';
import { decode, encode, type Dialect, type Encodable } from '../../formats/wire/msgpack.ts';
import { isDict, toNumber, type Dict, type Value } from '../../python/values/value.ts';

/**
 * What one of our processes sent is not what the contract says: the two are of different versions, or one is broken.
 */
export class MessageError extends BrineError {
  static override readonly errorCode: ErrorCode = 'message-invalid';
  override readonly name = 'MessageError';
}

/** One field of a message. */
export interface Field<T> {
  pack(value: T): Encodable;
  /** @throws MessageError with the words that follow the name of the field */
  read(value: Value): T;
}

/** A field that may be left out. */
export interface OptionalField<T> extends Field<T | undefined> {
  readonly isOptional: true;
}

/** How a whole message is packed and read. */
export interface Codec<T> {
  /** @returns pieces that are sent as one */
  pack(value: T): readonly Uint8Array[];
  /** @param bytes a slice of the receive buffer @throws MessageError */
  read(bytes: Buffer): T;
}

/** The type of a field. */
export type FieldType<F> = F extends Field<infer T> ? T : never;

type Shape = Readonly<Record<string, Field<unknown>>>;
type OptionalNames<S extends Shape> = {
  [K in keyof S]: S[K] extends OptionalField<unknown> ? K : never;
}[keyof S];

/** The type of a message with these fields. */
export type RecordOf<S extends Shape> = {
  readonly [K in Exclude<keyof S, OptionalNames<S>>]: FieldType<S[K]>;
} & { readonly [K in OptionalNames<S>]?: Exclude<FieldType<S[K]>, undefined> };

function wrong(what: string): never {
  throw new MessageError(`is not ${what}`);
}

/** Runs `read`; a {@link MessageError} then tells which field it is about. */
function within<T>(name: string | number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof MessageError ? new MessageError(`${name} ${error.message}`) : error;
  }
}

const same = <T extends Encodable>(value: T): Encodable => value;

/** A text. */
export const text: Field<string> = {
  pack: same,
  read: (value) => (typeof value === 'string' ? value : wrong('a text')),
};

/** A number, integral or not. */
export const count: Field<number> = { pack: same, read: (value) => toNumber(value) ?? wrong('a number') };

/** True or false. */
export const flag: Field<boolean> = {
  pack: same,
  read: (value) => (typeof value === 'boolean' ? value : wrong('true or false')),
};

/** Any value of the one model. */
export const anything: Field<Value> = { pack: same, read: (value) => value };

/** A mapping of any content. */
export const mapping: Field<Dict> = {
  pack: same,
  read: (value) => (isDict(value) ? value : wrong('a mapping')),
};

/** One of these words. */
export function oneOf<const W extends string>(...words: readonly W[]): Field<W> {
  const known = new Set<Value>(words);
  return {
    pack: same,
    read: (value) => (known.has(value) ? (value as W) : wrong(`one of ${words.join(', ')}`)),
  };
}

/** A list of fields of one kind. */
export function list<T>(each: Field<T>): Field<readonly T[]> {
  return {
    pack: (values) => values.map((value) => each.pack(value)),
    read: (value) => {
      if (!Array.isArray(value)) return wrong('a list');
      return value.map((item, index) => within(index, () => each.read(item)));
    },
  };
}

/** Fields of one kind by name. */
export function byName<T>(each: Field<T>): Field<ReadonlyMap<string, T>> {
  return {
    pack: (values) => new Map([...values].map(([name, value]) => [name, each.pack(value) as Value])),
    read: (value) => {
      if (!isDict(value)) return wrong('a mapping');
      const out = new Map<string, T>();
      for (const [name, item] of value)
        out.set(
          text.read(name),
          within(String(name), () => each.read(item)),
        );
      return out;
    },
  };
}

/** A field that may be left out. */
export function optional<T>(field: Field<T>): OptionalField<T> {
  return {
    isOptional: true,
    pack: (value) => (value === undefined ? null : field.pack(value)),
    read: (value) => (value === null ? undefined : field.read(value)),
  };
}

/** Several fields, packed in this order and without their names. A later version may add optional ones at the end. */
export function record<const S extends Shape>(shape: S): Field<RecordOf<S>> {
  const names = Object.keys(shape);
  const fields = Object.values(shape);
  return {
    pack: (value) => {
      const values = value as Readonly<Record<string, unknown>>;
      const out: Encodable[] = [];
      for (let at = 0; at < fields.length; at++)
        out.push((fields[at] as Field<unknown>).pack(values[names[at] as string]));
      return out;
    },
    read: (value) => {
      if (!Array.isArray(value)) return wrong('a list of fields');
      const out: Record<string, unknown> = {};
      let at = 0;
      try {
        for (; at < fields.length; at++) {
          const read = (fields[at] as Field<unknown>).read(value[at] ?? null);
          if (read !== undefined) out[names[at] as string] = read;
        }
      } catch (error) {
        throw error instanceof MessageError ? new MessageError(`${names[at]} ${error.message}`) : error;
      }
      return out as RecordOf<S>;
    },
  };
}

type VariantOf<V extends Readonly<Record<string, Shape>>> = {
  [K in keyof V]: { readonly kind: K } & RecordOf<V[K]>;
}[keyof V];

/** One of several records, told apart by `kind`. */
export function variants<const V extends Readonly<Record<string, Shape>>>(shapes: V): Field<VariantOf<V>> {
  const records = new Map(Object.entries(shapes).map(([kind, shape]) => [kind, record(shape)]));
  return {
    pack: (value) => {
      const kind = value.kind as string;
      return [kind, records.get(kind)?.pack(value) ?? []];
    },
    read: (value) => {
      const [kind, fields = null] = Array.isArray(value) ? value : [];
      const known = records.get(String(kind));
      if (known === undefined) return wrong(`one of ${[...records.keys()].join(', ')}`);
      return { kind, ...within(String(kind), () => known.read(fields)) } as VariantOf<V>;
    },
  };
}

/** A message that is one field. */
export function single<T>(field: Field<T>, dialect: Dialect = 'local'): Codec<T> {
  return {
    pack: (value) => [encode(field.pack(value), dialect)],
    read: (bytes) => {
      let value: Value;
      try {
        value = decode(bytes, dialect);
      } catch (cause) {
        throw new MessageError('cannot be decoded', { cause });
      }
      return field.read(value);
    },
  };
}

/** A message of several fields. */
export function fields<const S extends Shape>(shape: S, dialect: Dialect = 'local'): Codec<RecordOf<S>> {
  return single(record(shape), dialect);
}

/** {@link single} and {@link fields} for an end that speaks another dialect than ours among each other. */
export function codecsIn(dialect: Dialect): {
  single<T>(field: Field<T>): Codec<T>;
  fields<const S extends Shape>(shape: S): Codec<RecordOf<S>>;
} {
  return { single: (field) => single(field, dialect), fields: (shape) => fields(shape, dialect) };
}

/** A message without content. */
export const nothing: Codec<void> = { pack: () => [], read: () => undefined };
