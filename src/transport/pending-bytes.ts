/**
 * Bytes received that make no whole message yet. Large chunks are kept as they came. Small ones are moved together: each keeps far
 * more memory than its bytes, and a peer that lets a message trickle would cost a multiple of what its limit says.
 */

/** Smaller chunks are moved. */
const SMALL_BYTES = 4096;
const BLOCK_BYTES = { min: 512, max: 64 * 1024 };

/** See the file's comment. */
export class PendingBytes {
  #pieces: Buffer[] = [];
  #length = 0;
  /** Where small chunks go, how far it is filled, and from where on that is not among the pieces yet. */
  #block = Buffer.alloc(0);
  #filled = 0;
  #from = 0;

  get length(): number {
    return this.#length;
  }

  /** @returns what was pending with the chunk behind it, and nothing is pending then; undefined while it is less than `need` */
  join(chunk: Buffer, need: number): Buffer | undefined {
    if (this.#length === 0 && chunk.length >= need) return chunk;
    this.add(chunk);
    return this.#length < need ? undefined : this.#take();
  }

  add(chunk: Buffer): void {
    if (chunk.length >= SMALL_BYTES) {
      this.#endRun();
      this.#pieces.push(chunk);
    } else for (let at = 0; at < chunk.length;) at += this.#move(chunk, at);
    this.#length += chunk.length;
  }

  #take(): Buffer {
    this.#endRun();
    const [first] = this.#pieces;
    const all =
      first !== undefined && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces, this.#length);
    this.#pieces = [];
    this.#length = 0;
    this.#block = Buffer.alloc(0);
    this.#filled = 0;
    this.#from = 0;
    return all;
  }

  /** @returns how many bytes found room */
  #move(chunk: Buffer, at: number): number {
    if (this.#filled === this.#block.length) {
      this.#endRun();
      const wanted = Math.max(BLOCK_BYTES.min, chunk.length - at, this.#length * 2);
      this.#block = Buffer.allocUnsafeSlow(Math.min(wanted, BLOCK_BYTES.max));
      this.#filled = 0;
      this.#from = 0;
    }
    const moved = chunk.copy(this.#block, this.#filled, at);
    this.#filled += moved;
    return moved;
  }

  #endRun(): void {
    if (this.#filled > this.#from) this.#pieces.push(this.#block.subarray(this.#from, this.#filled));
    this.#from = this.#filled;
  }
}
