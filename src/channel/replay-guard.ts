/**
 * Refuses requests that were seen before. Each version 3 request carries a nonce and the sender's clock; for each minion the
 * last nonces are kept, and what is older than all of them is refused too, so a recorded request never works again however
 * late it is played. The minion's clock is compared only with itself.
 */
import { BoundedMap } from '../host/bounded-map.ts';

/** Nonces kept for one minion. More requests than this within one second of its clock are refused. */
const NONCES_MAX = 1024;
/** How far a minion's clock may lie behind its newest request. */
const BEHIND_MAX_SECONDS = 3600;

/**
 * `seen`: it was served before, or could have been. `clock set back`: it is far older than the newest request, so either a
 * recording, or genuine from a minion whose clock was corrected; a new session tells one from the other.
 */
export type Freshness = 'fresh' | 'seen' | 'clock set back';

interface Seen {
  readonly nonces: Map<string, number>;
  newest: number;
  /** Times at or before this are refused: nonces that old have been forgotten. */
  floor: number;
}

/** One guard serves one worker; a minion's requests always reach the same worker. */
export class ReplayGuard {
  readonly #minions: BoundedMap<string, Seen>;

  constructor(minionsMax = 50_000) {
    this.#minions = new BoundedMap(minionsMax);
  }

  /**
   * Notes a request.
   * @param ts the sender's clock, seconds
   */
  check(id: string, nonce: string, ts: number): Freshness {
    let seen = this.#minions.get(id);
    if (seen === undefined) {
      seen = { nonces: new Map(), newest: ts, floor: -Infinity };
      this.#minions.set(id, seen);
    }
    if (ts < seen.newest - BEHIND_MAX_SECONDS) return 'clock set back';
    if (ts <= seen.floor || seen.nonces.has(nonce)) return 'seen';
    seen.nonces.set(nonce, ts);
    seen.newest = Math.max(seen.newest, ts);
    if (seen.nonces.size > NONCES_MAX) {
      const [oldest, oldestTs] = seen.nonces.entries().next().value as [string, number];
      seen.nonces.delete(oldest);
      seen.floor = Math.max(seen.floor, oldestTs);
    }
    return 'fresh';
  }

  /** Forgets a minion whose session has ended: its old requests cannot be opened any more. */
  forget(id: string): void {
    this.#minions.delete(id);
  }
}
