/**
 * Everybody who listens to a stream of events, in either version and over web sockets: how many there are, how many of
 * one user, and what waits for those who do not read. A user without any right may listen to as much as others, and not
 * to all that there is.
 */
import type { Clock, Timer } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { visibleName } from '../../python/values/visible.ts';

/** Readers at a time, and those of one user. */
const READERS_MAX = 5_000;
const OF_USER_MAX = 250;
/** What may wait for all of them, and for those of one user; beyond it those are cut off who have the most waiting. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024;
const OF_USER_WAITING_BYTES_MAX = 16 * 1024 * 1024;
const LOOK_MS = 500;

/** Somebody who listens. */
export interface EventReader {
  /** For the log. */
  readonly name: string;
  readonly user: string;
  /** Bytes that he has not taken yet. */
  readonly waitingBytes: () => number;
  /** Ends his connection at once. */
  readonly cutOff: () => void;
}

/** Bounds them. */
export class EventReaders {
  readonly counters = { refused: 0, cutOff: 0 };
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #readers = new Set<EventReader>();
  readonly #ofUser = new Map<string, number>();
  #looking: Timer | undefined;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  get size(): number {
    return this.#readers.size;
  }

  /** Somebody comes. @returns called when he goes; undefined when there is no room for him */
  enter(reader: EventReader): (() => void) | undefined {
    const count = this.#ofUser.get(reader.user) ?? 0;
    if (this.#readers.size >= READERS_MAX || count >= OF_USER_MAX) {
      this.counters.refused++;
      return undefined;
    }
    this.#ofUser.set(reader.user, count + 1);
    this.#readers.add(reader);
    this.#looking ??= this.#clock.every(LOOK_MS, () => this.look(), { background: true });
    return () => this.#leave(reader);
  }

  /** Cuts off whoever lets too much wait. */
  look(): void {
    const waiting = [...this.#readers]
      .map((reader) => ({ reader, sizeBytes: reader.waitingBytes() }))
      .filter(({ sizeBytes }) => sizeBytes > 0)
      .sort((a, b) => b.sizeBytes - a.sizeBytes);
    const ofUser = new Map<string, number>();
    let all = 0;
    for (const { reader, sizeBytes } of waiting) {
      all += sizeBytes;
      ofUser.set(reader.user, (ofUser.get(reader.user) ?? 0) + sizeBytes);
    }
    for (const { reader, sizeBytes } of waiting) {
      const his = ofUser.get(reader.user) as number;
      if (all <= WAITING_BYTES_MAX && his <= OF_USER_WAITING_BYTES_MAX) continue;
      all -= sizeBytes;
      ofUser.set(reader.user, his - sizeBytes);
      this.#cutOff(reader, sizeBytes);
    }
  }

  #cutOff(reader: EventReader, sizeBytes: number): void {
    this.counters.cutOff++;
    this.#log.warning(
      `${reader.name} was cut off: ${sizeBytes} bytes of events wait for it, and too many for all readers of ${visibleName(reader.user)} or of this program (${this.counters.cutOff} cut off so far).`,
    );
    this.#leave(reader);
    reader.cutOff();
  }

  #leave(reader: EventReader): void {
    if (!this.#readers.delete(reader)) return;
    const left = (this.#ofUser.get(reader.user) ?? 1) - 1;
    if (left > 0) this.#ofUser.set(reader.user, left);
    else this.#ofUser.delete(reader.user);
    if (this.#readers.size > 0) return;
    this.#looking?.cancel();
    this.#looking = undefined;
  }
}
