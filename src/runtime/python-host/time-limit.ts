/** The time that code in Python may take by itself: what it calls here has limits of its own and does not count. */
import type { Clock, Timer } from '../../host/clock.ts';

/** Runs out once, unless it is ended before. */
export class TimeLimit {
  readonly #clock: Clock;
  readonly #late: () => void;
  #leftMs: number;
  #sinceMs = 0;
  #timer: Timer | undefined;
  #outside = 0;

  /** @param limitMs Infinity for none @param late called when it has run out */
  constructor(clock: Clock, limitMs: number, late: () => void) {
    this.#clock = clock;
    this.#leftMs = limitMs;
    this.#late = late;
    this.#run();
  }

  /** Stops the time while something runs on this side. */
  async outside<T>(work: () => Promise<T>): Promise<T> {
    this.leave();
    try {
      return await work();
    } finally {
      this.comeBack();
    }
  }

  /** Stops the time until {@link comeBack} has been called as often. */
  leave(): void {
    if (this.#outside++ === 0) this.#stop();
  }

  comeBack(): void {
    if (--this.#outside === 0) this.#run();
  }

  /** It no longer runs out. */
  end(): void {
    this.#stop();
    this.#leftMs = Infinity;
  }

  #run(): void {
    if (this.#leftMs === Infinity) return;
    this.#sinceMs = this.#clock.monotonicMs();
    this.#timer = this.#clock.after(this.#leftMs, this.#late);
  }

  #stop(): void {
    if (this.#timer === undefined) return;
    this.#timer.cancel();
    this.#timer = undefined;
    this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.monotonicMs() - this.#sinceMs));
  }
}
