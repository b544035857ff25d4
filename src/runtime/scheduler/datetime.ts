/** Python's datetimes, as events carry them. */
import { PyDatetime, type Value } from '../../python/values/value.ts';

/** What a datetime shows, as milliseconds since 1970 on that clock; undefined for another value. */
export function datetimeMs(value: Value): number | undefined {
  if (!(value instanceof PyDatetime)) return undefined;
  const { text } = value;
  const date = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}`;
  const atMs = Date.parse(`${date}T${text.slice(9, 17)}.${text.slice(18, 21)}Z`);
  return Number.isNaN(atMs) ? undefined : atMs;
}
