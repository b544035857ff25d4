/**
 * Bytes received that make no whole message yet, in the chunks in which they came. Many small ones are joined: each
 * keeps far more memory than its bytes, and a peer that lets a message trickle would cost a multiple of what its limit
 * says.
 */

/** Smaller chunks are joined, so many at a time. */
const SMALL_BYTES = 4096;
const SMALL_MAX = 64;

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
    // the little that is left of a large chunk must not keep it
    this.#pieces.push(isSmall && chunk.buffer.byteLength > 4 * SMALL_BYTES ? Buffer.from(chunk) : chunk);
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
