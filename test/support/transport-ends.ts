/**
 * Both ends of a request port for tests of transports: a server that echoes, and a client of it, closed with the test.
 */
import type { TestContext } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { systemRandom } from '../../src/host/random.ts';
import type { Address } from '../../src/network/transport/address.ts';
import type {
  IncomingRequest,
  OnRefused,
  OnRequest,
  RequestClient,
  RequestClientOptions,
  RequestServer,
  RequestServerOptions,
} from '../../src/network/transport/transport.ts';

export const MiB = 1024 * 1024;
/** A port of this host that the system chooses. */
export const LOCAL: Address = { host: '127.0.0.1', port: 0 };

/** The port of an address; 0 when it has none. */
export function portOf(address: Address): number {
  return 'port' in address ? address.port : 0;
}

/** A listening server, where it listens, and why it has refused peers. */
export interface EchoServer<S> {
  readonly server: S;
  readonly address: Address;
  readonly refused: string[];
}

/** Starts a server. @param handler instead of one that sends each request back */
export async function startEcho<S extends RequestServer>(
  t: TestContext,
  Server: new (options: RequestServerOptions, onRequest: OnRequest, onRefused: OnRefused) => S,
  handler: (request: IncomingRequest) => void = (request) => request.reply(Buffer.from(request.body)),
): Promise<EchoServer<S>> {
  const refused: string[] = [];
  const limits = { backlog: 100, messageBytesMax: 16 * MiB, bufferedBytesMax: 64 * MiB };
  const server = new Server({ address: LOCAL, ...limits, clock: systemClock }, handler, (_from, reason) =>
    refused.push(reason.message),
  );
  const address = await server.start();
  t.after(() => server.close());
  return { server, address, refused };
}

/** A client of such a server. */
export function clientOf<C extends RequestClient>(
  t: TestContext,
  Client: new (options: RequestClientOptions) => C,
  address: () => Address,
): C {
  const client = new Client({
    address,
    messageBytesMax: 16 * MiB,
    pendingMax: 1000,
    reconnectMs: { min: 5, max: 20 },
    clock: systemClock,
    random: systemRandom,
  });
  t.after(() => client.close());
  return client;
}
