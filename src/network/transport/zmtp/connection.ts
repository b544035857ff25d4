/** One ZMTP connection over a stream socket: handshake with a time limit, heartbeats, bounded buffers. */
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../../host/clock.ts';
import { lastingCopy } from '../../../host/lasting-bytes.ts';
import { PONG_QUEUE_BYTES_MAX, type WatchedPeer, type WatchLimits } from '../peer-watch.ts';
import { encodeMessage, handshake, ping, ZmtpParser, type SocketType } from './frames.ts';

/** A process that was held up itself finds its peers' signs of life unread: they get this long to be read. */
const UNREAD_GRACE_MS = 1_000;
const NOTHING = Buffer.alloc(0);
/** Time for a peer to finish its half of the handshake. */
const HANDSHAKE_TIMEOUT_MS = 30_000;

/** What a port bears of peers that have not finished the handshake, which takes milliseconds. */
export const UNFINISHED: WatchLimits = {
  firstWordMs: HANDSHAKE_TIMEOUT_MS,
  silentMax: 10_000,
  silentByAddressMax: 1_000,
};

/** How a connection behaves. */
export interface ConnectionOptions {
  readonly type: SocketType;
  readonly identity?: Buffer;
  /** Further properties of our READY, e.g. who we are. */
  readonly properties?: ReadonlyMap<string, Buffer>;
  readonly messageBytesMax: number;
  readonly clock: Clock;
  /** Notice a peer that is silently gone: ping it this often, give up after as long again without a sign of life. */
  readonly heartbeatMs?: number;
  /** Asked at each beat; while it says no, a silent peer is a peer at rest. */
  readonly isHeartbeatDue?: () => boolean;
}

/** What a connection tells its owner. */
export interface ConnectionEvents {
  ready(connection: ZmtpConnection): void;
  /** The parts are slices of the receive buffer: copy what outlives the call. */
  message(connection: ZmtpConnection, parts: Buffer[]): void;
  /** Called exactly once. `error` says why when it was not an orderly end. */
  closed(connection: ZmtpConnection, error: Error | undefined): void;
}

/** A live connection. */
export class ZmtpConnection implements WatchedPeer {
  readonly socket: Socket;
  /** The type of socket the peer says it is; empty before the handshake. */
  peerType = '';
  /** What the peer's READY says besides, by lower-case name. */
  peerProperties: ReadonlyMap<string, Buffer> = new Map();
  receivedBytes = 0;
  messages = 0;
  readonly address: string | undefined;
  readonly #events: ConnectionEvents;
  readonly #parser: ZmtpParser;
  readonly #options: ConnectionOptions;
  #handshakeTimer: Timer | undefined;
  #heartbeat: Timer | undefined;
  #lastLook: Timer | undefined;
  #heardSinceBeat = true;
  #error: Error | undefined;
  #closed = false;

  constructor(socket: Socket, options: ConnectionOptions, events: ConnectionEvents) {
    this.socket = socket;
    this.address = socket.remoteAddress;
    this.#events = events;
    this.#options = options;
    this.#parser = new ZmtpParser(options, {
      ready: (peerType, properties) => this.#ready(peerType, properties),
      message: (parts) => {
        this.messages++;
        this.#events.message(this, parts);
      },
      ping: (pong) => this.#answerPing(pong),
      pong: () => undefined,
    });
    socket.setNoDelay(true);
    socket.write(handshake(options.type, options.identity, options.properties));
    this.#handshakeTimer = options.clock.after(
      HANDSHAKE_TIMEOUT_MS,
      () => this.destroy(new Error('the peer did not finish the handshake in time')),
      { background: true },
    );
    socket.on('data', (chunk: Buffer) => this.#data(chunk));
    socket.on('error', (error) => {
      this.#error ??= error;
    });
    socket.on('close', () => this.#close());
  }

  /** Bytes accepted from us that the system has not taken yet. */
  get queuedBytes(): number {
    return this.socket.writableLength;
  }

  /** Bytes of a message that has not arrived whole. */
  get pendingBytes(): number {
    return this.#parser.pendingBytes;
  }

  /** Whether it has finished its half of the handshake. */
  get hasSpoken(): boolean {
    return this.#handshakeTimer === undefined;
  }

  /** Whether it is not being read. */
  get isPaused(): boolean {
    return this.socket.isPaused();
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  send(parts: readonly Buffer[]): void {
    this.write(encodeMessage(parts));
  }

  /** Writes bytes made by {@link encodeMessage}. */
  write(bytes: Buffer): void {
    if (!this.#closed && this.socket.writable) this.socket.write(bytes);
  }

  /** Takes no further messages. */
  hold(): void {
    this.#parser.isHeld = true;
    this.socket.pause();
  }

  /** Takes those that have come; whoever has held it has its socket read again. */
  release(): void {
    this.#parser.isHeld = false;
    this.#push(NOTHING);
  }

  /** Ends the connection now. */
  destroy(error?: Error): void {
    this.#error ??= error;
    this.socket.destroy();
  }

  #data(chunk: Buffer): void {
    this.receivedBytes += chunk.length;
    this.#heardSinceBeat = true;
    this.#push(chunk);
  }

  #push(chunk: Buffer): void {
    try {
      this.#parser.push(chunk);
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  #answerPing(pong: Buffer): void {
    if (this.queuedBytes < PONG_QUEUE_BYTES_MAX) this.write(pong);
  }

  #ready(peerType: string, properties: ReadonlyMap<string, Buffer>): void {
    this.peerType = peerType;
    this.peerProperties = new Map([...properties].map(([name, value]) => [name, lastingCopy(value)]));
    this.#handshakeTimer?.cancel();
    this.#handshakeTimer = undefined;
    const { heartbeatMs, clock } = this.#options;
    if (heartbeatMs !== undefined) {
      this.#heartbeat = clock.every(heartbeatMs, () => this.#beat(heartbeatMs), { background: true });
    }
    this.#events.ready(this);
  }

  #beat(heartbeatMs: number): void {
    if (this.#options.isHeartbeatDue?.() === false) {
      this.#heardSinceBeat = true;
      return;
    }
    if (!this.#heardSinceBeat) return this.#lookOnceMore();
    this.#heardSinceBeat = false;
    this.write(ping(heartbeatMs * 2));
  }

  /** Timers run before sockets are read, so whatever came while we were held up has not been seen yet. */
  #lookOnceMore(): void {
    const { clock } = this.#options;
    const giveUp = (): void => {
      if (!this.#heardSinceBeat) this.destroy(new Error('the peer gives no sign of life'));
    };
    this.#lastLook = clock.after(UNREAD_GRACE_MS, giveUp, { background: true });
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#lastLook?.cancel();
    this.#handshakeTimer?.cancel();
    this.#heartbeat?.cancel();
    this.#events.closed(this, this.#error);
  }
}
