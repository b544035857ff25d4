/** Values whose mappings are all of one type, for comparisons that are not about it. */
import { isDict, type Value } from '../../src/python/values/value.ts';

/** The value with plain mappings in the place of OrderedDicts. */
export function plainMappings(value: Value): Value {
  if (Array.isArray(value)) return value.map(plainMappings);
  if (!isDict(value)) return value;
  return new Map([...value].map(([key, item]) => [plainMappings(key), plainMappings(item)]));
}
