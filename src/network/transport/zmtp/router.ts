/**
 * The request server's socket: takes one request at a time from each of many peers and sends each its reply. Whatever
 * stands before a request's last part (a REQ's empty delimiter, a correlating REQ's id) is echoed before the reply.
 */
import type { Socket } from 'node:net';
import { peerName } from '../peer-name.ts';
import { acceptStreams, type Acceptor } from '../accept.ts';
import type { Address } from '../address.ts';
import { PeerWatch } from '../peer-watch.ts';
import { RequestPeers } from '../request-peers.ts';
import type {
  IncomingRequest,
  OnRefused,
  OnRequest,
  RequestServer,
  RequestServerCounters,
  RequestServerOptions,
} from '../transport.ts';
import { UNFINISHED, ZmtpConnection } from './connection.ts';

/** A request, under the name that it has on this transport. */
export type RouterRequest = IncomingRequest;

/** A listening ROUTER socket. */
export class Router implements RequestServer {
  readonly counters: RequestServerCounters;
  readonly #options: RequestServerOptions;
  readonly #onRequest: OnRequest;
  readonly #peers: RequestPeers<ZmtpConnection>;
  readonly #watch: PeerWatch<ZmtpConnection>;
  #acceptor: Acceptor | undefined;

  constructor(options: RequestServerOptions, onRequest: OnRequest, onRefused: OnRefused) {
    this.#options = options;
    this.#onRequest = onRequest;
    this.#peers = new RequestPeers(options, onRefused);
    this.counters = this.#peers.counters;
    this.#watch = new PeerWatch(options.clock, this.#peers, UNFINISHED);
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
    const { messageBytesMax, clock } = this.#options;
    const connection = new ZmtpConnection(
      socket,
      { type: 'ROUTER', identity: Buffer.alloc(0), messageBytesMax, clock },
      {
        ready: () => undefined,
        message: (peer, parts) => this.#request(peer, parts, from),
        closed: (peer, error) => {
          this.#watch.remove(peer);
          this.#peers.remove(peer, from, error);
        },
      },
    );
    this.#peers.add(connection);
    this.#watch.add(connection);
    socket.on('data', (chunk: Buffer) => this.#peers.received(connection, chunk.length));
  }

  #request(peer: ZmtpConnection, parts: Buffer[], from: string): void {
    this.counters.requests++;
    const body = parts[parts.length - 1] as Buffer;
    const ended = this.#peers.began(peer, body.length);
    const envelope = parts.slice(0, -1).map((part) => Buffer.from(part));
    const reply = (answer: Buffer): void => {
      peer.send([...envelope, answer]);
      this.#peers.queued(answer.length);
      ended();
    };
    this.#onRequest({ body, from, reply, proven: () => this.#peers.prove(peer) });
  }
}
