/**
 * The client end of the request channel: one connection, many requests under way at once. Each request carries an id
 * before the empty delimiter, as a correlating REQ does; every ROUTER/REP chain echoes it, so replies find their request in
 * whatever order they come. The address is asked for anew at each attempt, because names change.
 */
import { connect } from 'node:net';
import { UnreachableError } from '../../errors/errors.ts';
import type { Clock, Timer } from '../../host/clock.ts';
import type { Random } from '../../host/random.ts';
import { addressText, connectOptions, type Address } from '../address.ts';
import { ZmtpConnection } from './connection.ts';

const EMPTY = Buffer.alloc(0);

/** How the requester behaves. */
export interface RequesterOptions {
  readonly address: () => Address | Promise<Address>;
  readonly messageBytesMax: number;
  /** Requests waiting or under way; one more is refused. */
  readonly pendingMax: number;
  readonly keepAliveMs?: number;
  /** While replies are awaited: notice a master that is silently gone within twice this time. */
  readonly heartbeatMs?: number;
  /** Shortest and longest wait before connecting again; the wait is random below a limit that doubles. */
  readonly reconnectMs: { readonly min: number; readonly max: number };
  readonly clock: Clock;
  readonly random: Random;
}

interface Pending {
  readonly body: Buffer;
  readonly resolve: (reply: Buffer) => void;
  readonly reject: (error: Error) => void;
  readonly timer: Timer;
  sent: boolean;
}

/** A client of a ROUTER. */
export class Requester {
  readonly #options: RequesterOptions;
  readonly #pending = new Map<number, Pending>();
  #connection: ZmtpConnection | undefined;
  #ready = false;
  #connecting = false;
  #failures = 0;
  #nextId = 1;
  #closed = false;
  #lastError: Error | undefined;
  #retry: Timer | undefined;
  #target = 'the master';

  constructor(options: RequesterOptions) {
    this.#options = options;
  }

  /** True while a connection is established. */
  get isConnected(): boolean {
    return this.#ready;
  }

  /** Connects before there is a request, so that the first one finds the connection made. */
  open(): void {
    void this.#connect();
  }

  /**
   * Sends one request and waits for its reply.
   * @param timeoutMs from now until the reply
   * @throws UnreachableError when there is no reply in time, or the connection is lost after the request was sent
   */
  request(body: Buffer, timeoutMs: number): Promise<Buffer> {
    if (this.#closed) return Promise.reject(new UnreachableError('The request channel is closed.'));
    if (this.#pending.size >= this.#options.pendingMax) {
      return Promise.reject(
        new UnreachableError(`${this.#pending.size} requests are waiting already; this one was not sent.`),
      );
    }
    return new Promise((resolve, reject) => {
      const id = this.#nextId;
      this.#nextId = (this.#nextId + 1) >>> 0;
      const timer = this.#options.clock.after(timeoutMs, () => this.#timedOut(id, timeoutMs));
      this.#pending.set(id, { body, resolve, reject, timer, sent: false });
      if (this.#ready) this.#send(id);
      else void this.#connect();
    });
  }

  /** Ends the connection; requests under way fail. */
  close(): void {
    this.#closed = true;
    this.#retry?.cancel();
    this.#connection?.destroy();
    this.#failAll(() => true, new UnreachableError('The request channel was closed.'));
  }

  #timedOut(id: number, timeoutMs: number): void {
    const pending = this.#take(id);
    const reason = this.#lastError && !this.#ready ? ` (${this.#lastError.message})` : '';
    const seconds = Math.round(timeoutMs / 100) / 10;
    pending?.reject(new UnreachableError(`No reply from ${this.#target} within ${seconds} s${reason}.`));
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.timer.cancel();
    return pending;
  }

  #send(id: number): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    pending.sent = true;
    const idPart = Buffer.alloc(4);
    idPart.writeUInt32BE(id);
    this.#connection?.send([idPart, EMPTY, pending.body]);
  }

  async #connect(): Promise<void> {
    if (this.#connecting || this.#closed || this.#retry !== undefined) return;
    this.#connecting = true;
    const { messageBytesMax, clock, keepAliveMs, heartbeatMs } = this.#options;
    const heartbeat =
      heartbeatMs === undefined ? {} : { heartbeatMs, isHeartbeatDue: () => this.#pending.size > 0 };
    try {
      const address = await this.#options.address();
      this.#target = addressText(address);
      if (this.#closed) return;
      this.#connection = new ZmtpConnection(
        connect(connectOptions(address, keepAliveMs)),
        { type: 'DEALER', identity: EMPTY, messageBytesMax, clock, ...heartbeat },
        {
          ready: () => this.#onReady(),
          message: (_connection, parts) => this.#onReply(parts),
          closed: (_connection, error) => this.#onClosed(error),
        },
      );
    } catch (error) {
      this.#onClosed(error as Error);
    }
  }

  #onReady(): void {
    this.#ready = true;
    this.#failures = 0;
    for (const [id, pending] of this.#pending) if (!pending.sent) this.#send(id);
  }

  #onReply(parts: Buffer[]): void {
    const [idPart] = parts;
    if (parts.length !== 3 || idPart?.length !== 4) return;
    this.#take(idPart.readUInt32BE(0))?.resolve(Buffer.from(parts[2] as Buffer));
  }

  #onClosed(error: Error | undefined): void {
    this.#lastError = error ?? new Error('the connection was closed');
    this.#ready = false;
    this.#connecting = false;
    this.#connection = undefined;
    const lost = new UnreachableError(`The connection to ${this.#target} was lost before the reply came.`, {
      cause: error,
    });
    this.#failAll((pending) => pending.sent, lost);
    if (this.#closed || this.#pending.size === 0) return;
    const { min, max } = this.#options.reconnectMs;
    const limit = Math.min(max, min * 2 ** Math.min(this.#failures++, 16));
    this.#retry = this.#options.clock.after(this.#options.random.fraction() * limit, () => {
      this.#retry = undefined;
      void this.#connect();
    });
  }

  #failAll(which: (pending: Pending) => boolean, error: Error): void {
    for (const [id, pending] of this.#pending) {
      if (which(pending)) this.#take(id)?.reject(error);
    }
  }
}
