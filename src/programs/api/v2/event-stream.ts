/** One answer that goes on: server-sent events to one client, who is cut off when he does not read them. */
import type { Clock } from '../../../host/clock.ts';
import type { Exchange } from '../exchange.ts';
import { jsonOf } from './json.ts';

/** What may wait for one reader. */
const WAITING_BYTES_MAX = 4 * 1024 * 1024;
/** More than this is not sent at once before the client has taken it. */
const DRAIN_BYTES = 1024 * 1024;
/** A line that says that the connection is alive, and the time at which rights are looked at again. */
const BEAT_MS = 15_000;
/** What browsers wait before they come back. */
const RETRY_MS = 1_000;

/** How streams end that nobody has closed. */
export interface StreamCounters {
  opened: number;
  open: number;
  cutOff: number;
}

/** What a stream needs. */
export interface EventStreamDeps {
  readonly exchange: Exchange;
  readonly clock: Clock;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  /** False when whoever listens has logged out. */
  readonly isLoggedIn: () => boolean;
  /** Asks the master whether he may still listen. */
  readonly mayListen: () => Promise<boolean>;
  readonly counters: StreamCounters;
  readonly tooSlow: (waitingBytes: number) => void;
}

/** Sends events. */
export class EventStream {
  readonly #deps: EventStreamDeps;
  #isOpen = false;
  #isOver = false;
  readonly #over = new AbortController();

  constructor(deps: EventStreamDeps) {
    this.#deps = deps;
    deps.signal.addEventListener('abort', () => this.#finish(), { once: true });
  }

  /** Whether the head of the answer has been sent. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Aborted when it has ended, however. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** The last event that the client has seen before. */
  get lastEventId(): string | undefined {
    const { exchange } = this.#deps;
    return exchange.header('last-event-id') ?? exchange.query.get('last_event_id');
  }

  /** Sends the head of the answer; from now on there are no errors. */
  open(): void {
    if (this.#isOpen || this.#isOver) return;
    this.#isOpen = true;
    const { exchange, counters } = this.#deps;
    counters.opened++;
    counters.open++;
    exchange.set('Content-Type', 'text/event-stream; charset=utf-8');
    exchange.set('Cache-Control', 'no-store');
    exchange.set('X-Accel-Buffering', 'no');
    exchange.response.writeHead(200, [...exchange.headers.values()].flat());
    exchange.response.write(`retry: ${RETRY_MS}\n\n`);
    void this.#beat();
  }

  /** Sends an event. @param name its kind; @param id by which a client may go on after it */
  send(name: string, data: unknown, id?: string): void {
    this.sendBytes(eventBytes(name, jsonOf(data), id));
  }

  /** Sends an event that was written before, for many. */
  sendBytes(bytes: Buffer): void {
    const { exchange, isLoggedIn, counters, tooSlow } = this.#deps;
    if (this.#isOver) return;
    this.open();
    if (!isLoggedIn()) return this.close();
    const waiting = exchange.response.writableLength;
    if (waiting > WAITING_BYTES_MAX) {
      counters.cutOff++;
      tooSlow(waiting);
      this.#finish();
      exchange.response.destroy();
      return;
    }
    exchange.response.write(bytes);
  }

  /** Resolves when the client has taken most of what was sent; for those who send much at once. */
  async drained(): Promise<void> {
    const { response } = this.#deps.exchange;
    if (this.#isOver || response.writableLength < DRAIN_BYTES) return;
    await new Promise<void>((resolve) => {
      response.once('drain', resolve);
      this.over.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Sends the last event of a stream that has come to its end. */
  end(data: unknown): void {
    this.send('end', data);
    this.close();
  }

  close(): void {
    if (this.#isOver) return;
    this.#finish();
    if (this.#isOpen) this.#deps.exchange.response.end();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#isOpen) this.#deps.counters.open--;
    this.#over.abort();
  }

  async #beat(): Promise<void> {
    const { clock, mayListen } = this.#deps;
    for (;;) {
      await clock.sleep(BEAT_MS, this.#over.signal);
      if (this.#isOver) return;
      // while the master does not answer, what it has said counts on
      if (!(await mayListen().catch(() => true))) return this.close();
      this.sendBytes(BEAT);
    }
  }
}

const BEAT = Buffer.from(': still here\n\n');

/** An event as it is sent. @param json one line */
export function eventBytes(name: string, json: string, id?: string): Buffer {
  return Buffer.from(`event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${json}\n\n`);
}
