/**
 * msgpack in the two dialects that Salt speaks.
 *
 * - `network`: what goes through ports 4505 and 4506. Text and bytes share the str family (never str 8, never bin);
 *   on decoding, whatever is valid UTF-8 becomes text and the rest stays bytes.
 *   Follows salt/payload.py `dumps`/`loads` (3006.16) with `use_bin_type=False`.
 * - `local`: the event bus and files on disk. Text and bytes are distinct (`use_bin_type=True`).
 *
 * A third is ours: `python`, in which a process of Python is spoken to. It is `local` with what only Python has:
 * tuples, ordered mappings that are to stay such ones, integers of any size, and objects that stay where they are.
 *
 * Hostile input costs a {@link MsgpackError} and nothing else: lengths are checked against what is there before
 * anything is allocated, nesting is bounded, and what comes from outside has a {@link Budget}.
 */
import { isUtf8 } from 'node:buffer';
import { PyTuple } from '../../python/values/tuple.ts';
import { PyDatetime, PyFloat, type Dict, type Value, PyObject } from '../../python/values/value.ts';
import { requireWithin, type Budget } from './budget.ts';
import { MsgpackError, TruncatedMsgpackError } from './msgpack-error.ts';
import { EXT_INTEGER, EXT_OBJECT, EXT_TUPLE, ofPython } from './of-python.ts';

export { MsgpackError, TruncatedMsgpackError };

/** Which dialect to speak: one of Salt's two, or that of our processes of Python. */
export type Dialect = 'network' | 'local' | 'python';

/** What can be encoded: values, and plain objects standing for maps with fixed field names (undefined left out). */
export type Encodable = Value | readonly Encodable[] | { readonly [field: string]: Encodable | undefined };

/** Deepest nesting accepted and produced. */
const NESTING_MAX = 512;

const NO_BYTES = Buffer.alloc(0);
const EXT_DATETIME = 78;
const EXT_CONSTANT = 79;
const INITIAL_BUFFER_BYTES = 16 * 1024;
/** A buffer grown beyond this is given back after use, so that one large message does not stay for ever. */
const KEEP_BUFFER_BYTES = 1024 * 1024;

class Encoder {
  #buf = Buffer.allocUnsafeSlow(INITIAL_BUFFER_BYTES);
  #pos = 0;
  #bin = false;
  #dialect: Dialect = 'local';
  #isBusy = false;

  encode(value: Encodable, dialect: Dialect): Buffer {
    // a map that makes its content when it is looked at may encode something itself meanwhile
    if (this.#isBusy) return new Encoder().encode(value, dialect);
    this.#pos = 0;
    this.#bin = dialect !== 'network';
    this.#dialect = dialect;
    this.#isBusy = true;
    try {
      this.#any(value, 0);
    } finally {
      this.#isBusy = false;
    }
    const out = Buffer.from(this.#buf.subarray(0, this.#pos));
    if (this.#buf.length > KEEP_BUFFER_BYTES) this.#buf = Buffer.allocUnsafeSlow(INITIAL_BUFFER_BYTES);
    return out;
  }

  #room(count: number): void {
    if (this.#pos + count <= this.#buf.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#buf.length * 2, this.#pos + count));
    this.#buf.copy(grown, 0, 0, this.#pos);
    this.#buf = grown;
  }

  #byte(byte: number): void {
    this.#room(1);
    this.#buf[this.#pos++] = byte;
  }

  #any(value: Encodable | undefined, depth: number): void {
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'number':
        return this.#number(value);
      case 'boolean':
        return this.#byte(value ? 0xc3 : 0xc2);
      case 'bigint':
        return this.#bigint(value);
      case 'undefined':
        return this.#byte(0xc0);
      case 'object':
        return value === null ? this.#byte(0xc0) : this.#object(value, depth);
      default:
        throw new MsgpackError(`cannot encode a ${typeof value}`);
    }
  }

  #object(value: object, depth: number): void {
    if (depth > NESTING_MAX) throw new MsgpackError(`nested deeper than ${NESTING_MAX}`);
    if (value instanceof Map) {
      this.#length(value.size, 0x80, 0xde);
      for (const [key, item] of value as Dict) {
        this.#any(key, depth + 1);
        this.#any(item, depth + 1);
      }
    } else if (value instanceof PyTuple && this.#dialect === 'python') {
      this.#extension(EXT_TUPLE, [...(value as Value[])]);
    } else if (Array.isArray(value)) {
      this.#length(value.length, 0x90, 0xdc);
      for (const item of value as Encodable[]) this.#any(item, depth + 1);
    } else if (value instanceof Uint8Array) this.#bytes(value);
    else if (value instanceof PyFloat) this.#float(value.value);
    else if (value instanceof PyDatetime) this.#ext(EXT_DATETIME, value.text);
    else if (value instanceof PyObject) this.#object80(value);
    else this.#fields(value as Record<string, Encodable | undefined>, depth);
  }

  /** Only Python can do anything with it; for anybody else it is its text. */
  #object80(value: PyObject): void {
    if (this.#dialect === 'python') this.#extension(EXT_OBJECT, value.place);
    else this.#text(value.str);
  }

  #extension(type: number, content: Encodable): void {
    const body = new Encoder().encode(content, this.#dialect);
    this.#room(6 + body.length);
    this.#buf[this.#pos++] = 0xc9;
    this.#pos = this.#buf.writeUInt32BE(body.length, this.#pos);
    this.#buf[this.#pos++] = type;
    this.#pos += body.copy(this.#buf, this.#pos);
  }

  #fields(record: Record<string, Encodable | undefined>, depth: number): void {
    const names = Object.keys(record).filter((name) => record[name] !== undefined);
    this.#length(names.length, 0x80, 0xde);
    for (const name of names) {
      this.#text(name);
      this.#any(record[name], depth + 1);
    }
  }

  #length(length: number, fix: number, sixteen: number): void {
    this.#room(5);
    if (length < 16) this.#buf[this.#pos++] = fix | length;
    else if (length < 0x10000) {
      this.#buf[this.#pos++] = sixteen;
      this.#pos = this.#buf.writeUInt16BE(length, this.#pos);
    } else {
      this.#buf[this.#pos++] = sixteen + 1;
      this.#pos = this.#buf.writeUInt32BE(length, this.#pos);
    }
  }

  #strHeaderSize(length: number): number {
    if (length < 32) return 1;
    if (this.#bin && length < 256) return 2;
    return length < 0x10000 ? 3 : 5;
  }

  #strHeader(length: number): void {
    const size = this.#strHeaderSize(length);
    if (size === 1) this.#buf[this.#pos++] = 0xa0 | length;
    else if (size === 2) {
      this.#buf[this.#pos++] = 0xd9;
      this.#buf[this.#pos++] = length;
    } else if (size === 3) {
      this.#buf[this.#pos++] = 0xda;
      this.#pos = this.#buf.writeUInt16BE(length, this.#pos);
    } else {
      this.#buf[this.#pos++] = 0xdb;
      this.#pos = this.#buf.writeUInt32BE(length, this.#pos);
    }
  }

  #text(text: string): void {
    const chars = text.length;
    this.#room(5 + chars * 3);
    if (chars < 32 && this.#shortAscii(text, chars)) return;
    const guess = this.#strHeaderSize(chars);
    const length = this.#buf.write(text, this.#pos + guess, 'utf8');
    const size = this.#strHeaderSize(length);
    if (size !== guess) this.#buf.copyWithin(this.#pos + size, this.#pos + guess, this.#pos + guess + length);
    this.#strHeader(length);
    this.#pos += length;
  }

  #shortAscii(text: string, chars: number): boolean {
    const buf = this.#buf;
    let at = this.#pos + 1;
    for (let i = 0; i < chars; i++) {
      const code = text.charCodeAt(i);
      if (code > 127) return false;
      buf[at++] = code;
    }
    buf[this.#pos] = 0xa0 | chars;
    this.#pos = at;
    return true;
  }

  #bytes(bytes: Uint8Array): void {
    const length = bytes.length;
    this.#room(5 + length);
    if (!this.#bin) this.#strHeader(length);
    else if (length < 256) {
      this.#buf[this.#pos++] = 0xc4;
      this.#buf[this.#pos++] = length;
    } else if (length < 0x10000) {
      this.#buf[this.#pos++] = 0xc5;
      this.#pos = this.#buf.writeUInt16BE(length, this.#pos);
    } else {
      this.#buf[this.#pos++] = 0xc6;
      this.#pos = this.#buf.writeUInt32BE(length, this.#pos);
    }
    this.#buf.set(bytes, this.#pos);
    this.#pos += length;
  }

  #number(value: number): void {
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) {
      // an integer beyond 2^53 that arrives as a number has already lost its last digits: it is a float
      return this.#float(value);
    }
    this.#room(9);
    if (value >= 0) this.#unsigned(value);
    else this.#negative(value);
  }

  #unsigned(value: number): void {
    const buf = this.#buf;
    if (value < 0x80) buf[this.#pos++] = value;
    else if (value < 0x100) {
      buf[this.#pos++] = 0xcc;
      buf[this.#pos++] = value;
    } else if (value < 0x10000) {
      buf[this.#pos++] = 0xcd;
      this.#pos = buf.writeUInt16BE(value, this.#pos);
    } else if (value < 0x100000000) {
      buf[this.#pos++] = 0xce;
      this.#pos = buf.writeUInt32BE(value, this.#pos);
    } else {
      buf[this.#pos++] = 0xcf;
      this.#pos = buf.writeBigUInt64BE(BigInt(value), this.#pos);
    }
  }

  #negative(value: number): void {
    const buf = this.#buf;
    if (value >= -32) buf[this.#pos++] = value & 0xff;
    else if (value >= -0x80) {
      buf[this.#pos++] = 0xd0;
      this.#pos = buf.writeInt8(value, this.#pos);
    } else if (value >= -0x8000) {
      buf[this.#pos++] = 0xd1;
      this.#pos = buf.writeInt16BE(value, this.#pos);
    } else if (value >= -0x80000000) {
      buf[this.#pos++] = 0xd2;
      this.#pos = buf.writeInt32BE(value, this.#pos);
    } else {
      buf[this.#pos++] = 0xd3;
      this.#pos = buf.writeBigInt64BE(BigInt(value), this.#pos);
    }
  }

  #bigint(value: bigint): void {
    if (value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)) {
      return this.#number(Number(value));
    }
    this.#room(9);
    if (value > 0n && value < 1n << 64n) {
      this.#buf[this.#pos++] = 0xcf;
      this.#pos = this.#buf.writeBigUInt64BE(value, this.#pos);
    } else if (value < 0n && value >= -(1n << 63n)) {
      this.#buf[this.#pos++] = 0xd3;
      this.#pos = this.#buf.writeBigInt64BE(value, this.#pos);
    } else if (this.#dialect === 'python') this.#extension(EXT_INTEGER, value.toString());
    else this.#text(value.toString()); // Salt compat: integers beyond 64 bits travel as decimal text
  }

  #float(value: number): void {
    this.#room(9);
    this.#buf[this.#pos++] = 0xcb;
    this.#pos = this.#buf.writeDoubleBE(value, this.#pos);
  }

  #ext(type: number, text: string): void {
    this.#room(3 + text.length);
    this.#buf[this.#pos++] = 0xc7;
    this.#buf[this.#pos++] = text.length;
    this.#buf[this.#pos++] = type;
    this.#pos += this.#buf.write(text, this.#pos, 'latin1');
  }
}

/** Short ASCII strings seen lately, because field names and ids repeat in every message. */
class StringCache {
  static readonly LENGTH_MAX = 32;
  static readonly #SLOTS = 4096;
  readonly #bytes = new Uint8Array(StringCache.#SLOTS * StringCache.LENGTH_MAX);
  readonly #lengths = new Uint8Array(StringCache.#SLOTS).fill(255);
  readonly #strings: string[] = new Array<string>(StringCache.#SLOTS).fill('');

  /** The text of `length` bytes at `start`, or undefined when they are not all ASCII. */
  get(buf: Buffer, start: number, length: number): string | undefined {
    const end = start + length;
    let hash = length;
    let or = 0;
    for (let i = start; i < end; i++) {
      const c = buf[i] as number;
      or |= c;
      hash = (hash * 31 + c) | 0;
    }
    if (or > 127) return undefined;
    const slot = (hash ^ (hash >>> 12)) & (StringCache.#SLOTS - 1);
    const base = slot * StringCache.LENGTH_MAX;
    if (this.#lengths[slot] === length) {
      let i = 0;
      while (i < length && this.#bytes[base + i] === buf[start + i]) i++;
      if (i === length) return this.#strings[slot];
    }
    const text = buf.toString('latin1', start, end);
    this.#lengths[slot] = length;
    this.#strings[slot] = text;
    for (let i = 0; i < length; i++) this.#bytes[base + i] = buf[start + i] as number;
    return text;
  }
}

class Decoder {
  readonly #cache = new StringCache();
  #buf: Buffer = NO_BYTES;
  #pos = 0;
  #end = 0;
  #local = false;
  #dialect: Dialect = 'local';

  decode(bytes: Uint8Array, dialect: Dialect, start: number): { value: Value; end: number } {
    this.#buf = asBuffer(bytes);
    this.#pos = start;
    this.#end = this.#buf.length;
    this.#local = dialect !== 'network';
    this.#dialect = dialect;
    try {
      return { value: this.#any(0), end: this.#pos };
    } finally {
      this.#buf = NO_BYTES;
    }
  }

  #need(count: number): void {
    if (count > this.#end - this.#pos) throw new TruncatedMsgpackError();
  }

  #uint(size: 1 | 2 | 4): number {
    this.#need(size);
    const value = this.#buf.readUIntBE(this.#pos, size);
    this.#pos += size;
    return value;
  }

  #text(length: number): Value {
    this.#need(length);
    const start = this.#pos;
    this.#pos += length;
    if (length <= StringCache.LENGTH_MAX) {
      const cached = this.#cache.get(this.#buf, start, length);
      if (cached !== undefined) return cached;
    }
    const slice = this.#buf.subarray(start, this.#pos);
    return isUtf8(slice) ? slice.toString('utf8') : Buffer.from(slice);
  }

  #bin(length: number): Value {
    if (!this.#local) return this.#text(length);
    this.#need(length);
    const out = Buffer.from(this.#buf.subarray(this.#pos, this.#pos + length));
    this.#pos += length;
    return out;
  }

  #list(length: number, depth: number): Value[] {
    this.#need(length);
    if (depth > NESTING_MAX) throw new MsgpackError(`nested deeper than ${NESTING_MAX}`);
    const out: Value[] = [];
    for (let i = 0; i < length; i++) out.push(this.#any(depth + 1));
    return out;
  }

  #map(length: number, depth: number): Dict {
    this.#need(length * 2);
    if (depth > NESTING_MAX) throw new MsgpackError(`nested deeper than ${NESTING_MAX}`);
    const out: Dict = new Map();
    for (let i = 0; i < length; i++) {
      const key = this.#any(depth + 1);
      if (Array.isArray(key) || key instanceof Map) throw new MsgpackError('a map key must be a scalar');
      out.set(key, this.#any(depth + 1));
    }
    return out;
  }

  #ext(length: number): Value {
    this.#need(length + 1);
    const type = this.#buf.readInt8(this.#pos);
    const body = this.#buf.subarray(this.#pos + 1, this.#pos + 1 + length);
    this.#pos += 1 + length;
    if (this.#dialect === 'python' && type >= EXT_OBJECT) {
      const { value } = new Decoder().decode(body, 'python', 0);
      return ofPython(type, value);
    }
    if (type === EXT_DATETIME) return datetime(body.toString('latin1'));
    // Salt compat: type 79 is a named internal constant; its name is the only part that means anything elsewhere
    return type === EXT_CONSTANT ? body.toString('latin1') : Buffer.from(body);
  }

  #bigint(value: bigint): Value {
    const safe = value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
    return safe ? Number(value) : value;
  }

  #double(value: number): Value {
    return Number.isInteger(value) ? new PyFloat(value) : value;
  }

  #any(depth: number): Value {
    const tag = this.#uint(1);
    if (tag < 0x80) return tag;
    if (tag < 0x90) return this.#map(tag & 15, depth);
    if (tag < 0xa0) return this.#list(tag & 15, depth);
    if (tag < 0xc0) return this.#text(tag & 31);
    if (tag >= 0xe0) return tag - 0x100;
    return this.#tagged(tag, depth);
  }

  #tagged(tag: number, depth: number): Value {
    switch (tag) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
        return this.#bin(this.#uint(1));
      case 0xc5:
        return this.#bin(this.#uint(2));
      case 0xc6:
        return this.#bin(this.#uint(4));
      case 0xc7:
        return this.#ext(this.#uint(1));
      case 0xc8:
        return this.#ext(this.#uint(2));
      case 0xc9:
        return this.#ext(this.#uint(4));
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return this.#ext(1 << (tag - 0xd4));
      case 0xd9:
        return this.#text(this.#uint(1));
      case 0xda:
        return this.#text(this.#uint(2));
      case 0xdb:
        return this.#text(this.#uint(4));
      case 0xdc:
        return this.#list(this.#uint(2), depth);
      case 0xdd:
        return this.#list(this.#uint(4), depth);
      case 0xde:
        return this.#map(this.#uint(2), depth);
      case 0xdf:
        return this.#map(this.#uint(4), depth);
      default:
        return this.#numeric(tag);
    }
  }

  #numeric(tag: number): Value {
    const buf = this.#buf;
    const at = this.#pos;
    switch (tag) {
      case 0xca:
        this.#advance(4);
        return this.#double(buf.readFloatBE(at));
      case 0xcb:
        this.#advance(8);
        return this.#double(buf.readDoubleBE(at));
      case 0xcc:
        return this.#uint(1);
      case 0xcd:
        return this.#uint(2);
      case 0xce:
        return this.#uint(4);
      case 0xcf:
        this.#advance(8);
        return this.#bigint(buf.readBigUInt64BE(at));
      case 0xd0:
        this.#advance(1);
        return buf.readInt8(at);
      case 0xd1:
        this.#advance(2);
        return buf.readInt16BE(at);
      case 0xd2:
        this.#advance(4);
        return buf.readInt32BE(at);
      case 0xd3:
        this.#advance(8);
        return this.#bigint(buf.readBigInt64BE(at));
      default:
        throw new MsgpackError(`byte 0x${tag.toString(16)} begins no msgpack value`);
    }
  }

  #advance(count: number): void {
    this.#need(count);
    this.#pos += count;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Salt compat: what is not written as Salt writes a date and time cannot be read (salt/payload.py `ext_type_decoder`,
 * 3006.16).
 */
function datetime(text: string): PyDatetime {
  if (!/^\d{8}T\d\d:\d\d:\d\d\.\d{6}$/.test(text)) throw new MsgpackError('a date and time is malformed');
  return new PyDatetime(text);
}

// Stateless between calls (no user code runs inside one), so one of each serves the whole process.
const encoder = new Encoder();
const decoder = new Decoder();

/**
 * Encodes one value.
 * @param value what to encode; plain objects become maps in the order of their fields
 * @param dialect `network` for the request and publish channels, `local` for the event bus and files
 * @throws MsgpackError when nested deeper than {@link NESTING_MAX}
 */
export function encode(value: Encodable, dialect: Dialect): Buffer {
  return encoder.encode(value, dialect);
}

/**
 * Decodes exactly one value that fills the bytes.
 * @param budget what the value may cost; without one only for what our own processes have written
 * @throws MsgpackError when the bytes are not that, BudgetError when they cost more
 */
export function decode(bytes: Uint8Array, dialect: Dialect, budget?: Budget): Value {
  if (budget !== undefined) requireWithin(asBuffer(bytes), budget);
  const { value, end } = decoder.decode(bytes, dialect, 0);
  if (end !== bytes.length) throw new MsgpackError(`${bytes.length - end} bytes follow the msgpack value`);
  return value;
}

/**
 * Decodes the value that starts at `start`, for streams of concatenated values.
 * @returns the value and the offset behind it
 * @throws TruncatedMsgpackError when more bytes are needed, MsgpackError when they cannot help
 */
export function decodeAt(
  bytes: Uint8Array,
  dialect: Dialect,
  start: number,
  budget?: Budget,
): { value: Value; end: number } {
  if (budget !== undefined) requireWithin(asBuffer(bytes), budget, start);
  return decoder.decode(bytes, dialect, start);
}

/**
 * The bytes of a field that carries ciphertext or a signature. In the network dialect bytes that happen to be valid
 * UTF-8 arrive as text; encoding that text again gives back exactly the bytes that came.
 */
export function asBytes(value: Value | undefined): Buffer | undefined {
  if (typeof value === 'string') return Buffer.from(value, 'utf8');
  if (value instanceof Uint8Array) return Buffer.isBuffer(value) ? value : Buffer.from(value);
  return undefined;
}
