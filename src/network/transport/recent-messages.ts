/**
 * The last publications, kept for a few seconds: a subscriber whose connection was being made anew just then asks for
 * what it has missed. Bounded by age and by bytes; when it is full the oldest go, and a subscriber misses what Salt's
 * would miss too.
 */
import type { Clock } from '../../host/clock.ts';

/** Long enough to connect again, short enough that a job that nobody waits for any longer is not begun. */
export const RESENT_FOR_MS = 5_000;
const KEPT_BYTES_MAX = 8 * 1024 * 1024;
/**
 * So young ones stay however large they are: a subscriber that is about to get what it has missed gets these from here,
 * too.
 */
const HELD_MS = 100;

/** What a subscriber says that it has missed. */
export interface Missed {
  /** The number of the last publication that it has had; 0 when it has had none. */
  readonly after: number;
  /** How long it has been a subscriber, milliseconds: what is older was never meant for it. */
  readonly forMs: number;
}

/** One publication. */
export interface RecentMessage {
  readonly number: number;
  readonly topic: string;
  /** The whole message as it goes over the wire. */
  readonly bytes: Buffer;
  readonly atMs: number;
}

/** The publications of the last seconds, for subscribers that have just missed them. */
export class RecentMessages {
  readonly #clock: Clock;
  #kept: RecentMessage[] = [];
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param number grows with each publication; the same for one that goes out under several topics */
  add(number: number, topic: string, bytes: Buffer): void {
    this.#kept.push({ number, topic, bytes, atMs: this.#clock.monotonicMs() });
    this.#bytes += bytes.length;
    this.#forgetOld();
  }

  /**
   * What this subscriber has missed, oldest first.
   * @param askedAtMs when it said so, on the monotonic clock; default now
   */
  missed({ after, forMs }: Missed, askedAtMs = this.#clock.monotonicMs()): RecentMessage[] {
    this.#forgetOld();
    const sinceMs = askedAtMs - forMs;
    return this.#kept.filter(({ number, atMs }) => number > after && atMs >= sinceMs);
  }

  #forgetOld(): void {
    const beforeMs = this.#clock.monotonicMs() - RESENT_FOR_MS;
    let count = 0;
    for (const { atMs, bytes } of this.#kept) {
      if (atMs >= beforeMs && (this.#bytes <= KEPT_BYTES_MAX || atMs >= beforeMs + RESENT_FOR_MS - HELD_MS))
        break;
      this.#bytes -= bytes.length;
      count++;
    }
    if (count > 0) this.#kept = this.#kept.slice(count);
  }
}
