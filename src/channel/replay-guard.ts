/**
 * Refuses requests that were seen before. Each version 3 request carries a nonce and the sender's clock; for each minion the
 * last nonces are kept, and what is older than all of them is refused too, so a recorded request never works again however
 * late it is played. The minion's clock is compared only with itself.
 */
import { BoundedMap } from '../host/bounded-map.ts';

/** Nonces kept for one minion. */
const NONCES_MAX = 256;
/** How far a minion's clock may lie behind its newest request. */
const BEHIND_MAX_SECONDS = 3600;

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
   * @returns false when it is a replay, or so old that it could be one
   */
  accept(id: string, nonce: string, ts: number): boolean {
    let seen = this.#minions.get(id);
    if (seen === undefined) {
      seen = { nonces: new Map(), newest: ts, floor: -Infinity };
      this.#minions.set(id, seen);
    }
    if (ts < seen.floor || ts < seen.newest - BEHIND_MAX_SECONDS || seen.nonces.has(nonce)) return false;
    seen.nonces.set(nonce, ts);
    seen.newest = Math.max(seen.newest, ts);
    if (seen.nonces.size > NONCES_MAX) {
      const [oldest, oldestTs] = seen.nonces.entries().next().value as [string, number];
      seen.nonces.delete(oldest);
      // the same second may still be going on: only what lies before it is certainly known
      seen.floor = Math.max(seen.floor, Math.min(oldestTs, seen.newest - 5));
    }
    return true;
  }

  /** Forgets a minion that has authenticated anew with a new session: its old requests cannot be opened any more. */
  forget(id: string): void {
    this.#minions.delete(id);
  }
}
