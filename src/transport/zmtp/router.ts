/**
 * The request server's socket: takes one request at a time from each of many peers and sends each its reply. Whatever
 * stands before a request's last part (a REQ's empty delimiter, a correlating REQ's id) is echoed before the reply.
 */
import type { Server, Socket } from 'node:net';
import { isOrdinaryEnd, peerName } from '../accept.ts';
import { BufferBudget } from '../buffer-budget.ts';
import type { Address } from '../address.ts';
import { listen } from '../listen.ts';
import type {
  IncomingRequest,
  OnRefused,
  OnRequest,
  RequestServer,
  RequestServerCounters,
  RequestServerOptions,
} from '../transport.ts';
import { ZmtpConnection } from './connection.ts';

/** A request, under the name that it has on this transport. */
export type RouterRequest = IncomingRequest;

/** A listening ROUTER socket. */
export class Router implements RequestServer {
  readonly counters: RequestServerCounters = { connections: 0, requests: 0, refusedPeers: 0 };
  readonly #options: RequestServerOptions;
  readonly #onRequest: OnRequest;
  readonly #onRefused: OnRefused;
  readonly #peers = new Set<ZmtpConnection>();
  #server: Server | undefined;
  readonly #budget: BufferBudget;
  #paused = false;

  constructor(options: RequestServerOptions, onRequest: OnRequest, onRefused: OnRefused) {
    this.#options = options;
    this.#onRequest = onRequest;
    this.#onRefused = onRefused;
    this.#budget = new BufferBudget(options.bufferedBytesMax, this.#peers);
  }

  async start(): Promise<Address> {
    const { server, address } = await listen(this.#options, (socket) => this.#accept(socket));
    this.#server = server;
    return address;
  }

  setPaused(paused: boolean): void {
    if (paused === this.#paused) return;
    this.#paused = paused;
    for (const peer of this.#peers) {
      if (paused) peer.socket.pause();
      else peer.socket.resume();
    }
  }

  close(): void {
    this.#server?.close();
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
        closed: (peer, error) => this.#closed(peer, error, from),
      },
    );
    this.#peers.add(connection);
    this.counters.connections++;
    socket.on('data', (chunk: Buffer) => this.#budget.add(chunk.length));
    if (this.#paused) socket.pause();
  }

  #request(peer: ZmtpConnection, parts: Buffer[], from: string): void {
    this.counters.requests++;
    const body = parts[parts.length - 1] as Buffer;
    const envelope = parts.slice(0, -1).map((part) => Buffer.from(part));
    const reply = (answer: Buffer): void => {
      peer.send([...envelope, answer]);
      this.#budget.add(answer.length);
    };
    this.#onRequest({ body, from, reply });
  }

  #closed(peer: ZmtpConnection, error: Error | undefined, from: string): void {
    this.#peers.delete(peer);
    this.counters.connections--;
    if (isOrdinaryEnd(error)) return;
    this.counters.refusedPeers++;
    this.#onRefused(from, error as Error);
  }
}
