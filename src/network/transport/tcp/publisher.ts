/**
 * The publish port of the tcp transport: subscribers say who they are, and a publication that names its minions goes to
 * those, and to who has not said yet who it is (salt/transport/tcp.py `PubServer`, 3006.16). A peer that cannot keep up
 * is cut off, never waited for; one that never says who it is, too.
 */
import type { Socket } from 'node:net';
import { acceptStreams, type Acceptor } from '../accept.ts';
import { peerName } from '../peer-name.ts';
import type { Address } from '../address.ts';
import { IdentifiedPeers } from '../identified-peers.ts';
import { PeerWatch } from '../peer-watch.ts';
import { Publishing } from '../publishing.ts';
import type {
  Publication,
  PublishServer,
  PublishServerCounters,
  PublishServerOptions,
} from '../transport.ts';
import { TcpConnection } from './connection.ts';
import { encodePublication } from './frames.ts';

/** What a subscriber says of itself is a few hundred bytes. */
const IDENTIFICATION_BYTES_MAX = 16 * 1024;
/** What is borne of those who do not say who they are. */
const SILENCE = { firstWordMs: 30_000, silentMax: 10_000 };
const DEFAULT_HEARTBEAT_MS = 10_000;

/** How the publisher behaves. */
export interface TcpPublisherOptions extends PublishServerOptions {
  /** Salt compat: with `order_masters` everybody gets everything. */
  readonly everythingToAll?: boolean;
}

/** A subscriber, as the watch sees it: it has spoken when it has said who it is. */
class Peer {
  readonly connection: TcpConnection;
  id: string | undefined;

  constructor(connection: TcpConnection) {
    this.connection = connection;
  }

  get hasSpoken(): boolean {
    return this.id !== undefined;
  }

  get pendingBytes(): number {
    return this.connection.pendingBytes;
  }

  get receivedBytes(): number {
    return this.connection.receivedBytes;
  }

  get messages(): number {
    return this.connection.messages;
  }

  get isPaused(): boolean {
    return false;
  }

  destroy(error: Error): void {
    this.connection.destroy(error);
  }
}

/** Publishes over tcp to the subscribers that a publication names. */
export class TcpPublisher implements PublishServer {
  readonly counters: PublishServerCounters;
  readonly #options: TcpPublisherOptions;
  readonly #peers = new Set<Peer>();
  readonly #byId = new Map<string, Set<Peer>>();
  readonly #unidentified = new Set<Peer>();
  readonly #identified: IdentifiedPeers;
  readonly #watch: PeerWatch<Peer>;
  readonly #publishing: Publishing;
  #acceptor: Acceptor | undefined;

  constructor(options: TcpPublisherOptions) {
    this.#options = options;
    this.#publishing = new Publishing(options);
    this.counters = this.#publishing.counters;
    this.#identified = new IdentifiedPeers(options.presence);
    this.#watch = new PeerWatch(options.clock, this.#peers, SILENCE);
  }

  get subscribers(): number {
    return this.#peers.size;
  }

  get remoteAddresses(): string[] {
    return [...this.#peers].flatMap(({ connection }) => connection.socket.remoteAddress ?? []);
  }

  async start(): Promise<Address> {
    this.#acceptor = await acceptStreams(
      this.#options,
      (socket) => this.#accept(socket),
      (from, error) => this.#publishing.ended(from, error),
    );
    return this.#acceptor.address;
  }

  send({ envelope, ids, number }: Publication): number {
    // a minion that asks for what it has missed looks itself whether it is meant
    return this.#publishing.send({ bytes: encodePublication(envelope), number }, this.#recipients(ids));
  }

  close(): void {
    this.#watch.close();
    this.#acceptor?.close();
    for (const { connection } of this.#peers) connection.destroy();
  }

  *#recipients(ids: Publication['ids']): Iterable<TcpConnection> {
    if (ids === null || this.#options.everythingToAll) {
      for (const { connection } of this.#peers) yield connection;
      return;
    }
    for (const id of ids) for (const { connection } of this.#byId.get(id) ?? []) yield connection;
    // Salt compat: Salt leaves them out, and its own minions of 3007, which lose track of their connections, stay deaf
    for (const { connection } of this.#unidentified) yield connection;
  }

  #accept(socket: Socket): void {
    const from = peerName(socket);
    const connection = new TcpConnection(socket, IDENTIFICATION_BYTES_MAX, {
      frame: ({ body }) => this.#identify(peer, body),
      closed: (error) => {
        this.#gone(peer);
        this.#publishing.ended(from, error);
      },
    });
    const peer = new Peer(connection);
    this.#peers.add(peer);
    this.#unidentified.add(peer);
    this.#watch.add(peer);
    // the protocol has no heartbeat: the system asks whether a silent peer is still there
    socket.setKeepAlive(true, this.#options.heartbeatMs ?? DEFAULT_HEARTBEAT_MS);
  }

  #identify(peer: Peer, body: Buffer): void {
    const identity = this.#options.identifyByMessage?.(body);
    if (identity === undefined) {
      // Salt compat: Salt leaves it connected, deaf to what is sent to its id; a peer that is cut off authenticates
      // anew
      if (peer.id === undefined) peer.destroy(new Error('the peer does not prove which minion it is'));
      return;
    }
    const { id, missed } = identity;
    if (peer.id === id) return;
    this.#forget(peer);
    peer.id = id;
    this.#unidentified.delete(peer);
    const peers = this.#byId.get(id);
    if (peers === undefined) this.#byId.set(id, new Set([peer]));
    else peers.add(peer);
    this.#identified.come(id);
    if (missed !== undefined) this.#publishing.resend(peer.connection, missed);
  }

  #forget(peer: Peer): void {
    const { id } = peer;
    if (id === undefined) return;
    const peers = this.#byId.get(id);
    peers?.delete(peer);
    if (peers?.size === 0) this.#byId.delete(id);
    this.#identified.go(id);
  }

  #gone(peer: Peer): void {
    this.#peers.delete(peer);
    this.#unidentified.delete(peer);
    this.#watch.remove(peer);
    this.#forget(peer);
  }
}
