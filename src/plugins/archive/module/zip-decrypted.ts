/**
 * A copy of a ZIP archive in which nothing is encrypted any more, for programs that take a password as an argument
 * only, where every user of the machine reads it. The copy lies in a folder that only its owner may enter, and is gone
 * as soon as the program has ended.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { baseName, joinPath } from '../../../python/paths.ts';
import { tempFolder, TEMP_PREFIX } from '../../../host/file-operations.ts';
import { zipDecryptor } from './zip-crypto.ts';
import { BadZipError } from './zip-format.ts';
import { ZipReader, type ZipEntry } from './zip-reader.ts';

const PIECE_BYTES = 256 * 1024;
/** The bytes in front of an encrypted content, by which a password is tried. */
const KEY_BYTES = 12;
const ENCRYPTED = 0x1;
/** Where a header has its flags, its packed size and the length of its extra fields, from its start. */
const LOCAL = { headerBytes: 30, flags: 6, packed: 18, nameBytes: 26, extraBytes: 28 } as const;
const CENTRAL = { headerBytes: 46, flags: 8, packed: 20, nameBytes: 28, extraBytes: 30 } as const;
/** The mark of an extra field that nobody knows, and that readers leave alone. */
const FILLING = 0xb41e;

/** Such a copy. */
export interface DecryptedCopy {
  readonly path: string;
  /** Removes it. */
  release(): void;
}

/** Makes the copy. Entries that the password does not open stay as they are. @throws ZipError, the system's error */
export function decryptedCopy(source: string, password: string): DecryptedCopy {
  const folder = mkdtempSync(joinPath(tempFolder(), TEMP_PREFIX));
  const release = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const path = joinPath(folder, baseName(source));
    copyFileSync(source, path, constants.COPYFILE_EXCL);
    const zip = new ZipReader(path);
    const fd = openSync(path, 'r+');
    try {
      for (const entry of zip.entries) if (entry.isEncrypted) decryptEntry(fd, entry, Buffer.from(password));
    } finally {
      closeSync(fd);
      zip.close();
    }
    return { path, release };
  } catch (error) {
    release();
    throw error;
  }
}

/** Decrypts one content where it lies. What was in front of it becomes an extra field, so that nothing moves. */
function decryptEntry(fd: number, entry: ZipEntry, password: Buffer): void {
  const head = readAt(fd, entry.offset, LOCAL.headerBytes);
  const extraBytes = head.readUInt16LE(LOCAL.extraBytes);
  const keyAt = entry.offset + LOCAL.headerBytes + head.readUInt16LE(LOCAL.nameBytes) + extraBytes;
  const decrypt = zipDecryptor(password);
  const key = decrypt(readAt(fd, keyAt, KEY_BYTES));
  if (key[KEY_BYTES - 1] !== entry.passwordCheck || extraBytes + KEY_BYTES > 0xffff) return;
  const filling = Buffer.alloc(KEY_BYTES);
  filling.writeUInt16LE(FILLING, 0);
  filling.writeUInt16LE(KEY_BYTES - 4, 2);
  writeAt(fd, filling, keyAt);
  const end = entry.compressedBytes - KEY_BYTES;
  for (let at = 0; at < end; at += PIECE_BYTES) {
    const place = keyAt + KEY_BYTES + at;
    writeAt(fd, decrypt(readAt(fd, place, Math.min(PIECE_BYTES, end - at))), place);
  }
  head.writeUInt16LE(extraBytes + KEY_BYTES, LOCAL.extraBytes);
  mark(fd, entry.offset, { head, fields: LOCAL, extraBytes });
  const central = readAt(fd, entry.indexAt, CENTRAL.headerBytes);
  mark(fd, entry.indexAt, {
    head: central,
    fields: CENTRAL,
    extraBytes: central.readUInt16LE(CENTRAL.extraBytes),
  });
}

interface Header {
  readonly head: Buffer;
  readonly fields: typeof LOCAL | typeof CENTRAL;
  /** How much the header has in extra fields itself. */
  readonly extraBytes: number;
}

/** Writes into a header that its content is not encrypted, and so much shorter. */
function mark(fd: number, at: number, { head, fields, extraBytes }: Header): void {
  head.writeUInt16LE(head.readUInt16LE(fields.flags) & ~ENCRYPTED, fields.flags);
  const packed = head.readUInt32LE(fields.packed);
  if (packed === 0xffffffff) {
    const extraAt = at + fields.headerBytes + head.readUInt16LE(fields.nameBytes);
    shortenBigSize(fd, extraAt, { extraBytes, isFirst: head.readUInt32LE(fields.packed + 4) !== 0xffffffff });
  } else if (packed >= KEY_BYTES) head.writeUInt32LE(packed - KEY_BYTES, fields.packed);
  writeAt(fd, head, at);
}

/**
 * The same for a packed size beyond 32 bits, which stands in an extra field, behind the other size where that is one,
 * too.
 */
function shortenBigSize(
  fd: number,
  extraAt: number,
  { extraBytes, isFirst }: { readonly extraBytes: number; readonly isFirst: boolean },
): void {
  const extra = readAt(fd, extraAt, extraBytes);
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    const sizeAt = at + 4 + (isFirst ? 0 : 8);
    if (extra.readUInt16LE(at) !== 0x0001 || sizeAt + 8 > extra.length) continue;
    const size = extra.readBigUInt64LE(sizeAt);
    if (size >= BigInt(KEY_BYTES)) extra.writeBigUInt64LE(size - BigInt(KEY_BYTES), sizeAt);
    writeAt(fd, extra, extraAt);
    return;
  }
}

function readAt(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length;) {
    const count = readSync(fd, bytes, at, length - at, position + at);
    if (count === 0) throw new BadZipError('Truncated file header');
    at += count;
  }
  return bytes;
}

function writeAt(fd: number, bytes: Buffer, position: number): void {
  for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at, bytes.length - at, position + at);
}
