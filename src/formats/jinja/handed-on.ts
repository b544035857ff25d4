/**
 * Undefined values that functions take without looking at them: `salt['grains.filter_by']({'Debian': {'user': x}})` is
 * no error in Salt while nobody uses that `user`, although there is no `x`.
 */
import { PyObject, type Value } from '../../python/values/value.ts';
import { typeError } from './errors.ts';
import type { TValue } from './model.ts';
import { toValueWith } from './plain.ts';
import type { Undefined } from './undefined.ts';

/**
 * Stands for an undefined value on its way through a function. Who looks at it fails, as one does with a
 * `StrictUndefined`.
 */
class HandedOn extends PyObject {
  readonly stoodFor: Undefined;

  constructor(stoodFor: Undefined) {
    super({
      place: [-1, -1],
      type: stoodFor.typeName,
      title: stoodFor.typeTitle,
      str: '',
      repr: stoodFor.repr(),
      isTrue: false,
      isCallable: false,
      attributes: new Map(),
    });
    this.stoodFor = stoodFor;
    if (!stoodFor.strict) return;
    for (const looked of ['str', 'isTrue', 'items'] as const)
      Object.defineProperty(this, looked, { get: () => stoodFor.fail() });
  }

  /** @throws TypeError, always: `__slots__` without `__getstate__`, whose look-up fails */
  override deepCopy(): never {
    throw typeError(`cannot pickle '${this.type}' object`);
  }

  override equals(other: PyObject): boolean {
    if (this.stoodFor.strict) this.stoodFor.fail();
    return other instanceof HandedOn;
  }
}

/**
 * For functions that hand on what they are given: {@link toValue} in which undefined values have something that stands
 * for them.
 * @param note is called for each of these
 */
export function toHandedOn(value: TValue, note: () => void): Value {
  return toValueWith(value, (missing) => {
    note();
    return new HandedOn(missing);
  });
}

/** Puts undefined values back where something stands for them in what a function gave. The value itself is changed. */
export function fromHandedOn(value: Value): TValue {
  if (value instanceof HandedOn) return value.stoodFor;
  if (Array.isArray(value)) return value.some(holdsHandedOn) ? value.map(fromHandedOn) : value;
  if (!(value instanceof Map) || !holdsHandedOn(value)) return value;
  const map = value as Map<Value, TValue>;
  for (const [key, item] of value) map.set(key, fromHandedOn(item));
  return map;
}

function holdsHandedOn(value: Value): boolean {
  if (Array.isArray(value)) return value.some(holdsHandedOn);
  if (value instanceof Map) return [...value.values()].some(holdsHandedOn);
  return value instanceof HandedOn;
}
