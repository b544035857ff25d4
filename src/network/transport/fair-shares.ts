/**
 * How many requests of one peer are under way at a time. Whoever sends thousands one behind the other has his share
 * served and the rest not read, so that the others, who send one or two, do not wait behind all of his.
 */
import type { Clock, Timer } from '../../host/clock.ts';

/** Requests under way that all busy peers share, those of more than some kilobytes counting several times. */
const ALL_MAX = 256;
/** What each peer may have, however many there are. */
const EACH_MIN = 8;
/** A request counts once, and once more for each so many bytes, which take their time in a worker as well. */
const BYTES_OF_ONE = 8_192;
/**
 * A request that is under way for so long waits for something else than its turn: a log-in, a job of a minion for
 * others. It no longer counts, so that it does not keep its sender from returning what others wait for.
 */
const COUNTS_MS = 2_000;
const LOOK_MS = 1_000;

/** A peer whose requests can be left unread. */
export interface HoldablePeer {
  /** Takes no further requests, not even those that have come already. */
  hold(): void;
  /** Goes on with what has come. */
  release(): void;
}

interface Share {
  /** Requests under way, with the time at which each began, and what each counts. */
  readonly begun: Set<{ readonly atMs: number; readonly counts: number }>;
  /** What all of them count. */
  counts: number;
  isHeld: boolean;
}

/** Holds and releases the peers of one port. */
export class FairShares<P extends HoldablePeer> {
  /** Those with anything under way. */
  readonly #shares = new Map<P, Share>();
  readonly #held = new Set<P>();
  readonly #clock: Clock;
  readonly #counters: { heldPeers: number };
  readonly #goOn: (peer: P) => void;
  #timer: Timer | undefined;

  /**
   * @param counters where it is counted how often a peer was held
   * @param goOn has a peer read again that was held, and has had all that had come from it taken
   */
  constructor(clock: Clock, counters: { heldPeers: number }, goOn: (peer: P) => void) {
    this.#clock = clock;
    this.#counters = counters;
    this.#goOn = goOn;
  }

  /**
   * A request of a peer is under way.
   * @returns to be called when it is answered
   */
  begin(peer: P, bytes: number): () => void {
    const share = this.#shares.get(peer) ?? { begun: new Set(), counts: 0, isHeld: false };
    this.#shares.set(peer, share);
    const request = { atMs: this.#clock.monotonicMs(), counts: 1 + Math.floor(bytes / BYTES_OF_ONE) };
    share.begun.add(request);
    share.counts += request.counts;
    if (!share.isHeld && share.counts >= this.#most) this.#hold(peer, share);
    return () => {
      if (share.begun.delete(request)) share.counts -= request.counts;
      this.#look(peer, share);
    };
  }

  /** Whether a peer is left unread. */
  isHeld(peer: P): boolean {
    return this.#held.has(peer);
  }

  /** A peer has gone. */
  remove(peer: P): void {
    this.#shares.delete(peer);
    this.#held.delete(peer);
  }

  close(): void {
    this.#timer?.cancel();
  }

  get #most(): number {
    return Math.max(EACH_MIN, Math.floor(ALL_MAX / this.#shares.size));
  }

  #hold(peer: P, share: Share): void {
    share.isHeld = true;
    this.#counters.heldPeers++;
    this.#held.add(peer);
    this.#timer ??= this.#clock.every(LOOK_MS, () => this.#forgetOld(), { background: true });
    peer.hold();
  }

  #look(peer: P, share: Share): void {
    // it has gone, or come to an end with another share
    if (this.#shares.get(peer) !== share) return;
    if (share.begun.size === 0) this.#shares.delete(peer);
    if (!share.isHeld || share.counts > this.#most / 2) return;
    share.isHeld = false;
    this.#held.delete(peer);
    peer.release();
    if (!this.#held.has(peer)) this.#goOn(peer);
  }

  /** Only peers that are held are looked at. */
  #forgetOld(): void {
    const oldMs = this.#clock.monotonicMs() - COUNTS_MS;
    for (const peer of [...this.#held]) {
      const share = this.#shares.get(peer);
      if (share === undefined) continue;
      for (const request of share.begun) {
        if (request.atMs > oldMs) continue;
        share.begun.delete(request);
        share.counts -= request.counts;
      }
      this.#look(peer, share);
    }
    if (this.#held.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
