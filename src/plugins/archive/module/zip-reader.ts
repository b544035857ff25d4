/**
 * Reading ZIP archives, with Python's words for what is wrong (3.11 Lib/zipfile.py). Files are streamed, so that size
 * costs no memory.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { pyRepr } from '../../../python/values/repr.ts';
import { decodeUtf8 } from '../../../python/values/text.ts';
import { BadZipError, crc32, ZipError } from './zip-format.ts';
import { zipDecryptor } from './zip-crypto.ts';

const END_BYTES = 22;
const COMMENT_BYTES_MAX = 65_535;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;
/** More would be a bomb: the index of a million files with names of a few hundred bytes. */
const INDEX_BYTES_MAX = 512 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
const ENCRYPTED = 0x1;
const UTF8_NAMES = 0x800;
/** Marks of extra fields: sizes beyond 32 bits, and a name in UTF-8, which stands behind a version and a sum. */
const BIG_SIZES = 0x0001;
const UNICODE_NAME = 0x7075;
const UNICODE_NAME_AT = 5;
const STORED = 0;
const DEFLATED = 8;

/** A file, folder or link in an archive. */
export interface ZipEntry {
  readonly name: string;
  /** The name with what follows a NUL in it, where Python has it end. */
  readonly fullName: string;
  /**
   * The name that Info-ZIP's Unicode field (0x7075) gives the entry besides, where there is one: the program `unzip`
   * writes to it, Python does not know it.
   */
  readonly unicodeName: string | undefined;
  /** Unix mode with the file's type, 0 when the archive does not say. */
  readonly mode: number;
  readonly isEncrypted: boolean;
  /**
   * What the last of the twelve bytes in front of an encrypted content is, once the right password has decrypted them.
   */
  readonly passwordCheck: number;
  readonly method: number;
  readonly crc: number;
  readonly compressedBytes: number;
  readonly sizeBytes: number;
  readonly offset: number;
  /** Where the index has the entry. */
  readonly indexAt: number;
  readonly flags: number;
  readonly dosTime: number;
  /** The attributes below the mode, those of MS-DOS. */
  readonly dosAttributes: number;
}

/** An open archive. */
export class ZipReader {
  readonly entries: readonly ZipEntry[];
  readonly #fd: number;

  /** @throws BadZipError `File is not a zip file`; the system's error */
  constructor(path: string) {
    this.#fd = openSync(path, 'r');
    try {
      this.entries = readIndex(this.#fd);
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  /**
   * The content of an entry, piece by piece. Checks its sum at the end; the first piece is empty, and comes once the
   * password is found to be right.
   * @throws ZipError for a password that is missing or wrong, BadZipError for damage
   */
  async *content(entry: ZipEntry, password?: Uint8Array): AsyncGenerator<Buffer, void> {
    const quoted = `'${entry.name}'`;
    const head = Buffer.alloc(LOCAL_BYTES);
    readFully(this.#fd, head, entry.offset);
    if (head.readUInt32LE(0) !== 0x04034b50) throw new BadZipError('Bad magic number for file header');
    let start = entry.offset + LOCAL_BYTES + head.readUInt16LE(26) + head.readUInt16LE(28);
    let { compressedBytes } = entry;
    let decrypt: ((piece: Buffer) => Buffer) | undefined;
    if (entry.isEncrypted) {
      if (password === undefined)
        throw new ZipError(`File ${describe(entry)} is encrypted, password required for extraction`);
      decrypt = zipDecryptor(password);
      const secret = Buffer.alloc(12);
      readFully(this.#fd, secret, start);
      if (decrypt(secret)[11] !== entry.passwordCheck) throw new ZipError(`Bad password for file ${quoted}`);
      start += 12;
      compressedBytes -= 12;
    }
    if (entry.method !== STORED && entry.method !== DEFLATED)
      throw new ZipError('That compression method is not supported');
    yield Buffer.alloc(0);
    const raw = Readable.from(pieces(this.#fd, start, compressedBytes, decrypt));
    let [crc, size] = [0, 0];
    const plain = entry.method === STORED ? raw : raw.pipe(createInflateRaw());
    raw.on('error', (error) => plain.destroy(error));
    for await (const piece of plain as AsyncIterable<Buffer>) {
      crc = crc32(piece, crc);
      size += piece.length;
      if (size > entry.sizeBytes) break;
      yield piece;
    }
    if (crc !== entry.crc || size !== entry.sizeBytes) throw new BadZipError(`Bad CRC-32 for file ${quoted}`);
  }
}

function* pieces(
  fd: number,
  start: number,
  length: number,
  decrypt: ((piece: Buffer) => Buffer) | undefined,
): Generator<Buffer, void> {
  for (let at = 0; at < length; at += PIECE_BYTES) {
    const piece = Buffer.alloc(Math.min(PIECE_BYTES, length - at));
    readFully(fd, piece, start + at);
    yield decrypt === undefined ? piece : decrypt(piece);
  }
}

function readFully(fd: number, buffer: Buffer, position: number): void {
  for (let at = 0; at < buffer.length;) {
    const count = readSync(fd, buffer, at, buffer.length - at, position + at);
    if (count === 0) throw new BadZipError('Truncated file header');
    at += count;
  }
}

/** Where the index is, from the record at the end of the file. */
interface EndRecord {
  readonly count: number;
  readonly indexBytes: number;
  /** Bytes in front of the archive, as in self-extracting ones. */
  readonly prefixBytes: number;
  readonly indexOffset: number;
}

function readIndex(fd: number): ZipEntry[] {
  const { size } = fstatSync(fd);
  const end = readEnd(fd, size);
  if (end === undefined || end.indexBytes > INDEX_BYTES_MAX || end.indexOffset < 0)
    throw new BadZipError('File is not a zip file');
  const index = Buffer.alloc(end.indexBytes);
  readFully(fd, index, end.indexOffset);
  const entries: ZipEntry[] = [];
  for (let at = 0; at + CENTRAL_BYTES <= index.length;) {
    if (index.readUInt32LE(at) !== 0x02014b50)
      throw new BadZipError('Bad magic number for central directory');
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) =>
      index.readUInt16LE(at + field),
    ) as [number, number, number];
    const next = at + CENTRAL_BYTES + nameBytes + extraBytes + commentBytes;
    if (next > index.length) throw new BadZipError('Truncated central directory');
    const place = { indexAt: end.indexOffset + at, prefixBytes: end.prefixBytes };
    entries.push(readEntry(index.subarray(at, next), nameBytes, extraBytes, place));
    at = next;
  }
  return entries;
}

function readEnd(fd: number, size: number): EndRecord | undefined {
  const length = Math.min(size, END_BYTES + COMMENT_BYTES_MAX);
  const tail = Buffer.alloc(length);
  readFully(fd, tail, size - length);
  const at = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (at < 0 || at + END_BYTES > length) return undefined;
  let count = tail.readUInt16LE(at + 10);
  let indexBytes = tail.readUInt32LE(at + 12);
  let offset = tail.readUInt32LE(at + 16);
  let endAt = size - length + at;
  if (at >= 20 && tail.readUInt32LE(at - 20) === 0x07064b50) {
    const big = Buffer.alloc(56);
    endAt = Number(tail.readBigUInt64LE(at - 12));
    if (endAt + big.length > size) return undefined;
    readFully(fd, big, endAt);
    if (big.readUInt32LE(0) !== 0x06064b50) return undefined;
    count = Number(big.readBigUInt64LE(32));
    indexBytes = Number(big.readBigUInt64LE(40));
    offset = Number(big.readBigUInt64LE(48));
  }
  const indexOffset = endAt - indexBytes;
  return { count, indexBytes, indexOffset, prefixBytes: indexOffset - offset };
}

function readEntry(
  raw: Buffer,
  nameBytes: number,
  extraBytes: number,
  { indexAt, prefixBytes }: { readonly indexAt: number; readonly prefixBytes: number },
): ZipEntry {
  const flags = raw.readUInt16LE(8);
  const [dosTime, crc] = [raw.readUInt16LE(12), raw.readUInt32LE(16)];
  const bytes = raw.subarray(CENTRAL_BYTES, CENTRAL_BYTES + nameBytes);
  let [compressedBytes, sizeBytes, offset] = [20, 24, 42].map((field) => raw.readUInt32LE(field)) as [
    number,
    number,
    number,
  ];
  const start = CENTRAL_BYTES + nameBytes;
  const extra = raw.subarray(start, start + extraBytes);
  const big = bigSizes(extra);
  const next = (value: number): number => (value === 0xffffffff ? (big.shift() ?? value) : value);
  sizeBytes = next(sizeBytes);
  compressedBytes = next(compressedBytes);
  offset = next(offset);
  const fullName = entryName(bytes, flags);
  return {
    name: fullName.split('\0', 1)[0] ?? '',
    fullName,
    unicodeName: unicodeName(extra),
    mode: raw.readUInt32LE(38) >>> 16,
    dosAttributes: raw.readUInt16LE(38),
    isEncrypted: (flags & ENCRYPTED) !== 0,
    method: raw.readUInt16LE(10),
    passwordCheck: (flags & 0x8) !== 0 ? (dosTime >> 8) & 0xff : crc >>> 24,
    dosTime,
    crc,
    compressedBytes,
    sizeBytes,
    offset: offset + prefixBytes,
    indexAt,
    flags,
  };
}

/**
 * Salt compat: names without the mark for UTF-8 are of code page 437; those that are UTF-8 all the same are read as
 * that.
 */
function entryName(bytes: Buffer, flags: number): string {
  const text = decodeUtf8(bytes);
  return (flags & UTF8_NAMES) !== 0 || text !== undefined ? (text ?? '') : bytes.toString('latin1');
}

/** The fields of an entry with this mark, in the order in which they stand. */
function* extraFields(extra: Buffer, mark: number): Generator<Buffer, void> {
  for (let at = 0; at + 4 <= extra.length;) {
    const length = extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === mark) yield extra.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
}

/** Whether the field's sum fits the name does not matter here: it is looked at, not used. */
function unicodeName(extra: Buffer): string | undefined {
  for (const field of extraFields(extra, UNICODE_NAME))
    if (field.length > UNICODE_NAME_AT) return field.subarray(UNICODE_NAME_AT).toString('utf8');
  return undefined;
}

/** Sizes and offset beyond 32 bits, in the order in which they stand. */
function bigSizes(extra: Buffer): number[] {
  for (const field of extraFields(extra, BIG_SIZES))
    return Array.from({ length: Math.floor(field.length / 8) }, (_, i) =>
      Number(field.readBigUInt64LE(i * 8)),
    );
  return [];
}

/** The entry in Python's words. */
function describe(entry: ZipEntry): string {
  const { mode, dosAttributes, sizeBytes, compressedBytes, method } = entry;
  const isFolder = entry.name.endsWith('/');
  const parts = [`<ZipInfo filename=${pyRepr(entry.name)}`];
  if (method !== STORED) parts.push(`compress_type=${METHODS.get(method) ?? method}`);
  if (mode !== 0) parts.push(`filemode=${pyRepr(modeText(mode))}`);
  if (dosAttributes !== 0) parts.push(`external_attr=0x${dosAttributes.toString(16)}`);
  if (!isFolder || sizeBytes > 0) parts.push(`file_size=${sizeBytes}`);
  if ((!isFolder || compressedBytes > 0) && (method !== STORED || sizeBytes !== compressedBytes))
    parts.push(`compress_size=${compressedBytes}`);
  return `${parts.join(' ')}>`;
}

const METHODS: ReadonlyMap<number, string> = new Map([
  [8, 'deflate'],
  [9, 'deflate64'],
  [12, 'bzip2'],
  [14, 'lzma'],
]);
const TYPES: ReadonlyMap<number, string> = new Map([
  [0o04, 'd'],
  [0o12, 'l'],
  [0o10, '-'],
  [0o06, 'b'],
  [0o02, 'c'],
  [0o01, 'p'],
  [0o14, 's'],
]);

/** `-rw-r--r--` */
function modeText(mode: number): string {
  const three = (bits: number, isSpecial: boolean, letter: string): string => {
    const x = isSpecial ? ((bits & 1) !== 0 ? letter : letter.toUpperCase()) : (bits & 1) !== 0 ? 'x' : '-';
    return `${(bits & 4) !== 0 ? 'r' : '-'}${(bits & 2) !== 0 ? 'w' : '-'}${x}`;
  };
  const [user, group, other] = [mode >> 6, mode >> 3, mode] as const;
  const special = (bit: number): boolean => (mode & bit) !== 0;
  const type = TYPES.get(mode >> 12) ?? '?';
  return `${type}${three(user, special(0o4000), 's')}${three(group, special(0o2000), 's')}${three(other, special(0o1000), 't')}`;
}
