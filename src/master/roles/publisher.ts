/** PubServer: takes publications from the workers, encrypts and signs them, and sends them on the publish port. */
import { createHash } from 'node:crypto';
import { RpcPeer } from '../../transport/ipc/rpc.ts';
import { addressText } from '../../transport/address.ts';
import { listen } from '../../transport/listen.ts';
import { Publisher } from '../../transport/zmtp/publisher.ts';
import type { Dict, Value } from '../../values/value.ts';
import { decode, encode } from '../../wire/msgpack.ts';
import { loadMasterKey } from '../master-key.ts';
import { masterSockets } from '../../config/master-sockets.ts';
import type { RoleContext, StartRole } from './role.ts';

/** Bytes waiting for one minion; at more its connection is cut and it comes back by itself. */
const PEER_QUEUE_BYTES_MAX = 32 * 1024 * 1024;
const BROADCAST = Buffer.from('broadcast');
const SYNDIC = Buffer.from('syndic');

/** A publication as a worker hands it in. */
export interface PublishOrder {
  readonly load: Dict;
  /** The minions it is for, when its target names them; null sends it to everybody. */
  readonly ids: readonly string[] | null;
}

/** Packs a publication for the publisher. */
export function packPublishOrder(order: PublishOrder): Buffer {
  return encode([order.load, order.ids], 'local');
}

/** The topic on which a minion listens with `zmq_filtering`: SHA-1 of its id in hex. */
export function topicOf(id: string): string {
  return createHash('sha1').update(id).digest('hex');
}

export const startPublisher: StartRole = async (context) => {
  const { opts, log, clock } = context;
  const publisher = new Publisher({
    address: { host: opts.get('interface'), port: opts.get('publish_port') },
    backlog: opts.get('zmq_backlog'),
    peerQueueBytesMax: PEER_QUEUE_BYTES_MAX,
    clock,
  });
  const address = await publisher.start();
  log.info(`Starting the Salt Publisher on ${addressText(address)}`);
  const seal = sealer(context);
  const { publishPull } = masterSockets(opts);
  const pull = await listen({ address: { path: publishPull }, mode: 0o600 }, (socket) => {
    new RpcPeer(socket, {
      call: (body) => {
        const order = decode(body, 'local') as [Dict, string[] | null] | null;
        if (order === null) return encode([...new Set(publisher.remoteAddresses)], 'local');
        const [load, ids] = order;
        return encode(send(context, publisher, seal(load), ids), 'local');
      },
    });
  });
  log.info(`Starting the Salt Puller on ipc://${publishPull}`);
  return {
    stop: async () => {
      pull.server.close();
      publisher.close();
    },
  };
};

/** Makes envelopes: adds the serial, encrypts with the shared key in force, signs. */
function sealer({ opts, sharedKeys, clock }: RoleContext): (load: Dict) => Buffer {
  const sign = opts.get('sign_pub_messages');
  const sigAlgo = opts.get('publish_signing_algorithm');
  const key = loadMasterKey(opts);
  // Minions drop a serial that does not grow. Beginning at the time lets it grow over a restart of this process too.
  let serial = Math.floor(clock.nowMs() * 1000);
  return (load) => {
    const numbered = new Map<Value, Value>(load).set('serial', ++serial);
    const sealed = (sharedKeys()[0] as { dumps(value: Dict): Buffer }).dumps(numbered);
    const signature = sign ? { sig_algo: sigAlgo, sig: key.sign(sealed, sigAlgo) } : {};
    return encode({ enc: 'aes', load: sealed, ...signature }, 'network');
  };
}

/** @returns how many connections it went to */
function send(
  { opts }: RoleContext,
  publisher: Publisher,
  envelope: Buffer,
  ids: readonly string[] | null,
): number {
  if (!opts.get('zmq_filtering')) return publisher.publish([envelope]);
  if (ids === null) return publisher.publish([BROADCAST, envelope]);
  let count = 0;
  for (const id of ids) count += publisher.publish([Buffer.from(topicOf(id)), envelope]);
  if (opts.get('order_masters')) count += publisher.publish([SYNDIC, envelope]);
  return count;
}
