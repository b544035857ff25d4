/** The request port of the tcp transport: takes requests from many peers, and sends each its reply with the head that it had. */
import type { Socket } from 'node:net';
import { acceptStreams, isOrdinaryEnd, peerName, type Acceptor } from '../accept.ts';
import type { Address } from '../address.ts';
import { BufferBudget } from '../buffer-budget.ts';
import { PeerWatch } from '../peer-watch.ts';
import type {
  OnRefused,
  OnRequest,
  RequestServer,
  RequestServerCounters,
  RequestServerOptions,
} from '../transport.ts';
import { TcpConnection } from './connection.ts';
import { encodeReply } from './frames.ts';

const KEEP_ALIVE_MS = 300_000;
/** Salt compat: minions of 3007 keep connections on which they may never ask anything. */
const SILENCE = { firstWordMs: Infinity, silentMax: 10_000 };

/** See the file's comment. */
export class TcpRequestServer implements RequestServer {
  readonly counters: RequestServerCounters = { connections: 0, requests: 0, refusedPeers: 0 };
  readonly #options: RequestServerOptions;
  readonly #onRequest: OnRequest;
  readonly #onRefused: OnRefused;
  readonly #peers = new Set<TcpConnection>();
  readonly #budget: BufferBudget;
  readonly #watch: PeerWatch<TcpConnection>;
  #acceptor: Acceptor | undefined;
  #paused = false;

  constructor(options: RequestServerOptions, onRequest: OnRequest, onRefused: OnRefused) {
    this.#options = options;
    this.#onRequest = onRequest;
    this.#onRefused = onRefused;
    this.#budget = new BufferBudget(options.bufferedBytesMax, this.#peers);
    this.#watch = new PeerWatch(options.clock, this.#peers, SILENCE);
  }

  async start(): Promise<Address> {
    this.#acceptor = await acceptStreams(
      this.#options,
      (socket) => this.#accept(socket),
      (from, error) => this.#refused(from, error),
    );
    return this.#acceptor.address;
  }

  setPaused(paused: boolean): void {
    if (paused === this.#paused) return;
    this.#paused = paused;
    for (const { socket } of this.#peers) {
      if (paused) socket.pause();
      else socket.resume();
    }
  }

  close(): void {
    this.#watch.close();
    this.#acceptor?.close();
    for (const peer of this.#peers) peer.destroy();
  }

  #accept(socket: Socket): void {
    const from = peerName(socket);
    const connection: TcpConnection = new TcpConnection(socket, this.#options.messageBytesMax, {
      frame: ({ head, body }) => {
        this.counters.requests++;
        const ownHead = Buffer.from(head);
        this.#onRequest({
          body,
          from,
          reply: (answer) => {
            connection.write(encodeReply(ownHead, answer));
            this.#budget.add(answer.length);
          },
        });
      },
      closed: (error) => {
        this.#peers.delete(connection);
        this.#watch.remove(connection);
        this.counters.connections--;
        if (!isOrdinaryEnd(error)) this.#refused(from, error as Error);
      },
    });
    this.#peers.add(connection);
    this.#watch.add(connection);
    this.counters.connections++;
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.on('data', (chunk: Buffer) => this.#budget.add(chunk.length));
    if (this.#paused) socket.pause();
  }

  #refused(from: string, error: Error): void {
    this.counters.refusedPeers++;
    this.#onRefused(from, error);
  }
}
