/** Passwords and salts at random, and their hashes (3006.16 salt/utils/pycrypto.py). */
import { SaltInvocationError } from '../../errors/errors.ts';
import type { Random } from '../../host/random.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Value } from '../../python/values/value.ts';
import { CRYPT_ALGORITHMS, CRYPT_SALT_CHARS, cryptPassword, type CryptAlgorithm } from './crypt.ts';

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
/** The kinds of characters of Python's module `string`. */
const CHARACTERS = {
  lowercase: LOWER,
  uppercase: LOWER.toUpperCase(),
  digits: '0123456789',
  punctuation: '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
  whitespace: ' \t\n\r\v\f',
} as const;

/** A text of characters chosen at random. */
export function randomText(random: Random, length: number, chars: string): string {
  const choices = [...chars];
  return Array.from({ length }, () => choices[random.int(0, choices.length - 1)] ?? '').join('');
}

/** A password of 20 characters. */
export function randomPassword(random: Random): string {
  const { lowercase, uppercase, digits, punctuation } = CHARACTERS;
  return randomText(random, 20, lowercase + uppercase + digits + punctuation);
}

/**
 * `gen_hash`.
 * @param password None for one at random
 * @returns `*0` for a salt that cannot be used
 * @throws SaltInvocationError for an algorithm that is not known
 */
export function passwordHash(
  random: Random,
  password: Value,
  salt: string | undefined,
  algorithm: string | undefined,
): string {
  const name = algorithm ?? 'sha512';
  const known = CRYPT_ALGORITHMS.find((candidate): candidate is CryptAlgorithm => candidate === name);
  if (known === undefined) {
    const list = CRYPT_ALGORITHMS.map((candidate) => `'${candidate}'`).join(', ');
    throw new SaltInvocationError(
      `Cannot hash using '${name}' hash algorithm. Natively supported algorithms are: [${list}].`,
    );
  }
  const word = password === null ? randomPassword(random) : pyStr(password);
  const grains = salt ?? randomText(random, known === 'md5' ? 8 : 16, CRYPT_SALT_CHARS);
  return cryptPassword(word, known, grains) ?? '*0'; // what crypt(3) says of a bad salt: nobody's hash
}
