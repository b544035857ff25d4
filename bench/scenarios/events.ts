/** `events`: 100,000 events to eight readers of the bus, of which one stops reading. */
import { connect } from 'node:net';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/host/clock.ts';
import { EventBusWriter } from '../../src/network/events/bus-client.ts';
import { dict } from '../../src/python/values/value.ts';
import { single } from '../figure.ts';
import { EventReader } from '../load/event-reader.ts';
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
const MARK = 'bench/event/';

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
    const open = (): Promise<EventReader> => openReader(join(fleet.sockDir, 'master_event_pub.ipc'));
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

function openReader(path: string): Promise<EventReader> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => {
      socket.on('error', () => undefined);
      resolve(new EventReader(socket, MARK));
    });
    socket.once('error', reject);
  });
}
