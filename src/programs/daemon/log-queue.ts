/**
 * Messages for a server that takes them one batch after the other: kept up to a bound while it does not, then dropped
 * and counted.
 */
import { systemClock, type Clock } from '../../host/clock.ts';

/** Messages kept while nobody takes them. */
const KEPT_MAX = 1_000;
/** Sent at once at most. */
const BATCH_MAX = 100;
/** After a server could not be reached, or took nothing. */
const RETRY_MS = 3_000;

/** Takes messages of one kind. Nothing waits for it. */
export class LogQueue<T> {
  dropped = 0;
  readonly #deliver: (batch: readonly T[]) => Promise<void>;
  readonly #clock: Clock;
  readonly #kept: T[] = [];
  #isSending = false;
  #notBeforeMs = -Infinity;

  /** @param deliver sends a batch; what it could not send is tried again with the next message */
  constructor(deliver: (batch: readonly T[]) => Promise<void>, clock: Clock = systemClock) {
    this.#deliver = deliver;
    this.#clock = clock;
  }

  send(message: T): void {
    if (this.#kept.length >= KEPT_MAX) this.dropped++;
    else this.#kept.push(message);
    if (!this.#isSending && this.#clock.monotonicMs() >= this.#notBeforeMs) void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    try {
      while (this.#kept.length > 0) {
        const batch = this.#kept.slice(0, BATCH_MAX);
        await this.#deliver(batch);
        this.#kept.splice(0, batch.length);
      }
    } catch {
      // told by the counter, once what is kept has reached its bound
      this.#notBeforeMs = this.#clock.monotonicMs() + RETRY_MS;
    } finally {
      this.#isSending = false;
    }
  }
}
