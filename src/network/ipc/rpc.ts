/**
 * Calls between our own processes over a unix socket. Either end may call, answer and notify; what the bytes mean is
 * the contract's business (`contract.ts`). Writes of one turn of the event loop leave in one system call.
 */
import type { Socket } from 'node:net';
import { messageOf, UnreachableError } from '../../errors/errors.ts';
import { FrameReader } from './frames.ts';

const HEADER_BYTES = 9;
const CALL = 0;
const REPLY = 1;
const NOTIFY = 2;
const FAILURE = 3;
const FLUSH_BYTES = 64 * 1024;
const FRAME_BYTES_MAX = 512 * 1024 * 1024;

/** What a call is answered with. */
export type RpcAnswer = Uint8Array | readonly Uint8Array[];

/** What an end does with what the other end sends. */
export interface RpcHandlers {
  /**
   * Answers a call, in one piece or several, which are sent as one. A thrown error reaches the caller as its message.
   * `body` is a slice: copy what outlives the call.
   */
  call?(body: Buffer): Promise<RpcAnswer> | RpcAnswer;
  notify?(body: Buffer): void;
  /** The other end does not speak this protocol; the connection ends. */
  malformed?(reason: string): void;
  closed?(): void;
}

interface Waiting {
  readonly resolve: (reply: Buffer) => void;
  readonly reject: (error: Error) => void;
}

/** One end of a connection. */
export class RpcPeer {
  readonly socket: Socket;
  readonly #handlers: RpcHandlers;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #out: Buffer[] = [];
  #outBytes = 0;
  #flushPlanned = false;
  #closed = false;

  readonly #reader: FrameReader;

  /** @param frameBytesMax what one message of the other end may take */
  constructor(socket: Socket, handlers: RpcHandlers, frameBytesMax: number = FRAME_BYTES_MAX) {
    this.socket = socket;
    this.#handlers = handlers;
    const reader = new FrameReader(frameBytesMax, (frame) => this.#frame(frame));
    this.#reader = reader;
    socket.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch (error) {
        socket.destroy();
        handlers.malformed?.(messageOf(error));
      }
    });
    socket.on('error', () => undefined);
    socket.on('close', () => this.#close());
  }

  /** Calls under way. */
  get pending(): number {
    return this.#waiting.size;
  }

  /** A message of the other end has begun and not ended. */
  get isMidMessage(): boolean {
    return this.#reader.isMidFrame;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /**
   * @param body in one piece or several, which are sent as one
   * @returns the other end's answer: a slice of the receive buffer, to be copied by whoever keeps it for long
   * @throws UnreachableError when the connection ends first; an Error with the other end's message when it failed
   */
  call(...body: readonly Uint8Array[]): Promise<Buffer> {
    if (this.#closed) return Promise.reject(new UnreachableError('The process at the other end is gone.'));
    return new Promise((resolve, reject) => {
      const id = this.#nextId;
      this.#nextId = (this.#nextId + 1) >>> 0;
      this.#waiting.set(id, { resolve, reject });
      this.#write(CALL, id, ...body);
    });
  }

  /** @param body in one piece or several, which are sent as one */
  notify(...body: readonly Uint8Array[]): void {
    if (!this.#closed) this.#write(NOTIFY, 0, ...body);
  }

  close(): void {
    this.#flush();
    this.socket.end();
  }

  #write(kind: number, id: number, ...body: readonly Uint8Array[]): void {
    let size = HEADER_BYTES;
    for (const part of body) size += part.length;
    const frame = Buffer.allocUnsafe(size);
    frame.writeUInt32BE(size - 4, 0);
    frame[4] = kind;
    frame.writeUInt32BE(id, 5);
    let at = HEADER_BYTES;
    for (const part of body) {
      frame.set(part, at);
      at += part.length;
    }
    this.#out.push(frame);
    this.#outBytes += frame.length;
    if (this.#outBytes > FLUSH_BYTES) this.#flush();
    else if (!this.#flushPlanned) {
      this.#flushPlanned = true;
      setImmediate(() => {
        this.#flushPlanned = false;
        this.#flush();
      });
    }
  }

  #flush(): void {
    if (this.#out.length === 0) return;
    const bytes =
      this.#out.length === 1 ? (this.#out[0] as Buffer) : Buffer.concat(this.#out, this.#outBytes);
    this.#out = [];
    this.#outBytes = 0;
    if (this.socket.writable) this.socket.write(bytes);
  }

  #frame(frame: Buffer): void {
    const kind = frame[0];
    if (frame.length < HEADER_BYTES - 4 || kind === undefined || kind > FAILURE)
      throw new Error('it does not speak the language of the master’s own processes');
    const id = frame.readUInt32BE(1);
    const body = frame.subarray(HEADER_BYTES - 4);
    if (kind === CALL) void this.#answer(id, body);
    else if (kind === NOTIFY) this.#handlers.notify?.(body);
    else {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (kind === REPLY) waiting?.resolve(body);
      else if (kind === FAILURE) waiting?.reject(new Error(body.toString('utf8')));
    }
  }

  async #answer(id: number, body: Buffer): Promise<void> {
    try {
      if (this.#handlers.call === undefined) throw new Error('this process answers no calls');
      const answer = await this.#handlers.call(body);
      if (answer instanceof Uint8Array) this.#write(REPLY, id, answer);
      else this.#write(REPLY, id, ...answer);
    } catch (error) {
      this.#write(FAILURE, id, Buffer.from(error instanceof Error ? error.message : String(error)));
    }
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const lost = new UnreachableError('The process at the other end ended before it answered.');
    for (const waiting of this.#waiting.values()) waiting.reject(lost);
    this.#waiting.clear();
    this.#handlers.closed?.();
  }
}
