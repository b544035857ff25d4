/** Sums of files and bytes, by Salt's names of algorithms. */
import { createHash, getHashes, type Hash } from 'node:crypto';
import { closeSync, fstatSync, openSync, read, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { CommandExecutionError } from '../errors/errors.ts';

const READ_BYTES = 1024 * 1024;
/** What is no larger is read at once: another thread would take longer to be asked. */
const SMALL_BYTES = 64 * 1024;
const readLater = promisify(read);

/**
 * A fresh sum.
 * @param hashType `md5`, `sha1`, `sha256`, `sha384`, `sha512` or another name that OpenSSL knows
 * @throws CommandExecutionError `Invalid hash type: x`
 */
export function hasher(hashType: string): Hash {
  const name = hashType.toLowerCase().replace('_', '-');
  if (!isKnown(name)) throw new CommandExecutionError(`Invalid hash type: ${hashType}`);
  return createHash(name);
}

function isKnown(name: string): boolean {
  return /^(md5|sha1|sha224|sha256|sha384|sha512)$/.test(name) || getHashes().includes(name);
}

/**
 * The sum of a file, read in pieces.
 * @param path absolute
 * @returns hexadecimal digits
 * @throws the system's error; CommandExecutionError for an unknown algorithm
 */
export async function hashOfFile(path: string, hashType: string): Promise<string> {
  const hash = hasher(hashType);
  const fd = openSync(path, 'r');
  try {
    await addContent(hash, fd);
    return hash.digest('hex');
  } finally {
    closeSync(fd);
  }
}

/** Adds what an open file holds, from where it stands, to a sum. */
export async function addContent(hash: Hash, fd: number): Promise<void> {
  const { size } = fstatSync(fd);
  const isSmall = size < SMALL_BYTES;
  // files of /proc and the like claim to be empty
  const buffer = Buffer.allocUnsafe(isSmall ? (size || SMALL_BYTES) + 1 : READ_BYTES);
  for (;;) {
    const count = isSmall
      ? readSync(fd, buffer)
      : (await readLater(fd, buffer, 0, buffer.length, null)).bytesRead;
    if (count === 0) return;
    hash.update(buffer.subarray(0, count));
  }
}
