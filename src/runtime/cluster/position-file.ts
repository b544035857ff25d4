/** How far a master has read a stream, on the disk. It may be behind: what is read twice changes nothing. */
import type { Clock, Timer } from '../../host/clock.ts';
import { readTextIfExists, writeFileAtomic } from '../../host/files.ts';

const WRITE_MS = 1_000;

/** The file. */
export class StreamPosition {
  readonly #path: string;
  readonly #clock: Clock;
  #value: number;
  #planned: Timer | undefined;

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    const number = Number(readTextIfExists(path) ?? 0);
    this.#value = Number.isSafeInteger(number) && number > 0 ? number : 0;
  }

  /** The place of the last message that is done with; 0 when there was none. */
  get value(): number {
    return this.#value;
  }

  /** Notes a place; it is on the disk a second later. */
  reached(value: number): void {
    if (value <= this.#value) return;
    this.#value = value;
    this.#planned ??= this.#clock.after(WRITE_MS, () => this.flush(), { background: true });
  }

  /** Writes it now. */
  flush(): void {
    this.#planned?.cancel();
    this.#planned = undefined;
    if (this.#value > 0) writeFileAtomic(this.#path, `${this.#value}\n`, { mode: 0o600 });
  }
}
