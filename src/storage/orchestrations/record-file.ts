/**
 * A file of records that is only appended to: each is on the disk before the call returns, and one that was cut short
 * by a crash is as if it had never been written.
 */
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { syncFolder } from '../../host/disk-sync.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';
import { isDict, type Dict } from '../../python/values/value.ts';

/** Length (4 bytes) and the beginning of the record's hash (4 bytes). */
const HEAD_BYTES = 8;

/** What a file holds, and where its last whole record ends. */
interface Content {
  readonly records: readonly Dict[];
  readonly endByte: number;
}

/** Appends records to one file. One process writes it at a time. */
export class RecordFile {
  readonly #fd: number;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** Opens a file to write, and makes it when it is not there. @returns the file, and the records in it */
  static open(path: string): { readonly file: RecordFile; readonly records: readonly Dict[] } {
    const isThere = existsSync(path);
    const { records, endByte } = isThere ? read(path) : { records: [], endByte: 0 };
    const fd = openSync(path, 'a', 0o600);
    ftruncateSync(fd, endByte);
    if (!isThere) syncFolder(dirname(path));
    return { file: new RecordFile(fd), records };
  }

  /** @throws the operating system's error when the disk does not take it */
  append(record: Dict): void {
    const body = encode(record, 'local');
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32BE(body.length);
    checksum(body).copy(head, 4);
    const bytes = Buffer.concat([head, body]);
    for (let at = 0; at < bytes.length;) at += writeSync(this.#fd, bytes, at);
    fdatasyncSync(this.#fd);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** The records of a file, up to the first that is not whole. */
export function readRecords(path: string): readonly Dict[] {
  return read(path).records;
}

function read(path: string): Content {
  const bytes = readFileSync(path);
  const records: Dict[] = [];
  let at = 0;
  while (bytes.length - at >= HEAD_BYTES) {
    const end = at + HEAD_BYTES + bytes.readUInt32BE(at);
    if (end > bytes.length) break;
    const body = bytes.subarray(at + HEAD_BYTES, end);
    if (!checksum(body).equals(bytes.subarray(at + 4, at + HEAD_BYTES))) break;
    const record = decode(body, 'local');
    if (!isDict(record)) break;
    records.push(record);
    at = end;
  }
  return { records, endByte: at };
}

function checksum(body: Uint8Array): Buffer {
  return createHash('sha256').update(body).digest().subarray(0, 4);
}
