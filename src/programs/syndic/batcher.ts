/**
 * Gathers what is to be forwarded: one thing alone goes at once; while a request is under way the next ones are
 * gathered, until it is answered or they have waited for their longest time. What would only wait elsewhere is gathered
 * for that time, too, so that few great batches are to be brought up later, and not many small ones.
 */
import type { Clock, Timer } from '../../host/clock.ts';

/** Something that is forwarded. */
export interface Sized {
  readonly sizeBytes: number;
}

/** How a batcher behaves. */
export interface BatcherDeps<T extends Sized> {
  /**
   * Sends a batch; what cannot be sent must be kept by it. Resolves when the batch is no concern of this process any
   * more.
   */
  readonly send: (items: readonly T[], isBusy: boolean) => Promise<void>;
  /** So much goes into one batch. */
  readonly itemsMax: number;
  readonly bytesMax: number;
  /** Whether what is sent now has to wait: nothing is urgent then. */
  readonly isHeld: () => boolean;
  /** The longest that something waits for the batch before it. */
  readonly longestMs: number;
  readonly clock: Clock;
}

/** Batches under way at a time; what comes beyond them is told that the way is busy. */
const UNDER_WAY_MAX = 4;

/** Gathers items into batches while a request is under way, and sends a single one at once. */
export class Batcher<T extends Sized> {
  readonly #deps: BatcherDeps<T>;
  #items: T[] = [];
  #bytes = 0;
  #underWay = 0;
  #timer: Timer | undefined;
  #isPlanned = false;

  constructor(deps: BatcherDeps<T>) {
    this.#deps = deps;
  }

  /** Number of things that have not been handed on. */
  get waiting(): number {
    return this.#items.length;
  }

  add(item: T): void {
    this.#items.push(item);
    this.#bytes += item.sizeBytes;
    if (this.#isFull) return this.flush();
    if (this.#underWay === 0 && !this.#deps.isHeld()) return this.#plan();
    this.#timer ??= this.#deps.clock.after(this.#deps.longestMs, () => this.flush());
  }

  /** Sends what waits, now. */
  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    while (this.#items.length > 0) {
      const batch = this.#take();
      const isBusy = this.#underWay >= UNDER_WAY_MAX;
      this.#underWay++;
      void this.#deps.send(batch, isBusy).finally(() => {
        this.#underWay--;
        if (this.#isFull || (this.#underWay === 0 && !this.#deps.isHeld())) this.flush();
      });
    }
  }

  get #isFull(): boolean {
    return this.#items.length >= this.#deps.itemsMax || this.#bytes >= this.#deps.bytesMax;
  }

  #take(): T[] {
    let count = 0;
    for (let bytes = 0; count < this.#items.length && count < this.#deps.itemsMax; count++) {
      bytes += (this.#items[count] as T).sizeBytes;
      if (bytes > this.#deps.bytesMax && count > 0) break;
    }
    const batch = this.#items.splice(0, count);
    for (const { sizeBytes } of batch) this.#bytes -= sizeBytes;
    return batch;
  }

  /** What comes in the same breath goes together. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.flush();
    });
  }
}
