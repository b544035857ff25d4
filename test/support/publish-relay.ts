/** A man in the middle on the publish port: hands on what a master publishes, keeps it, and says what it likes. */
import type { TestContext } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { systemRandom } from '../../src/host/random.ts';
import { publishClient, publishServer } from '../../src/network/transport/transports.ts';
import type { PublishServer } from '../../src/network/transport/transport.ts';
import { encode, type Encodable } from '../../src/formats/wire/msgpack.ts';

const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

/** Hands publications on, and says whatever a test wants. Minions find it with `publish_port`. */
export class PublishRelay {
  /** What was published, in its order. */
  readonly heard: Buffer[] = [];
  port = 0;
  /** How often the master's port was connected to. */
  connections = 0;
  #server: PublishServer | undefined;
  #number = 0;

  /** @param publishPort of the master */
  static async open(t: TestContext, publishPort: number): Promise<PublishRelay> {
    const relay = new PublishRelay();
    const server = await publishServer('zeromq', {
      address: { host: '127.0.0.1', port: 0 },
      backlog: 16,
      peerQueueBytesMax: MESSAGE_BYTES_MAX,
      clock: systemClock,
    });
    relay.#server = server;
    const address = await server.start();
    relay.port = 'port' in address ? address.port : 0;
    const client = publishClient(
      'zeromq',
      {
        address: () => ({ host: '127.0.0.1', port: publishPort }),
        properties: () => new Map(),
        identification: () => Promise.resolve(Buffer.alloc(0)),
        topics: [''],
        messageBytesMax: MESSAGE_BYTES_MAX,
        reconnect: { defaultMs: 50, maxMs: 100, randomize: false },
        clock: systemClock,
        random: systemRandom,
      },
      {
        connected: () => void relay.connections++,
        disconnected: () => undefined,
        message: (parts) => {
          const copy = Buffer.from(parts.at(-1) as Buffer);
          relay.heard.push(copy);
          relay.send(copy);
        },
      },
    );
    client.start();
    t.after(() => {
      client.close();
      server.close();
    });
    return relay;
  }

  /** Sends bytes to every minion that is connected. */
  send(envelope: Buffer): void {
    this.#server?.send({ number: ++this.#number, ids: null, envelope });
  }

  /** Sends an envelope made of these fields. */
  publish(fields: Readonly<Record<string, Encodable | undefined>>): void {
    this.send(encode({ enc: 'aes', ...fields }, 'network'));
  }
}
