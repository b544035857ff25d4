/**
 * A man in the middle on the request port: hands requests on and replies back, and answers in the master's place when
 * told to.
 */
import type { TestContext } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { requestServer } from '../../src/network/transport/transports.ts';
import { rawRequester } from './attacker.ts';

const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;
const PATIENCE_MS = 60_000;

/** Hands requests on, and answers whatever a test wants. Minions find it with `master_port`. */
export class RequestRelay {
  port = 0;
  /** What is answered instead of the master's replies; undefined hands these on. */
  instead: Buffer | undefined;
  /** How many requests were answered so. */
  answered = 0;

  /** @param retPort of the master */
  static async open(t: TestContext, retPort: number): Promise<RequestRelay> {
    const relay = new RequestRelay();
    const master = rawRequester(t, retPort);
    const server = await requestServer(
      'zeromq',
      {
        address: { host: '127.0.0.1', port: 0 },
        backlog: 16,
        messageBytesMax: MESSAGE_BYTES_MAX,
        bufferedBytesMax: 4 * MESSAGE_BYTES_MAX,
        clock: systemClock,
      },
      ({ body, reply }) => {
        if (relay.instead !== undefined) {
          relay.answered++;
          return reply(relay.instead);
        }
        // the master may be away: its minions ask again
        master.request(Buffer.from(body), PATIENCE_MS).then(reply, () => undefined);
      },
      () => undefined,
    );
    const address = await server.start();
    relay.port = 'port' in address ? address.port : 0;
    t.after(() => server.close());
    return relay;
  }
}
