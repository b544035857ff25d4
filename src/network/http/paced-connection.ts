/**
 * A connection as the HTTP server sees it, which brings one request at a time. Node reads whatever has come and has all
 * requests in it served side by side, so that a client who takes no answer may have thousands made for him. Here the
 * next request is handed on when the answer to the one before has left, and until then no more is read from the socket
 * than it takes to learn that the client has gone.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { messageOf } from '../../errors/errors.ts';
import type { Clock, Timer } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { rareLines } from '../../host/rare-lines.ts';
import { MessageParts } from './message-parts.ts';

/** Bytes of later requests that are read all the same: with them a client that goes away is noticed. */
const AHEAD_BYTES_MAX = 16 * 1024;
/** What is written at once, so that it shows how much a client takes of a long answer. */
const SLICE_BYTES = 16 * 1024;
/** How long, and how much, is still read from a client that was answered before all of his request was there. */
const LINGER_MS = 2_000;
const LINGER_BYTES_MAX = 8 * 1024 * 1024;

/** Takes the place of a socket. */
export class PacedConnection extends Duplex {
  /** Where the client is, also after he has gone. */
  readonly remoteAddress: string;
  readonly remotePort: number | undefined;
  /** Set by Node's server, which is asked for it when a time is over. */
  server: unknown = null;
  /** Ends the connection when nothing passes over it for a time; asked for by Node's server. */
  readonly setTimeout: (timeoutMs: number, listener?: () => void) => this;
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #parts = new MessageParts();
  /** What has been read and not handed on. */
  #waiting: Buffer = Buffer.alloc(0);
  #hasEnded = false;
  #isWanted = false;
  #isDue = false;
  /** Requests whose answers have not ended: one, unless the HTTP server reads otherwise than we do. */
  readonly #underWay = new Set<IncomingMessage>();
  #lingering: Timer | undefined;
  #lingerBytes = 0;
  readonly #report: (fault: unknown) => void;

  /** @param report hears what a listener of this connection threw, which ends the connection and nothing else */
  constructor(socket: Socket, clock: Clock, report: (fault: unknown) => void = () => undefined) {
    // one part at a time: more is wanted only when the one before has been read
    super({ readableHighWaterMark: 1, allowHalfOpen: true });
    this.#socket = socket;
    this.#clock = clock;
    this.#report = report;
    this.remoteAddress = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
    this.remotePort = socket.remotePort;
    const watchIdle = socket.setTimeout.bind(socket);
    this.setTimeout = (timeoutMs, listener) => {
      if (listener !== undefined) this.once('timeout', listener);
      watchIdle(timeoutMs);
      return this;
    };
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('end', () => {
      this.#hasEnded = true;
      this.#plan();
    });
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
    socket.on('timeout', () => this.emit('timeout'));
  }

  /**
   * Tells listeners, ours and those of Node's server, that nothing they throw leaves this connection: one request costs
   * no other its session.
   */
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    try {
      return super.emit(event as 'data', ...args);
    } catch (fault) {
      this.#report(fault);
      this.destroy();
      return true;
    }
  }

  /** Bytes that the client has taken. */
  get takenBytes(): number {
    return this.#socket.bytesWritten - this.#socket.writableLength;
  }

  /** A request has been read up to its body. */
  began(request: IncomingMessage, response: ServerResponse): void {
    this.#underWay.add(request);
    this.#parts.expectBody(request.headers);
    response.once('close', () => {
      this.#underWay.delete(request);
      // others have their turn before the next request of the same client
      setImmediate(() => this.#handOn());
    });
  }

  /** The connection has become another one than of HTTP. */
  upgraded(): void {
    this.#parts.expectAll();
    this.#plan();
  }

  setNoDelay(isSet?: boolean): this {
    this.#socket.setNoDelay(isSet);
    return this;
  }

  setKeepAlive(isSet?: boolean, delayMs?: number): this {
    this.#socket.setKeepAlive(isSet, delayMs);
    return this;
  }

  /**
   * Ends when all has been written. Whoever has not sent all of his request would lose the answer if nobody read the
   * rest any more.
   */
  destroySoon(): void {
    const isWhole = [...this.#underWay].every(({ complete }) => complete);
    const close = isWhole ? (): void => void this.destroy() : (): void => this.#linger();
    if (this.writable) this.end();
    if (this.writableFinished) close();
    else this.once('finish', close);
  }

  override _read(): void {
    this.#isWanted = true;
    this.#plan();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#send([chunk], done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#send(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#lingering?.cancel();
    this.#waiting = Buffer.alloc(0);
    this.#socket.destroy();
    done(error);
  }

  /** True while what has come must wait. */
  get #isHeld(): boolean {
    for (const { complete } of this.#underWay) if (complete) return true;
    return false;
  }

  #take(bytes: Buffer): void {
    if (this.#lingering !== undefined) return this.#passOver(bytes);
    this.#waiting = this.#waiting.length === 0 ? bytes : Buffer.concat([this.#waiting, bytes]);
    this.#handOn();
    if (this.#waiting.length > AHEAD_BYTES_MAX) this.#socket.pause();
  }

  /** Hands on what may be, once whoever reads has finished with what he has. */
  #plan(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      this.#handOn();
    });
  }

  #handOn(): void {
    if (this.destroyed || !this.#isWanted) return;
    if (this.#isHeld) {
      // whoever ends his side while he waits has gone
      if (this.#hasEnded) this.#endReading();
      return;
    }
    if (this.#waiting.length > 0) {
      const size = this.#parts.take(this.#waiting);
      const part = this.#waiting.subarray(0, size);
      this.#waiting = this.#waiting.subarray(size);
      this.#isWanted = false;
      this.push(part);
    } else if (this.#hasEnded) return this.#endReading();
    if (this.#waiting.length <= AHEAD_BYTES_MAX && this.#socket.isPaused()) this.#socket.resume();
  }

  #endReading(): void {
    this.#isWanted = false;
    this.#waiting = Buffer.alloc(0);
    this.push(null);
  }

  /** Writes one after the other, in pieces of which one shows when it has left. */
  #send(chunks: readonly Buffer[], done: (error?: Error | null) => void): void {
    const [first, ...more] = chunks;
    if (first === undefined) return done();
    const total = chunks.reduce((sum, { length }) => sum + length, 0);
    if (total <= SLICE_BYTES) {
      this.#socket.cork();
      for (const [index, chunk] of chunks.entries())
        this.#socket.write(chunk, index === chunks.length - 1 ? done : undefined);
      this.#socket.uncork();
      return;
    }
    const rest = first.subarray(SLICE_BYTES);
    this.#socket.write(first.subarray(0, SLICE_BYTES), (error) => {
      if (error !== undefined && error !== null) return done(error);
      this.#send(rest.length > 0 ? [rest, ...more] : more, done);
    });
  }

  #linger(): void {
    if (this.destroyed || this.#hasEnded) return void this.destroy();
    this.#lingering = this.#clock.after(LINGER_MS, () => this.destroy());
    this.#socket.once('end', () => this.destroy());
    this.#waiting = Buffer.alloc(0);
    this.#socket.resume();
  }

  #passOver(bytes: Buffer): void {
    this.#lingerBytes += bytes.length;
    if (this.#lingerBytes > LINGER_BYTES_MAX) this.destroy();
  }
}

/** What a server with paced connections is given. */
export interface PaceDeps {
  readonly clock: Clock;
  /**
   * Told of what went wrong in a connection, unforeseen, and has ended it: anybody may bring that about, as often as he
   * likes.
   */
  readonly log: Logger;
  /** Gets each connection; false for one that was ended. */
  readonly take?: (connection: PacedConnection) => boolean;
}

/**
 * Has a server of Node read from paced connections.
 * @param event by which its connections come: another one with TLS
 */
export function paceServer(
  server: Server,
  event: 'connection' | 'secureConnection',
  { clock, log, take = () => true }: PaceDeps,
): void {
  const told = rareLines(clock, (text, fault) => log.error(text, fault));
  const report = (fault: unknown): void =>
    told('', `A connection was ended by a mistake: ${messageOf(fault)}`, fault);
  const listeners = server.listeners(event);
  server.removeAllListeners(event);
  server.on(event, (socket: Socket) => {
    const connection = new PacedConnection(socket, clock, report);
    if (!take(connection)) return;
    for (const listener of listeners) Reflect.apply(listener, server, [connection]);
  });
  server.prependListener('request', (request, response) => pacedOf(request.socket)?.began(request, response));
}

/** The connection that a request has come by. */
export function pacedOf(socket: unknown): PacedConnection | undefined {
  return socket instanceof PacedConnection ? socket : undefined;
}
