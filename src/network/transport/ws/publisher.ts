/**
 * The publish port of the ws transport: everybody gets everything, each publication as one binary message
 * (salt/transport/ws.py `PublishServer`, 3007.8). A peer that cannot keep up is cut off, never waited for. Salt's
 * subscribers never say who they are, so that those who do not are given all the time there is, but only so many of
 * them.
 */
import type { Address } from '../address.ts';
import { IdentifiedPeers } from '../identified-peers.ts';
import { PeerWatch, type WatchedPeer } from '../peer-watch.ts';
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
const SILENT_MAX = 10_000;

/** How the publisher behaves. */
export interface WsPublisherOptions extends PublishServerOptions {
  /** Subscribers that do not say who they are; at more the oldest of them is cut off. */
  readonly silentMax?: number;
}

/** Publishes over WebSockets to every subscriber. */
export class WsPublisher implements PublishServer {
  readonly counters: PublishServerCounters;
  readonly #options: WsPublisherOptions;
  readonly #server: WsServer;
  readonly #identified: IdentifiedPeers;
  readonly #publishing: Publishing;
  readonly #watch: PeerWatch<WatchedPeer>;

  constructor(options: WsPublisherOptions) {
    this.#options = options;
    this.#publishing = new Publishing(options);
    this.counters = this.#publishing.counters;
    this.#identified = new IdentifiedPeers(options.presence);
    const { silentMax = SILENT_MAX } = options;
    this.#watch = new PeerWatch(options.clock, [], { firstWordMs: Infinity, silentMax });
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
    this.#watch.close();
    this.#server.close();
  }

  #accept(peer: WsPeer): void {
    const { id, missed } = this.#options.identify?.(propertiesIn(peer.headers)) ?? {};
    if (id !== undefined) this.#identified.come(id);
    else this.#watchSilent(peer);
    if (missed !== undefined) this.#publishing.resend(peer, missed);
    peer.socket.on('close', () => {
      if (id !== undefined) this.#identified.go(id);
      this.#publishing.ended(peer.from, peer.fault);
    });
  }

  #watchSilent(peer: WsPeer): void {
    const silent: WatchedPeer = {
      ...{ hasSpoken: false, pendingBytes: 0, receivedBytes: 0, messages: 0, isPaused: false },
      destroy: (error) => peer.destroy(error),
    };
    peer.socket.on('close', () => this.#watch.remove(silent));
    this.#watch.add(silent);
  }
}
