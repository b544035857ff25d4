/**
 * Half messages of peers that have proved nothing. A minion's first message on a new connection may be a return of
 * many megabytes, and nothing in it can be checked before it is whole: anybody can begin one. So such messages share a
 * budget far below that of all peers. When it is used up, whoever brings more is not read until there is room, and
 * whoever does not come on makes it: a message that is on its way goes through, and those that stand still are cut off.
 */
import type { Clock, Timer } from '../../host/clock.ts';
import { PeerLimitError } from './peer-watch.ts';

/** What half messages of strangers may hold when nothing else is said. */
export const UNPROVEN_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Beyond so many times that, those that stand still are cut off at once; those whose turn it is bring no more; those
 * that wait are cut off, too.
 */
const STANDING_SHARE = 1.25;
const TURNS_SHARE = 1.5;
const WAITING_SHARE = 1.75;
/** How often those that wait and those that are waited for are looked at, while there are any. */
const LOOK_MS = 250;
/** While there is no room, a message comes on by so much in a second, or its sender is cut off. */
const PACE_BYTES = 64 * 1024;
const PACE_MS = 1_000;
/** What one read of a socket brings at most. */
const CHUNK_BYTES = 64 * 1024;
/** When all wait for each other, so many may finish what they have begun, each within this time. */
const TURNS_MAX = 64;
const TURN_MS = 10_000;

/** A peer of whom nothing is known. */
export interface UnprovenPeer {
  /** Bytes of a message that has not arrived whole. */
  readonly pendingBytes: number;
  destroy(error: Error): void;
}

/** What the budget needs of the port. */
export interface UnprovenDeps<P> {
  readonly bytesMax: number;
  readonly clock: Clock;
  /** Whether nothing else keeps a peer from being read. */
  readonly isRead: (peer: P) => boolean;
  readonly pause: (peer: P) => void;
  /** Has a peer read again, if nothing else keeps it from that. */
  readonly goOn: (peer: P) => void;
  /** Where it is counted how often a peer had to wait for room, and how many were cut off to make some. */
  readonly counters: { waitedPeers: number; standingPeers: number };
}

/** A message that has begun. */
interface Half {
  bytes: number;
  /** When something of it came last, when its pace was last measured, and what has come since. */
  lastMs: number;
  sinceMs: number;
  cameBytes: number;
  /** Until when it may take what it needs; undefined for one that has no turn. */
  turnUntilMs: number | undefined;
}

/** Holds the half messages of strangers to one budget. */
export class UnprovenPeers<P extends UnprovenPeer> {
  readonly #deps: UnprovenDeps<P>;
  readonly #proven = new WeakSet<P>();
  /** Whoever has brought nothing for longest first. */
  readonly #halves = new Map<P, Half>();
  readonly #waiting = new Set<P>();
  /** Those whose turn it is, but for whom there is no room either at the moment. */
  readonly #stopped = new Set<P>();
  #bytes = 0;
  #timer: Timer | undefined;
  #lookedAtMs = 0;
  /**
   * Time that has passed while somebody looked. When we were held up ourselves, what has come meanwhile is not read
   * yet: that counts for little.
   */
  #seenMs = 0;

  constructor(deps: UnprovenDeps<P>) {
    this.#deps = deps;
  }

  /** Whether a peer is left unread until there is room. */
  isWaiting(peer: P): boolean {
    return this.#waiting.has(peer) || this.#stopped.has(peer);
  }

  /** A peer has proved who it is: what it sends counts no longer. */
  prove(peer: P): void {
    if (this.#proven.has(peer)) return;
    this.#proven.add(peer);
    this.#end(peer);
  }

  /** A peer has sent something, which may have been the rest of a message. @param bytes 0 when only some was served */
  received(peer: P, bytes: number): void {
    if (this.#proven.has(peer)) return;
    const { pendingBytes } = peer;
    if (pendingBytes === 0) return this.#end(peer);
    const half = this.#halves.get(peer) ?? this.#begin(peer);
    this.#bytes += pendingBytes - half.bytes;
    half.bytes = pendingBytes;
    half.cameBytes += bytes;
    this.#halves.delete(peer);
    this.#halves.set(peer, half);
    half.lastMs = this.#seenMs;
    if (this.#bytes > this.#deps.bytesMax) this.#beFull(peer, half);
  }

  /** A peer has gone. */
  remove(peer: P): void {
    this.#end(peer);
  }

  close(): void {
    this.#timer?.cancel();
  }

  #begin(peer: P): Half {
    const half: Half = {
      bytes: 0,
      lastMs: this.#seenMs,
      sinceMs: this.#seenMs,
      cameBytes: 0,
      turnUntilMs: undefined,
    };
    this.#halves.set(peer, half);
    return half;
  }

  #end(peer: P): void {
    const half = this.#halves.get(peer);
    if (half === undefined) return;
    this.#halves.delete(peer);
    this.#bytes -= half.bytes;
    const isWaiting = this.#waiting.delete(peer) || this.#stopped.delete(peer);
    if (isWaiting) this.#deps.goOn(peer);
    if (this.#waiting.size > 0) this.#letIn();
  }

  #beFull(peer: P, half: Half): void {
    const { clock, counters, pause } = this.#deps;
    if (this.#timer === undefined) {
      this.#lookedAtMs = clock.monotonicMs();
      this.#timer = clock.every(LOOK_MS, () => this.#look(), { background: true });
    }
    if (this.isWaiting(peer)) return;
    if (half.turnUntilMs === undefined) {
      this.#keepToTheMost(peer);
      counters.waitedPeers++;
      this.#waiting.add(peer);
    } else if (this.#mayFinish(peer)) return;
    else this.#stopped.add(peer);
    pause(peer);
  }

  /** However many begin at once: beyond the most, whoever has brought nothing for longest makes room. */
  #keepToTheMost(bringer: P): void {
    const { bytesMax } = this.#deps;
    for (const [isWaiting, share] of [
      [false, STANDING_SHARE],
      [true, WAITING_SHARE],
    ] as const)
      for (const [peer, half] of this.#halves) {
        if (this.#bytes <= bytesMax * share) break;
        const isOther = peer !== bringer && half.turnUntilMs === undefined;
        if (isOther && this.#waiting.has(peer) === isWaiting) this.#cut(peer, half);
      }
  }

  /** With a turn, as long as there is some room for all turns; one of them in any case, whatever its message takes. */
  #mayFinish(peer: P): boolean {
    if (this.#bytes <= this.#deps.bytesMax * TURNS_SHARE) return true;
    for (const other of this.#turns()) if (other !== peer) return false;
    return true;
  }

  /** Those whose turn it is and who are read. */
  *#turns(): Generator<P, undefined> {
    for (const [peer, { turnUntilMs }] of this.#halves)
      if (turnUntilMs !== undefined && !this.#stopped.has(peer)) yield peer;
    return undefined;
  }

  #look(): void {
    const { clock, bytesMax } = this.#deps;
    const nowMs = clock.monotonicMs();
    this.#seenMs += Math.min(nowMs - this.#lookedAtMs, 2 * LOOK_MS);
    this.#lookedAtMs = nowMs;
    for (const [peer, half] of this.#halves) if (!this.isWaiting(peer)) this.#measure(peer, half);
    this.#letIn();
    this.#giveTurns();
    if (this.#waiting.size + this.#stopped.size > 0 || this.#bytes > bytesMax) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #measure(peer: P, half: Half): void {
    const { bytesMax, isRead } = this.#deps;
    const tookMs = this.#seenMs - half.sinceMs;
    const isSlow =
      this.#seenMs - half.lastMs >= PACE_MS ||
      (tookMs >= PACE_MS && half.cameBytes < (PACE_BYTES * tookMs) / PACE_MS);
    const isOver = half.turnUntilMs !== undefined && this.#seenMs >= half.turnUntilMs;
    const isPressed = this.#waiting.size + this.#stopped.size > 0 || this.#bytes > bytesMax / 2;
    if (!isRead(peer)) this.#measureAnew(half);
    else if ((isSlow || isOver) && isPressed) this.#cut(peer, half);
    else if (tookMs >= PACE_MS) {
      half.sinceMs = this.#seenMs;
      half.cameBytes = 0;
    }
  }

  #measureAnew(half: Half): void {
    half.lastMs = this.#seenMs;
    half.sinceMs = this.#seenMs;
    half.cameBytes = 0;
  }

  #cut(peer: P, half: Half): void {
    const { bytesMax, counters } = this.#deps;
    counters.standingPeers++;
    this.#end(peer);
    peer.destroy(
      new PeerLimitError(
        `it does not come on with a message (${half.bytes} bytes have come), and others who have proved nothing ` +
          `need the room: together they may hold ${bytesMax} bytes`,
      ),
    );
  }

  /** Has as many read again as there is room for what each may bring at once. */
  #letIn(): void {
    const { bytesMax, goOn } = this.#deps;
    let roomBytes = (bytesMax / 4) * 3 - this.#bytes;
    for (const peer of this.#waiting) {
      roomBytes -= CHUNK_BYTES;
      if (roomBytes < 0) return;
      const half = this.#halves.get(peer);
      if (half !== undefined) this.#measureAnew(half);
      this.#waiting.delete(peer);
      goOn(peer);
    }
  }

  /** Those that wait hold all there is: some of them finish. */
  #giveTurns(): void {
    let turns = [...this.#turns()].length;
    for (const peers of [this.#stopped, this.#waiting])
      for (const peer of peers) {
        if (turns >= TURNS_MAX || (turns > 0 && this.#bytes > this.#deps.bytesMax * TURNS_SHARE)) return;
        const half = this.#halves.get(peer);
        if (half === undefined) continue;
        turns++;
        half.turnUntilMs ??= this.#seenMs + TURN_MS;
        this.#measureAnew(half);
        peers.delete(peer);
        this.#deps.goOn(peer);
      }
  }
}
