/** PubServer: takes publications from the workers, encrypts and signs them, and sends them on the publish port. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { BoundedMap } from '../../../host/bounded-map.ts';
import { AcceptedKeys } from '../../../network/channel/accepted-keys.ts';
import { readPresenceProof } from '../../../network/channel/presence-proof.ts';
import { SessionKeys } from '../../../network/channel/session-keys.ts';
import { readSubscriberIdentity } from '../../../network/channel/subscriber-identity.ts';
import { EventBusWriter } from '../../../network/events/bus-client.ts';
import { syndicName } from '../../../network/events/tags.ts';
import { handlersOf } from '../../../network/ipc/contract.ts';
import { publisher } from '../../../network/ipc/contracts/publisher.ts';
import { RpcPeer } from '../../../network/ipc/rpc.ts';
import { addressText } from '../../../network/transport/address.ts';
import { listen } from '../../../network/transport/listen.ts';
import type { PublishServer } from '../../../network/transport/transport.ts';
import { publishServer } from '../../../network/transport/transports.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import { encode } from '../../../formats/wire/msgpack.ts';
import { countedWarnings } from '../counted-log.ts';
import { loadMasterKey } from '../master-key.ts';
import { Presence } from '../presence.ts';
import { PublishSerial } from '../publish-serial.ts';
import { isClustered } from '../../../config/cluster.ts';
import { keepAliveMs } from '../../../config/keep-alive.ts';
import { masterSockets } from '../../../config/master-sockets.ts';
import { masterTransports, type MasterTransport } from '../../../config/master-transports.ts';
import { TransportPresence } from '../transport-presence.ts';
import { connectionsByAddressMax } from '../connection-limit.ts';
import { sslOf } from '../transport-ssl.ts';
import { sample, type Sample } from '../../../runtime/metrics/sample.ts';
import type { RoleContext, StartRole } from './role.ts';

/** Bytes waiting for one minion; at more its connection is cut and it comes back by itself. */
const PEER_QUEUE_BYTES_MAX = 32 * 1024 * 1024;
/** A minion that is silently gone is noticed within twice this time. */
const HEARTBEAT_MS = 10_000;
const EVENT_QUEUE_BYTES_MAX = 4 * 1024 * 1024;
/** Jobs of which it is remembered that they were published: more than a reactor that is killed can have under way. */
const PUBLISHED_MAX = 10_000;
const BROADCAST = Buffer.from('broadcast');
const SYNDIC = Buffer.from('syndic');

/** The topic on which a minion listens with `zmq_filtering`: SHA-1 of its id in hex. */
export function topicOf(id: string): string {
  return createHash('sha1').update(id).digest('hex');
}

export const startPublisher: StartRole = async (context) => {
  const { opts, log, clock } = context;
  const { publishOwner, eventPull } = masterSockets(opts);
  const events = new EventBusWriter({
    path: eventPull,
    clock,
    eventBytesMax: opts.get('max_event_size'),
    queueBytesMax: EVENT_QUEUE_BYTES_MAX,
  });
  const presence = new Presence(clock, (tag, data) => events.fire(tag, data));
  const sessionsPath = join(opts.get('cachedir'), 'sessions');
  const sessions = new SessionKeys(sessionsPath, opts.get('publish_session') * 1000, clock);
  const refuse = countedWarnings(log);
  const accepted = new AcceptedKeys(join(opts.get('pki_dir'), 'minions'), clock);
  const present = new TransportPresence((id, isConnected) => presence.note(id, isConnected));
  const publishers: PublishServer[] = [];
  for (const [index, transport] of masterTransports(opts).entries()) {
    const server = await publishServer(transport.name, {
      address: { host: transport.opts.get('interface'), port: transport.opts.get('publish_port') },
      backlog: opts.get('zmq_backlog'),
      connectionsByAddressMax: connectionsByAddressMax(opts),
      peerQueueBytesMax: PEER_QUEUE_BYTES_MAX,
      heartbeatMs: HEARTBEAT_MS,
      ...topicsOf(transport),
      everythingToAll: opts.get('order_masters'),
      keepAliveMs: keepAliveMs(opts),
      ...(await sslOf(transport, log)),
      identify: (properties) => readPresenceProof(properties, sessions, clock, syndicName),
      identifyByMessage: (body) => readSubscriberIdentity(body, context.sharedKeys(), accepted, syndicName),
      presence: (id, isConnected) => present.change(id, isConnected),
      refused: (from, error) =>
        refuse(`A peer at ${from} was refused on the publish port: ${error.message}`, error.message),
      clock,
    });
    const address = await server.start();
    const name = index === 0 ? '' : ` (${transport.name})`;
    log.info(`Starting the Salt Publisher on ${addressText(address)}${name}`);
    publishers.push(server);
  }
  const seal = sealer(context);
  const published = new BoundedMap<Value, true>(PUBLISHED_MAX);
  const connections = (): number => publishers.reduce((sum, { subscribers }) => sum + subscribers, 0);
  const answers = handlersOf(publisher, {
    publish: ({ load, ids, expected, serialAbove }) => {
      const publication = { ...seal(load, serialAbove), ids: ids ?? null };
      for (const server of publishers) server.send(publication);
      published.set(load.get('jid') ?? null, true);
      // in a cluster it may be connected to another master
      const subscribers = isClustered(opts) ? Infinity : connections();
      return { ...presence.absence(expected, subscribers), serial: publication.number };
    },
    hasPublished: ({ jid }) => published.get(jid) === true,
    connections: ({ ids }) => presence.describe(ids),
    close: () => {
      const connected = connections();
      for (const server of publishers) server.close();
      return connected;
    },
    addresses: () => [...new Set(publishers.flatMap((server) => server.remoteAddresses))],
  });
  const pull = await listen({ address: { path: publishOwner }, mode: 0o600 }, (socket) => {
    new RpcPeer(socket, answers);
  });
  log.info(`Starting the Salt Puller on ipc://${publishOwner}`);
  return {
    figures: () => publishFigures(presence.count, publishers),
    stop: async () => {
      pull.server.close();
      for (const server of publishers) server.close();
      events.close();
    },
  };
};

function publishFigures(connected: number, publishers: readonly PublishServer[]): Sample[] {
  const sum = (of: (server: PublishServer) => number): number =>
    publishers.reduce((total, server) => total + of(server), 0);
  return [
    sample('brine_connected_minions', connected),
    sample(
      'brine_publish_connections',
      sum(({ subscribers }) => subscribers),
    ),
    // each goes to every transport
    sample('brine_publications_total', publishers[0]?.counters.published ?? 0),
    sample(
      'brine_publications_delivered_total',
      sum(({ counters }) => counters.delivered),
    ),
    sample(
      'brine_publications_resent_total',
      sum(({ counters }) => counters.resent),
    ),
    sample(
      'brine_publish_connections_cut_total',
      sum(({ counters }) => counters.slowPeersCut),
    ),
    sample(
      'brine_publish_connections_refused_total',
      sum(({ counters }) => counters.refusedPeers),
    ),
  ];
}

/** A publication as it is sent, and its serial. */
interface Sealed {
  readonly number: number;
  readonly envelope: Buffer;
}

/** Makes envelopes: adds the serial, encrypts with the shared key in force, signs. */
function sealer({ opts, sharedKeys, clock, log }: RoleContext): (load: Dict, serialAbove?: number) => Sealed {
  const sign = opts.get('sign_pub_messages');
  const sigAlgo = opts.get('publish_signing_algorithm');
  const key = loadMasterKey(opts);
  const serial = new PublishSerial({ path: join(opts.get('cachedir'), 'publish_serial'), clock, log });
  return (load, serialAbove) => {
    const number = serial.next(serialAbove);
    const numbered = new Map<Value, Value>(load).set('serial', number);
    const sealed = (sharedKeys()[0] as { dumps(value: Dict): Buffer }).dumps(numbered);
    const signature = sign ? { sig_algo: sigAlgo, sig: key.sign(sealed, sigAlgo) } : {};
    return { number, envelope: encode({ enc: 'aes', load: sealed, ...signature }, 'network') };
  };
}

/**
 * With `zmq_filtering` a publication has topics, which ZeroMQ's subscribers have chosen among
 * (docs/internals/wire-protocol.md#transports).
 */
function topicsOf({ opts }: MasterTransport): {
  topics?: (ids: readonly string[] | null) => readonly Buffer[];
} {
  if (!opts.get('zmq_filtering')) return {};
  const hasSyndics = opts.get('order_masters');
  return {
    topics: (ids) => {
      if (ids === null) return [BROADCAST];
      const topics = ids.map((id) => Buffer.from(topicOf(id)));
      return hasSyndics ? [...topics, SYNDIC] : topics;
    },
  };
}
