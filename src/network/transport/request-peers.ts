/**
 * The peers of a request port, whatever its transport: counted, held to one budget of bytes, all of them read or none.
 */
import { isOrdinaryEnd } from './accept.ts';
import { BufferBudget, type BufferingPeer } from './buffer-budget.ts';
import { FairShares, type HoldablePeer } from './fair-shares.ts';
import type { OnRefused, RequestServerCounters, RequestServerOptions } from './transport.ts';
import { UNPROVEN_BYTES_MAX, UnprovenPeers } from './unproven-peers.ts';

/** A peer that sends requests. */
export interface RequestPeer extends BufferingPeer, HoldablePeer {
  readonly socket: { pause(): unknown; resume(): unknown };
}

/** The peers of a request port, with their shared budget of bytes. */
export class RequestPeers<P extends RequestPeer> implements Iterable<P> {
  readonly counters: RequestServerCounters = {
    connections: 0,
    requests: 0,
    refusedPeers: 0,
    heldPeers: 0,
    waitedPeers: 0,
    standingPeers: 0,
  };
  readonly #peers = new Set<P>();
  readonly #budget: BufferBudget;
  readonly #onRefused: OnRefused;
  readonly #shares: FairShares<P>;
  readonly #unproven: UnprovenPeers<P>;
  #paused = false;

  constructor(
    options: Pick<RequestServerOptions, 'bufferedBytesMax' | 'unprovenBytesMax' | 'clock'>,
    onRefused: OnRefused,
  ) {
    const { bufferedBytesMax, unprovenBytesMax = UNPROVEN_BYTES_MAX, clock } = options;
    this.#shares = new FairShares(clock, this.counters, (peer) => {
      this.#unproven.received(peer, 0);
      this.#goOn(peer);
    });
    this.#unproven = new UnprovenPeers({
      bytesMax: unprovenBytesMax,
      clock,
      isRead: (peer) => !this.#paused && !this.#shares.isHeld(peer),
      pause: ({ socket }) => socket.pause(),
      goOn: (peer) => this.#goOn(peer),
      counters: this.counters,
    });
    this.#budget = new BufferBudget(bufferedBytesMax, this.#peers);
    this.#onRefused = onRefused;
  }

  [Symbol.iterator](): Iterator<P> {
    return this.#peers.values();
  }

  add(peer: P): void {
    this.#peers.add(peer);
    this.counters.connections++;
    if (this.#paused) peer.socket.pause();
  }

  /** A peer's connection has ended. @param error why, when it was not in order */
  remove(peer: P, from: string, error: Error | undefined): void {
    this.#peers.delete(peer);
    this.#shares.remove(peer);
    this.#unproven.remove(peer);
    this.counters.connections--;
    if (!isOrdinaryEnd(error)) this.refuse(from, error as Error);
  }

  /** Somebody does not speak as he should. */
  refuse(from: string, error: Error): void {
    this.counters.refusedPeers++;
    this.#onRefused(from, error);
  }

  /** Notes bytes that have come from a peer. @param bytes what they take, where that is more */
  received(peer: P, bytes: number): void {
    this.#budget.add(bytes);
    this.#unproven.received(peer, bytes);
  }

  /** Notes bytes that wait for a peer. */
  queued(bytes: number): void {
    this.#budget.add(bytes);
  }

  /** A peer has proved who it is. */
  prove(peer: P): void {
    if (this.#peers.has(peer)) this.#unproven.prove(peer);
  }

  /**
   * Notes a request of a peer, which is held when it has had its share, until some are answered.
   * @returns to be called when it is answered
   */
  began(peer: P, bytes: number): () => void {
    return this.#shares.begin(peer, bytes);
  }

  close(): void {
    this.#shares.close();
    this.#unproven.close();
  }

  setPaused(paused: boolean): void {
    if (paused === this.#paused) return;
    this.#paused = paused;
    for (const peer of this.#peers) {
      if (paused) peer.socket.pause();
      else this.#goOn(peer);
    }
  }

  /** Has a peer read, unless one of the three who may stop it has. */
  #goOn(peer: P): void {
    if (!this.#paused && !this.#shares.isHeld(peer) && !this.#unproven.isWaiting(peer)) peer.socket.resume();
  }
}
