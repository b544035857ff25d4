/**
 * ReqServer: the request port in front of the workers. It looks at no more than who a request says it is from, so that one
 * minion's requests always reach the same worker. A worker that dies under a request leaves it answered with an error at
 * once, so that its sender tries again; a queue that is full stops reading, and nothing is lost.
 */
import { createHash } from 'node:crypto';
import { RpcPeer } from '../../transport/ipc/rpc.ts';
import { addressText } from '../../transport/address.ts';
import { listen } from '../../transport/listen.ts';
import { Router, type RouterRequest } from '../../transport/zmtp/router.ts';
import { encode } from '../../wire/msgpack.ts';
import { masterSockets } from '../../config/master-sockets.ts';
import type { StartRole } from './role.ts';
import { claimedId } from '../../wire/claimed-id.ts';

/** Largest request: a return with the output of a large state run, or a chunk of a file. */
const REQUEST_BYTES_MAX = 128 * 1024 * 1024;
/** Half-received requests and unsent replies of all peers together. */
const BUFFERED_BYTES_MAX = 512 * 1024 * 1024;
/** Requests handed to workers or waiting for one; at more the port is not read until half are done. */
const UNDER_WAY_MAX = 20_000;
const UNDER_WAY_BYTES_MAX = 256 * 1024 * 1024;
const FAILED = encode('Some exception handling minion payload', 'network');

/** Spreads requests over the workers that are there. */
class Dispatcher {
  readonly #router: () => Router;
  readonly #workers: RpcPeer[] = [];
  #waiting: RouterRequest[] = [];
  #next = 0;
  #underWay = 0;
  #underWayBytes = 0;

  constructor(router: () => Router) {
    this.#router = router;
  }

  addWorker(worker: RpcPeer): void {
    this.#workers.push(worker);
    for (const request of this.#waiting.splice(0)) void this.#forward(request);
  }

  removeWorker(worker: RpcPeer): void {
    const at = this.#workers.indexOf(worker);
    if (at >= 0) this.#workers.splice(at, 1);
  }

  dispatch(request: RouterRequest): void {
    this.#underWay++;
    this.#underWayBytes += request.body.length;
    this.#applyPressure();
    if (this.#workers.length > 0) void this.#forward(request);
    else this.#waiting.push({ from: request.from, reply: request.reply, body: Buffer.from(request.body) });
  }

  async #forward(request: RouterRequest): Promise<void> {
    const sizeBytes = request.body.length;
    let reply: Buffer;
    try {
      reply = await this.#pick(request.body).call(packRequest(request));
    } catch {
      reply = FAILED;
    }
    request.reply(reply);
    this.#underWay--;
    this.#underWayBytes -= sizeBytes;
    this.#applyPressure();
  }

  #pick(body: Buffer): RpcPeer {
    const id = claimedId(body);
    const slot = id === undefined ? this.#next++ : createHash('sha1').update(id).digest().readUInt32BE(0);
    return this.#workers[slot % this.#workers.length] as RpcPeer;
  }

  #applyPressure(): void {
    if (this.#underWay > UNDER_WAY_MAX || this.#underWayBytes > UNDER_WAY_BYTES_MAX)
      this.#router().setPaused(true);
    else if (this.#underWay <= UNDER_WAY_MAX / 2 && this.#underWayBytes <= UNDER_WAY_BYTES_MAX / 2) {
      this.#router().setPaused(false);
    }
  }
}

/** A request on its way to a worker: the sender's address, then the body. */
function packRequest({ from, body }: RouterRequest): Buffer {
  const sender = Buffer.from(from.slice(0, 255), 'latin1');
  return Buffer.concat([Buffer.from([sender.length]), sender, body]);
}

/** What {@link packRequest} made. The body is a copy: it outlives the receive buffer. */
export function unpackRequest(bytes: Buffer): { from: string; body: Buffer } {
  const end = 1 + (bytes[0] as number);
  return { from: bytes.toString('latin1', 1, end), body: Buffer.from(bytes.subarray(end)) };
}

export const startRequestServer: StartRole = async ({ opts, log, clock }) => {
  const dispatcher = new Dispatcher(() => router);
  let refused = 0;
  const router = new Router(
    {
      address: { host: opts.get('interface'), port: opts.get('ret_port') },
      backlog: opts.get('zmq_backlog'),
      messageBytesMax: REQUEST_BYTES_MAX,
      bufferedBytesMax: BUFFERED_BYTES_MAX,
      clock,
    },
    (request) => dispatcher.dispatch(request),
    (from, reason) => {
      refused++;
      if (refused <= 10 || refused % 1000 === 0) {
        log.warning(`The connection from ${from} was ended: ${reason.message} (${refused} so far).`);
      }
    },
  );
  const { workers } = masterSockets(opts);
  const pool = await listen({ address: { path: workers }, mode: 0o600 }, (socket) => {
    const worker: RpcPeer = new RpcPeer(socket, { closed: () => dispatcher.removeWorker(worker) });
    dispatcher.addWorker(worker);
  });
  const address = await router.start();
  log.info(`Setting up the master communication server on ${addressText(address)}`);
  return {
    stop: async () => {
      pool.server.close();
      router.close();
    },
  };
};
