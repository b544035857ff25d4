/**
 * What both ports of the ws transport share: HTTP upgrades on any path, binary frames, pings to peers that are silent.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Timer } from '../../../host/clock.ts';
import { contained } from '../contained.ts';
import { acceptStreams, type Acceptor } from '../accept.ts';
import { peerName } from '../peer-name.ts';
import type { Address } from '../address.ts';
import { KEEP_ALIVE_MS, type OnRefused, type ServerOptions } from '../transport.ts';
import { PeerWatch, type WatchedPeer } from '../peer-watch.ts';
import { answerPings } from './pongs.ts';
import { WsProgress } from './progress.ts';

/** Time for a peer to ask for the upgrade. */
const UPGRADE_TIMEOUT_MS = 30_000;
/** A peer that pings find silent must at least have sent so much of a message since the last one. */
const PROGRESS_BYTES = 512;
/** Headers of a peer's request: among them may be who it is. */
const HEADERS_BYTES_MAX = 16 * 1024;

/** How the server behaves. */
export interface WsServerOptions extends ServerOptions {
  readonly messageBytesMax: number;
  /** A peer that answers no ping is cut off within twice this time. */
  readonly heartbeatMs: number;
}

/** Who asks for the upgrade has spoken. */
const SILENCE = { firstWordMs: Infinity, silentMax: Infinity };

/** A connected peer. */
export class WsPeer implements WatchedPeer {
  readonly socket: WebSocket;
  readonly stream: Socket;
  readonly from: string;
  /** Headers of its request, by lower-case name. */
  readonly headers: IncomingMessage['headers'];
  readonly hasSpoken = true;
  readonly progress = new WsProgress();
  hasAnswered = true;
  /** Bytes received up to the last ping. */
  receivedAtPing = 0;
  #fault: Error | undefined;

  constructor(socket: WebSocket, stream: Socket, headers: IncomingMessage['headers']) {
    this.socket = socket;
    this.stream = stream;
    this.from = peerName(stream);
    this.headers = headers;
    stream.on(
      'data',
      contained(
        (chunk: Buffer) => this.progress.push(chunk),
        (fault) => this.destroy(fault),
      ),
    );
    socket.on('error', (error) => {
      this.#fault ??= error;
    });
  }

  /** Why it is cut off, by us or by what it did. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  /** Bytes of a message that has not arrived whole. */
  get pendingBytes(): number {
    return this.progress.pendingBytes;
  }

  get receivedBytes(): number {
    return this.stream.bytesRead;
  }

  get messages(): number {
    return this.progress.messages;
  }

  get isPaused(): boolean {
    return this.socket.isPaused;
  }

  /** Bytes for it that the system has not taken yet. */
  get queuedBytes(): number {
    return this.socket.bufferedAmount;
  }

  /** Sends one message; nothing when the connection is at its end. */
  write(bytes: Buffer): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(bytes);
  }

  /** Ends the connection now, saying why. */
  destroy(fault: Error): void {
    this.#fault ??= fault;
    this.socket.terminate();
  }
}

/** Upgrades HTTP requests to WebSockets and watches over the peers. */
export class WsServer {
  readonly peers = new Set<WsPeer>();
  readonly #options: WsServerOptions;
  readonly #accept: (peer: WsPeer) => void;
  readonly #refused: OnRefused;
  readonly #http: Server;
  readonly #upgrades: WebSocketServer;
  readonly #beat: Timer;
  readonly #watch: PeerWatch<WsPeer>;
  /** Connections that have not asked for the upgrade, with what ends their time. */
  readonly #upgrading = new Map<Socket, () => void>();
  #acceptor: Acceptor | undefined;

  /** @param accept takes a peer whose upgrade is done */
  constructor(options: WsServerOptions, accept: (peer: WsPeer) => void, refused: OnRefused) {
    this.#options = options;
    this.#accept = accept;
    this.#refused = refused;
    this.#upgrades = new WebSocketServer({
      noServer: true,
      maxPayload: options.messageBytesMax,
      perMessageDeflate: false,
      autoPong: false,
    });
    this.#http = createServer({ maxHeaderSize: HEADERS_BYTES_MAX }, (request, response) => {
      refused(peerName(request.socket), new Error('the peer speaks HTTP, but asks for no WebSocket'));
      response
        .writeHead(426, { Connection: 'close', Upgrade: 'websocket' })
        .end('This port speaks WebSocket.\n');
    });
    this.#http.keepAliveTimeout = 1;
    this.#http.on('clientError', (error: Error, socket: Duplex) => this.#foreigner(error, socket as Socket));
    this.#http.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
      const end = (fault: Error): void => {
        refused(peerName(stream as Socket), fault);
        stream.destroy();
      };
      contained(() => this.#upgrade(request, stream as Socket, head), end)();
    });
    this.#watch = new PeerWatch(options.clock, this.peers, SILENCE);
    this.#beat = options.clock.every(options.heartbeatMs, () => this.#ping(), { background: true });
  }

  async start(): Promise<Address> {
    this.#acceptor = await acceptStreams(this.#options, (socket) => this.#connection(socket), this.#refused);
    return this.#acceptor.address;
  }

  close(): void {
    this.#beat.cancel();
    this.#watch.close();
    this.#acceptor?.close();
    for (const stream of this.#upgrading.keys()) stream.destroy();
    for (const { socket } of this.peers) socket.terminate();
  }

  /**
   * The server of `node:http` watches no connections that it has not accepted itself: the time for the upgrade is ours.
   */
  #connection(stream: Socket): void {
    const from = peerName(stream);
    const deadline = this.#options.clock.after(
      UPGRADE_TIMEOUT_MS,
      () => {
        this.#refused(from, new Error(`the peer asked for nothing within ${UPGRADE_TIMEOUT_MS / 1000} s`));
        stream.destroy();
      },
      { background: true },
    );
    const over = (): void => {
      this.#upgrading.delete(stream);
      deadline.cancel();
    };
    this.#upgrading.set(stream, over);
    stream.once('close', over);
    // `node:http` takes its listener away with the upgrade: a peer that resets its connection just then must not end us
    stream.on('error', () => undefined);
    this.#http.emit('connection', stream);
  }

  #upgrade(request: IncomingMessage, stream: Socket, head: Buffer): void {
    this.#upgrading.get(stream)?.();
    const { keepAliveMs = KEEP_ALIVE_MS } = this.#options;
    if (keepAliveMs > 0) stream.setKeepAlive(true, keepAliveMs);
    if (request.headers.origin !== undefined) {
      // only browsers say where a page is from, and none has business here
      this.#refused(peerName(stream), new Error('the peer is a browser'));
      stream.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
      return;
    }
    this.#upgrades.handleUpgrade(request, stream, head, (socket) => {
      const peer = new WsPeer(socket, stream, request.headers);
      this.peers.add(peer);
      answerPings(socket);
      socket.on('pong', () => {
        peer.hasAnswered = true;
      });
      socket.on('message', (data, isBinary) => {
        peer.hasAnswered = true;
        // Salt compat: the text `close` asks for the end
        if (!isBinary && String(data) === 'close') socket.close();
      });
      socket.on('close', () => {
        this.peers.delete(peer);
        this.#watch.remove(peer);
      });
      this.#accept(peer);
    });
  }

  /** Bytes that are no HTTP. */
  #foreigner(error: Error, socket: Socket): void {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'ECONNRESET' || code === 'EPIPE') {
      socket.destroy();
      return;
    }
    const first = (error as { rawPacket?: Buffer }).rawPacket?.[0];
    const what =
      first === 0x16
        ? 'the peer speaks TLS, and this end does not (option ssl)'
        : code === 'HPE_HEADER_OVERFLOW'
          ? "the peer's request has too long headers"
          : 'the peer does not speak WebSocket (its transport may be another)';
    this.#refused(peerName(socket), new Error(what, { cause: error }));
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    else socket.destroy();
  }

  #ping(): void {
    for (const peer of this.peers) {
      const received = peer.stream.bytesRead;
      // while nothing is read from it, its answers are not seen
      const isRead = !peer.socket.isPaused;
      if (isRead && !peer.hasAnswered && received - peer.receivedAtPing < PROGRESS_BYTES) {
        peer.socket.terminate();
        continue;
      }
      peer.hasAnswered = !isRead;
      peer.receivedAtPing = received;
      if (peer.socket.readyState === peer.socket.OPEN) peer.socket.ping();
    }
  }
}
