/** Work that is done a few at a time, with a turn for everything else in between. */

/**
 * Bounds how much of one kind of work is under way. What comes beyond waits, in the order in which it came: so the
 * first is done soon, and not all of it at the very end. How many may wait is bounded by whoever lets them in.
 */
export class FewAtATime {
  /** Done without waiting, and after it. */
  readonly counters = { atOnce: 0, waited: 0 };
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Does work when it is its turn. @throws what the work throws */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#max) {
      this.#running++;
      this.counters.atOnce++;
    } else {
      this.counters.waited++;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      // work that waits for nothing would follow work without an end, and nobody would hear a sign of life of this
      // process
      else setImmediate(next);
    }
  }
}
