/** The hashes of passwords that stand in htpasswd files: MD5 of Apache's kind, SHA crypt, SHA-1, bcrypt. */
import { createHash } from 'node:crypto';
import { isSameText } from '../../shared/auth/same-text.ts';

const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ROUNDS_DEFAULT = 5000;
/** As in glibc. */
const ROUNDS_MIN = 1000;
/** glibc takes up to 999,999,999; a file that asks for more than this would hold up the master for seconds. */
const ROUNDS_MAX = 1_000_000;
/** One step of bcrypt at a cost of 0 takes about as long as so many of SHA crypt. */
const BCRYPT_ROUNDS = 50;

/**
 * Whether a password has this hash.
 * @returns undefined for a kind of hash that is not known, such as the DES crypt of old
 */
export async function verifyHash(password: string, hash: string): Promise<boolean | undefined> {
  if (hash.startsWith('{SHA}')) {
    return isSameText(createHash('sha1').update(password).digest('base64'), hash.slice(5));
  }
  if (/^\$2[aby]\$/.test(hash)) return (await import('bcryptjs')).default.compare(password, hash);
  const md5 = /^\$(apr1|1)\$([^$]{1,8})\$/.exec(hash);
  if (md5 !== null) return isSameText(md5Crypt(password, md5[2] as string, `$${md5[1] as string}$`), hash);
  const sha = /^\$([56])\$(?:rounds=(\d{1,9})\$)?([^$]{0,16})\$/.exec(hash);
  if (sha === null) return undefined;
  const [, kind, rounds, salt = ''] = sha;
  return isSameText(shaCrypt(password, salt, kind === '5' ? 'sha256' : 'sha512', rounds), hash);
}

/**
 * How long a hash takes to check, beside others, roughly in rounds of SHA crypt; 0 for what is not known and for
 * digests without rounds.
 */
export function hashCost(hash: string): number {
  const bcrypt = /^\$2[aby]\$(\d\d)\$/.exec(hash);
  if (bcrypt !== null) return BCRYPT_ROUNDS * 2 ** Number(bcrypt[1]);
  const sha = /^\$[56]\$(?:rounds=(\d{1,9})\$)?/.exec(hash);
  if (sha === null) return 0;
  return sha[1] === undefined ? ROUNDS_DEFAULT : Math.min(ROUNDS_MAX, Math.max(ROUNDS_MIN, Number(sha[1])));
}

/** Poul-Henning Kamp's MD5 crypt, with Apache's magic or its own. */
function md5Crypt(password: string, salt: string, magic: string): string {
  const [key, seed] = [Buffer.from(password), Buffer.from(salt)];
  const md5 = (...parts: Uint8Array[]): Buffer => createHash('md5').update(Buffer.concat(parts)).digest();
  const inner = md5(key, seed, key);
  const start: Uint8Array[] = [key, Buffer.from(magic), seed, repeated(inner, key.length)];
  for (let bits = key.length; bits > 0; bits >>= 1)
    start.push((bits & 1) === 1 ? Buffer.from([0]) : key.subarray(0, 1));
  let digest = md5(...start);
  for (let round = 0; round < 1000; round++) {
    const isOdd = (round & 1) === 1;
    const parts: Uint8Array[] = [isOdd ? key : digest];
    if (round % 3 !== 0) parts.push(seed);
    if (round % 7 !== 0) parts.push(key);
    parts.push(isOdd ? digest : key);
    digest = md5(...parts);
  }
  const order = [0, 6, 12, 1, 7, 13, 2, 8, 14, 3, 9, 15, 4, 10, 5];
  return `${magic}${salt}$${encoded(digest, order, [11])}`;
}

/** Ulrich Drepper's SHA crypt. */
function shaCrypt(
  password: string,
  salt: string,
  algorithm: 'sha256' | 'sha512',
  givenRounds: string | undefined,
): string {
  const [key, seed] = [Buffer.from(password), Buffer.from(salt)];
  const sha = (...parts: Uint8Array[]): Buffer => createHash(algorithm).update(Buffer.concat(parts)).digest();
  const inner = sha(key, seed, key);
  const start: Uint8Array[] = [key, seed, repeated(inner, key.length)];
  for (let bits = key.length; bits > 0; bits >>= 1) start.push((bits & 1) === 1 ? inner : key);
  let digest = sha(...start);
  const p = repeated(sha(...Array.from({ length: key.length }, () => key)), key.length);
  const s = repeated(sha(...Array.from({ length: 16 + (digest[0] as number) }, () => seed)), seed.length);
  const rounds =
    givenRounds === undefined
      ? ROUNDS_DEFAULT
      : Math.min(ROUNDS_MAX, Math.max(ROUNDS_MIN, Number(givenRounds)));
  for (let round = 0; round < rounds; round++) {
    const isOdd = (round & 1) === 1;
    const parts: Uint8Array[] = [isOdd ? p : digest];
    if (round % 3 !== 0) parts.push(s);
    if (round % 7 !== 0) parts.push(p);
    parts.push(isOdd ? digest : p);
    digest = sha(...parts);
  }
  const text =
    algorithm === 'sha256' ? encoded(digest, SHA256_ORDER, [31, 30]) : encoded(digest, SHA512_ORDER, [63]);
  const said = givenRounds === undefined ? '' : `rounds=${givenRounds}$`;
  return `$${algorithm === 'sha256' ? '5' : '6'}$${said}${salt}$${text}`;
}

/** The bytes of a digest in the order in which they are written, three to four letters. */
const SHA256_ORDER = rotated(10, 3, (a, b, c) => [a, b, c], 0);
const SHA512_ORDER = rotated(21, 3, (a, b, c) => [a, b, c], 1);

/** Triples `(i, i+n, i+2n)` whose places rotate with each step, to the left or to the right. */
function rotated(
  steps: number,
  width: number,
  make: (a: number, b: number, c: number) => number[],
  direction: 0 | 1,
): number[] {
  return Array.from({ length: steps }, (_, i) => {
    const triple = make(i, i + steps, i + 2 * steps);
    const by = (direction === 0 ? 2 * i : i) % width;
    return [...triple.slice(by), ...triple.slice(0, by)];
  }).flat();
}

function repeated(block: Uint8Array, length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, i) => block[i % block.length] as number));
}

/** Three bytes to four letters, six bits at a time, the lowest first; `rest` are the bytes that are left over. */
function encoded(digest: Uint8Array, order: readonly number[], rest: readonly number[]): string {
  let out = '';
  const letters = (value: number, count: number): void => {
    for (let i = 0; i < count; i++) out += ALPHABET[(value >> (6 * i)) & 63] as string;
  };
  const at = (index: number): number => digest[index] as number;
  for (let i = 0; i < order.length; i += 3) {
    const [a, b, c] = [order[i], order[i + 1], order[i + 2]] as [number, number, number];
    letters((at(a) << 16) | (at(b) << 8) | at(c), 4);
  }
  letters(
    rest.reduce((value, index) => (value << 8) | at(index), 0),
    Math.ceil((rest.length * 8) / 6),
  );
  return out;
}
