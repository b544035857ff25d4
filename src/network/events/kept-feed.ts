/**
 * Events kept for one reader that must not miss any: what it has not confirmed is sent again when it comes back. The
 * reactor reads the bus this way, because an ordinary reader loses what is published while it restarts.
 *
 * After the connection the hub says, in 16 bytes, which stream this is (a number drawn when the hub started) and the
 * number of the first event that follows; then come the events as on the bus. The reader writes the number of the last
 * event it has taken care of, in 8 bytes, whenever it likes.
 */
import type { Server, Socket } from 'node:net';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import { localAddress } from '../transport/address.ts';
import { listen } from '../transport/listen.ts';

export const GREETING_BYTES = 16;
export const CONFIRMATION_BYTES = 8;

/** How the feed behaves. */
export interface KeptFeedOptions {
  /** The unix socket; only its owner may connect. */
  readonly path: string;
  /** What is kept at most; beyond it the oldest events are dropped, counted, and told of once. */
  readonly keptBytesMax: number;
  readonly random: Random;
  readonly log: Logger;
}

/** Whole frames that came together. */
interface Chunk {
  readonly first: number;
  readonly count: number;
  readonly frames: Buffer;
}

/** The hub's side. */
export class KeptFeed {
  readonly counters = { dropped: 0 };
  readonly #options: KeptFeedOptions;
  readonly #stream: bigint;
  readonly #kept: Chunk[] = [];
  #keptBytes = 0;
  #next = 1;
  #server: Server | undefined;
  #reader: Socket | undefined;
  #isOverflowing = false;

  constructor(options: KeptFeedOptions) {
    this.#options = options;
    this.#stream = options.random.bytes(8).readBigUInt64BE();
  }

  get hasReader(): boolean {
    return this.#reader !== undefined;
  }

  /** @throws ListenError */
  async start(): Promise<void> {
    const { path } = this.#options;
    const { server } = await listen({ address: localAddress(path), mode: 0o600 }, (socket) =>
      this.#adopt(socket),
    );
    this.#server = server;
  }

  close(): void {
    this.#server?.close();
    this.#reader?.destroy();
  }

  /** Takes whole frames. @param count how many they are */
  push(frames: Buffer, count: number): void {
    this.#kept.push({ first: this.#next, count, frames });
    this.#keptBytes += frames.length;
    this.#next += count;
    this.#reader?.write(frames);
    while (this.#keptBytes > this.#options.keptBytesMax && this.#kept.length > 1) this.#drop();
  }

  #drop(): void {
    const { count, frames } = this.#kept.shift() as Chunk;
    this.#keptBytes -= frames.length;
    this.counters.dropped += count;
    // a reader that does not read holds what is on its way to it; it begins again with what is kept
    if (this.#reader !== undefined && this.#reader.writableLength > this.#options.keptBytesMax)
      this.#reader.destroy();
    if (this.#isOverflowing) return;
    this.#isOverflowing = true;
    this.#options.log.error(
      `The reactor does not take events as fast as they come: more than ${this.#options.keptBytesMax} bytes wait for it, and the oldest are dropped.`,
    );
  }

  /** There is one reader: a new connection replaces the one before. */
  #adopt(socket: Socket): void {
    this.#reader?.destroy();
    this.#reader = socket;
    const greeting = Buffer.alloc(GREETING_BYTES);
    greeting.writeBigUInt64BE(this.#stream);
    greeting.writeBigUInt64BE(BigInt(this.#kept[0]?.first ?? this.#next), 8);
    socket.write(greeting);
    for (const { frames } of this.#kept) socket.write(frames);
    let rest: Buffer = Buffer.alloc(0);
    socket.on('data', (bytes: Buffer) => {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      const whole = rest.length - (rest.length % CONFIRMATION_BYTES);
      if (whole > 0) this.#confirmed(Number(rest.readBigUInt64BE(whole - CONFIRMATION_BYTES)));
      rest = rest.subarray(whole);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.#reader === socket) this.#reader = undefined;
    });
  }

  #confirmed(last: number): void {
    for (
      let chunk = this.#kept[0];
      chunk !== undefined && chunk.first + chunk.count - 1 <= last;
      chunk = this.#kept[0]
    ) {
      this.#kept.shift();
      this.#keptBytes -= chunk.frames.length;
    }
    if (this.#keptBytes < this.#options.keptBytesMax / 2) this.#isOverflowing = false;
  }
}
