/**
 * ReqServer: the request port in front of the workers. It looks at no more than who a request says it is from, so that one
 * minion's requests always reach the same worker. A worker that dies under a request leaves it answered with an error at
 * once, so that its sender tries again; a queue that is full stops reading, and nothing is lost.
 */
import { availableParallelism } from 'node:os';
import { RpcPeer } from '../../transport/ipc/rpc.ts';
import { addressText } from '../../transport/address.ts';
import { listen } from '../../transport/listen.ts';
import { Router } from '../../transport/zmtp/router.ts';
import { masterSockets } from '../../config/master-sockets.ts';
import { countedWarnings } from '../counted-log.ts';
import { Dispatcher } from './dispatcher.ts';
import type { StartRole } from './role.ts';

/** Largest request: a return with the output of a large state run, or a chunk of a file. */
const REQUEST_BYTES_MAX = 128 * 1024 * 1024;
/** Half-received requests and unsent replies of all peers together. */
const BUFFERED_BYTES_MAX = 512 * 1024 * 1024;

export const startRequestServer: StartRole = async ({ opts, log, clock }) => {
  const dispatcher = new Dispatcher({
    workersMax: opts.get('worker_threads'),
    activeMax: availableParallelism(),
    clock,
    setPaused: (paused) => router.setPaused(paused),
  });
  const refuse = countedWarnings(log);
  const refuseLocal = countedWarnings(log);
  const router = new Router(
    {
      address: { host: opts.get('interface'), port: opts.get('ret_port') },
      backlog: opts.get('zmq_backlog'),
      messageBytesMax: REQUEST_BYTES_MAX,
      bufferedBytesMax: BUFFERED_BYTES_MAX,
      clock,
    },
    (request) => dispatcher.dispatch(request),
    (from, reason) => refuse(`The connection from ${from} was ended: ${reason.message}`),
  );
  const { workers } = masterSockets(opts);
  const pool = await listen({ address: { path: workers }, mode: 0o600 }, (socket) => {
    const worker: RpcPeer = new RpcPeer(socket, {
      // a worker says its number first; who does not is none
      notify: (body) => {
        if (!dispatcher.addWorker(Number(body.toString('latin1')), worker)) socket.destroy();
      },
      malformed: (reason) => refuseLocal(`A local program that is no worker was turned away: ${reason}`),
      closed: () => dispatcher.removeWorker(worker),
    });
  });
  const address = await router.start();
  log.info(`Setting up the master communication server on ${addressText(address)}`);
  return {
    stop: async () => {
      dispatcher.close();
      pool.server.close();
      router.close();
    },
  };
};
