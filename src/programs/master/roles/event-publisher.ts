/** EventPublisher: the hub of the master's event bus. */
import { EventBusServer } from '../../../network/events/bus-server.ts';
import { runsReactor } from '../../../config/reactor.ts';
import { EventDoor } from '../../../network/events/event-door.ts';
import { KeptFeed } from '../../../network/events/kept-feed.ts';
import { addressText, localAddress } from '../../../network/transport/address.ts';
import { masterSockets, sharesEventBus } from '../../../config/master-sockets.ts';
import { sample } from '../../../runtime/metrics/sample.ts';
import type { StartRole } from './role.ts';

/** Bytes waiting for one reader when `ipc_write_buffer` does not say: bounded, unlike Salt's. */
const READER_QUEUE_BYTES_MAX = 128 * 1024 * 1024;

/** Bytes of events kept while the reactor restarts. */
const KEPT_BYTES_MAX = 64 * 1024 * 1024;

export const startEventPublisher: StartRole = async ({ opts, log, random }) => {
  const { eventPub, eventPull, eventDoor, reactorFeed } = masterSockets(opts);
  const writeBuffer = opts.raw('ipc_write_buffer');
  const readerQueueBytesMax =
    typeof writeBuffer === 'number' && writeBuffer > 0 ? writeBuffer : READER_QUEUE_BYTES_MAX;
  const feed = runsReactor(opts)
    ? new KeptFeed({ path: reactorFeed, keptBytesMax: KEPT_BYTES_MAX, random, log })
    : undefined;
  // with ports (ipc_mode: tcp) everybody hears the bus itself
  const door =
    sharesEventBus(opts) && typeof eventPub === 'string'
      ? new EventDoor({ path: eventDoor, readerQueueBytesMax, log })
      : undefined;
  const server = new EventBusServer({
    pubPath: eventPub,
    pullPath: eventPull,
    pubMode: sharesEventBus(opts) ? 0o660 : 0o600,
    readerQueueBytesMax,
    log,
    ...(feed === undefined ? {} : { feed }),
    ...(door === undefined ? {} : { door }),
  });
  await server.start();
  log.info(`Starting the Salt Event Publisher on ${addressText(localAddress(eventPub))}`);
  if (typeof eventPub !== 'string')
    log.warning(
      'The event bus is on ports of this host (ipc_mode: tcp): every local user may read it, and fire any event. Leave ipc_mode out to have it on sockets.',
    );
  return {
    figures: () => [
      sample('brine_events_total', server.counters.events),
      sample('brine_event_bus_readers', server.readers + (door?.readers ?? 0)),
      sample(
        'brine_event_bus_readers_cut_total',
        server.counters.slowReadersCut +
          (door?.counters.slowReadersCut ?? 0) +
          (door?.counters.crowdedOut ?? 0),
      ),
      sample('brine_event_bus_waiting_bytes', server.waitingBytes),
      sample('brine_event_bus_waiting_bytes_limit', readerQueueBytesMax),
      sample('brine_event_bus_malformed_total', server.counters.malformedWriters),
      ...(feed === undefined ? [] : [sample('brine_reactor_feed_dropped_total', feed.counters.dropped)]),
    ],
    stop: async () => server.close(),
  };
};
