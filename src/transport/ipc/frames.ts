/** Length-prefixed frames for the sockets between our own processes: `u32 length`, then that many bytes. */
import { PendingBytes } from '../pending-bytes.ts';

const HEADER_BYTES = 4;

/** The peer announced a frame beyond the limit. */
export class FrameTooLargeError extends Error {
  override readonly name = 'FrameTooLargeError';
}

/** Splits a stream into frames without copying a half-received frame again and again. */
export class FrameReader {
  readonly #frameBytesMax: number;
  readonly #onFrame: (frame: Buffer) => void;
  readonly #pending = new PendingBytes();
  #need = HEADER_BYTES;

  /** @param onFrame gets slices of the receive buffer */
  constructor(frameBytesMax: number, onFrame: (frame: Buffer) => void) {
    this.#frameBytesMax = frameBytesMax;
    this.#onFrame = onFrame;
  }

  /** @throws FrameTooLargeError */
  push(chunk: Buffer): void {
    const bytes = this.#pending.join(chunk, this.#need);
    if (bytes === undefined) return;
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
    this.#pending.add(bytes.subarray(at));
  }
}
