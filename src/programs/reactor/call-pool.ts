/** Calls that run side by side: so many at a time, started in their order, with room for so many that wait. */

/** A pool of calls. */
export class CallPool {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => Promise<void>)[] = [];
  readonly #forRoom: (() => void)[] = [];
  readonly #forRest: (() => void)[] = [];
  #running = 0;

  /**
   * @param runningMax calls at a time (`reactor_worker_threads`)
   * @param waitingMax calls that may wait (`reactor_worker_hwm`); who has more waits in {@link room}
   */
  constructor(runningMax: number, waitingMax: number) {
    this.#runningMax = Math.max(1, runningMax);
    this.#waitingMax = Math.max(1, waitingMax);
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves when another call may be added. */
  async room(): Promise<void> {
    while (this.#waiting.length >= this.#waitingMax)
      await new Promise<void>((resolve) => this.#forRoom.push(resolve));
  }

  /** Adds a call, which must not throw. */
  add(call: () => Promise<void>): void {
    this.#waiting.push(call);
    this.#next();
  }

  /** Resolves when nothing runs or waits. */
  async rest(): Promise<void> {
    while (this.#running + this.#waiting.length > 0)
      await new Promise<void>((resolve) => this.#forRest.push(resolve));
  }

  #next(): void {
    while (this.#running < this.#runningMax) {
      const call = this.#waiting.shift();
      if (call === undefined) break;
      this.#running++;
      this.#forRoom.splice(0).forEach((wake) => wake());
      void call().finally(() => {
        this.#running--;
        this.#next();
      });
    }
    if (this.#running + this.#waiting.length === 0) this.#forRest.splice(0).forEach((wake) => wake());
  }
}
