/**
 * The minion's own event bus, and what other programs on the host ask the minion for over it
 * (docs/internals/event-bus.md#the-minions-bus).
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { LOOPBACK } from '../../config/master-sockets.ts';
import type { MinionOptions } from '../../config/minion-options.ts';
import { runsReactor } from '../../config/reactor.ts';
import type { LocalPlace } from '../../host/local-place.ts';
import { EventBusReader, EventBusWriter } from '../../network/events/bus-client.ts';
import { EventBusServer } from '../../network/events/bus-server.ts';
import type { BusEvent } from '../../network/events/framing.ts';
import { KeptFeed } from '../../network/events/kept-feed.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import type { Dict } from '../../python/values/value.ts';

const READER_QUEUE_BYTES_MAX = 32 * 1024 * 1024;
const EVENT_QUEUE_BYTES_MAX = 8 * 1024 * 1024;
/** Bytes of events kept while the reactor restarts. */
const KEPT_BYTES_MAX = 8 * 1024 * 1024;

/**
 * A minion's sockets: `minion_event_<first 10 hex of the hash of its id>_{pub,pull}.ipc`, or with `ipc_mode: tcp` the
 * ports `tcp_pub_port` and `tcp_pull_port` of this host.
 */
export function minionSockets(opts: MinionOptions): { pub: LocalPlace; pull: LocalPlace } {
  if (opts.get('ipc_mode') === 'tcp')
    return {
      pub: { host: LOOPBACK, port: opts.get('tcp_pub_port') },
      pull: { host: LOOPBACK, port: opts.get('tcp_pull_port') },
    };
  const hash = idHash(opts);
  const at = (end: string): string => join(opts.get('sock_dir'), `minion_event_${hash}_${end}.ipc`);
  return { pub: at('pub'), pull: at('pull') };
}

/** Where the minion's reactor reads events; always a socket, which only this user can reach. */
export function reactorFeedPath(opts: MinionOptions): string {
  return join(opts.get('sock_dir'), `minion_event_${idHash(opts)}_reactor.ipc`);
}

function idHash(opts: MinionOptions): string {
  return createHash(opts.get('hash_type')).update(opts.get('id')).digest('hex').slice(0, 10);
}

/** A running bus. */
export interface MinionBus {
  fire(tag: string, data: Dict): void;
  close(): void;
}

/**
 * Starts the bus.
 * @param onEvent gets every event, the minion's own included
 * @throws ListenError
 */
export async function startMinionBus(
  opts: MinionOptions,
  deps: { clock: Clock; random: Random; log: Logger },
  onEvent: (event: BusEvent) => void,
): Promise<MinionBus> {
  const { pub, pull } = minionSockets(opts);
  const server = new EventBusServer({
    pubPath: pub,
    pullPath: pull,
    pubMode: 0o600,
    readerQueueBytesMax: READER_QUEUE_BYTES_MAX,
    log: deps.log,
    ...(runsReactor(opts, 'minion')
      ? { feed: new KeptFeed({ path: reactorFeedPath(opts), keptBytesMax: KEPT_BYTES_MAX, ...deps }) }
      : {}),
  });
  await server.start();
  const writer = new EventBusWriter({
    path: pull,
    clock: deps.clock,
    eventBytesMax: opts.get('max_event_size'),
    queueBytesMax: EVENT_QUEUE_BYTES_MAX,
  });
  const reader = await EventBusReader.connect(pub, () => true, onEvent);
  return {
    fire: (tag, data) => writer.fire(tag, data),
    close: () => {
      reader.close();
      writer.close();
      server.close();
    },
  };
}
