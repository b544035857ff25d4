/** So many things at a time, and so many that wait. */
import { BrineError } from '../../../errors/errors.ts';

/** Bounds what log-ins cost, however many come. */
export class Slots {
  readonly counters = { refused: 0 };
  readonly #runningMax: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(runningMax: number, waitingMax: number) {
    this.#runningMax = runningMax;
    this.#waitingMax = waitingMax;
  }

  /** Does work when there is room for it. @throws BrineError when too many wait, and what the work throws */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#runningMax) {
      if (this.#waiting.length >= this.#waitingMax) {
        this.counters.refused++;
        throw new BrineError('too many log-ins wait for it; try again later');
      }
      // whoever leaves hands its place on
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
