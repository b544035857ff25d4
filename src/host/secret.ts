/** Keys, passwords and tokens: printed, logged or serialised by accident they show as stars. */
import { inspect } from 'node:util';

const STARS = '***';

/** A value that must not reach a log, an event or a terminal. */
export class Secret<T extends string | Uint8Array = string> {
  readonly #value: T;
  constructor(value: T) {
    this.#value = value;
  }
  /** The secret itself; call it only where it is used up. */
  reveal(): T {
    return this.#value;
  }
  toString(): string {
    return STARS;
  }
  toJSON(): string {
    return STARS;
  }
  [inspect.custom](): string {
    return STARS;
  }
}
