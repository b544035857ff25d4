/** How many calls are under way at a time (`thread_pool`); others wait for their turn. */
import { HttpFault } from './http-fault.ts';

/** Calls that may wait; those beyond are refused. */
const WAITING_MAX = 1000;

/** A pool of turns. */
export class TurnPool {
  readonly #max: number;
  /** In the order in which they came. */
  readonly #waiting = new Set<(mayRun: boolean) => void>();
  #busy = 0;
  refused = 0;

  constructor(max: number) {
    this.#max = Math.max(1, max);
  }

  get busy(): number {
    return this.#busy;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Runs something in its turn; not at all when who asked for it has gone meanwhile.
   * @throws HttpFault 503 when too many wait
   */
  async take<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#busy < this.#max) this.#busy++;
    else if (!(await this.#wait(signal))) throw new HttpFault(503);
    try {
      if (signal.aborted) throw new HttpFault(503);
      return await run();
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#busy--;
      else next(true);
    }
  }

  /** @returns false when whoever waits has gone; his place is another's */
  #wait(signal: AbortSignal): Promise<boolean> {
    if (this.#waiting.size >= WAITING_MAX) {
      this.refused++;
      throw new HttpFault(503, 'Too many calls are waiting. Try again later.', [['Retry-After', '5']]);
    }
    return new Promise((resolve) => {
      const end = (mayRun: boolean): void => {
        this.#waiting.delete(end);
        signal.removeEventListener('abort', leave);
        resolve(mayRun);
      };
      const leave = (): void => end(false);
      this.#waiting.add(end);
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
    });
  }
}
