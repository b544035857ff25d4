/** Lines of files of public keys (3006.16 salt/modules/ssh.py). */
import { createHash, getHashes } from 'node:crypto';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { splitLines, strip } from '../../../python/values/text.ts';
import type { Value } from '../../../python/values/value.ts';

/** A key, as a line of `authorized_keys` has it. */
export interface AuthorizedKey {
  readonly key: string;
  readonly enc: string;
  readonly comment: string;
  readonly options: readonly string[];
  readonly fingerprint: string;
}

const KEY_LINE = /^(.*?)\s?((?:sk-)?(?:ssh-|ecds)[\w@.-]+\s.+)$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The kinds of keys by their short names. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ...['r', 'rsa', 'ssh-rsa'].map((name) => [name, 'ssh-rsa'] as const),
  ...['d', 'dsa', 'dss', 'ssh-dss'].map((name) => [name, 'ssh-dss'] as const),
  ...['e', 'ecdsa'].map((name) => [name, 'ecdsa-sha2-nistp256'] as const),
  ...['ed25519', 'ssh-ed25519'].map((name) => [name, 'ssh-ed25519'] as const),
  ...[
    ...['ecdsa-sha2-nistp521', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp256', 'rsa-sha2-512', 'rsa-sha2-256'],
    ...['rsa-sha2-512-cert-v01@openssh.com', 'rsa-sha2-256-cert-v01@openssh.com'],
    ...['ssh-rsa-cert-v01@openssh.com', 'ecdsa-sha2-nistp256-cert-v01@openssh.com'],
    ...['ecdsa-sha2-nistp384-cert-v01@openssh.com', 'ecdsa-sha2-nistp521-cert-v01@openssh.com'],
    ...['sk-ecdsa-sha2-nistp256@openssh.com', 'sk-ecdsa-sha2-nistp256-cert-v01@openssh.com'],
    ...['ssh-ed25519-cert-v01@openssh.com', 'sk-ssh-ed25519@openssh.com'],
    'sk-ssh-ed25519-cert-v01@openssh.com',
  ].map((name) => [name, name] as const),
]);

/** The kind of a key by its full name. @throws CommandExecutionError for an unknown one */
export function keyKind(enc: Value): string {
  const kind = KINDS.get(pyStr(enc));
  if (kind === undefined) throw new CommandExecutionError(`Incorrect encryption key type '${pyStr(enc)}'.`);
  return kind;
}

/** The line of a key. */
export function keyLine({ key, enc, comment, options }: Omit<AuthorizedKey, 'fingerprint'>): string {
  return `${options.length > 0 ? `${options.join(',')} ` : ''}${enc} ${key} ${comment}\n`;
}

/**
 * The sum of a key, its bytes separated by colons; undefined for what is no key.
 * @param hashType the kind of sum, `sha256` without it
 */
export function fingerprintOf(key: string, hashType: string | undefined): string | undefined {
  const kind = hashType === undefined || hashType === '' ? 'sha256' : hashType.toLowerCase();
  if (!getHashes().includes(kind))
    throw new CommandExecutionError(`The fingerprint_hash_type ${kind} is not supported.`);
  if (!BASE64.test(key)) return undefined;
  const sum = createHash(kind).update(Buffer.from(key, 'base64')).digest('hex');
  return (sum.match(/../g) ?? []).join(':');
}

/** The kind that a key itself names at its beginning; undefined for what is no key. */
export function kindOfKey(key: string): string | undefined {
  const bytes = /^[A-Za-z0-9+/]+={0,2}$/.test(key) ? Buffer.from(key, 'base64') : Buffer.alloc(0);
  const size = bytes.length < 4 ? 0 : bytes.readUInt32BE(0);
  const kind = bytes.subarray(4, 4 + size).toString('latin1');
  return kind.length === size && /^[a-z][a-z0-9@.-]+$/.test(kind) ? kind : undefined;
}

/** The lines of a file without white space around them and without empty ones. */
export function meaningfulLines(text: string): string[] {
  return splitLines(text)
    .map(strip)
    .filter((line) => line !== '');
}

/** What stands before a key, and the words from its kind on; undefined for a line without a key. */
export function splitKeyLine(
  line: string,
): { readonly options: string; readonly words: string[] } | undefined {
  const [, options, rest] = KEY_LINE.exec(line) ?? [];
  return rest === undefined ? undefined : { options: options ?? '', words: rest.trim().split(/\s+/) };
}

/** The keys of a file, the last of several with one key. */
export function readKeys(text: string, hashType: string | undefined): Map<string, AuthorizedKey> {
  const keys = new Map<string, AuthorizedKey>();
  for (const line of meaningfulLines(text)) {
    const found = line.startsWith('#') ? undefined : splitKeyLine(line);
    const [enc, key, ...comment] = found?.words ?? [];
    const fingerprint = key === undefined ? undefined : fingerprintOf(key, hashType);
    if (found === undefined || enc === undefined || key === undefined || fingerprint === undefined) continue;
    const options = found.options === '' ? [] : found.options.split(',');
    keys.set(key, { key, enc, comment: comment.join(' '), options, fingerprint });
  }
  return keys;
}
