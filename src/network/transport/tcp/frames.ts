/**
 * The stream of Salt's tcp transport: msgpack maps `{head, body}` one behind the other, without a length before them
 * (salt/transport/frame.py; docs/internals/wire-protocol.md#transports). The end of a map is found while its bytes
 * arrive: each byte is looked at once, lengths are held against the limit when they are announced, and nothing is
 * decoded here.
 */

const HEAD_KEY = Buffer.from('a468656164', 'hex');
const BODY_KEY = Buffer.from('a4626f6479', 'hex');
const KEYS_AS_BIN = { head: Buffer.from('c40468656164', 'hex'), body: Buffer.from('c404626f6479', 'hex') };
const EMPTY_MAP = Buffer.from([0x80]);
const BEFORE_HEAD = Buffer.concat([Buffer.from([0x82]), HEAD_KEY]);
const BEFORE_PUBLICATION = Buffer.concat([BEFORE_HEAD, EMPTY_MAP, BODY_KEY]);
/** A map has a head and a body; a few more entries are borne. */
const ENTRIES_MAX = 8;
/** One more than an envelope may be deep, with room to spare. */
const NESTING_MAX = 600;
/** A head holds one id. It is sent back as it came, so it is kept short. */
const HEAD_BYTES_MAX = 1024;
const FIRST_BUFFER_BYTES = 4096;

/** The peer does not speak Salt's tcp transport, or exceeds a limit. */
export class TcpProtocolError extends Error {
  override readonly name = 'TcpProtocolError';
}

/** One map: its head and body as msgpack, slices of the receive buffer. */
export interface TcpFrame {
  readonly head: Buffer;
  readonly body: Buffer;
}

/** Splits a stream into maps. */
export class TcpFrameReader {
  readonly #bytesMax: number;
  readonly #onFrame: (frame: TcpFrame) => void;
  /** The beginning of a map that has not arrived whole, and how much of the buffer it fills. */
  #held: Buffer | undefined;
  #heldBytes = 0;
  /**
   * Where the scan stands, from the start of the map; what is left to scan in each open container, and of a text or
   * bytes.
   */
  #at = 0;
  #open: number[] = [];
  #skip = 0;
  /** Ends of the keys and values of the map. */
  #marks: number[] = [];
  #stopped = false;
  #isHeld = false;

  /** @param bytesMax of one map */
  constructor(bytesMax: number, onFrame: (frame: TcpFrame) => void) {
    this.#bytesMax = bytesMax;
    this.#onFrame = onFrame;
  }

  /** Bytes of a map that has not arrived whole. */
  get pendingBytes(): number {
    return this.#heldBytes;
  }

  /** Gives no more frames, not even those of the bytes that are being read. */
  stop(): void {
    this.#stopped = true;
    this.#held = undefined;
    this.#heldBytes = 0;
  }

  /** Gives no more frames, not even those that have come, until `false` is said and something is pushed. */
  set isHeld(isHeld: boolean) {
    this.#isHeld = isHeld;
  }

  /** @throws TcpProtocolError */
  push(chunk: Buffer): void {
    if (this.#stopped) return;
    let bytes = this.#join(chunk);
    while (!this.#isHeld) {
      const end = this.#scan(bytes);
      if (end === undefined) break;
      const frame = this.#cut(bytes, end);
      bytes = bytes.subarray(end);
      this.#begin();
      this.#onFrame(frame);
      if (this.#stopped) return;
    }
    if (bytes.length === 0) this.#held = undefined;
    else if (
      this.#held === undefined ||
      bytes.byteOffset !== this.#held.byteOffset ||
      bytes.buffer !== this.#held.buffer
    )
      this.#hold(bytes);
    this.#heldBytes = bytes.length;
  }

  /** What is held with the chunk behind it; the buffer doubles, so that a byte is moved a few times at most. */
  #join(chunk: Buffer): Buffer {
    if (this.#held === undefined) return chunk;
    const size = this.#heldBytes + chunk.length;
    if (size > this.#held.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(size, this.#held.length * 2));
      this.#held.copy(grown, 0, 0, this.#heldBytes);
      this.#held = grown;
    }
    chunk.copy(this.#held, this.#heldBytes);
    this.#heldBytes = size;
    return this.#held.subarray(0, size);
  }

  #hold(bytes: Buffer): void {
    this.#held = Buffer.allocUnsafeSlow(Math.max(FIRST_BUFFER_BYTES, bytes.length));
    bytes.copy(this.#held);
  }

  #begin(): void {
    this.#at = 0;
    this.#open = [];
    this.#skip = 0;
    this.#marks = [];
    this.#held = undefined;
    this.#heldBytes = 0;
  }

  /** Goes on scanning. @returns where the map ends; undefined when it has not arrived whole */
  #scan(bytes: Buffer): number | undefined {
    for (;;) {
      if (this.#skip > 0) {
        const step = Math.min(this.#skip, bytes.length - this.#at);
        this.#at += step;
        this.#skip -= step;
        if (this.#skip > 0) return undefined;
        if (this.#finished()) return this.#at;
      }
      if (this.#at >= bytes.length) return undefined;
      const tag = bytes[this.#at] as number;
      if (this.#open.length === 0) {
        if (tag <= 0x80 || tag > 0x80 + ENTRIES_MAX) throw new TcpProtocolError(foreignerText(tag));
        this.#at++;
        this.#open.push((tag & 15) * 2);
        continue;
      }
      const isOver = this.#value(bytes, tag);
      if (isOver === undefined) return undefined;
      if (isOver) return this.#at;
    }
  }

  /** Scans the start of a value. @returns whether the map ends with it; undefined when more bytes are needed to tell */
  #value(bytes: Buffer, tag: number): boolean | undefined {
    const lengthBytes = LENGTH_BYTES[tag] as number;
    const headerBytes = 1 + lengthBytes;
    if (lengthBytes === INVALID)
      throw new TcpProtocolError(`byte 0x${tag.toString(16)} begins no msgpack value`);
    if (bytes.length - this.#at < headerBytes) return undefined;
    const length = lengthBytes === 0 ? 0 : bytes.readUIntBE(this.#at + 1, lengthBytes);
    this.#at += headerBytes;
    const content = contentBytes(tag, length);
    if (content >= 0) {
      this.#within(content);
      this.#skip = content;
      return content === 0 ? this.#finished() : false;
    }
    const values = containedValues(tag, length);
    this.#within(values);
    if (values === 0) return this.#finished();
    if (this.#open.length >= NESTING_MAX) throw new TcpProtocolError(`nested deeper than ${NESTING_MAX}`);
    this.#open.push(values);
    return false;
  }

  /** A value has ended, and perhaps containers with it. @returns whether the map has */
  #finished(): boolean {
    const open = this.#open;
    while (open.length > 0) {
      const last = open.length - 1;
      if (last === 0) this.#marks.push(this.#at);
      if (--(open[last] as number) > 0) return false;
      open.pop();
    }
    return true;
  }

  #within(moreBytes: number): void {
    const size = this.#at + moreBytes;
    if (size > this.#bytesMax)
      throw new TcpProtocolError(`a message of ${size} bytes or more; the limit is ${this.#bytesMax}`);
  }

  #cut(bytes: Buffer, end: number): TcpFrame {
    let head: Buffer = EMPTY_MAP;
    let body: Buffer | undefined;
    let start = 1;
    for (let at = 0; at + 1 < this.#marks.length; at += 2) {
      const keyEnd = this.#marks[at] as number;
      const valueEnd = this.#marks[at + 1] as number;
      const key = bytes.subarray(start, keyEnd);
      if (key.equals(HEAD_KEY) || key.equals(KEYS_AS_BIN.head)) head = bytes.subarray(keyEnd, valueEnd);
      else if (key.equals(BODY_KEY) || key.equals(KEYS_AS_BIN.body)) body = bytes.subarray(keyEnd, valueEnd);
      start = valueEnd;
    }
    if (body === undefined) throw new TcpProtocolError(`a map of ${end} bytes has no body`);
    if (head.length > HEAD_BYTES_MAX) throw new TcpProtocolError(`a head of ${head.length} bytes`);
    return { head, body };
  }
}

const INVALID = 9;
/** How many bytes of a length follow each tag of msgpack. */
const LENGTH_BYTES: Uint8Array = new Uint8Array(256);
LENGTH_BYTES[0xc1] = INVALID;
for (const tag of [0xc4, 0xc7, 0xd9]) LENGTH_BYTES[tag] = 1;
for (const tag of [0xc5, 0xc8, 0xda, 0xdc, 0xde]) LENGTH_BYTES[tag] = 2;
for (const tag of [0xc6, 0xc9, 0xdb, 0xdd, 0xdf]) LENGTH_BYTES[tag] = 4;

/** Bytes of content behind the length: of text, bytes, numbers and extensions; -1 for containers. */
function contentBytes(tag: number, length: number): number {
  if (tag < 0x80 || tag >= 0xe0) return 0;
  if (tag < 0xa0) return -1;
  if (tag < 0xc0) return tag & 31;
  if (tag <= 0xc3) return 0;
  if (tag <= 0xc6) return length;
  if (tag <= 0xc9) return length + 1;
  if (tag <= 0xcb) return tag === 0xca ? 4 : 8;
  if (tag <= 0xd3) return 1 << ((tag - 0xcc) & 3);
  if (tag <= 0xd8) return (1 << (tag - 0xd4)) + 1;
  return tag <= 0xdb ? length : -1;
}

/** Values in a container. */
function containedValues(tag: number, length: number): number {
  if (tag < 0x90) return (tag & 15) * 2;
  if (tag < 0xa0) return tag & 15;
  return tag >= 0xde ? length * 2 : length;
}

/** What a peer is that begins with this byte. */
function foreignerText(byte: number): string {
  const what =
    byte === 0x16 || byte === 0x15
      ? 'the peer speaks TLS, and this end does not (option ssl)'
      : byte === 0xff
        ? 'the peer speaks ZeroMQ (transport: zeromq), and this end tcp'
        : byte >= 0x41 && byte <= 0x5a
          ? 'the peer speaks HTTP (transport: ws?), and this end tcp'
          : "the peer does not speak Salt's tcp transport";
  return what;
}

/** A request. @param body msgpack */
export function encodeRequest(id: number, body: Buffer): Buffer {
  const digits = String(id);
  const head = Buffer.from(`\x81\xa3mid${String.fromCharCode(0xa0 | digits.length)}${digits}`, 'latin1');
  return encodeReply(head, body);
}

/** A reply with the head of its request. @param body msgpack */
export function encodeReply(head: Buffer, body: Buffer): Buffer {
  return Buffer.concat([BEFORE_HEAD, head, BODY_KEY, body]);
}

/** A message without an id, whose body is msgpack: how a subscriber says who it is. */
export function encodeMessage(body: Buffer): Buffer {
  return Buffer.concat([BEFORE_PUBLICATION, body]);
}

/** A publication as Salt 3007 sends it, which 3006 reads too: the body holds the envelope's bytes. */
export function encodePublication(envelope: Buffer): Buffer {
  const length = Buffer.alloc(5);
  length[0] = 0xc6;
  length.writeUInt32BE(envelope.length, 1);
  return Buffer.concat([BEFORE_PUBLICATION, length, envelope]);
}

/** The envelope in a publication's body: as bytes (3007), or as a map (3006). */
export function envelopeIn(body: Buffer): Buffer {
  const tag = body[0] as number;
  const isBytes = (tag >= 0xa0 && tag < 0xc0) || (tag >= 0xc4 && tag <= 0xc6) || (tag >= 0xd9 && tag <= 0xdb);
  return isBytes ? body.subarray(1 + (LENGTH_BYTES[tag] as number)) : body;
}

/** The number in a reply's head, which the other end may have written anew; undefined when it is none of ours. */
export function idIn(head: Buffer): number | undefined {
  const found = /^\x81(?:\xa3|\xc4\x03)mid(?:[\xa1-\xaf]|\xc4[\x01-\x0f])(\d{1,10})$/.exec(
    head.toString('latin1'),
  );
  return found === null ? undefined : Number(found[1]);
}
