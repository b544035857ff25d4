/**
 * Bytes received that make no whole message yet, in the chunks in which they came. Many small ones are joined: each
 * keeps far more memory than its bytes, and a peer that lets a message trickle would cost a multiple of what its limit
 * says.
 */
import { lastingCopy } from '../../host/lasting-bytes.ts';

const NOTHING = Buffer.alloc(0);
/** Smaller chunks are joined, so many at a time. */
const SMALL_BYTES = 4096;
const SMALL_MAX = 64;

/** What is kept of a chunk must not keep all of it, which nobody counts. */
export function withoutTheRest(part: Buffer): Buffer {
  if (part.length === 0) return NOTHING;
  return part.length < part.buffer.byteLength / 2 ? lastingCopy(part) : part;
}

/** Collects chunks until they make a whole message. */
export class PendingBytes {
  #pieces: Buffer[] = [];
  #length = 0;
  /** How many of the last pieces are small. */
  #small = 0;

  get length(): number {
    return this.#length;
  }

  /**
   * @returns what was pending with the chunk behind it, and nothing is pending then; undefined while it is less than
   *   `need`
   */
  join(chunk: Buffer, need: number): Buffer | undefined {
    if (this.#length === 0 && chunk.length >= need) return chunk;
    this.add(chunk);
    return this.#length < need ? undefined : this.#take();
  }

  add(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#length += chunk.length;
    const isSmall = chunk.length < SMALL_BYTES;
    this.#pieces.push(withoutTheRest(chunk));
    this.#small = isSmall ? this.#small + 1 : 0;
    if (this.#small === SMALL_MAX) this.#joinSmall();
  }

  #joinSmall(): void {
    const joined = Buffer.concat(this.#pieces.splice(-SMALL_MAX));
    this.#pieces.push(joined);
    this.#small = joined.length < SMALL_BYTES ? 1 : 0;
  }

  #take(): Buffer {
    const [first] = this.#pieces;
    const all =
      first !== undefined && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces, this.#length);
    this.#pieces = [];
    this.#length = 0;
    this.#small = 0;
    return all;
  }
}
