/**
 * The request port of the tcp transport: takes requests from many peers, and sends each its reply with the head that it
 * had.
 */
import type { Socket } from 'node:net';
import { acceptStreams, type Acceptor } from '../accept.ts';
import { peerName } from '../peer-name.ts';
import type { Address } from '../address.ts';
import { PeerWatch } from '../peer-watch.ts';
import { RequestPeers } from '../request-peers.ts';
import {
  KEEP_ALIVE_MS,
  type OnRefused,
  type OnRequest,
  type RequestServer,
  type RequestServerCounters,
  type RequestServerOptions,
} from '../transport.ts';
import { TcpConnection } from './connection.ts';
import { encodeReply } from './frames.ts';

/** Salt compat: minions of 3007 keep connections on which they may never ask anything. */
const SILENCE = { firstWordMs: Infinity, silentMax: 10_000 };

/** Takes requests over tcp and sends each reply with the head of its request. */
export class TcpRequestServer implements RequestServer {
  readonly counters: RequestServerCounters;
  readonly #options: RequestServerOptions;
  readonly #onRequest: OnRequest;
  readonly #peers: RequestPeers<TcpConnection>;
  readonly #watch: PeerWatch<TcpConnection>;
  #acceptor: Acceptor | undefined;

  constructor(options: RequestServerOptions, onRequest: OnRequest, onRefused: OnRefused) {
    this.#options = options;
    this.#onRequest = onRequest;
    this.#peers = new RequestPeers(options, onRefused);
    this.counters = this.#peers.counters;
    this.#watch = new PeerWatch(options.clock, this.#peers, SILENCE);
  }

  async start(): Promise<Address> {
    this.#acceptor = await acceptStreams(
      this.#options,
      (socket) => this.#accept(socket),
      (from, error) => this.#peers.refuse(from, error),
    );
    return this.#acceptor.address;
  }

  setPaused(paused: boolean): void {
    this.#peers.setPaused(paused);
  }

  close(): void {
    this.#watch.close();
    this.#peers.close();
    this.#acceptor?.close();
    for (const peer of this.#peers) peer.destroy();
  }

  #accept(socket: Socket): void {
    const from = peerName(socket);
    const connection: TcpConnection = new TcpConnection(socket, this.#options.messageBytesMax, {
      frame: ({ head, body }) => {
        this.counters.requests++;
        const ended = this.#peers.began(connection, body.length);
        const ownHead = Buffer.from(head);
        this.#onRequest({
          body,
          from,
          reply: (answer) => {
            connection.write(encodeReply(ownHead, answer));
            this.#peers.queued(answer.length);
            ended();
          },
          proven: () => this.#peers.prove(connection),
        });
      },
      closed: (error) => {
        this.#watch.remove(connection);
        this.#peers.remove(connection, from, error);
      },
    });
    this.#peers.add(connection);
    this.#watch.add(connection);
    const { keepAliveMs = KEEP_ALIVE_MS } = this.#options;
    if (keepAliveMs > 0) socket.setKeepAlive(true, keepAliveMs);
    socket.on('data', (chunk: Buffer) => this.#peers.received(connection, chunk.length));
  }
}
