/**
 * Which calls of other members are new: one that somebody has recorded on NATS and sends again is not made a second
 * time.
 */
import type { Clock } from '../../host/clock.ts';
import { APART_MS } from './said-once.ts';

/** Calls that are remembered. At more, further ones are refused until older ones are forgotten. */
const REMEMBERED_MAX = 200_000;

/** Remembers calls for as long as their time could be taken for a new one's. */
export class FreshAsks {
  readonly #clock: Clock;
  /** When each may be forgotten, on the clock that never jumps; in the order in which they came. */
  readonly #seen = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Takes note of a call.
   * @param nonce chosen by its sender for it alone
   * @param atMs when it was sent, on its sender's clock, ms since 1970
   * @returns why it is refused; undefined when it is new
   */
  refusal(nonce: string, atMs: number): string | undefined {
    const nowMs = this.#clock.monotonicMs();
    for (const [old, untilMs] of this.#seen) {
      if (untilMs > nowMs) break;
      this.#seen.delete(old);
    }
    const apartMs = Math.abs(atMs - this.#clock.nowMs());
    if (!(apartMs <= APART_MS))
      return `the call is ${Math.round(apartMs / 1000)} s away from this master's clock; set the clocks of the masters`;
    if (this.#seen.has(nonce)) return 'the same call was made before';
    if (this.#seen.size >= REMEMBERED_MAX) return 'too many calls of other masters in a short time';
    this.#seen.set(nonce, nowMs + 2 * APART_MS);
    return undefined;
  }
}
