/** The reader's side of a {@link KeptFeed}: events with their numbers, each of which is confirmed. */
import { connect, type Socket } from 'node:net';
import { UnreachableError } from '../../errors/errors.ts';
import { EventReader, parseEvent, tagOf, type BusEvent } from './framing.ts';
import { CONFIRMATION_BYTES, GREETING_BYTES } from './kept-feed.ts';

/** An event and its number in the stream. */
export interface NumberedEvent {
  readonly number: number;
  readonly event: BusEvent;
}

/** What the reader is told. */
export interface FeedListener {
  /** The stream begins. @param stream which one @param first number of the first event that comes */
  readonly begins: (stream: string, first: number) => void;
  /** @param last number of the last event of those that came together, wanted or not */
  readonly events: (wanted: readonly NumberedEvent[], last: number) => void;
  /** Decides by the tag alone, before anything is decoded. */
  readonly wants: (tag: string) => boolean;
  /** The hub has gone away, or wrote something else than events. */
  readonly closed: () => void;
}

/** A connection to the feed. */
export class KeptFeedReader {
  readonly #socket: Socket;
  readonly #listener: FeedListener;
  readonly #frames = new EventReader();
  #greeting = Buffer.alloc(0);
  #next = 0;

  private constructor(socket: Socket, listener: FeedListener) {
    this.#socket = socket;
    this.#listener = listener;
  }

  /** @throws UnreachableError */
  static connect(path: string, listener: FeedListener): Promise<KeptFeedReader> {
    return new Promise((resolve, reject) => {
      const socket = connect(path);
      socket.once('error', (cause) => {
        reject(
          new UnreachableError(`The event bus at ${path} cannot be reached: ${cause.message}`, { cause }),
        );
      });
      socket.once('connect', () => {
        socket.on('error', () => undefined);
        const reader = new KeptFeedReader(socket, listener);
        socket.on('data', (chunk: Buffer) => reader.#data(chunk));
        socket.on('close', listener.closed);
        resolve(reader);
      });
    });
  }

  /** Says that all events up to this one need not be sent again. */
  confirm(last: number): void {
    const bytes = Buffer.alloc(CONFIRMATION_BYTES);
    bytes.writeBigUInt64BE(BigInt(last));
    this.#socket.write(bytes);
  }

  close(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }

  #data(chunk: Buffer): void {
    let bytes = chunk;
    if (this.#greeting.length < GREETING_BYTES) {
      const missing = GREETING_BYTES - this.#greeting.length;
      this.#greeting = Buffer.concat([this.#greeting, chunk.subarray(0, missing)]);
      if (this.#greeting.length < GREETING_BYTES) return;
      bytes = chunk.subarray(missing);
      this.#next = Number(this.#greeting.readBigUInt64BE(8));
      this.#listener.begins(this.#greeting.readBigUInt64BE().toString(16), this.#next);
    }
    if (bytes.length > 0) this.#events(bytes);
  }

  #events(bytes: Buffer): void {
    let bodies: Buffer[];
    let origins: (string | undefined)[];
    try {
      ({ bodies, origins } = this.#frames.push(bytes));
    } catch {
      this.#socket.destroy();
      return;
    }
    if (bodies.length === 0) return;
    const wanted: NumberedEvent[] = [];
    for (const [index, body] of bodies.entries()) {
      const number = this.#next++;
      // what was fired on another master of the cluster is reacted to there
      const tag = origins[index] === undefined ? tagOf(body) : undefined;
      const event = tag !== undefined && this.#listener.wants(tag) ? parseEvent(body) : undefined;
      if (event !== undefined) wanted.push({ number, event });
    }
    this.#listener.events(wanted, this.#next - 1);
  }
}
