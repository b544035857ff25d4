/**
 * The serial of publications. Minions drop one that does not grow, so it begins at the time, and no lower than what an
 * earlier run of this process may have given: a clock that was set back makes no minion deaf.
 */
import type { Clock } from '../../host/clock.ts';
import { readTextIfExists, writeFileAtomic } from '../../host/files.ts';
import type { Logger } from '../../host/log.ts';
import { messageOf } from '../../errors/errors.ts';

/** Serials are reserved on disk by so many, a microsecond each when they are counted as time. */
const BLOCK = 1_000_000;

/** Hands out serials that always grow, also over restarts. */
export class PublishSerial {
  readonly #deps: { readonly path: string; readonly clock: Clock; readonly log: Logger };
  #last: number;
  /** No serial above this may be given before more are reserved. */
  #reserved: number;

  /** @param deps `path` is the file that remembers what was reserved */
  constructor(deps: { readonly path: string; readonly clock: Clock; readonly log: Logger }) {
    this.#deps = deps;
    this.#reserved = this.#read();
    this.#last = Math.max(Math.floor(deps.clock.nowMs() * 1000), this.#reserved);
  }

  /** @param above a serial that another master has given, and that this one is to exceed */
  next(above = 0): number {
    this.#last = Math.max(this.#last, above) + 1;
    if (this.#last > this.#reserved) this.#reserve();
    return this.#last;
  }

  #read(): number {
    const { path, log } = this.#deps;
    try {
      const number = Number(readTextIfExists(path) ?? 0);
      return Number.isSafeInteger(number) && number > 0 ? number : 0;
    } catch (error) {
      log.warning(`The serial of publications in ${path} cannot be read: ${messageOf(error)}`);
      return 0;
    }
  }

  #reserve(): void {
    const { path, log } = this.#deps;
    this.#reserved = this.#last + BLOCK;
    try {
      writeFileAtomic(path, `${this.#reserved}\n`, { mode: 0o600 });
    } catch (error) {
      log.warning(`The serial of publications cannot be kept in ${path}: ${messageOf(error)}`);
    }
  }
}
