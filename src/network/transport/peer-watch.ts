/**
 * Cuts off peers that connect and then say nothing, beyond a time or a number, or begin a message and let it trickle:
 * each would cost a socket and a buffer for as long as it likes. One timer looks at all of them.
 */
import type { Clock, Timer } from '../../host/clock.ts';

/** How often peers are looked at. */
const LOOK_MS = 5_000;
/** A message that has begun must come on by so much from one look to the next. */
const PROGRESS_BYTES = 512;

/**
 * Time for a whole message, however it comes on. No sender of Salt's waits so long for a reply: what comes later is of
 * no use to anybody.
 */
const MESSAGE_MS = 300_000;

/**
 * With so much on its way to a peer, that is our sign of life: one that pings and reads nothing gets no more answers.
 */
export const PONG_QUEUE_BYTES_MAX = 64 * 1024;

/** A peer was cut off because it took too long, or was one too many. */
export class PeerLimitError extends Error {
  override readonly name = 'PeerLimitError';
}

/** What is borne of peers that say nothing. */
export interface WatchLimits {
  /** Time for the first whole message. */
  readonly firstWordMs: number;
  /** Peers that have not sent it; at more the oldest of them is cut off. */
  readonly silentMax: number;
  /** The same for those of one address; default no limit of its own. */
  readonly silentByAddressMax?: number;
}

/** A peer that is watched. */
export interface WatchedPeer {
  /** Whether it has done what is expected of it first. */
  readonly hasSpoken: boolean;
  /** Bytes of a message that has not arrived whole. */
  readonly pendingBytes: number;
  readonly receivedBytes: number;
  /** Whole messages that have come. */
  readonly messages: number;
  /** Where it is from, without its port. */
  readonly address?: string | undefined;
  readonly isPaused: boolean;
  destroy(error: Error): void;
}

/** A message that has begun, as it was at the last look. */
interface Begun {
  readonly sinceMs: number;
  readonly messages: number;
  readonly receivedBytes: number;
}

/** Looks at all peers at intervals and cuts off those that say nothing or trickle. */
export class PeerWatch<P extends WatchedPeer> {
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #limits: WatchLimits;
  readonly #unheard = new Map<P, number>();
  readonly #peers: Iterable<P>;
  #begun = new Map<P, Begun>();
  /** Peers of each address that have not been heard of. */
  readonly #unheardFrom = new Map<string, Set<P>>();

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
    this.#addFrom(peer);
    if (this.#unheard.size > this.#limits.silentMax)
      this.#makeRoom(this.#unheard, this.#limits.silentMax, '');
  }

  remove(peer: P): void {
    this.#heard(peer);
    this.#begun.delete(peer);
  }

  close(): void {
    this.#timer.cancel();
  }

  #addFrom(peer: P): void {
    const { silentByAddressMax } = this.#limits;
    const { address } = peer;
    if (silentByAddressMax === undefined || address === undefined) return;
    const peers = this.#unheardFrom.get(address) ?? new Set();
    this.#unheardFrom.set(address, peers.add(peer));
    if (peers.size > silentByAddressMax) this.#makeRoom(peers, silentByAddressMax, `from ${address} `);
  }

  #heard(peer: P): void {
    this.#unheard.delete(peer);
    const peers = this.#unheardFrom.get(peer.address ?? '');
    peers?.delete(peer);
    if (peers?.size === 0) this.#unheardFrom.delete(peer.address ?? '');
  }

  /** @param peers the oldest first */
  #makeRoom(peers: ReadonlyMap<P, number> | ReadonlySet<P>, max: number, from: string): void {
    for (const peer of peers.keys()) {
      if (peers.size <= max) return;
      this.#heard(peer);
      if (!peer.hasSpoken)
        peer.destroy(new PeerLimitError(`more than ${max} peers ${from}have connected and said nothing yet`));
    }
  }

  #look(): void {
    const { firstWordMs } = this.#limits;
    const nowMs = this.#clock.monotonicMs();
    for (const [peer, sinceMs] of this.#unheard) {
      if (peer.hasSpoken) this.#heard(peer);
      else if (nowMs - sinceMs >= firstWordMs)
        peer.destroy(
          new PeerLimitError(`the peer said nothing that makes sense within ${firstWordMs / 1000} s`),
        );
    }
    const before = this.#begun;
    this.#begun = new Map();
    for (const peer of this.#peers) {
      if (peer.pendingBytes === 0 || peer.isPaused) continue;
      const begun = before.get(peer);
      const { messages, receivedBytes } = peer;
      if (begun?.messages !== messages) this.#begun.set(peer, { sinceMs: nowMs, messages, receivedBytes });
      else if (receivedBytes - begun.receivedBytes < PROGRESS_BYTES)
        peer.destroy(
          new PeerLimitError(`the peer lets a message trickle (${peer.pendingBytes} bytes of it have come)`),
        );
      else if (nowMs - begun.sinceMs >= MESSAGE_MS)
        peer.destroy(
          new PeerLimitError(
            `the peer has not finished a message within ${MESSAGE_MS / 1000} s (${peer.pendingBytes} bytes)`,
          ),
        );
      else this.#begun.set(peer, { ...begun, receivedBytes });
    }
  }
}
