/** Objects that a process of Python keeps, in a value that came from it. */
import { type Value, PyObject, type ObjectKeeper } from '../../python/values/value.ts';

/** Says of all objects in a value who can be asked about them. */
export function keptBy(value: Value, keeper: ObjectKeeper): void {
  if (value instanceof PyObject) {
    value.keptBy(keeper);
    for (const item of value.items ?? []) keptBy(item, keeper);
  } else if (Array.isArray(value)) for (const item of value) keptBy(item, keeper);
  else if (value instanceof Map)
    for (const [key, item] of value) {
      keptBy(key, keeper);
      keptBy(item, keeper);
    }
}
