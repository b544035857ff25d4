/** Length-prefixed frames for the sockets between our own processes: `u32 length`, then that many bytes. */
import { PendingBytes } from '../transport/pending-bytes.ts';

const HEADER_BYTES = 4;
/**
 * A frame that is larger gets a buffer of its own when it is announced: joining its pieces in the end would take twice
 * its memory.
 */
const LARGE_BYTES = 1024 * 1024;

/** The peer announced a frame beyond the limit. */
class FrameTooLargeError extends Error {
  override readonly name = 'FrameTooLargeError';
}

/** Splits a stream into frames without copying a half-received frame again and again. */
export class FrameReader {
  readonly #frameBytesMax: number;
  readonly #onFrame: (frame: Buffer) => void;
  readonly #pending = new PendingBytes();
  #need = HEADER_BYTES;
  /** A large frame that has not arrived whole, and how much of it has. */
  #large: Buffer | undefined;
  #largeBytes = 0;

  /** @param onFrame gets slices of the receive buffer */
  constructor(frameBytesMax: number, onFrame: (frame: Buffer) => void) {
    this.#frameBytesMax = frameBytesMax;
    this.#onFrame = onFrame;
  }

  /** A frame has begun and not ended. */
  get isMidFrame(): boolean {
    return this.#large !== undefined || this.#pending.length > 0;
  }

  /** @throws FrameTooLargeError */
  push(chunk: Buffer): void {
    if (this.#large === undefined) this.#split(chunk);
    else this.#fill(this.#large, chunk);
  }

  #split(chunk: Buffer): void {
    const bytes = this.#pending.join(chunk, this.#need);
    if (bytes === undefined) return;
    let at = 0;
    this.#need = HEADER_BYTES;
    while (bytes.length - at >= HEADER_BYTES) {
      const length = bytes.readUInt32BE(at);
      if (length > this.#frameBytesMax) throw new FrameTooLargeError(`a frame of ${length} bytes`);
      this.#need = HEADER_BYTES + length;
      if (bytes.length - at < this.#need) {
        if (length >= LARGE_BYTES) return this.#begin(length, bytes.subarray(at + HEADER_BYTES));
        break;
      }
      this.#onFrame(bytes.subarray(at + HEADER_BYTES, at + this.#need));
      at += this.#need;
      this.#need = HEADER_BYTES;
    }
    this.#pending.add(bytes.subarray(at));
  }

  #begin(length: number, first: Buffer): void {
    this.#need = HEADER_BYTES;
    this.#large = Buffer.allocUnsafeSlow(length);
    this.#largeBytes = first.copy(this.#large);
  }

  #fill(large: Buffer, chunk: Buffer): void {
    const taken = chunk.copy(large, this.#largeBytes);
    this.#largeBytes += taken;
    if (this.#largeBytes < large.length) return;
    this.#large = undefined;
    this.#onFrame(large);
    if (taken < chunk.length) this.#split(chunk.subarray(taken));
  }
}
