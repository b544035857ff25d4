/** `file`: names and passwords in a file: a text with columns, `htpasswd`, `htdigest` (salt/auth/file.py, 3006.16). */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { ConfigError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { toNumber, type Dict, type Value } from '../../python/values/value.ts';
import type { BackendSpec, Credentials } from '../shared/auth/backend.ts';
import { hashCost } from './auth/crypt.ts';
import { HashThread } from './auth/hash-thread.ts';
import { isSameText } from '../shared/auth/same-text.ts';

/** The digests of passwords in a text file, as `hashutil.digest` has them. */
const HASH_TYPES = new Set(['md5', 'sha256', 'sha512']);
const FILE_TYPES = new Set(['text', 'htpasswd', 'htdigest']);

/** `^filename` and its like. */
interface FileConfig {
  readonly filename: string;
  readonly filetype: string;
  readonly hashtype: string;
  readonly realm: string;
  readonly separator: string;
  /** From 0. */
  readonly usernameField: number;
  readonly passwordField: number;
}

/** The backend. */
export const fileBackend: BackendSpec = {
  name: 'file',
  doc: 'Names and passwords in a file: columns of text, htpasswd or htdigest.',
  fault: ({ config }) => faultOf(readConfig(config)),
  make: ({ config, clock, log }) => {
    const file = readConfig(config);
    const hashes = new HashThread(clock);
    return {
      close: () => Promise.resolve(hashes.close()),
      authenticate: async (credentials) => {
        const text = await readFile(file.filename, 'utf8');
        if (file.filetype === 'htdigest') return isInDigestFile(text, file, credentials);
        if (file.filetype === 'text') return isInTextFile(text, file, credentials);
        const lines = fieldsOf(text, ':');
        const hash = lines.find(([name]) => name === credentials.username)?.[1];
        const isRight = await hashes.verify(credentials.password.reveal(), hash ?? costliestHash(lines));
        if (hash !== undefined && isRight === undefined)
          log.warning(
            `The hash of ${credentials.username} in ${file.filename} is of a kind that is not checked: ` +
              'make it anew with bcrypt (htpasswd -B).',
          );
        return hash !== undefined && isRight === true;
      },
    };
  },
};

/** What a name that is not there is compared with, where no hash is. */
const NOBODYS_HASH = '$apr1$nobodyss$xxxxxxxxxxxxxxxxxxxxxx';

/**
 * Checked for names that are not there, so that they cost what others cost: the hash of the file that takes longest.
 * What comes of it is not looked at.
 */
function costliestHash(lines: readonly (readonly string[])[]): string {
  let [found, cost] = [NOBODYS_HASH, 0];
  for (const [, hash = ''] of lines) {
    const own = hashCost(hash);
    if (own > cost) [found, cost] = [hash, own];
  }
  return found;
}

function readConfig(config: Dict): FileConfig {
  const text = (name: string, standard: string): string => {
    const value = config.get(`^${name}`);
    return value === undefined || value === null ? standard : pyStr(value);
  };
  const field = (name: string, standard: number): number => {
    const value: Value = config.get(`^${name}`) ?? standard;
    return (toNumber(value) ?? Number(pyStr(value))) - 1;
  };
  return {
    filename: text('filename', ''),
    filetype: text('filetype', 'text'),
    hashtype: text('hashtype', 'plaintext'),
    realm: text('realm', ''),
    separator: text('field_separator', ':'),
    usernameField: field('username_field', 1),
    passwordField: field('password_field', 2),
  };
}

function faultOf(file: FileConfig): string | undefined {
  if (file.filename === '') return 'external_auth:file:^filename does not say which file';
  if (!existsSync(file.filename)) return `there is no file ${file.filename} (external_auth:file:^filename)`;
  // Salt compat: Salt fails each log-in with a type that it does not know
  if (!FILE_TYPES.has(file.filetype))
    return `^filetype is ${file.filetype}; there are text, htpasswd, htdigest`;
  if (file.filetype === 'htdigest' && file.realm === '') return '^filetype: htdigest needs a ^realm';
  if (file.hashtype !== 'plaintext' && !HASH_TYPES.has(file.hashtype))
    return `^hashtype is ${file.hashtype}; there are plaintext, md5, sha256, sha512`;
  if (!Number.isInteger(file.usernameField) || !Number.isInteger(file.passwordField))
    return '^username_field and ^password_field are numbers from 1 on';
  return undefined;
}

/**
 * Salt compat: the first line of a name counts; a line before it that has not enough fields fails the log-in, so that a
 * file of another form lets nobody in.
 */
function isInTextFile(text: string, file: FileConfig, { username, password }: Credentials): boolean {
  const given = password.reveal();
  const wanted =
    file.hashtype === 'plaintext' ? given : createHash(file.hashtype).update(given).digest('hex');
  for (const fields of fieldsOf(text, file.separator)) {
    const [name, kept] = [fields[file.usernameField], fields[file.passwordField]];
    if (name === undefined || kept === undefined)
      throw new ConfigError(`A line of ${file.filename} has not as many fields as ^password_field says.`);
    if (name === username) return isSameText(kept, wanted);
  }
  isSameText(wanted, NOBODYS_HASH);
  return false;
}

function isInDigestFile(text: string, { realm }: FileConfig, { username, password }: Credentials): boolean {
  const wanted = createHash('md5').update(`${username}:${realm}:${password.reveal()}`).digest('hex');
  const line = fieldsOf(text, ':').find((fields) => fields[0] === username && fields[1] === realm);
  return isSameText(line?.[2] ?? NOBODYS_HASH, wanted) && line !== undefined;
}

function fieldsOf(text: string, separator: string): string[][] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.trim().split(separator));
}
