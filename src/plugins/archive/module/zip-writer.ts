/** Writing ZIP archives, compressed as Python's zipfile does it. Files are streamed, so that size costs no memory. */
import { closeSync, createReadStream, openSync, statSync, writeSync, type Stats } from 'node:fs';
import { createDeflateRaw } from 'node:zlib';
import { crc32, ZipError } from './zip-format.ts';

const BIG = 0xffffffff;
/** Beyond this Python wants to be told that large archives are meant. */
const ZIP64_LIMIT = 2 ** 31 - 1;
const FILES_MAX = 65_535;
const UTF8_NAMES = 0x800;
const DEFLATED = 8;
const MADE_BY_UNIX = (3 << 8) | 20;

interface Written {
  readonly name: Buffer;
  readonly flags: number;
  readonly method: number;
  readonly time: number;
  readonly date: number;
  crc: number;
  compressedBytes: number;
  sizeBytes: number;
  readonly attributes: number;
  readonly offset: number;
}

/** An archive in the making. */
export class ZipWriter {
  readonly #fd: number;
  readonly #allowsBig: boolean;
  readonly #written: Written[] = [];
  #at = 0;

  constructor(path: string, allowsBig: boolean) {
    this.#fd = openSync(path, 'w', 0o666);
    this.#allowsBig = allowsBig;
  }

  /** Adds a file, or a folder without what is in it. @param name within the archive, without a leading slash */
  async add(path: string, name: string): Promise<void> {
    const stat = statSync(path);
    const isFolder = stat.isDirectory();
    const bytes = Buffer.from(isFolder ? `${name}/` : name);
    const entry: Written = {
      name: bytes,
      flags: /^[\x20-\x7e\s]*$/.test(name) ? 0 : UTF8_NAMES,
      method: isFolder ? 0 : DEFLATED,
      ...dosTime(stat),
      crc: 0,
      compressedBytes: 0,
      sizeBytes: 0,
      attributes: ((stat.mode & 0xffff) * 0x10000 + (isFolder ? 0x10 : 0)) >>> 0,
      offset: this.#at,
    };
    if (!this.#allowsBig && (stat.size * 1.05 > ZIP64_LIMIT || this.#at > ZIP64_LIMIT))
      throw new ZipError('Filesize would require ZIP64 extensions');
    if (!this.#allowsBig && this.#written.length >= FILES_MAX)
      throw new ZipError('Files count would require ZIP64 extensions');
    this.#write(localHeader(entry, this.#allowsBig));
    if (!isFolder) {
      await this.#content(path, entry);
      writeSync(this.#fd, localHeader(entry, this.#allowsBig), 0, undefined, entry.offset);
    }
    this.#written.push(entry);
  }

  /** Writes the index. */
  finish(): void {
    const start = this.#at;
    for (const entry of this.#written) this.#write(centralHeader(entry));
    const [count, bytes] = [this.#written.length, this.#at - start];
    if (count > FILES_MAX || start > BIG - 1 || bytes > BIG - 1)
      this.#write(bigEnd(count, bytes, start, this.#at));
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(Math.min(count, FILES_MAX), 8);
    end.writeUInt16LE(Math.min(count, FILES_MAX), 10);
    end.writeUInt32LE(Math.min(bytes, BIG), 12);
    end.writeUInt32LE(Math.min(start, BIG), 16);
    this.#write(end);
  }

  close(): void {
    closeSync(this.#fd);
  }

  async #content(path: string, entry: Written): Promise<void> {
    const input = createReadStream(path);
    const packed = input
      .on('data', (piece) => {
        entry.crc = crc32(piece as Buffer, entry.crc);
        entry.sizeBytes += piece.length;
      })
      .pipe(createDeflateRaw());
    input.on('error', (error) => packed.destroy(error));
    for await (const piece of packed as AsyncIterable<Buffer>) {
      this.#write(piece);
      entry.compressedBytes += piece.length;
    }
  }

  #write(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;)
      at += writeSync(this.#fd, bytes, at, bytes.length - at, this.#at + at);
    this.#at += bytes.length;
  }
}

/** Local time in the form of MS-DOS, which begins with 1980. */
function dosTime(stat: Stats): { time: number; date: number } {
  const when = stat.mtime;
  if (when.getFullYear() < 1980) throw new ZipError('ZIP does not support timestamps before 1980');
  return {
    time: (when.getHours() << 11) | (when.getMinutes() << 5) | (when.getSeconds() >> 1),
    date: ((when.getFullYear() - 1980) << 9) | ((when.getMonth() + 1) << 5) | when.getDate(),
  };
}

/** With room for large sizes in archives that may be large: it has to be there before they are known. */
function localHeader(entry: Written, allowsBig: boolean): Buffer {
  const extra = allowsBig && entry.method === DEFLATED ? Buffer.alloc(20) : Buffer.alloc(0);
  if (extra.length > 0) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(16, 2);
    extra.writeBigUInt64LE(BigInt(entry.sizeBytes), 4);
    extra.writeBigUInt64LE(BigInt(entry.compressedBytes), 12);
  }
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  writeCommon(head, 4, entry, extra.length > 0);
  head.writeUInt16LE(extra.length, 28);
  return Buffer.concat([head, entry.name, extra]);
}

/** The fields that both headers have, from the version to the length of the name. */
function writeCommon(head: Buffer, at: number, entry: Written, isBig: boolean): void {
  head.writeUInt16LE(isBig ? 45 : 20, at);
  head.writeUInt16LE(entry.flags, at + 2);
  head.writeUInt16LE(entry.method, at + 4);
  head.writeUInt16LE(entry.time, at + 6);
  head.writeUInt16LE(entry.date, at + 8);
  head.writeUInt32LE(entry.crc, at + 10);
  head.writeUInt32LE(isBig ? BIG : entry.compressedBytes, at + 14);
  head.writeUInt32LE(isBig ? BIG : entry.sizeBytes, at + 18);
  head.writeUInt16LE(entry.name.length, at + 22);
}

function centralHeader(entry: Written): Buffer {
  const isBig = [entry.sizeBytes, entry.compressedBytes, entry.offset].some((value) => value >= BIG);
  const extra = Buffer.alloc(isBig ? 28 : 0);
  if (isBig) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(24, 2);
    [entry.sizeBytes, entry.compressedBytes, entry.offset].forEach((value, i) =>
      extra.writeBigUInt64LE(BigInt(value), 4 + 8 * i),
    );
  }
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x02014b50, 0);
  head.writeUInt16LE(MADE_BY_UNIX, 4);
  writeCommon(head, 6, entry, isBig);
  head.writeUInt16LE(extra.length, 30);
  head.writeUInt32LE(entry.attributes, 38);
  head.writeUInt32LE(isBig ? BIG : entry.offset, 42);
  return Buffer.concat([head, entry.name, extra]);
}

function bigEnd(count: number, bytes: number, start: number, at: number): Buffer {
  const end = Buffer.alloc(76);
  end.writeUInt32LE(0x06064b50, 0);
  end.writeBigUInt64LE(44n, 4);
  end.writeUInt16LE(MADE_BY_UNIX, 12);
  end.writeUInt16LE(45, 14);
  end.writeBigUInt64LE(BigInt(count), 24);
  end.writeBigUInt64LE(BigInt(count), 32);
  end.writeBigUInt64LE(BigInt(bytes), 40);
  end.writeBigUInt64LE(BigInt(start), 48);
  end.writeUInt32LE(0x07064b50, 56);
  end.writeBigUInt64LE(BigInt(at), 64);
  end.writeUInt32LE(1, 72);
  return end;
}
