/** Hashes of files, and which hash a text of digits may be (3006.16 salt/utils/hashutils.py, salt/utils/files.py). */
import { createHash, getHashes, type Hash } from 'node:crypto';
import { closeSync } from 'node:fs';
import { addContent } from '../../host/file-hash.ts';
import { openToRead } from '../../host/file-operations.ts';
import { PythonError } from '../../python/exceptions.ts';

/** Length of the hexadecimal text of each hash that states use. */
export const HASH_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['sha512', 128],
  ['sha384', 96],
  ['sha256', 64],
  ['sha224', 56],
  ['sha1', 40],
  ['md5', 32],
]);

/** The other way round. */
export const HASH_BY_LENGTH: ReadonlyMap<number, string> = new Map(
  [...HASH_LENGTHS].map(([name, length]) => [length, name]),
);

/** Node's names of the hashes of Python's `hashlib`. */
const NODE_NAMES: ReadonlyMap<string, string> = new Map([
  ...[...HASH_LENGTHS.keys()].map((name): [string, string] => [name, name]),
  ['sha3_224', 'sha3-224'],
  ['sha3_256', 'sha3-256'],
  ['sha3_384', 'sha3-384'],
  ['sha3_512', 'sha3-512'],
  ['blake2b', 'blake2b512'],
  ['blake2s', 'blake2s256'],
]);

/** Node's name of a hash of Python's; undefined for others. */
export function hashName(form: string): string | undefined {
  const name = NODE_NAMES.get(form);
  return name !== undefined && getHashes().includes(name) ? name : undefined;
}

function newHash(form: string): Hash {
  const name = hashName(form);
  if (name === undefined) throw new PythonError('ValueError', `Invalid hash type: ${form}`);
  return createHash(name);
}

/** The hash of bytes as hexadecimal text. @throws PythonError `ValueError: Invalid hash type: X` */
export function hashBytes(bytes: Uint8Array, form: string): string {
  return newHash(form).update(bytes).digest('hex');
}

/**
 * The hash of a file as hexadecimal text. Reads in pieces and lets others work in between.
 * @throws PythonError `ValueError: Invalid hash type: X`, or the system's error
 */
export async function hashFile(path: string, form: string): Promise<string> {
  const hash = newHash(form);
  const fd = openToRead(path);
  try {
    await addContent(hash, fd);
  } finally {
    closeSync(fd);
  }
  return hash.digest('hex');
}
