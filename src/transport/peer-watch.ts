/**
 * Cuts off peers that connect and then say nothing, beyond a time or a number, or begin a message and let it trickle: each would
 * cost a socket and a buffer for as long as it likes. One timer looks at all of them.
 */
import type { Clock, Timer } from '../host/clock.ts';

/** How often peers are looked at. */
const LOOK_MS = 5_000;
/** A message that has begun must come on by so much from one look to the next. */
const PROGRESS_BYTES = 512;

/** What is borne of peers that say nothing. */
export interface WatchLimits {
  /** Time for the first whole message. */
  readonly firstWordMs: number;
  /** Peers that have not sent it; at more the oldest of them is cut off. */
  readonly silentMax: number;
}

/** A peer that is watched. */
export interface WatchedPeer {
  /** Whether it has done what is expected of it first. */
  readonly hasSpoken: boolean;
  /** Bytes of a message that has not arrived whole. */
  readonly pendingBytes: number;
  readonly receivedBytes: number;
  readonly isPaused: boolean;
  destroy(error: Error): void;
}

/** See the file's comment. */
export class PeerWatch<P extends WatchedPeer> {
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #limits: WatchLimits;
  readonly #unheard = new Map<P, number>();
  readonly #peers: Iterable<P>;
  #slow = new Map<P, number>();

  /** @param peers all that are connected */
  constructor(clock: Clock, peers: Iterable<P>, limits: WatchLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#peers = peers;
    this.#timer = clock.every(LOOK_MS, () => this.#look(), { background: true });
  }

  /** Notes that a peer has come. */
  add(peer: P): void {
    this.#unheard.set(peer, this.#clock.monotonicMs());
    if (this.#unheard.size > this.#limits.silentMax) this.#makeRoom();
  }

  remove(peer: P): void {
    this.#unheard.delete(peer);
    this.#slow.delete(peer);
  }

  close(): void {
    this.#timer.cancel();
  }

  #makeRoom(): void {
    const { silentMax } = this.#limits;
    for (const peer of this.#unheard.keys()) {
      if (this.#unheard.size <= silentMax) return;
      this.#unheard.delete(peer);
      if (!peer.hasSpoken)
        peer.destroy(new Error(`more than ${silentMax} peers have connected and said nothing yet`));
    }
  }

  #look(): void {
    const { firstWordMs } = this.#limits;
    const nowMs = this.#clock.monotonicMs();
    for (const [peer, sinceMs] of this.#unheard) {
      if (peer.hasSpoken) this.#unheard.delete(peer);
      else if (nowMs - sinceMs >= firstWordMs)
        peer.destroy(new Error(`the peer said nothing that makes sense within ${firstWordMs / 1000} s`));
    }
    const before = this.#slow;
    this.#slow = new Map();
    for (const peer of this.#peers) {
      if (peer.pendingBytes === 0 || peer.isPaused) continue;
      const received = before.get(peer);
      if (received !== undefined && peer.receivedBytes - received < PROGRESS_BYTES)
        peer.destroy(
          new Error(`the peer lets a message trickle (${peer.pendingBytes} bytes of it have come)`),
        );
      else this.#slow.set(peer, peer.receivedBytes);
    }
  }
}
