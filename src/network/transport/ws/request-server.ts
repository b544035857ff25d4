/**
 * The request port of the ws transport: one message is one request, and the replies of a connection come in the order
 * of its requests, because nothing else says which is whose (salt/transport/ws.py `RequestServer`, 3007.8).
 */
import type { RawData } from 'ws';
import type { Address } from '../address.ts';
import { contained } from '../contained.ts';
import { RequestPeers, type RequestPeer } from '../request-peers.ts';
import type {
  OnRefused,
  OnRequest,
  RequestServer,
  RequestServerCounters,
  RequestServerOptions,
} from '../transport.ts';
import { bytesOf } from './frames.ts';
import { WsServer, type WsPeer } from './server.ts';

const HEARTBEAT_MS = 30_000;

/** Takes requests over WebSockets and replies in their order. */
export class WsRequestServer implements RequestServer {
  readonly counters: RequestServerCounters;
  readonly #onRequest: OnRequest;
  readonly #server: WsServer;
  readonly #peers: RequestPeers<RequestPeer>;

  constructor(options: RequestServerOptions, onRequest: OnRequest, onRefused: OnRefused) {
    this.#onRequest = onRequest;
    this.#peers = new RequestPeers(options, onRefused);
    this.counters = this.#peers.counters;
    this.#server = new WsServer(
      { ...options, heartbeatMs: HEARTBEAT_MS },
      (peer) => this.#accept(peer),
      (from, error) => this.#peers.refuse(from, error),
    );
  }

  start(): Promise<Address> {
    return this.#server.start();
  }

  setPaused(paused: boolean): void {
    this.#peers.setPaused(paused);
  }

  close(): void {
    this.#server.close();
    this.#peers.close();
  }

  #accept(peer: WsPeer): void {
    const { socket, stream, from } = peer;
    const replies = new OrderedReplies((body) => {
      peer.write(body);
      this.#peers.queued(body.length);
    });
    // the library gives all messages of a chunk that it has read, also when it is to read no more
    const waiting: Buffer[] = [];
    let isHeld = false;
    const held: RequestPeer = {
      socket,
      hold: () => {
        isHeld = true;
        socket.pause();
      },
      release: () => {
        isHeld = false;
        while (!isHeld && waiting.length > 0) serve(waiting.shift() as Buffer);
      },
      get pendingBytes() {
        return peer.pendingBytes;
      },
      get queuedBytes() {
        return peer.queuedBytes;
      },
      destroy: (error) => peer.destroy(error ?? new Error('it holds too much')),
    };
    this.#peers.add(held);
    let pendingBefore = 0;
    stream.on('data', (chunk: Buffer) => {
      const { pendingBytes } = peer;
      // many small pieces take more than their bytes
      this.#peers.received(held, Math.max(chunk.length, pendingBytes - pendingBefore));
      pendingBefore = pendingBytes;
    });
    const serve = (body: Buffer): void => {
      this.counters.requests++;
      const ended = this.#peers.began(held, body.length);
      const next = replies.next();
      const reply = (answer: Buffer): void => {
        next(answer);
        ended();
      };
      this.#onRequest({ body, from, reply, proven: () => this.#peers.prove(held) });
    };
    const take = (data: RawData, isBinary: boolean): void => {
      if (!isBinary) return;
      if (isHeld) waiting.push(bytesOf(data));
      else serve(bytesOf(data));
    };
    socket.on(
      'message',
      contained(take, (fault) => peer.destroy(fault)),
    );
    socket.on('close', () => this.#peers.remove(held, from, peer.fault));
  }
}

/** Lets replies out in the order of their requests. */
class OrderedReplies {
  readonly #send: (body: Buffer) => void;
  #slots: { body: Buffer | undefined }[] = [];

  constructor(send: (body: Buffer) => void) {
    this.#send = send;
  }

  next(): (body: Buffer) => void {
    const slot: { body: Buffer | undefined } = { body: undefined };
    this.#slots.push(slot);
    return (body) => {
      slot.body = body;
      let ready = 0;
      for (const { body: answer } of this.#slots) {
        if (answer === undefined) break;
        this.#send(answer);
        ready++;
      }
      this.#slots.splice(0, ready);
    };
  }
}
