/** EventPublisher: the hub of the master's event bus. */
import { EventBusServer } from '../../events/bus-server.ts';
import { isDict } from '../../values/value.ts';
import { masterSockets } from '../../config/master-sockets.ts';
import type { StartRole } from './role.ts';

/** Bytes waiting for one reader when `ipc_write_buffer` does not say: bounded, unlike Salt's. */
const READER_QUEUE_BYTES_MAX = 128 * 1024 * 1024;

export const startEventPublisher: StartRole = async ({ opts, log }) => {
  const { eventPub, eventPull } = masterSockets(opts);
  const acl = opts.raw('publisher_acl');
  const eauth = opts.raw('external_auth');
  const shared = (isDict(acl) && acl.size > 0) || (isDict(eauth) && eauth.size > 0);
  const writeBuffer = opts.raw('ipc_write_buffer');
  const server = new EventBusServer({
    pubPath: eventPub,
    pullPath: eventPull,
    pubMode: shared ? 0o660 : 0o600,
    readerQueueBytesMax:
      typeof writeBuffer === 'number' && writeBuffer > 0 ? writeBuffer : READER_QUEUE_BYTES_MAX,
    log,
  });
  await server.start();
  log.info(`Starting the Salt Event Publisher on ipc://${eventPub}`);
  return { stop: async () => server.close() };
};
