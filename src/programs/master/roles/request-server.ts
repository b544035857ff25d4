/**
 * ReqServer: the request port in front of the workers. It looks at no more than who a request says it is from, so that
 * one minion's requests always reach the same worker, and at whether it was served before
 * (network/channel/request-gate.ts). A worker that dies under a request leaves it answered with an error at once, so
 * that its sender tries again; a queue that is full stops reading, and nothing is lost.
 */
import { join } from 'node:path';
import { ReplayGuard } from '../../../network/channel/replay-guard.ts';
import { RequestGate } from '../../../network/channel/request-gate.ts';
import { SessionKeys } from '../../../network/channel/session-keys.ts';
import { claimForOther, sessionMark } from '../../../network/channel/sessions-elsewhere.ts';
import { clientOf, handlersOf } from '../../../network/ipc/contract.ts';
import { requestClaims } from '../../../network/ipc/contracts/cluster.ts';
import {
  requestServer as serverContract,
  requestWorker,
} from '../../../network/ipc/contracts/request-worker.ts';
import { RpcPeer } from '../../../network/ipc/rpc.ts';
import { addressText } from '../../../network/transport/address.ts';
import { listen } from '../../../network/transport/listen.ts';
import type { RequestServer } from '../../../network/transport/transport.ts';
import { requestServer } from '../../../network/transport/transports.ts';
import { keepAliveMs } from '../../../config/keep-alive.ts';
import { masterSockets } from '../../../config/master-sockets.ts';
import { masterTransports, type MasterTransport } from '../../../config/master-transports.ts';
import { UserAuth } from '../auth/user-auth.ts';
import { connectionsByAddressMax } from '../connection-limit.ts';
import { sslOf } from '../transport-ssl.ts';
import { countedWarnings } from '../counted-log.ts';
import { planWorkers } from '../worker-plan.ts';
import { sample, type Sample } from '../../../runtime/metrics/sample.ts';
import { Dispatcher, type DispatcherLoad } from './dispatcher.ts';
import type { StartRole } from './role.ts';

/** Largest request: a return with the output of a large state run, or a chunk of a file. */
const REQUEST_BYTES_MAX = 128 * 1024 * 1024;
/** Half-received requests and unsent replies of all peers together. */
const BUFFERED_BYTES_MAX = 512 * 1024 * 1024;
/**
 * How long what has come is still answered when the master ends. A minion of Salt's own whose request got no reply asks
 * nothing else for a minute (salt/transport/zeromq.py AsyncReqMessageClient._send_recv, 3006.16).
 */
const DRAIN_MS = 1_000;

export const startRequestServer: StartRole = async ({ opts, log, clock, userKeys, startWorkers }) => {
  const sessions = new SessionKeys(
    join(opts.get('cachedir'), 'sessions'),
    opts.get('publish_session') * 1000,
    clock,
  );
  const users = new UserAuth(opts, userKeys);
  const turnedAway = countedWarnings(log);
  const guard = new ReplayGuard({ clock, beginAnew: () => sessions.beginAnew() });
  const gate = new RequestGate({
    guard,
    hasUserKey: (body) => users.isKeyIn(body),
    knowsUser: (head) => users.check(head) !== undefined,
    hasSession: (id) => sessions.has(id),
    refused: (from, reason) => turnedAway(`A request from ${from} was refused: ${reason}`),
  });
  const dispatcher = new Dispatcher({
    plan: planWorkers(opts.get('worker_threads')),
    startWorkers,
    gate,
    clock,
    setPaused: (paused) => servers.forEach((server) => server.setPaused(paused)),
  });
  const refuse = countedWarnings(log);
  const refuseLocal = countedWarnings(log);
  const servers: RequestServer[] = [];
  const transports = masterTransports(opts);
  for (const [index, transport] of transports.entries()) {
    // a worker tells minions the publish port of the transport that they come by
    const own = index === 0 ? {} : { publishPort: transport.opts.get('publish_port') };
    servers.push(
      await requestServer(
        transport.name,
        {
          address: { host: transport.opts.get('interface'), port: transport.opts.get('ret_port') },
          backlog: opts.get('zmq_backlog'),
          connectionsByAddressMax: connectionsByAddressMax(opts),
          messageBytesMax: REQUEST_BYTES_MAX,
          bufferedBytesMax: BUFFERED_BYTES_MAX,
          keepAliveMs: keepAliveMs(opts),
          ...(await sslOf(transport, log)),
          clock,
        },
        index === 0
          ? (request) => dispatcher.dispatch(request)
          : (request) => dispatcher.dispatch({ ...request, ...own }),
        (from, reason) => refuse(`The connection from ${from} was ended: ${reason.message}`, reason.message),
      ),
    );
  }
  const { workers } = masterSockets(opts);
  const { call } = handlersOf(requestClaims, {
    claim: (request) =>
      claimForOther(
        guard,
        (id, standing) => {
          const session = sessions.get(id, standing);
          return session && sessionMark(session);
        },
        request,
      ),
  });
  const pool = await listen({ address: { path: workers }, mode: 0o600 }, (socket) => {
    const { notify } = handlersOf(serverContract, {
      register: ({ index }) => {
        if (!dispatcher.addWorker(index, worker)) socket.destroy();
      },
    });
    const peer: RpcPeer = new RpcPeer(socket, {
      call,
      notify,
      malformed: (reason) => refuseLocal(`A local program that is no worker was turned away: ${reason}`),
      closed: () => dispatcher.removeWorker(worker),
    });
    const worker = clientOf(requestWorker, peer);
  });
  for (const [index, server] of servers.entries()) {
    const name = index === 0 ? '' : ` (${(transports[index] as MasterTransport).name})`;
    const address = await server.start();
    log.info(`Setting up the master communication server on ${addressText(address)}${name}`);
  }
  return {
    figures: () => requestFigures(dispatcher.load, gate.counters, servers),
    stop: async () => {
      await dispatcher.drained(DRAIN_MS);
      dispatcher.close();
      pool.server.close();
      for (const server of servers) server.close();
    },
  };
};

function requestFigures(
  load: DispatcherLoad,
  { replays, overBudget }: RequestGate['counters'],
  servers: readonly RequestServer[],
): Sample[] {
  const sum = (name: 'heldPeers' | 'waitedPeers' | 'standingPeers'): number =>
    servers.reduce((total, { counters }) => total + counters[name], 0);
  return [
    sample('brine_requests_refused_total', replays, 'replay'),
    sample('brine_requests_refused_total', overBudget, 'over budget'),
    sample('brine_requests_under_way', load.underWay),
    sample('brine_requests_under_way_limit', load.underWayMax),
    sample('brine_request_bytes_under_way', load.underWayBytes),
    sample('brine_request_bytes_under_way_limit', load.underWayBytesMax),
    sample('brine_request_pauses_total', load.pauses),
    sample('brine_request_peers_held_total', sum('heldPeers')),
    sample('brine_request_peers_waited_total', sum('waitedPeers')),
    sample('brine_request_peers_standing_total', sum('standingPeers')),
    sample('brine_workers', load.workers),
    sample('brine_workers_silent', load.silentWorkers),
  ];
}
