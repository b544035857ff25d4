/**
 * Refuses requests that were seen before. Each version 3 request carries a nonce and the sender's clock; for each minion the
 * last nonces are kept, and what is older than all of them is refused too, so a recorded request never works again however
 * late it is played. The minion's clock is compared only with itself.
 */
import { BoundedMap } from '../host/bounded-map.ts';

/** Nonces kept for one minion. More requests than this within one second of its clock are refused. */
const NONCES_MAX = 4096;
const NONCES_MIN = 16;
/** How far a minion's clock may lie behind its newest request. */
const BEHIND_MAX_SECONDS = 3600;

/**
 * `seen`: it was served before, or could have been. `clock set back`: it is far older than the newest request, so either a
 * recording, or genuine from a minion whose clock was corrected; a new session tells one from the other.
 */
export type Freshness = 'fresh' | 'seen' | 'clock set back';

/** The last requests of one minion, in a ring that grows as it fills: numbers only, because a master has many minions. */
class Recent {
  newest: number;
  /** Times at or before this are refused: nonces that old have been forgotten. */
  floor = -Infinity;
  #nonces = new Float64Array(NONCES_MIN);
  #times = new Float64Array(NONCES_MIN);
  #count = 0;
  #oldest = 0;

  constructor(ts: number) {
    this.newest = ts;
  }

  has(nonce: number): boolean {
    return this.#nonces.subarray(0, this.#count).includes(nonce);
  }

  add(nonce: number, ts: number): void {
    this.newest = Math.max(this.newest, ts);
    if (this.#count === NONCES_MAX) {
      this.floor = Math.max(this.floor, this.#times[this.#oldest] as number);
      this.#put(this.#oldest, nonce, ts);
      this.#oldest = (this.#oldest + 1) % NONCES_MAX;
      return;
    }
    if (this.#count === this.#nonces.length) {
      this.#nonces = grown(this.#nonces);
      this.#times = grown(this.#times);
    }
    this.#put(this.#count++, nonce, ts);
  }

  #put(at: number, nonce: number, ts: number): void {
    this.#nonces[at] = nonce;
    this.#times[at] = ts;
  }
}

function grown(full: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(full.length * 2);
  larger.set(full);
  return larger;
}

/** One guard serves one worker; a minion's requests always reach the same worker. */
export class ReplayGuard {
  readonly #minions: BoundedMap<string, Recent>;

  constructor(minionsMax = 50_000) {
    this.#minions = new BoundedMap(minionsMax);
  }

  /**
   * Notes a request.
   * @param ts the sender's clock, seconds
   */
  check(id: string, nonce: string, ts: number): Freshness {
    const digest = digestOf(nonce);
    let recent = this.#minions.get(id);
    if (recent === undefined) {
      recent = new Recent(ts);
      this.#minions.set(id, recent);
    }
    if (ts < recent.newest - BEHIND_MAX_SECONDS) return 'clock set back';
    if (Number.isNaN(digest) || ts <= recent.floor || recent.has(digest)) return 'seen';
    recent.add(digest, ts);
    return 'fresh';
  }

  /** Forgets a minion whose session has ended: its old requests cannot be opened any more. */
  forget(id: string): void {
    this.#minions.delete(id);
  }
}

/** 53 bits of all of a nonce's hexadecimal digits: two of one minion's are alike once in 10^8 windows. NaN when it is no number. */
function digestOf(nonce: string): number {
  const word = (at: number): number => Number.parseInt(nonce.slice(at, at + 8), 16);
  const words = [word(0), word(8), word(16), word(24)] as const;
  if (words.some(Number.isNaN)) return NaN;
  const high = (Math.imul(words[0], 0x85ebca6b) + words[2]) >>> 0;
  const low = Math.imul(Math.imul(words[1], 0xc2b2ae35) + words[3], 0x9e3779b1) >>> 11;
  return high * 2 ** 21 + low;
}
