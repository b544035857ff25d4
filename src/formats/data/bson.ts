/** Values as BSON, and back. The driver's classes are handed in, since they are imported only when they are needed. */
import type * as Driver from 'mongodb';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import {
  float,
  isBytes,
  isDict,
  isFloat,
  isInt,
  PyDatetime,
  toNumber,
  type Dict,
  type Value,
} from '../../python/values/value.ts';

/** What the driver serialises: `Map` keeps the order of keys. */
export type BsonDocument = Map<string, unknown>;

/** The driver's classes, which are imported only when they are needed. */
export type BsonTypes = Pick<typeof Driver, 'Double' | 'Long' | 'Binary'>;

const INT32_MAX = 2 ** 31 - 1;
/** The greatest whole number of BSON. */
export const INT64_MAX = 2n ** 63n - 1n;

/** What the driver gives, as a value. */
export function fromBson(value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return toNumberIfSafe(value);
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return value;
  if (Array.isArray(value)) return value.map(fromBson);
  if (value instanceof Date) return value.toISOString();
  if (isBytes(value)) return new Uint8Array(value);
  const typed = value as {
    readonly _bsontype?: string;
    readonly value?: unknown;
    readonly buffer?: Uint8Array;
  };
  if (typed._bsontype === 'Double') return float(Number(typed.value));
  if (typed._bsontype === 'Int32') return Number(typed.value);
  if (typed._bsontype === 'Binary') return new Uint8Array(typed.buffer ?? []);
  if (typed._bsontype !== undefined) return String(value);
  return new Map(Object.entries(value).map(([key, item]) => [key, fromBson(item)]));
}

function toNumberIfSafe(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** A mapping as a document. */
export function toBson(map: Dict, types: BsonTypes): BsonDocument {
  const out: BsonDocument = new Map();
  for (const [key, item] of map) out.set(keyText(key), toBsonValue(item, types));
  return out;
}

/** A value as the driver takes it. */
export function toBsonValue(value: Value, types: BsonTypes): unknown {
  if (Array.isArray(value)) return value.map((item) => toBsonValue(item, types));
  if (isDict(value)) return toBson(value, types);
  if (isBytes(value)) return new types.Binary(value);
  if (value instanceof PyDatetime) return value.toString();
  if (isFloat(value)) return new types.Double(toNumber(value) ?? NaN);
  if (!isInt(value)) return value;
  if (typeof value === 'number' && Math.abs(value) <= INT32_MAX) return value;
  const big = BigInt(value);
  return big <= INT64_MAX && big >= -INT64_MAX ? types.Long.fromBigInt(big) : String(big);
}

/** A key as a text without NUL, which ends keys there. */
export function keyText(key: Value): string {
  const text = typeof key === 'string' ? key : isBytes(key) || Array.isArray(key) ? pyRepr(key) : pyStr(key);
  return text.replaceAll('\0', '');
}
