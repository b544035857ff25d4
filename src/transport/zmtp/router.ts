/**
 * The request server's socket: takes one request at a time from each of many peers and sends each its reply. Whatever
 * stands before a request's last part (a REQ's empty delimiter, a correlating REQ's id) is echoed before the reply.
 */
import type { Server, Socket } from 'node:net';
import type { Clock } from '../../host/clock.ts';
import type { Address } from '../address.ts';
import { listen } from '../listen.ts';
import { ZmtpConnection } from './connection.ts';

/** How the router behaves. */
export interface RouterOptions {
  readonly address: Address;
  readonly backlog: number;
  readonly messageBytesMax: number;
  /** Bytes of half-received messages and unsent replies over all peers; beyond it the peer that holds most is cut off. */
  readonly bufferedBytesMax: number;
  readonly clock: Clock;
}

/** What the router has seen, for metrics and log lines. */
export interface RouterCounters {
  connections: number;
  requests: number;
  /** Peers cut off because they broke the protocol or a limit. */
  refusedPeers: number;
}

/** A request and the way back to its sender. */
export interface RouterRequest {
  readonly body: Buffer;
  /** Sends the reply; a sender that has gone is no error. */
  reply(body: Buffer): void;
  /** The sender's address, for log lines. */
  readonly from: string;
}

/** A listening ROUTER socket. */
export class Router {
  readonly counters: RouterCounters = { connections: 0, requests: 0, refusedPeers: 0 };
  readonly #options: RouterOptions;
  readonly #onRequest: (request: RouterRequest) => void;
  readonly #onRefused: (from: string, reason: Error) => void;
  readonly #peers = new Set<ZmtpConnection>();
  #server: Server | undefined;
  #paused = false;
  #bytesSinceCheck = 0;

  /**
   * @param onRequest called for each request; it must lead to exactly one reply
   * @param onRefused called when a peer was cut off
   */
  constructor(
    options: RouterOptions,
    onRequest: (request: RouterRequest) => void,
    onRefused: (from: string, reason: Error) => void,
  ) {
    this.#options = options;
    this.#onRequest = onRequest;
    this.#onRefused = onRefused;
  }

  /** @returns the address, with the port the system chose when 0 was asked for. @throws ListenError */
  async start(): Promise<Address> {
    const { server, address } = await listen(this.#options, (socket) => this.#accept(socket));
    this.#server = server;
    return address;
  }

  /** Stops and starts reading from all peers: the back-pressure of a queue that is full. */
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
    const from = `${socket.remoteAddress ?? 'local'}:${socket.remotePort ?? ''}`;
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
    socket.on('data', (chunk: Buffer) => this.#checkBudget(chunk.length));
    if (this.#paused) socket.pause();
  }

  #request(peer: ZmtpConnection, parts: Buffer[], from: string): void {
    this.counters.requests++;
    const body = parts[parts.length - 1] as Buffer;
    const envelope = parts.slice(0, -1).map((part) => Buffer.from(part));
    const reply = (answer: Buffer): void => {
      peer.send([...envelope, answer]);
      this.#checkBudget(answer.length);
    };
    this.#onRequest({ body, from, reply });
  }

  /** Summing up what all peers hold is worth it whenever that much may have been added. */
  #checkBudget(addedBytes: number): void {
    const { bufferedBytesMax } = this.#options;
    this.#bytesSinceCheck += addedBytes;
    if (this.#bytesSinceCheck < bufferedBytesMax / 16) return;
    this.#bytesSinceCheck = 0;
    let total = 0;
    let largest: ZmtpConnection | undefined;
    for (const peer of this.#peers) {
      const heldBytes = peer.pendingBytes + peer.queuedBytes;
      total += heldBytes;
      if (largest === undefined || heldBytes > largest.pendingBytes + largest.queuedBytes) largest = peer;
    }
    if (total > bufferedBytesMax)
      largest?.destroy(new Error(`all peers together hold ${total} bytes, and this one most of them`));
  }

  #closed(peer: ZmtpConnection, error: Error | undefined, from: string): void {
    this.#peers.delete(peer);
    this.counters.connections--;
    const code = (error as NodeJS.ErrnoException | undefined)?.code;
    if (error === undefined || code === 'ECONNRESET' || code === 'EPIPE') return;
    this.counters.refusedPeers++;
    this.#onRefused(from, error);
  }
}
