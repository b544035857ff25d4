/** Which values Python can hash. */
import { typeError } from './errors.ts';
import { PyTuple, TObject, typeName, type TValue } from './model.ts';
import { Undefined } from './undefined.ts';

/** True unless the value is a list, a mapping or a set. */
export function isHashableType(value: TValue): boolean {
  if (value instanceof PyTuple) return true;
  if (value instanceof TObject) return value.typeName !== 'set';
  return !(Array.isArray(value) || value instanceof Map);
}

/** @throws TypeError `unhashable type: 'list'` for what cannot be a key */
export function assertHashable(value: TValue): void {
  if (value instanceof Undefined && value.strict) value.fail();
  if (value instanceof PyTuple) value.forEach(assertHashable);
  else if (!isHashableType(value)) throw typeError(`unhashable type: '${typeName(value)}'`);
}
