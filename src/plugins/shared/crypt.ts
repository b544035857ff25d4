/**
 * Hashes of passwords as crypt(3) makes them, for the algorithms that Linux distributions use: SHA-512, SHA-256 (Ulrich
 * Drepper's specification of 2007) and MD5 (Poul-Henning Kamp's).
 */
import { createHash } from 'node:crypto';

/** The algorithms, by the names that Salt has for them. */
export const CRYPT_ALGORITHMS = ['sha512', 'sha256', 'md5'] as const;
/** One of them. */
export type CryptAlgorithm = (typeof CRYPT_ALGORITHMS)[number];

/** The marks at the start of the hashes. */
const CRYPT_MARKS: Readonly<Record<CryptAlgorithm, string>> = { sha512: '6', sha256: '5', md5: '1' };

const DIGITS = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ROUNDS_DEFAULT = 5000;
const ROUNDS_MIN = 1000;
const ROUNDS_MAX = 999_999_999;

/** Characters that a salt may have. */
export const CRYPT_SALT_CHARS = DIGITS;

/**
 * The hash of a password.
 * @param salt as between the dollar signs; `rounds=N$` may stand before it
 * @returns undefined for a salt that crypt(3) refuses
 */
export function cryptPassword(password: string, algorithm: CryptAlgorithm, salt: string): string | undefined {
  const [, rounds, rest = ''] = /^(?:rounds=(\d+)\$)?([^$]*)/.exec(salt) ?? [];
  if (/[:\n!*;\\]/.test(rest)) return undefined;
  const key = Buffer.from(password);
  if (algorithm === 'md5') return md5Crypt(key, Buffer.from(rest).subarray(0, 8));
  const count = Math.min(Math.max(Number(rounds ?? ROUNDS_DEFAULT), ROUNDS_MIN), ROUNDS_MAX);
  if (rounds !== undefined && (Number(rounds) < ROUNDS_MIN || Number(rounds) > ROUNDS_MAX)) return undefined;
  const shown = rounds === undefined ? '' : `rounds=${count}$`;
  return shaCrypt(algorithm, key, Buffer.from(rest).subarray(0, 16), count, shown);
}

function hash(algorithm: string, ...parts: readonly Uint8Array[]): Buffer {
  const state = createHash(algorithm);
  for (const part of parts) state.update(part);
  return state.digest();
}

/** The bytes again and again, up to a length. */
function repeated(bytes: Buffer, length: number): Buffer {
  return Buffer.alloc(length, bytes);
}

function shaCrypt(
  algorithm: 'sha512' | 'sha256',
  key: Buffer,
  salt: Buffer,
  rounds: number,
  shownRounds: string,
): string {
  const b = hash(algorithm, key, salt, key);
  const first = [key, salt, key.length === 0 ? Buffer.alloc(0) : repeated(b, key.length)];
  for (let n = key.length; n > 0; n >>= 1) first.push((n & 1) === 1 ? b : key);
  let digest = hash(algorithm, ...first);
  const dp = hash(algorithm, ...Array.from({ length: key.length }, () => key));
  const p = key.length === 0 ? Buffer.alloc(0) : repeated(dp, key.length);
  const ds = hash(algorithm, ...Array.from({ length: 16 + (digest[0] ?? 0) }, () => salt));
  const s = salt.length === 0 ? Buffer.alloc(0) : repeated(ds, salt.length);
  for (let round = 0; round < rounds; round++) {
    const parts = [round % 2 === 1 ? p : digest];
    if (round % 3 !== 0) parts.push(s);
    if (round % 7 !== 0) parts.push(p);
    parts.push(round % 2 === 1 ? digest : p);
    digest = hash(algorithm, ...parts);
  }
  const mark = CRYPT_MARKS[algorithm];
  const text = algorithm === 'sha512' ? sha512Text(digest) : sha256Text(digest);
  return `$${mark}$${shownRounds}${salt.toString()}$${text}`;
}

/** Three bytes as digits, the lowest six bits first. */
function group(digest: Buffer, [a, b, c]: readonly (number | undefined)[], count: number): string {
  const byte = (index: number | undefined): number => (index === undefined ? 0 : (digest[index] ?? 0));
  let bits = (byte(a) << 16) | (byte(b) << 8) | byte(c);
  let text = '';
  for (let i = 0; i < count; i++, bits >>= 6) text += DIGITS.charAt(bits & 63);
  return text;
}

function sha512Text(digest: Buffer): string {
  let text = '';
  let order = [0, 21, 42];
  for (let i = 0; i < 21; i++) {
    text += group(digest, order, 4);
    order = [(order[1] ?? 0) + 1, (order[2] ?? 0) + 1, (order[0] ?? 0) + 1];
  }
  return text + group(digest, [undefined, undefined, 63], 2);
}

function sha256Text(digest: Buffer): string {
  let text = '';
  let order = [0, 10, 20];
  for (let i = 0; i < 10; i++) {
    text += group(digest, order, 4);
    order = [(order[2] ?? 0) + 1, (order[0] ?? 0) + 1, (order[1] ?? 0) + 1];
  }
  return text + group(digest, [undefined, 31, 30], 3);
}

function md5Crypt(key: Buffer, salt: Buffer): string {
  const b = hash('md5', key, salt, key);
  const first = [key, Buffer.from('$1$'), salt, key.length === 0 ? Buffer.alloc(0) : repeated(b, key.length)];
  for (let n = key.length; n > 0; n >>= 1) first.push((n & 1) === 1 ? Buffer.from([0]) : key.subarray(0, 1));
  let digest = hash('md5', ...first);
  for (let round = 0; round < 1000; round++) {
    const parts = [(round & 1) === 1 ? key : digest];
    if (round % 3 !== 0) parts.push(salt);
    if (round % 7 !== 0) parts.push(key);
    parts.push((round & 1) === 1 ? digest : key);
    digest = hash('md5', ...parts);
  }
  const groups = [0, 1, 2, 3].map((i) => group(digest, [i, i + 6, i + 12], 4)).join('');
  const text = groups + group(digest, [4, 10, 5], 4) + group(digest, [undefined, undefined, 11], 2);
  return `$1$${salt.toString()}$${text}`;
}
