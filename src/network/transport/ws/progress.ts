/**
 * Whether a WebSocket peer is in the middle of a message (RFC 6455, 5.2): the headers of its frames are read as they
 * pass, nothing is kept. Answers to pings may come between the frames of a message that never ends, so that they say
 * nothing of it.
 */

const FINAL = 0x80;
const CONTROL = 0x08;
const MASKED = 0x80;
const MASK_BYTES = 4;
/**
 * What one piece of a message costs beside its bytes: each frame, and each chunk of a frame that has not come whole, is
 * a buffer of its own. A message in frames of one byte each takes some thirty times the bytes that were sent for it.
 */
const PIECE_BYTES = 256;

/** Follows the frame headers of one peer. */
export class WsProgress {
  /** Whole messages that have come. */
  messages = 0;
  #header: number[] = [];
  /** Bytes of the frame's content that are still to come. */
  #left = 0;
  /** Bytes of the message that has begun. */
  #pendingBytes = 0;
  #isLast = false;
  #isControl = false;
  /** Chunks of the frame that has begun. */
  #chunks = 0;

  /** What a message takes that has not arrived whole: its bytes, its headers and its pieces; 0 between messages. */
  get pendingBytes(): number {
    if (this.#isControl) return this.#pendingBytes;
    return this.#pendingBytes + this.#header.length + this.#chunks * PIECE_BYTES;
  }

  push(chunk: Buffer): void {
    this.#count(chunk);
    this.#chunks = this.#left > 0 || this.#header.length > 0 ? this.#chunks + 1 : 0;
  }

  #count(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, chunk.length - at);
        at += taken;
        this.#take(taken);
      } else this.#headerByte(chunk[at++] as number);
    }
  }

  #headerByte(byte: number): void {
    const header = this.#header;
    header.push(byte);
    this.#isControl = ((header[0] as number) & CONTROL) !== 0;
    if (header.length < 2) return;
    const short = (header[1] as number) & 0x7f;
    const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
    const maskBytes = (header[1] as number) & MASKED ? MASK_BYTES : 0;
    if (header.length < 2 + lengthBytes + maskBytes) return;
    let length = lengthBytes === 0 ? short : 0;
    for (let n = 0; n < lengthBytes; n++) length = length * 256 + (header[2 + n] as number);
    this.#isLast = ((header[0] as number) & FINAL) !== 0;
    this.#left = length;
    if (!this.#isControl) this.#pendingBytes += header.length + PIECE_BYTES;
    this.#header = [];
    if (length === 0) this.#frameEnded();
  }

  #take(bytes: number): void {
    this.#left -= bytes;
    if (!this.#isControl) this.#pendingBytes += bytes;
    if (this.#left === 0) this.#frameEnded();
  }

  #frameEnded(): void {
    this.#chunks = 0;
    if (!this.#isControl && this.#isLast) {
      this.#pendingBytes = 0;
      this.messages++;
    }
    this.#isControl = false;
  }
}
