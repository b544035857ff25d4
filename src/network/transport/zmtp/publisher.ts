/**
 * The publish port: one message to every peer whose subscription fits. A peer that cannot keep up is cut off, never
 * waited for.
 */
import type { Socket } from 'node:net';
import { peerName } from '../peer-name.ts';
import { acceptStreams, type Acceptor } from '../accept.ts';
import type { Address } from '../address.ts';
import { IdentifiedPeers } from '../identified-peers.ts';
import { PeerLimitError, PeerWatch } from '../peer-watch.ts';
import { Publishing } from '../publishing.ts';
import type { Missed } from '../recent-messages.ts';
import {
  KEEP_ALIVE_MS,
  type Publication,
  type PublishServer,
  type PublishServerCounters,
  type PublishServerOptions,
} from '../transport.ts';
import { UNFINISHED, ZmtpConnection } from './connection.ts';
import { encodeMessage, ZmtpError } from './frames.ts';

/** Bytes of one subscription message. */
const SUBSCRIPTION_BYTES_MAX = 1024;
/** Subscriptions of one peer. */
const SUBSCRIPTIONS_MAX = 64;
/** Time for the further subscriptions of a peer that has sent its first. */
const SUBSCRIPTIONS_MS = 20;

/** How the publisher behaves. */
export interface PublisherOptions extends PublishServerOptions {
  /** The topics under which a publication is sent, `zmq_filtering`; without it everybody gets everything. */
  readonly topics?: (ids: readonly string[] | null) => readonly Buffer[];
}

interface Peer {
  readonly connection: ZmtpConnection;
  readonly topics: Set<string>;
  /** Who the peer has proved to be. */
  id: string | undefined;
  /**
   * What it has missed, until that has been sent; what is published meanwhile is sent with it, because order matters.
   */
  missed: Missed | undefined;
  /** When it said so, on the monotonic clock. */
  askedAtMs: number;
  isResending: boolean;
}

/** A listening PUB socket. */
export class Publisher implements PublishServer {
  readonly counters: PublishServerCounters;
  readonly #options: PublisherOptions;
  readonly #peers = new Map<ZmtpConnection, Peer>();
  readonly #identified: IdentifiedPeers;
  readonly #publishing: Publishing;
  readonly #watch: PeerWatch<ZmtpConnection>;
  #acceptor: Acceptor | undefined;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#publishing = new Publishing(options);
    this.counters = this.#publishing.counters;
    this.#identified = new IdentifiedPeers(options.presence);
    const peers = { [Symbol.iterator]: () => this.#peers.keys() };
    this.#watch = new PeerWatch(options.clock, peers, UNFINISHED);
  }

  /** Number of peers with at least one subscription. */
  get subscribers(): number {
    let count = 0;
    for (const peer of this.#peers.values()) if (peer.topics.size > 0) count++;
    return count;
  }

  /** The addresses subscribers come from. */
  get remoteAddresses(): string[] {
    return [...this.#peers.keys()].flatMap((c) => c.socket.remoteAddress ?? []);
  }

  /** @throws ListenError */
  async start(): Promise<Address> {
    this.#acceptor = await acceptStreams(
      this.#options,
      (socket) => this.#accept(socket),
      (from, error) => this.#publishing.ended(from, error),
    );
    return this.#acceptor.address;
  }

  send({ envelope, ids, number }: Publication): number {
    const { topics } = this.#options;
    if (topics === undefined) return this.publish([envelope], number);
    let count = 0;
    for (const topic of topics(ids)) count += this.publish([topic, envelope], number);
    return count;
  }

  /**
   * Sends one message to all whose subscription is a prefix of its first part.
   * @param number of the publication, by which a peer says what it has missed
   * @returns how many peers it went to
   */
  publish(parts: readonly Buffer[], number?: number): number {
    const topic = (parts[0] as Buffer).toString('latin1');
    const message = { bytes: encodeMessage(parts), number, topic };
    return this.#publishing.send(message, this.#recipients(topic, number !== undefined));
  }

  /** @param isKept whether a peer that is about to get what it has missed gets this one with it */
  *#recipients(topic: string, isKept: boolean): Iterable<ZmtpConnection> {
    for (const { connection, topics, missed } of this.#peers.values())
      if (matches(topics, topic) && (missed === undefined || !isKept)) yield connection;
  }

  close(): void {
    this.#watch.close();
    this.#acceptor?.close();
    for (const connection of this.#peers.keys()) connection.destroy();
  }

  #accept(socket: Socket): void {
    const from = peerName(socket);
    const connection = new ZmtpConnection(
      socket,
      {
        type: 'PUB',
        messageBytesMax: SUBSCRIPTION_BYTES_MAX,
        clock: this.#options.clock,
        ...(this.#options.heartbeatMs === undefined ? {} : { heartbeatMs: this.#options.heartbeatMs }),
      },
      {
        ready: (peer) => this.#identify(peer),
        message: (peer, parts) => this.#subscription(peer, parts),
        closed: (peer, error) => {
          this.#gone(peer);
          this.#watch.remove(peer);
          if (error instanceof ZmtpError || error instanceof PeerLimitError)
            this.#publishing.ended(from, error);
        },
      },
    );
    this.#peers.set(connection, {
      connection,
      topics: new Set(),
      id: undefined,
      missed: undefined,
      askedAtMs: 0,
      isResending: false,
    });
    this.#watch.add(connection);
    const { keepAliveMs = KEEP_ALIVE_MS } = this.#options;
    if (keepAliveMs > 0) socket.setKeepAlive(true, keepAliveMs);
  }

  #identify(connection: ZmtpConnection): void {
    const peer = this.#peers.get(connection);
    const identity = this.#options.identify?.(connection.peerProperties);
    if (peer === undefined || identity === undefined) return;
    const { id, missed } = identity;
    peer.id = id;
    peer.missed = missed;
    peer.askedAtMs = this.#options.clock.monotonicMs();
    this.#identified.come(id);
  }

  #gone(connection: ZmtpConnection): void {
    const id = this.#peers.get(connection)?.id;
    this.#peers.delete(connection);
    if (id !== undefined) this.#identified.go(id);
  }

  #subscription(connection: ZmtpConnection, parts: Buffer[]): void {
    const peer = this.#peers.get(connection);
    const [message] = parts;
    if (peer === undefined || message === undefined || message.length === 0) return;
    const topic = message.toString('latin1', 1);
    if (message[0] === 0) peer.topics.delete(topic);
    else if (message[0] === 1 && peer.topics.size < SUBSCRIPTIONS_MAX) {
      peer.topics.add(topic);
      this.#resendSoon(peer);
    }
  }

  /** Sends what a peer has missed once all its subscriptions are in, which come in one go. */
  #resendSoon(peer: Peer): void {
    if (peer.missed === undefined || peer.isResending) return;
    peer.isResending = true;
    this.#options.clock.after(SUBSCRIPTIONS_MS, () => this.#resend(peer), { background: true });
  }

  #resend(peer: Peer): void {
    const { connection, topics, missed, askedAtMs } = peer;
    if (missed === undefined) return;
    peer.missed = undefined;
    this.#publishing.resend(connection, missed, { askedAtMs, wants: (topic) => matches(topics, topic) });
  }
}

function matches(topics: ReadonlySet<string>, topic: string): boolean {
  for (const prefix of topics) if (topic.startsWith(prefix)) return true;
  return false;
}
