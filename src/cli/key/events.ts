/** The events of `salt-key`, for whoever listens on the master's bus. The master need not run. */
import type { MasterOptions } from '../../config/master-options.ts';
import type { FireEvent } from '../../storage/keys/manager.ts';

/** Where events go while the command runs. */
export interface KeyEvents {
  readonly fire: FireEvent;
  /** Waits until they are on their way, for a moment at most. */
  close(): Promise<void>;
}

const FLUSH_MAX_MS = 1000;
/** Enough for the events of many thousand keys. */
const QUEUE_BYTES_MAX = 16 * 1024 * 1024;

/** Events on the bus of the master with these options. */
export async function openKeyEvents(opts: MasterOptions): Promise<KeyEvents> {
  const [{ EventBusWriter }, { masterSockets }, { systemClock }] = await Promise.all([
    import('../../network/events/bus-client.ts'),
    import('../../config/master-sockets.ts'),
    import('../../host/clock.ts'),
  ]);
  const writer = new EventBusWriter({
    path: masterSockets(opts).eventPull,
    clock: systemClock,
    eventBytesMax: opts.get('max_event_size'),
    queueBytesMax: QUEUE_BYTES_MAX,
  });
  return {
    fire: (tag, data) => writer.fire(tag, data),
    async close() {
      const limit = new AbortController();
      const flushed = writer.flush().catch(() => undefined); // no master is running: nobody listens
      await Promise.race([flushed, systemClock.sleep(FLUSH_MAX_MS, limit.signal)]);
      limit.abort();
      writer.close();
    },
  };
}
