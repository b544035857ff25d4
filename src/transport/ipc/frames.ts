/** Length-prefixed frames for the sockets between our own processes: `u32 length`, then that many bytes. */

const HEADER_BYTES = 4;

/** The peer announced a frame beyond the limit. */
export class FrameTooLargeError extends Error {
  override readonly name = 'FrameTooLargeError';
}

/** Splits a stream into frames without copying a half-received frame again and again. */
export class FrameReader {
  readonly #frameBytesMax: number;
  readonly #onFrame: (frame: Buffer) => void;
  #chunks: Buffer[] = [];
  #have = 0;
  #need = HEADER_BYTES;

  /** @param onFrame gets slices of the receive buffer */
  constructor(frameBytesMax: number, onFrame: (frame: Buffer) => void) {
    this.#frameBytesMax = frameBytesMax;
    this.#onFrame = onFrame;
  }

  /** @throws FrameTooLargeError */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#have += chunk.length;
    if (this.#have < this.#need) return;
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#have);
    let at = 0;
    this.#need = HEADER_BYTES;
    while (bytes.length - at >= HEADER_BYTES) {
      const length = bytes.readUInt32BE(at);
      if (length > this.#frameBytesMax) throw new FrameTooLargeError(`a frame of ${length} bytes`);
      this.#need = HEADER_BYTES + length;
      if (bytes.length - at < this.#need) break;
      this.#onFrame(bytes.subarray(at + HEADER_BYTES, at + this.#need));
      at += this.#need;
      this.#need = HEADER_BYTES;
    }
    const rest = bytes.subarray(at);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#have = rest.length;
  }
}
