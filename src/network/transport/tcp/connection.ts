/** One connection of the tcp transport: frames in, bytes out, bounded buffers. */
import type { Socket } from 'node:net';
import { TcpFrameReader, type TcpFrame } from './frames.ts';

const NOTHING = Buffer.alloc(0);

/** What a connection tells its owner. */
export interface TcpConnectionEvents {
  /** Slices of the receive buffer: copy what outlives the call. */
  frame(frame: TcpFrame, connection: TcpConnection): void;
  /** Called exactly once. `error` says why when it was not an orderly end. */
  closed(error: Error | undefined, connection: TcpConnection): void;
}

/** A live connection. */
export class TcpConnection {
  readonly socket: Socket;
  /** Whether a whole message has come, and how many bytes have. */
  hasSpoken = false;
  receivedBytes = 0;
  messages = 0;
  readonly #reader: TcpFrameReader;
  readonly #events: TcpConnectionEvents;
  #error: Error | undefined;
  #closed = false;

  /** @param messageBytesMax of a message from the other end */
  constructor(socket: Socket, messageBytesMax: number, events: TcpConnectionEvents) {
    this.socket = socket;
    this.#events = events;
    this.#reader = new TcpFrameReader(messageBytesMax, (frame) => {
      this.hasSpoken = true;
      this.messages++;
      events.frame(frame, this);
    });
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#data(chunk));
    socket.on('error', (error) => {
      this.#error ??= error;
    });
    socket.on('close', () => this.#close());
  }

  /** Bytes of a message that has not arrived whole. */
  get pendingBytes(): number {
    return this.#reader.pendingBytes;
  }

  /** Bytes accepted from us that the system has not taken yet. */
  get queuedBytes(): number {
    return this.socket.writableLength;
  }

  /** Whether it is not being read. */
  get isPaused(): boolean {
    return this.socket.isPaused();
  }

  /** Takes no further messages. */
  hold(): void {
    this.#reader.isHeld = true;
    this.socket.pause();
  }

  /** Takes those that have come; whoever has held it has its socket read again. */
  release(): void {
    this.#reader.isHeld = false;
    this.#push(NOTHING);
  }

  write(bytes: Buffer): void {
    if (!this.#closed && this.socket.writable) this.socket.write(bytes);
  }

  /** Ends the connection now. */
  destroy(error?: Error): void {
    this.#error ??= error;
    this.#reader.stop();
    this.socket.destroy();
  }

  #data(chunk: Buffer): void {
    this.receivedBytes += chunk.length;
    this.#push(chunk);
  }

  #push(chunk: Buffer): void {
    try {
      this.#reader.push(chunk);
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#events.closed(this.#error, this);
  }
}
