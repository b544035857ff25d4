/** Passwords of roles as PostgreSQL keeps them: md5 and SCRAM-SHA-256. Follows 3006.16 salt/modules/postgres.py. */
import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { PythonError } from '../../../python/exceptions.ts';
import type { Random } from '../../../host/random.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { Value } from '../../../python/values/value.ts';

const ITERATIONS = 4096;
const SALT_BYTES = 16;
/** A verifier may not ask for more; PostgreSQL's own have 4096. */
const MOST_ITERATIONS = 1_000_000;

/** How a password is kept; false is as it is, which servers refuse since version 10. */
export type Encryption = 'md5' | 'scram-sha-256' | false;

/** The way that was asked for. @throws PythonError (`ValueError`) for one that is not known */
export function encryptionOf(value: Value): Encryption {
  if (value === null || value === true || value === 'md5') return 'md5';
  if (value === 'scram-sha-256' || value === false) return value;
  throw new PythonError('ValueError', `Unknown password algorithm: ${pyStr(value)}`);
}

/** The password as the server is to get it: kept as it is when it is in that form already. */
export function encrypted(role: string, password: string, by: Encryption, random: Random): string {
  if (by === 'md5') return password.startsWith('md5') ? password : md5(role, password);
  if (by === false || password.startsWith('SCRAM-SHA-256')) return password;
  return scram(password, random.bytes(SALT_BYTES), ITERATIONS);
}

/** True when the server has this password already. @param kept what the server has */
export function isSamePassword(role: string, password: string, kept: string, by: Encryption): boolean {
  if (by === false) return kept === password;
  if (by === 'md5') return kept === (password.startsWith('md5') ? password : md5(role, password));
  if (password.startsWith('SCRAM-SHA-256')) return kept === password;
  const [, count = '', salt = ''] = /^SCRAM-SHA-256\$(\d+):([^$]+?)\$/.exec(kept) ?? [];
  const iterations = Number(count);
  if (salt === '' || iterations < 1 || iterations > MOST_ITERATIONS) return false;
  return kept === scram(password, Buffer.from(salt, 'base64'), iterations);
}

function md5(role: string, password: string): string {
  return `md5${createHash('md5').update(`${password}${role}`).digest('hex')}`;
}

function scram(password: string, salt: Buffer, iterations: number): string {
  const salted = pbkdf2Sync(prepared(password), salt, iterations, 32, 'sha256');
  const keyOf = (what: string): Buffer => createHmac('sha256', salted).update(what).digest();
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  const server = keyOf('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${stored}:${server}`;
}

/** What RFC 4013 maps to nothing, and to a space. */
const NOTHING = /[\u00ad\u034f\u1806\u180b-\u180d\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]/g;
const SPACES = /[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/g;
/** What it prohibits: a password with such a character is taken as it is, as the server and its clients do. */
const PROHIBITED =
  /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\u2028\u2029\u2ff0-\u2ffb\ufff9-\ufffd\u200e\u200f\u202a-\u202e]/u;

function prepared(password: string): string {
  if (/^[\x20-\x7e]*$/.test(password)) return password;
  const made = password.replace(SPACES, ' ').replace(NOTHING, '').normalize('NFKC');
  return made === '' || PROHIBITED.test(made) ? password : made;
}
