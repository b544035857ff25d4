/** Sums of files and bytes, by Salt's names of algorithms. */
import { createHash, getHashes, type Hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { CommandExecutionError } from '../errors/errors.ts';

const READ_BYTES = 1024 * 1024;
/** Up to this size one read is enough, and a look-up less. */
const SMALL_BYTES = 64 * 1024;

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
  const file = await open(path, 'r');
  try {
    let buffer = Buffer.allocUnsafe(SMALL_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(buffer.subarray(0, bytesRead));
      if (bytesRead < buffer.length) continue;
      if (buffer.length < READ_BYTES) buffer = Buffer.allocUnsafe(READ_BYTES);
    }
  } finally {
    await file.close();
  }
}
