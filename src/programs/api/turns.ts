/** How many calls are under way at a time (`thread_pool`); others wait for their turn. */
import { HttpFault } from './http-fault.ts';

/** Calls that may wait; those beyond are refused. */
const WAITING_MAX = 1000;

/** A pool of turns. */
export class Turns {
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  #busy = 0;
  refused = 0;

  constructor(max: number) {
    this.#max = Math.max(1, max);
  }

  get busy(): number {
    return this.#busy;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Runs something in its turn; not at all when who asked for it has gone meanwhile. @throws HttpFault 503 when too many wait */
  async take<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#busy >= this.#max) await this.#wait();
    else this.#busy++;
    try {
      if (signal.aborted) throw new HttpFault(503);
      return await run();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#busy--;
      else next();
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= WAITING_MAX) {
      this.refused++;
      throw new HttpFault(503, 'Too many calls are waiting. Try again later.', [['Retry-After', '5']]);
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
