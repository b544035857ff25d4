/**
 * Answers as JSON: objects of ours, with values of Salt's inside. What JSON cannot say becomes the nearest thing that
 * it can.
 */
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { decodeUtf8 } from '../../../python/values/text.ts';
import { parseJson } from '../../../formats/json/text.ts';
import { isBytes, PyDatetime, PyFloat, type Dict, type Value } from '../../../python/values/value.ts';

/** The media type of all answers. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * One line of JSON. Not a number and infinity are null, bytes that are no text their Python form, and fields that are
 * undefined are left out.
 */
export function jsonOf(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (value instanceof PyFloat) return Number.isFinite(value.value) ? pyRepr(value) : 'null';
  if (value instanceof PyDatetime) return JSON.stringify(value.toString());
  if (isBytes(value)) return JSON.stringify(decodeUtf8(value) ?? pyStr(value));
  if (value instanceof Map || value instanceof Set) return jsonOfEntries(value);
  return jsonOfFields(Object.entries(value as Readonly<Record<string, unknown>>));
}

function jsonOfEntries(value: ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>): string {
  if (value instanceof Set) return `[${[...value].map(jsonOf).join(',')}]`;
  const entries = [...(value as ReadonlyMap<unknown, unknown>)];
  return jsonOfFields(entries.map(([key, each]) => [nameOf(key), each ?? null]));
}

function nameOf(key: unknown): string {
  if (typeof key === 'string') return key;
  if (typeof key === 'boolean' || key === null) return String(key);
  return pyStr(key as Value);
}

function jsonOfFields(fields: readonly (readonly [string, unknown])[]): string {
  const written = fields.flatMap(([name, value]) =>
    value === undefined ? [] : [`${JSON.stringify(name)}:${jsonOf(value)}`],
  );
  return `{${written.join(',')}}`;
}

/** Plain objects, such as JSON has them, as the values of the one model. */
export function jsonValue(value: Readonly<Record<string, unknown>>): Dict {
  return parseJson(jsonOf(value)) as Dict;
}
