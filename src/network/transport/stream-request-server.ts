/** A request port on streams of bytes, whatever is spoken on them: it listens, watches its peers and counts what they hold. */
import type { Socket } from 'node:net';
import { acceptStreams, type Acceptor } from './accept.ts';
import type { Address } from './address.ts';
import { peerName } from './peer-name.ts';
import { PeerWatch, type WatchedPeer, type WatchLimits } from './peer-watch.ts';
import { RequestPeers, type RequestPeer } from './request-peers.ts';
import type {
  OnRefused,
  OnRequest,
  RequestServer,
  RequestServerCounters,
  RequestServerOptions,
} from './transport.ts';

/** A connection on which requests come. */
export interface StreamPeer extends RequestPeer, WatchedPeer {
  destroy(error?: Error): void;
}

/** What the transports `tcp` and `zeromq` do alike; each makes connections of its own of the streams that come. */
export abstract class StreamRequestServer<P extends StreamPeer> implements RequestServer {
  readonly counters: RequestServerCounters;
  protected readonly options: RequestServerOptions;
  protected readonly onRequest: OnRequest;
  protected readonly peers: RequestPeers<P>;
  readonly #watch: PeerWatch<P>;
  #acceptor: Acceptor | undefined;

  /** @param limits what is borne of peers that say nothing */
  constructor(
    options: RequestServerOptions,
    onRequest: OnRequest,
    onRefused: OnRefused,
    limits: WatchLimits,
  ) {
    this.options = options;
    this.onRequest = onRequest;
    this.peers = new RequestPeers(options.bufferedBytesMax, onRefused);
    this.counters = this.peers.counters;
    this.#watch = new PeerWatch(options.clock, this.peers, limits);
  }

  async start(): Promise<Address> {
    this.#acceptor = await acceptStreams(
      this.options,
      (socket) => this.#accept(socket),
      (from, error) => this.peers.refuse(from, error),
    );
    return this.#acceptor.address;
  }

  setPaused(paused: boolean): void {
    this.peers.setPaused(paused);
  }

  close(): void {
    this.#watch.close();
    this.#acceptor?.close();
    for (const peer of this.peers) peer.destroy();
  }

  /** Speaks with a peer that has come. @param from its address, for logs and requests */
  protected abstract connect(socket: Socket, from: string): P;

  /** A peer's connection has ended. @param error why, when it was not in order */
  protected ended(peer: P, from: string, error: Error | undefined): void {
    this.#watch.remove(peer);
    this.peers.remove(peer, from, error);
  }

  #accept(socket: Socket): void {
    const peer = this.connect(socket, peerName(socket));
    this.peers.add(peer);
    this.#watch.add(peer);
    socket.on('data', (chunk: Buffer) => this.peers.buffered(chunk.length));
  }
}
