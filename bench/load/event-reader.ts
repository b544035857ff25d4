/** One reader of a stream of events, which counts what comes without decoding it. */
import type { Socket } from 'node:net';

/** Counts how often a mark, which each event has once, has come over a connection. */
export class EventReader {
  count = 0;
  readonly #socket: Socket;
  readonly #mark: Buffer;
  #rest: Uint8Array = new Uint8Array(0);

  /** Counts from now on. */
  constructor(socket: Socket, mark: string) {
    this.#socket = socket;
    this.#mark = Buffer.from(mark);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  /** Reads no more, and keeps the connection. */
  stall(): void {
    this.#socket.pause();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** What may be the beginning of a mark is looked at again with what comes next. */
  #take(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const { length } = this.#mark;
    let from = 0;
    for (let at = bytes.indexOf(this.#mark); at >= 0; at = bytes.indexOf(this.#mark, from)) {
      this.count++;
      from = at + length;
    }
    this.#rest = bytes.subarray(Math.max(from, bytes.length - length + 1));
  }
}
