/**
 * The peers of a request port, whatever its transport: counted, held to one budget of bytes, all of them read or none.
 */
import type { Clock } from '../../host/clock.ts';
import { isOrdinaryEnd } from './accept.ts';
import { BufferBudget, type BufferingPeer } from './buffer-budget.ts';
import { FairShares, type HoldablePeer } from './fair-shares.ts';
import type { OnRefused, RequestServerCounters } from './transport.ts';

/** A peer that sends requests. */
export interface RequestPeer extends BufferingPeer, HoldablePeer {
  readonly socket: { pause(): unknown; resume(): unknown };
}

/** The peers of a request port, with their shared budget of bytes. */
export class RequestPeers<P extends RequestPeer> implements Iterable<P> {
  readonly counters: RequestServerCounters = { connections: 0, requests: 0, refusedPeers: 0, heldPeers: 0 };
  readonly #peers = new Set<P>();
  readonly #budget: BufferBudget;
  readonly #onRefused: OnRefused;
  readonly #shares: FairShares<P>;
  #paused = false;

  /** @param bufferedBytesMax what all peers may hold together; beyond it the one that holds most is cut off */
  constructor(bufferedBytesMax: number, clock: Clock, onRefused: OnRefused) {
    this.#shares = new FairShares(clock, this.counters, ({ socket }) => {
      if (!this.#paused) socket.resume();
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
    this.counters.connections--;
    if (!isOrdinaryEnd(error)) this.refuse(from, error as Error);
  }

  /** Somebody does not speak as he should. */
  refuse(from: string, error: Error): void {
    this.counters.refusedPeers++;
    this.#onRefused(from, error);
  }

  /** Notes bytes that have come from a peer, or wait for it. */
  buffered(bytes: number): void {
    this.#budget.add(bytes);
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
  }

  setPaused(paused: boolean): void {
    if (paused === this.#paused) return;
    this.#paused = paused;
    for (const peer of this.#peers) {
      if (paused) peer.socket.pause();
      else if (!this.#shares.isHeld(peer)) peer.socket.resume();
    }
  }
}
