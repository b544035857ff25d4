/** A bare ROUTER that sends each request back: what the network layer can do when nobody thinks. */
import { systemClock } from '../../src/host/clock.ts';
import { systemRandom } from '../../src/host/random.ts';
import { Requester } from '../../src/network/transport/zmtp/requester.ts';
import { Router } from '../../src/network/transport/zmtp/router.ts';
import type { LoadOrder } from './messages.ts';

const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;
const TIMEOUT_MS = 60_000;
const BACKLOG = 1000;
const CONNECTING_MAX = 250;

/** Listens until the process ends. @returns the port */
export async function serveEcho(): Promise<number> {
  const router = new Router(
    {
      address: { host: '127.0.0.1', port: 0 },
      backlog: BACKLOG,
      messageBytesMax: MESSAGE_BYTES_MAX,
      bufferedBytesMax: 1024 * 1024 * 1024,
      clock: systemClock,
    },
    ({ body, reply }) => reply(body.subarray(0, Math.min(body.length, 100))),
    () => undefined,
  );
  const address = await router.start();
  if (!('port' in address)) throw new Error('the echo listens nowhere');
  return address.port;
}

/** @returns how long each request took, milliseconds, after all connections stood */
export async function echoAtOnce({
  port,
  connections,
  requestBytes,
}: Extract<LoadOrder, { type: 'echo' }>): Promise<number[]> {
  const requesters = Array.from(
    { length: connections },
    () =>
      new Requester({
        address: () => ({ host: '127.0.0.1', port }),
        messageBytesMax: MESSAGE_BYTES_MAX,
        pendingMax: 10,
        reconnectMs: { min: 100, max: 1000 },
        clock: systemClock,
        random: systemRandom,
      }),
  );
  try {
    const body = Buffer.alloc(requestBytes, 'x');
    // a server lets one address have so many handshakes under way, and no more
    for (let from = 0; from < requesters.length; from += CONNECTING_MAX) {
      const some = requesters.slice(from, from + CONNECTING_MAX);
      await Promise.all(some.map((requester) => requester.request(Buffer.from('hello'), TIMEOUT_MS)));
    }
    const startedMs = performance.now();
    return await Promise.all(
      requesters.map(async (requester) => {
        await requester.request(body, TIMEOUT_MS);
        return performance.now() - startedMs;
      }),
    );
  } finally {
    for (const requester of requesters) requester.close();
  }
}
