/**
 * Everybody who listens to events over HTTP. The bus is read once, an event is written as JSON once, and a reader who
 * does not take what is sent to him is cut off before it costs memory.
 */
import { toJson } from '../../formats/json/text.ts';
import type { Clock, Timer } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { decodeUtf8 } from '../../python/values/text.ts';
import { pyStr } from '../../python/values/repr.ts';
import { visibleName } from '../../python/values/visible.ts';
import { isBytes, type Value } from '../../python/values/value.ts';
import type { BusEvent } from '../../network/events/framing.ts';
import type { BusFeed } from './bus-feed.ts';
import type { EventReaders } from './event-readers.ts';
import { HttpFault } from './http-fault.ts';
import { withoutToken } from './token-events.ts';

/** What may wait for one reader. */
export const WAITING_BYTES_MAX = 4 * 1024 * 1024;
/**
 * An event that comes sooner after others than this is sent together with them: a write for each would be most of the
 * work.
 */
const TOGETHER_MS = 10;
/** With many readers it is so many times what the last events took to send, so that time is left for all else, */
const REST = 2;
/** and no longer than this. */
const LATE_MS = 250;

/** An event as it is sent. */
export interface StreamedEvent {
  readonly tag: string;
  /** `{"data": …, "tag": …}` */
  readonly json: string;
  /** The event as server-sent. */
  readonly bytes: Buffer;
  readonly event: BusEvent;
}

/** Somebody who listens. */
export interface StreamReader {
  /** For the log. */
  readonly name: string;
  readonly user: string;
  /** False when he may not listen any more. */
  readonly mayListen: () => boolean;
  readonly send: (event: StreamedEvent) => void;
  /**
   * Takes several events as one piece of server-sent ones, in place of `send`.
   * @param chunk the same with the length of a chunk of HTTP/1.1 around it
   */
  readonly sendBytes?: (bytes: Buffer, chunk: Buffer) => void;
  /** Bytes that he has not taken yet. */
  readonly waitingBytes: () => number;
  /** Ends the connection; at once when he was too slow. */
  readonly end: (isTooSlow: boolean) => void;
}

/** Hands events to readers. */
export class EventStreams {
  readonly counters = { opened: 0, cutOff: 0, events: 0 };
  readonly #feed: BusFeed;
  readonly #log: Logger;
  readonly #clock: Clock;
  /** With what is called when they go. */
  readonly #readers = new Map<StreamReader, () => void>();
  readonly #all: EventReaders;
  #stop: Promise<() => void> | undefined;
  #together: StreamedEvent[] = [];
  #dueMs = 0;
  #flushing: Timer | undefined;

  /** @param all who listens, here and elsewhere */
  constructor(feed: BusFeed, all: EventReaders, clock: Clock, log: Logger) {
    this.#all = all;
    this.#feed = feed;
    this.#clock = clock;
    this.#log = log;
  }

  get readers(): number {
    return this.#readers.size;
  }

  /**
   * Begins to send.
   * @returns ends it
   * @throws HttpFault 503 when there is no room; UnreachableError without an event bus
   */
  async add(reader: StreamReader): Promise<() => void> {
    const leave = this.#all.enter({ ...reader, cutOff: () => this.#drop(reader, true) });
    if (leave === undefined) throw new HttpFault(503, 'Too many are listening to events. Try again later.');
    this.#stop ??= this.#feed.listen(
      () => true,
      (event) => this.#hand(event),
    );
    try {
      await this.#stop;
    } catch (error) {
      this.#stop = undefined;
      leave();
      throw error;
    }
    this.#readers.set(reader, leave);
    this.counters.opened++;
    return () => this.#remove(reader);
  }

  /** Ends all. */
  close(): void {
    this.#flushing?.cancel();
    for (const reader of [...this.#readers.keys()]) this.#drop(reader, false);
  }

  #remove(reader: StreamReader): void {
    this.#readers.get(reader)?.();
    this.#readers.delete(reader);
    if (this.#readers.size > 0 || this.#stop === undefined) return;
    void this.#stop.then((stop) => stop());
    this.#stop = undefined;
  }

  #hand(event: BusEvent): void {
    const streamed = this.#written(event);
    if (streamed === undefined) return;
    this.counters.events++;
    this.#together.push(streamed);
    if (this.#flushing !== undefined) return;
    const waitMs = this.#dueMs - this.#clock.monotonicMs();
    if (waitMs <= 0) this.#flush();
    else this.#flushing = this.#clock.after(Math.ceil(waitMs), () => this.#flush());
  }

  #flush(): void {
    this.#flushing = undefined;
    const beganMs = this.#clock.monotonicMs();
    const events = this.#together;
    this.#together = [];
    const bytes = Buffer.concat(events.map((event) => event.bytes));
    const chunk = asChunk(bytes);
    for (const reader of this.#readers.keys()) {
      if (!reader.mayListen()) this.#drop(reader, false);
      else if (reader.waitingBytes() > WAITING_BYTES_MAX) this.#cutOff(reader);
      else if (reader.sendBytes !== undefined) reader.sendBytes(bytes, chunk);
      else for (const event of events) reader.send(event);
    }
    const endedMs = this.#clock.monotonicMs();
    this.#dueMs = endedMs + Math.min(Math.max(TOGETHER_MS, REST * (endedMs - beganMs)), LATE_MS);
  }

  #cutOff(reader: StreamReader): void {
    this.counters.cutOff++;
    this.#log.warning(
      `${reader.name} was cut off: it has not read ${reader.waitingBytes()} bytes of events (${this.counters.cutOff} cut off so far).`,
    );
    this.#drop(reader, true);
  }

  /** Undefined for an event that has no JSON. */
  #written(event: BusEvent): StreamedEvent | undefined {
    try {
      const json = jsonOf(event);
      const tag = event.tag.replace(/[\r\n]/g, ' ');
      return { tag, json, bytes: Buffer.from(`tag: ${tag}\ndata: ${json}\n\n`), event };
    } catch (error) {
      this.#log.warning(
        `The event ${visibleName(event.tag)} cannot be written as JSON and was left out`,
        error,
      );
      return undefined;
    }
  }

  #drop(reader: StreamReader, isTooSlow: boolean): void {
    this.#remove(reader);
    reader.end(isTooSlow);
  }
}

/** One chunk of the transfer encoding of HTTP/1.1. */
function asChunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

function jsonOf(event: BusEvent): string {
  const data: Value = new Map<Value, Value>([
    ['data', withoutToken(event)],
    ['tag', event.tag],
  ]);
  return toJson(data, {
    fallback: (value) => (isBytes(value) ? (decodeUtf8(value) ?? pyStr(value)) : pyStr(value)),
  });
}
