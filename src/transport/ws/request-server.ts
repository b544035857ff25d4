/**
 * The request port of the ws transport: one message is one request, and the replies of a connection come in the order of its
 * requests, because nothing else says which is whose (salt/transport/ws.py `RequestServer`, 3007.8).
 */
import { isOrdinaryEnd } from '../accept.ts';
import type { Address } from '../address.ts';
import { BufferBudget, type BufferingPeer } from '../buffer-budget.ts';
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

/** See the file's comment. */
export class WsRequestServer implements RequestServer {
  readonly counters: RequestServerCounters = { connections: 0, requests: 0, refusedPeers: 0 };
  readonly #onRequest: OnRequest;
  readonly #server: WsServer;
  readonly #held = new Set<BufferingPeer>();
  readonly #budget: BufferBudget;
  readonly #onRefused: OnRefused;
  #paused = false;

  constructor(options: RequestServerOptions, onRequest: OnRequest, onRefused: OnRefused) {
    this.#onRequest = onRequest;
    this.#onRefused = (from, error) => {
      this.counters.refusedPeers++;
      onRefused(from, error);
    };
    this.#budget = new BufferBudget(options.bufferedBytesMax, this.#held);
    this.#server = new WsServer(
      { ...options, heartbeatMs: HEARTBEAT_MS },
      (peer) => this.#accept(peer),
      this.#onRefused,
    );
  }

  start(): Promise<Address> {
    return this.#server.start();
  }

  setPaused(paused: boolean): void {
    if (paused === this.#paused) return;
    this.#paused = paused;
    for (const { socket } of this.#server.peers) {
      if (paused) socket.pause();
      else socket.resume();
    }
  }

  close(): void {
    this.#server.close();
  }

  #accept(peer: WsPeer): void {
    const { socket, stream, from } = peer;
    const replies = new OrderedReplies((body) => {
      peer.write(body);
      this.#budget.add(body.length);
    });
    let receivedBytes = stream.bytesRead;
    const held: BufferingPeer = {
      // what has come since the last whole message
      get pendingBytes() {
        return stream.bytesRead - receivedBytes;
      },
      get queuedBytes() {
        return peer.queuedBytes;
      },
      destroy: (error) => peer.destroy(error ?? new Error('it holds too much')),
    };
    this.#held.add(held);
    this.counters.connections++;
    stream.on('data', (chunk: Buffer) => this.#budget.add(chunk.length));
    socket.on('message', (data, isBinary) => {
      receivedBytes = stream.bytesRead;
      if (!isBinary) return;
      this.counters.requests++;
      const reply = replies.next();
      this.#onRequest({ body: bytesOf(data), from, reply });
    });
    socket.on('close', () => {
      this.#held.delete(held);
      this.counters.connections--;
      if (!isOrdinaryEnd(peer.fault)) this.#onRefused(from, peer.fault as Error);
    });
    if (this.#paused) socket.pause();
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
