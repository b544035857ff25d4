/**
 * The publish port of the ws transport: everybody gets everything, each publication as one binary message (salt/transport/ws.py
 * `PublishServer`, 3007.8). A peer that cannot keep up is cut off, never waited for.
 */
import type { Address } from '../address.ts';
import { IdentifiedPeers } from '../identified-peers.ts';
import { Publishing } from '../publishing.ts';
import type {
  Publication,
  PublishServer,
  PublishServerCounters,
  PublishServerOptions,
} from '../transport.ts';
import { encodeWsPublication } from './frames.ts';
import { propertiesIn } from './properties.ts';
import { WsServer, type WsPeer } from './server.ts';

/** Subscribers have next to nothing to say. */
const MESSAGE_BYTES_MAX = 16 * 1024;
const DEFAULT_HEARTBEAT_MS = 10_000;

/** See the file's comment. */
export class WsPublisher implements PublishServer {
  readonly counters: PublishServerCounters;
  readonly #options: PublishServerOptions;
  readonly #server: WsServer;
  readonly #identified: IdentifiedPeers;
  readonly #publishing: Publishing;

  constructor(options: PublishServerOptions) {
    this.#options = options;
    this.#publishing = new Publishing(options);
    this.counters = this.#publishing.counters;
    this.#identified = new IdentifiedPeers(options.presence);
    this.#server = new WsServer(
      {
        ...options,
        messageBytesMax: MESSAGE_BYTES_MAX,
        heartbeatMs: options.heartbeatMs ?? DEFAULT_HEARTBEAT_MS,
      },
      (peer) => this.#accept(peer),
      (from, error) => this.#publishing.ended(from, error),
    );
  }

  get subscribers(): number {
    return this.#server.peers.size;
  }

  get remoteAddresses(): string[] {
    return [...this.#server.peers].flatMap(({ stream }) => stream.remoteAddress ?? []);
  }

  start(): Promise<Address> {
    return this.#server.start();
  }

  send({ envelope, number }: Publication): number {
    return this.#publishing.send({ bytes: encodeWsPublication(envelope), number }, this.#server.peers);
  }

  close(): void {
    this.#server.close();
  }

  #accept(peer: WsPeer): void {
    const { id, missed } = this.#options.identify?.(propertiesIn(peer.headers)) ?? {};
    if (id !== undefined) this.#identified.come(id);
    if (missed !== undefined) this.#publishing.resend(peer, missed);
    peer.socket.on('close', () => {
      if (id !== undefined) this.#identified.go(id);
      this.#publishing.ended(peer.from, peer.fault);
    });
  }
}
