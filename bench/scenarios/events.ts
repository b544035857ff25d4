/** `events`: 100,000 events to eight readers of the bus, of which one stops reading. */
import { connect, type Socket } from 'node:net';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/host/clock.ts';
import { EventBusWriter } from '../../src/network/events/bus-client.ts';
import { dict } from '../../src/python/values/value.ts';
import { single } from '../figure.ts';
import { pause, pssBytes } from '../processes.ts';
import type { Scenario } from './scenario.ts';

const NAME = 'events';
export const EVENTS = 100_000;
export const READERS = 8;
/** About what an event of this scenario takes in a frame. */
export const EVENT_BYTES = 260;
/** So many are fired before the writer waits for them to leave. */
const BURST = 2_000;
const WAIT_MS = 60_000;
const MEMORY_POLL_MS = 100;
const MARK = Buffer.from('bench/event/');

export const events: Scenario = {
  name: NAME,
  isLong: true,
  run: async ({ fleet, step }) => {
    const pull = readdirSync(fleet.sockDir).find((name) => name.endsWith('_pull.ipc')) ?? '';
    const isEventPull = (name: string): boolean => name === 'master_event_pull.ipc';
    const path = join(fleet.sockDir, readdirSync(fleet.sockDir).find(isEventPull) ?? pull);
    const writer = new EventBusWriter({
      path,
      clock: systemClock,
      eventBytesMax: 1_000_000,
      queueBytesMax: 256 * 1024 * 1024,
    });
    const open = (): Promise<Reader> => Reader.open(join(fleet.sockDir, 'master_event_pub.ipc'));
    const readers = await Promise.all(Array.from({ length: READERS - 1 }, open));
    const stalled = await open();
    stalled.stall();
    await pause(500);
    const idle = pssBytes(fleet.master) ?? NaN;
    let most = idle;
    const poll = setInterval(() => (most = Math.max(most, pssBytes(fleet.master) ?? NaN)), MEMORY_POLL_MS);
    try {
      step(`${EVENTS} events`);
      const startedMs = performance.now();
      for (let sent = 0; sent < EVENTS;) {
        for (const end = sent + BURST; sent < end; sent++)
          writer.fire(`bench/event/${sent}`, dict({ number: sent, text: 'x'.repeat(150) }));
        await writer.flush();
      }
      const endMs = performance.now() + WAIT_MS;
      while (readers.some(({ count }) => count < EVENTS) && performance.now() < endMs) await pause(10);
      const seconds = (performance.now() - startedMs) / 1000;
      const lost = readers.reduce((sum, { count }) => sum + Math.max(0, EVENTS - count), 0);
      const row = { scenario: NAME, better: 'lower' } as const;
      return [
        single({ ...row, name: 'seven readers have all', unit: 's' }, seconds),
        single({ ...row, name: 'lost', unit: 'count' }, lost),
        single({ ...row, name: 'memory beyond', unit: 'MB' }, (most - idle) / 1e6),
      ];
    } finally {
      clearInterval(poll);
      writer.close();
      for (const reader of [...readers, stalled]) reader.close();
    }
  },
};

/** Counts the events that come to one reader, without decoding them. */
class Reader {
  count = 0;
  readonly #socket: Socket;
  #rest: Uint8Array = new Uint8Array(0);

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk)).on('error', () => undefined);
  }

  static open(path: string): Promise<Reader> {
    return new Promise((resolve, reject) => {
      const socket = connect(path, () => resolve(new Reader(socket)));
      socket.once('error', reject);
    });
  }

  stall(): void {
    this.#socket.pause();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** What may be the beginning of a mark is looked at again with what comes next. */
  #take(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let from = 0;
    for (let at = bytes.indexOf(MARK); at >= 0; at = bytes.indexOf(MARK, from)) {
      this.count++;
      from = at + MARK.length;
    }
    this.#rest = bytes.subarray(Math.max(from, bytes.length - MARK.length + 1));
  }
}
