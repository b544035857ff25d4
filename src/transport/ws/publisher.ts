/**
 * The publish port of the ws transport: everybody gets everything, each publication as one binary message (salt/transport/ws.py
 * `PublishServer`, 3007.8). A peer that cannot keep up is cut off, never waited for.
 */
import type { Address } from '../address.ts';
import { IdentifiedPeers } from '../identified-peers.ts';
import { RecentMessages } from '../recent-messages.ts';
import type {
  Publication,
  PublishServer,
  PublishServerCounters,
  PublishServerOptions,
} from '../transport.ts';
import { encodeWsPublication } from './frames.ts';
import { propertiesIn } from './properties.ts';
import { faultOf, WsServer, type WsPeer } from './server.ts';

/** Subscribers have next to nothing to say. */
const MESSAGE_BYTES_MAX = 16 * 1024;
const DEFAULT_HEARTBEAT_MS = 10_000;

/** See the file's comment. */
export class WsPublisher implements PublishServer {
  readonly counters: PublishServerCounters = {
    published: 0,
    delivered: 0,
    resent: 0,
    slowPeersCut: 0,
    refusedPeers: 0,
  };
  readonly #options: PublishServerOptions;
  readonly #server: WsServer;
  readonly #identified: IdentifiedPeers;
  readonly #recent: RecentMessages;

  constructor(options: PublishServerOptions) {
    this.#options = options;
    this.#recent = new RecentMessages(options.clock);
    this.#identified = new IdentifiedPeers(options.presence);
    this.#server = new WsServer(
      {
        ...options,
        messageBytesMax: MESSAGE_BYTES_MAX,
        heartbeatMs: options.heartbeatMs ?? DEFAULT_HEARTBEAT_MS,
      },
      (peer) => this.#accept(peer),
      (from, error) => this.#refused(from, error),
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
    const bytes = encodeWsPublication(envelope);
    if (number !== undefined) this.#recent.add(number, '', bytes);
    this.counters.published++;
    let count = 0;
    for (const peer of this.#server.peers) {
      const { socket } = peer;
      if (socket.bufferedAmount > this.#options.peerQueueBytesMax) {
        this.counters.slowPeersCut++;
        socket.terminate();
        continue;
      }
      if (socket.readyState !== socket.OPEN) continue;
      socket.send(bytes);
      count++;
    }
    this.counters.delivered += count;
    return count;
  }

  close(): void {
    this.#server.close();
  }

  #accept(peer: WsPeer): void {
    const { id, missed } = this.#options.identify?.(propertiesIn(peer.headers)) ?? {};
    if (id !== undefined) this.#identified.come(id);
    for (const { bytes } of missed === undefined ? [] : this.#recent.missed(missed)) {
      peer.socket.send(bytes);
      this.counters.resent++;
    }
    peer.socket.on('close', () => {
      if (id !== undefined) this.#identified.go(id);
      const fault = faultOf(peer);
      if (fault !== undefined) this.#refused(peer.from, fault);
    });
  }

  #refused(from: string, error: Error): void {
    this.counters.refusedPeers++;
    this.#options.refused?.(from, error);
  }
}
