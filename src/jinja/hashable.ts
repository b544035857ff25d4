/** Which types Python can hash. */
import { PyTuple, type TValue } from './model.ts';
import { PySet } from './set.ts';

/** True unless the value is a list, a mapping or a set. */
export function isHashableType(value: TValue): boolean {
  if (value instanceof PyTuple) return true;
  return !(Array.isArray(value) || value instanceof Map || value instanceof PySet);
}
