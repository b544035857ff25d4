/**
 * The last events of the master's bus, so that a reader whose connection broke goes on where it was. The ring is filled
 * as long as anybody listens, and a while longer.
 */
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import type { Random } from '../../../host/random.ts';
import type { BusEvent } from '../../../network/events/framing.ts';
import { visibleName } from '../../../python/values/visible.ts';
import type { BusFeed } from '../bus-feed.ts';
import { withoutToken } from '../token-events.ts';
import { eventBytes } from './event-stream.ts';
import { jsonOf } from './json.ts';

const EVENTS_MAX = 10_000;
const BYTES_MAX = 16 * 1024 * 1024;
/** How long events are kept after the last reader has gone. */
const LINGER_MS = 60_000;

/** An event with its place. */
export interface RingEvent {
  readonly id: string;
  readonly event: BusEvent;
  readonly tag: string;
  /** As it is sent: `{"tag": …, "data": …, "stamp": …}`. */
  readonly bytes: Buffer;
}

/** Somebody who listens. */
export interface RingReader {
  readonly take: (event: RingEvent) => void;
  /** Events may have been missed. */
  readonly gap: (reason: string) => void;
}

/** What the ring needs. */
export interface EventRingDeps {
  readonly feed: BusFeed;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Keeps events and hands them out. */
export class EventRing {
  readonly counters = { events: 0, unwritable: 0, gaps: 0 };
  readonly #deps: EventRingDeps;
  /** Tells ids of an earlier run apart from ours. */
  readonly #epoch: string;
  readonly #readers = new Set<RingReader>();
  #events: RingEvent[] = [];
  /** Where in the list those begin that are still kept. */
  #head = 0;
  #bytes = 0;
  #next = 1;
  #listening: Promise<() => void> | undefined;
  #leaving: { cancel(): void } | undefined;

  constructor(deps: EventRingDeps) {
    this.#deps = deps;
    this.#epoch = Buffer.from(deps.random.bytes(4)).toString('hex');
  }

  get readers(): number {
    return this.#readers.size;
  }

  /**
   * Begins to listen.
   * @param after the id of the last event that the reader has seen; without it only what happens from now on is handed
   *   out
   * @returns what came after that one, and what ends it; `isWhole` is false when some of it is not kept any more
   * @throws UnreachableError without an event bus
   */
  async listen(
    reader: RingReader,
    after?: string,
  ): Promise<{
    readonly missed: readonly RingEvent[];
    readonly isWhole: boolean;
    readonly stop: () => void;
  }> {
    this.#leaving?.cancel();
    this.#leaving = undefined;
    const stop = (): void => this.#remove(reader);
    this.#readers.add(reader);
    try {
      await (this.#listening ??= this.#begin());
    } catch (error) {
      this.#listening = undefined;
      this.#readers.delete(reader);
      throw error;
    }
    return { ...this.#since(after), stop };
  }

  close(): void {
    this.#readers.clear();
    this.#leaving?.cancel();
    this.#end();
  }

  #begin(): Promise<() => void> {
    return this.#deps.feed.listen(
      () => true,
      (event) => this.#take(event),
      () => this.#lost(),
    );
  }

  #since(after: string | undefined): { missed: readonly RingEvent[]; isWhole: boolean } {
    if (after === undefined) return { missed: [], isWhole: true };
    const [epoch, number] = after.split('-');
    const seen = Number(number);
    const first = this.#next - (this.#events.length - this.#head);
    if (epoch !== this.#epoch || !Number.isSafeInteger(seen) || seen >= this.#next || seen < first - 1)
      return { missed: [], isWhole: false };
    return { missed: this.#events.slice(this.#head + seen - first + 1), isWhole: true };
  }

  #take(event: BusEvent): void {
    const written = this.#written(event);
    if (written === undefined) return;
    this.#next++;
    this.#events.push(written);
    this.#bytes += written.bytes.length;
    this.counters.events++;
    this.#trim();
    for (const { take } of this.#readers) take(written);
  }

  #trim(): void {
    while (this.#events.length - this.#head > EVENTS_MAX || this.#bytes > BYTES_MAX) {
      const oldest = this.#events[this.#head];
      if (oldest === undefined) break;
      this.#bytes -= oldest.bytes.length;
      this.#head++;
    }
    // moving the rest for each event would cost as much as all of them
    if (this.#head < EVENTS_MAX) return;
    this.#events = this.#events.slice(this.#head);
    this.#head = 0;
  }

  /** What was kept does not join what comes. */
  #forget(): void {
    this.#events = [];
    this.#head = 0;
    this.#bytes = 0;
    // whoever comes with an id of before has missed something
    this.#next++;
  }

  #written(event: BusEvent): RingEvent | undefined {
    const id = `${this.#epoch}-${this.#next}`;
    try {
      const stamp = event.data.get('_stamp') ?? null;
      const json = jsonOf({ tag: event.tag, data: withoutToken(event), stamp });
      return { id, event, tag: event.tag, bytes: eventBytes('event', json, id) };
    } catch (error) {
      this.counters.unwritable++;
      this.#deps.log.warning(
        `The event ${visibleName(event.tag)} cannot be written as JSON and was left out`,
        error,
      );
      return undefined;
    }
  }

  #lost(): void {
    this.counters.gaps++;
    this.#forget();
    for (const { gap } of this.#readers) gap('the event bus of the master was away');
  }

  #remove(reader: RingReader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0 || this.#listening === undefined) return;
    this.#leaving?.cancel();
    this.#leaving = this.#deps.clock.after(LINGER_MS, () => this.#end());
  }

  #end(): void {
    void this.#listening?.then((stop) => stop()).catch(() => undefined);
    this.#listening = undefined;
    this.#forget();
  }
}
