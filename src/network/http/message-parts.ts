/**
 * Where a request ends in the bytes of a connection, told before anybody reads it: a head and the last lines of a body
 * in chunks end with an empty line, other bodies after so many bytes. What is no HTTP is cut somewhere, and the parser
 * behind refuses it; no byte is changed or left out here, so that nothing depends on both reading the same.
 */

/** Letters of a line with the length of a chunk; a longer one is refused by whoever reads it. */
const SIZE_LINE_MAX = 64;
const LINE_END = 0x0a;
const RETURN = 0x0d;

/** What comes next. */
type Kind = 'head' | 'lines' | 'counted' | 'chunk size' | 'all';

/** The fields of a head that say what follows it. */
export interface BodyFields {
  readonly 'content-length'?: string | undefined;
  readonly 'transfer-encoding'?: string | undefined;
}

/** Divides the bytes of one connection. */
export class MessageParts {
  #kind: Kind = 'head';
  /** What follows those bytes. */
  #next: Kind = 'head';
  #left = 0;
  #lineBytes = 0;
  #sizeLine = '';

  /** A head has been read. */
  expectBody(fields: BodyFields): void {
    const length = Number(fields['content-length'] ?? 0);
    if (fields['transfer-encoding'] !== undefined) this.#kind = 'chunk size';
    else if (Number.isSafeInteger(length) && length > 0) this.#count(length, 'head');
  }

  /** From now on it is another protocol. */
  expectAll(): void {
    this.#kind = 'all';
  }

  /**
   * @returns how many of the bytes may be read before it must be looked whether a request has ended; at least one of
   *   some
   */
  take(bytes: Buffer): number {
    switch (this.#kind) {
      case 'all':
        return bytes.length;
      case 'counted':
        return this.#takeCounted(bytes);
      case 'chunk size':
        return this.#takeSizeLine(bytes);
      case 'head':
        return this.#takeEmptyLines(bytes);
      case 'lines':
        return this.#takeLines(bytes);
    }
  }

  #count(bytes: number, next: Kind): void {
    this.#kind = 'counted';
    this.#left = bytes;
    this.#next = next;
  }

  #takeCounted(bytes: Buffer): number {
    const taken = Math.min(this.#left, bytes.length);
    this.#left -= taken;
    if (this.#left === 0) this.#kind = this.#next;
    return taken;
  }

  #takeSizeLine(bytes: Buffer): number {
    const end = bytes.indexOf(LINE_END);
    const taken = end < 0 ? bytes.length : end + 1;
    if (this.#sizeLine.length < SIZE_LINE_MAX)
      this.#sizeLine += bytes.toString('latin1', 0, Math.min(taken, SIZE_LINE_MAX));
    if (end < 0) return taken;
    const size = Number.parseInt(this.#sizeLine, 16);
    this.#sizeLine = '';
    // with the end of line behind the chunk
    if (size > 0 && Number.isSafeInteger(size)) this.#count(size + 2, 'chunk size');
    else this.#kind = 'lines';
    return taken;
  }

  /**
   * Empty lines before a request are passed over by whoever reads it, all at once: each by itself would cost a hundred
   * times as much.
   */
  #takeEmptyLines(bytes: Buffer): number {
    const at = bytes.findIndex((byte) => byte !== LINE_END && byte !== RETURN);
    if (at < 0) return bytes.length;
    this.#kind = 'lines';
    return at + this.#takeLines(bytes.subarray(at));
  }

  /** Up to the first empty line. */
  #takeLines(bytes: Buffer): number {
    for (let at = 0; ;) {
      const end = bytes.indexOf(LINE_END, at);
      if (end < 0) {
        this.#lineBytes += bytes.length - at;
        return bytes.length;
      }
      // nothing, or a return; a line of one letter divides as well, which costs nothing
      const isEmpty = this.#lineBytes + end - at <= 1;
      this.#lineBytes = 0;
      at = end + 1;
      if (!isEmpty) continue;
      this.#kind = 'head';
      return at;
    }
  }
}
