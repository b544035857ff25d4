/**
 * Values as JSON in databases: what JSON has no form for is written as Python shows it, so that no return is lost for
 * it.
 */
import { pyRepr } from '../../../python/values/repr.ts';
import { toJson } from '../../../formats/json/text.ts';
import { isFloat, toNumber, type Dict, type Value } from '../../../python/values/value.ts';

/** How strict the reader of the text is. */
export interface StoreJsonOptions {
  /** As PostgreSQL's `jsonb` and others demand: no NaN, no infinity (written as text), no NUL character (left out). */
  readonly strict?: boolean;
}

/** A value as the text of JSON, as Salt's returners write it (`salt.utils.json.dumps`). Never throws. */
export function storeJson(value: Value, options: StoreJsonOptions = {}): string {
  return toJson(storable(value, options.strict === true), { fallback: pyRepr });
}

function storable(value: Value, isStrict: boolean): Value {
  if (Array.isArray(value)) return value.map((item) => storable(item, isStrict));
  if (value instanceof Map) {
    const out: Dict = new Map();
    for (const [key, item] of value) out.set(storableKey(key, isStrict), storable(item, isStrict));
    return out;
  }
  if (!isStrict) return value;
  if (typeof value === 'string') return value.replaceAll('\0', '');
  return isFloat(value) && !Number.isFinite(toNumber(value)) ? toJson(value) : value;
}

function storableKey(key: Value, isStrict: boolean): Value {
  if (typeof key === 'string') return isStrict ? key.replaceAll('\0', '') : key;
  if (key === null || typeof key === 'boolean' || typeof key === 'bigint' || typeof key === 'number')
    return key;
  return pyRepr(key);
}
