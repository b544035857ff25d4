/**
 * The client end of the ws transport's request port. A connection carries one request at a time, because nothing says
 * which reply is whose; a few connections stand side by side, and one is kept for the next request (Salt's opens one
 * for each).
 */
import type { RawData, WebSocket } from 'ws';
import { contained } from '../contained.ts';
import { RequestQueue, type OpenRequestLink, type RequestLinkEvents } from '../request-queue.ts';
import type { Address } from '../address.ts';
import type { RequestClientOptions } from '../transport.ts';
import { bytesOf } from './frames.ts';
import { explainWs, openWs } from './open.ts';

/** Connections side by side; further requests wait. */
const CONNECTIONS_MAX = 16;
const CONNECTIONS_KEPT = 1;

/** Sends requests over WebSockets, one at a time on each connection. */
export class WsRequestClient extends RequestQueue {
  constructor(options: RequestClientOptions) {
    super(options, wsLink(options));
  }
}

function wsLink(options: RequestClientOptions): OpenRequestLink {
  return async (address, events) => {
    const link = new WsConnections(options, address, events);
    await link.open();
    return link;
  };
}

/** The connections to one master: the loss of one that carries a request ends them all, and the queue begins anew. */
class WsConnections {
  readonly #options: RequestClientOptions;
  readonly #address: Address;
  readonly #events: RequestLinkEvents;
  readonly #sockets = new Map<WebSocket, { id: number | undefined }>();
  /** Those that are not open yet. */
  readonly #connecting = new Set<WebSocket>();
  readonly #waiting: { readonly id: number; readonly body: Buffer }[] = [];
  /** Connections that were given up on purpose: their end means nothing. */
  readonly #dismissed = new WeakSet<WebSocket>();
  #isReady = false;
  #isOver = false;
  #opening = 0;

  constructor(options: RequestClientOptions, address: Address, events: RequestLinkEvents) {
    this.#options = options;
    this.#address = address;
    this.#events = events;
  }

  send(id: number, body: Buffer): void {
    this.#waiting.push({ id, body });
    this.#next();
  }

  /** Its reply would be taken for the next one's: the connection goes. */
  timedOut(id: number): void {
    const waits = this.#waiting.findIndex((request) => request.id === id);
    if (waits >= 0) this.#waiting.splice(waits, 1);
    for (const [socket, state] of this.#sockets) {
      if (state.id !== id) continue;
      this.#sockets.delete(socket);
      this.#dismissed.add(socket);
      socket.terminate();
    }
    this.#next();
  }

  destroy(): void {
    this.#end(undefined);
  }

  async open(): Promise<void> {
    const { messageBytesMax, keepAliveMs, heartbeatMs, ssl } = this.#options;
    this.#opening++;
    const socket = await openWs({
      address: this.#address,
      messageBytesMax,
      keepAliveMs: heartbeatMs ?? keepAliveMs,
      ssl,
      headers: {},
    });
    let fault: Error | undefined;
    socket.on('error', (error) => (fault ??= error));
    if (this.#isOver) return socket.terminate();
    this.#connecting.add(socket);
    socket.on('open', () => {
      this.#connecting.delete(socket);
      this.#opening--;
      this.#sockets.set(socket, { id: undefined });
      if (!this.#isReady) {
        this.#isReady = true;
        this.#events.ready();
      }
      this.#next();
    });
    const end = (thrown: Error): void => {
      fault ??= thrown;
      socket.terminate();
    };
    socket.on(
      'message',
      contained((data: RawData) => this.#reply(socket, Buffer.from(bytesOf(data))), end),
    );
    socket.on('close', () => {
      this.#connecting.delete(socket);
      const state = this.#sockets.get(socket);
      this.#sockets.delete(socket);
      if (this.#dismissed.has(socket)) return;
      // one that never opened, one that carried a request, or the last one
      if (state?.id !== undefined || state === undefined || this.#sockets.size === 0) this.#end(fault);
    });
  }

  #reply(socket: WebSocket, body: Buffer): void {
    const state = this.#sockets.get(socket);
    if (state?.id === undefined) return;
    const { id } = state;
    state.id = undefined;
    this.#events.reply(id, body);
    this.#next();
  }

  #dismissSpare(): void {
    const idle = [...this.#sockets].filter(([, { id }]) => id === undefined);
    for (const [spare] of idle.slice(CONNECTIONS_KEPT)) {
      this.#sockets.delete(spare);
      this.#dismissed.add(spare);
      spare.close();
    }
  }

  #next(): void {
    for (const [socket, state] of this.#sockets) {
      if (state.id !== undefined || socket.readyState !== socket.OPEN) continue;
      const request = this.#waiting.shift();
      if (request === undefined) return this.#dismissSpare();
      state.id = request.id;
      socket.send(request.body);
    }
    const wanted = Math.min(this.#waiting.length, CONNECTIONS_MAX - this.#sockets.size) - this.#opening;
    for (let count = 0; count < wanted; count++) this.open().catch((error: Error) => this.#end(error));
  }

  #end(error: Error | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const socket of [...this.#sockets.keys(), ...this.#connecting]) socket.terminate();
    this.#sockets.clear();
    // never from within the call that asked for it
    queueMicrotask(() => this.#events.closed(explainWs(error)));
  }
}
