/** Salt's `salt.utils.data.decode` (3006.16): a value as some outputters first make it readable. */
import { decodeUtf8 } from '../../python/values/text.ts';
import { isBytes, PyDatetime, type Value } from '../../python/values/value.ts';

/** Bytes become text (those that are not UTF-8 stay), datetimes their ISO form, at every level. */
export function readable(value: Value): Value {
  if (isBytes(value)) return decodeUtf8(value) ?? value;
  if (value instanceof PyDatetime) return value.toString().replace(' ', 'T');
  if (Array.isArray(value)) return value.map(readable);
  if (!(value instanceof Map)) return value;
  return new Map([...value].map(([key, item]) => [readable(key), readable(item)]));
}
