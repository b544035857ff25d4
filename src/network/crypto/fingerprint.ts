/** Fingerprints of key files, as people compare them by eye (salt/utils/crypt.py pem_finger, 3006.16). */
import { createHash } from 'node:crypto';
import { BrineError } from '../../errors/errors.ts';

/** The hash names of Python's hashlib that `hash_type` may hold, and Node's names for them. */
const HASHES: ReadonlyMap<string, string> = new Map([
  ...['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'].map((name) => [name, name] as const),
  ...['224', '256', '384', '512'].map((bits) => [`sha3_${bits}`, `sha3-${bits}`] as const),
  ['blake2b', 'blake2b512'],
  ['blake2s', 'blake2s256'],
]);

/**
 * The fingerprint of a key file: the hash over its lines without blank ones and without the first and the last, line
 * ends included, CRLF as LF; two hex digits at a time with colons between.
 * @param content the file as it is
 * @param hashType a name of Python's hashlib; Salt's default is sha256
 * @throws BrineError for a hash that is not known
 */
export function pemFinger(content: string, hashType = 'sha256'): string {
  const hash = HASHES.get(hashType);
  if (hash === undefined) {
    throw new BrineError(
      `The hash ${JSON.stringify(hashType)} is not known; set hash_type to one of ${[...HASHES.keys()].join(', ')}.`,
      { code: 'config-invalid' },
    );
  }
  const lines = content.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const body = lines.filter((line) => /[^\t-\r ]/.test(line)).slice(1, -1);
  const digest = createHash(hash).update(body.join('').replaceAll('\r\n', '\n')).digest('hex');
  return (digest.match(/../g) ?? []).join(':');
}
