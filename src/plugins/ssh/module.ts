/** `ssh`: the keys that may log in, and those by which hosts are known. Follows 3006.16 salt/modules/ssh.py. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { readBytes, writeInPlace } from '../../host/file-operations.ts';
import { dirName, isAbs, isDir, isFile, joinPath } from '../../python/paths.ts';
import { isOsError, osErrorText } from '../../python/os-errors.ts';
import { findProgram } from '../../host/which.ts';
import { textOtherThan } from '../../runtime/loader/failing-returns.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { runCode } from '../shared/program.ts';
import {
  fingerprintOf,
  keyKind,
  keyLine,
  meaningfulLines,
  readKeys,
  splitKeyLine,
  type AuthorizedKey,
} from './module/key-lines.ts';
import { keyFileFunctions } from './module/key-files.ts';
import { knownHostFunctions } from './module/known-host-functions.ts';
import { refuseForeignLinks } from './module/foreign-links.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import { cachedFile } from '../shared/served-files.ts';
import { userAccount } from '../shared/accounts.ts';

/** Where an error about a file of keys is left for the state that asked. */
export const SSH_AUTH_ERROR = 'ssh_auth.error';

/** Whose file, and how sums are made. */
interface KeyFile {
  readonly user: Value;
  readonly config: string;
  readonly fingerprint_hash_type: string | undefined;
}

type WantedKey = Omit<AuthorizedKey, 'fingerprint'>;

/** `%u`, `%h` and `%%` in a path. */
function expandTokens(path: string, user: string, home: string): string {
  if (/^(?:[^%]|%.)*%$/s.test(path))
    throw new CommandExecutionError("AuthorizedKeysFile path: Last character can't be escape character");
  return path.replace(/%(.)/gs, (_found, char: string) => {
    if (char === '%') return '%';
    if (char === 'u') return user;
    if (char === 'h') return home;
    throw new CommandExecutionError(`AuthorizedKeysFile path: unknown token character "%${char}"`);
  });
}

async function pathOf(ctx: ModuleContext, { user, config }: KeyFile): Promise<string> {
  const info = await userAccount(ctx, [user]);
  if (info === undefined) throw new CommandExecutionError(`User '${pyStr(user)}' does not exist`);
  const home = pyStr(info.get('home') ?? '');
  const path = expandTokens(config, pyStr(user), home);
  return isAbs(path) ? path : joinPath(home, path);
}

function textOf(path: string): string {
  try {
    return readBytes(path).toString('utf8');
  } catch (error) {
    if (!isOsError(error)) throw error;
    throw new CommandExecutionError(`Problem reading ssh key file ${path}`);
  }
}

/** The keys that may log in as one user; undefined when there is no file. */
async function keysOf(ctx: ModuleContext, file: KeyFile): Promise<Map<string, AuthorizedKey> | undefined> {
  let path: string;
  try {
    path = await pathOf(ctx, file);
  } catch (error) {
    if (error instanceof CommandExecutionError) return undefined;
    throw error;
  }
  return isFile(path) ? readKeys(textOf(path), file.fingerprint_hash_type) : undefined;
}

function keysDict(keys: ReadonlyMap<string, AuthorizedKey>): Dict {
  return new Map(
    [...keys].map(([key, { enc, comment, options, fingerprint }]) => [
      key,
      dict({ enc, comment, options: [...options], fingerprint }),
    ]),
  );
}

async function statusOf(
  ctx: ModuleContext,
  file: KeyFile,
  wanted: WantedKey,
): Promise<'add' | 'update' | 'exists'> {
  const line = keyLine({ ...wanted, enc: keyKind(wanted.enc) });
  const current = (await keysOf(ctx, file))?.get(wanted.key);
  if (current === undefined) return 'add';
  return keyLine(current) === line ? 'exists' : 'update';
}

/**
 * Changes the lines of a file of keys.
 * @param change gives the line that takes the place of one with a key, undefined for none
 */
function rewrite(path: string, change: (line: string, key: string | undefined) => string | undefined): void {
  const lines = meaningfulLines(textOf(path)).flatMap((line) => {
    const key = line.startsWith('#') ? undefined : splitKeyLine(line)?.words[1];
    const changed = change(`${line}\n`, key);
    return changed === undefined ? [] : [changed];
  });
  writeInPlace(path, lines.join(''));
}

async function restoreContext(ctx: ModuleContext, path: string): Promise<void> {
  const program = findProgram('restorecon');
  if (program !== undefined) await runCode(ctx, [program, path]);
}

async function giveTo(ctx: ModuleContext, path: string, info: Dict, mode: number): Promise<void> {
  if (process.geteuid?.() === 0)
    chownSync(path, toNumber(info.get('uid')) ?? 0, toNumber(info.get('gid')) ?? 0);
  chmodSync(path, mode);
  await restoreContext(ctx, path);
}

async function addLine(
  ctx: ModuleContext,
  path: string,
  { info, line }: { info: Dict; line: string },
): Promise<void> {
  const folder = dirName(path);
  if (!isDir(folder)) {
    mkdirSync(folder, { recursive: true });
    await giveTo(ctx, folder, info, 0o700);
  }
  const isNew = !isFile(path);
  const before = isNew ? '' : textOf(path);
  const separator = before === '' || before.endsWith('\n') ? '' : '\n';
  try {
    writeInPlace(path, `${before}${separator}${line}`);
  } catch (error) {
    if (!isOsError(error)) throw error;
    throw new CommandExecutionError(`Could not write to key file: ${osErrorText(error)}`);
  }
  if (isNew) await giveTo(ctx, path, info, 0o600);
}

async function setKey(ctx: ModuleContext, file: KeyFile, given: WantedKey): Promise<string> {
  if (given.key.trim().split(/\s+/).length > 1) return 'invalid';
  const wanted = { ...given, enc: keyKind(given.enc) };
  const info = await userAccount(ctx, [file.user]);
  if (info === undefined) return 'fail';
  if (fingerprintOf(wanted.key, file.fingerprint_hash_type) === undefined) return 'Invalid public key';
  const status = await statusOf(ctx, file, wanted);
  if (status === 'exists') return 'no change';
  const path = await pathOf(ctx, file);
  refuseForeignLinks(path, toNumber(info.get('uid')) ?? 0);
  if (status === 'update') {
    rewrite(path, (line, key) => (key === wanted.key ? keyLine(wanted) : line));
    return 'replace';
  }
  const home = pyStr(info.get('home') ?? '');
  if (path.startsWith(home) && !isDir(home)) return 'fail';
  await addLine(ctx, path, { info, line: keyLine(wanted) });
  return 'new';
}

async function removeKey(ctx: ModuleContext, file: KeyFile, key: string): Promise<string> {
  if ((await keysOf(ctx, file))?.has(key) !== true) return 'Key not present';
  const path = await pathOf(ctx, file);
  refuseForeignLinks(path, toNumber((await userAccount(ctx, [file.user]))?.get('uid')) ?? 0);
  try {
    rewrite(path, (line, found) => (found === key ? undefined : line));
  } catch (error) {
    ctx.log.warning(`Could not read/write key file: ${osErrorText(error)}`);
    return 'Key not removed';
  }
  return 'Key removed';
}

/** A file of keys, brought here; undefined when there is none. */
async function fetchedKeys(
  ctx: ModuleContext,
  { source, saltenv, hashType }: { source: string; saltenv: Value; hashType: string | undefined },
): Promise<ReadonlyMap<string, AuthorizedKey> | undefined> {
  const path = await cachedFile(ctx, [source, saltenv]);
  if (path === undefined || !isFile(path)) return undefined;
  const keys = readKeys(textOf(path), hashType);
  if (keys.size > 0) return keys;
  const text = `No keys detected in ${source}. Is file properly formatted?`;
  ctx.log.error(text);
  ctx.state?.memory.set(SSH_AUTH_ERROR, text);
  return keys;
}

async function eachOf(
  ctx: ModuleContext,
  args: { source: string; saltenv: Value; hashType: string | undefined },
  {
    run,
    ranking,
    otherwise,
  }: { run: (key: AuthorizedKey) => Promise<string>; ranking: readonly string[]; otherwise: string },
): Promise<string> {
  const keys = await fetchedKeys(ctx, args);
  if (keys === undefined) throw new CommandExecutionError('Failed to pull key file from salt file server');
  if (keys.size === 0) return 'fail';
  const answers: string[] = [];
  for (const key of keys.values()) answers.push(await run(key));
  return ranking.find((answer) => answers.includes(answer)) ?? otherwise;
}

const USER = param.value({ type: 'str', doc: 'Who logs in.' });
const KEY = param.text({ doc: 'The key: its long word only.' });
/** Where the keys that may log in stand, and how they are told apart. */
export const AUTHORIZED_KEYS = {
  config: param.text({
    default: '.ssh/authorized_keys',
    doc: 'The file: a path, or one below the home folder; `%u` is the user, `%h` the home folder.',
  }),
  fingerprint_hash_type: param.textOrNone({ default: null, doc: 'The kind of sums; sha256 without it.' }),
} as const;
const SOURCE = {
  source: param.text({ doc: 'The file of keys: `salt://…`.' }),
  config: AUTHORIZED_KEYS.config,
  saltenv: param.value({ default: 'base', type: 'str', doc: 'The environment of the file server.' }),
  fingerprint_hash_type: AUTHORIZED_KEYS.fingerprint_hash_type,
} as const;
const ENC = param.text({
  default: 'ssh-rsa',
  doc: 'The kind of the key: `ssh-rsa`, `ed25519`, `ecdsa`…',
});
const COMMENT = param.textOrNone({ default: '', doc: 'What stands behind the key.' });
const OPTIONS = param.list({
  default: null,
  doc: 'What stands before it: `no-pty`, `command="…"`.',
});
const CACHE_KEYS = param.value({ default: null, type: 'list', doc: 'Takes no effect.' });

/** A wanted key out of the arguments of a function. */
function wantedKey(args: {
  key: string;
  enc: string;
  comment: string | undefined;
  options: readonly Value[];
}): WantedKey {
  return { key: args.key, enc: args.enc, comment: args.comment ?? '', options: args.options.map(pyStr) };
}

/** The module. */
export const sshModule = defineModule({
  name: 'ssh',
  file: 'ssh',
  doc: 'The public keys that may log in as a user, and those by which hosts are known.',
  unavailable: () => (findProgram('ssh') === undefined ? 'The module requires the ssh binary.' : undefined),
  words: { dashes: 'any' },
  failsWith: {
    error: ['check_known_host', 'hash_known_hosts', 'rm_known_host', 'set_known_host'],
    none: ['recv_known_host_entries'],
  },
  functions: {
    auth_keys: defineFunction({
      doc: 'Lists the keys that may log in.',
      params: {
        user: param.valueIfGiven({ ...USER, type: 'str or list', default: null }),
        ...AUTHORIZED_KEYS,
      },
      returns:
        'mapping of key to its kind, comment, options and fingerprint; by user, unless one is asked for by name',
      examples: ["salt '*' ssh.auth_keys root", "salt '*' ssh.auth_keys user='[user1, user2]'"],
      run: async (ctx, { user, ...file }) => {
        const asked = user ?? (await ctx.functions.call('user.list_users'));
        if (!Array.isArray(asked))
          return keysDict((await keysOf(ctx, { user: asked, ...file })) ?? new Map());
        const out: Dict = new Map();
        for (const one of asked) {
          const keys = await keysOf(ctx, { user: one, ...file });
          if (keys !== undefined) out.set(one, keysDict(keys));
        }
        return out;
      },
    }),
    check_key: defineFunction({
      doc: 'Returns what setting a key would do.',
      params: {
        ...{ user: USER, key: KEY, enc: param.text({ doc: ENC.doc }) },
        comment: param.textOrNone({ doc: COMMENT.doc }),
        options: param.list({ doc: OPTIONS.doc }),
        ...{
          config: AUTHORIZED_KEYS.config,
          cache_keys: CACHE_KEYS,
          fingerprint_hash_type: AUTHORIZED_KEYS.fingerprint_hash_type,
        },
      },
      returns: '`add`, `update` or `exists`',
      examples: ["salt '*' ssh.check_key <user> <key> <enc> <comment> <options>"],
      run: (ctx, { user, config, fingerprint_hash_type, ...key }) =>
        statusOf(ctx, { user, config, fingerprint_hash_type }, wantedKey(key)),
    }),
    check_key_file: defineFunction({
      doc: 'Returns what setting the keys of a file would do.',
      params: { user: USER, ...SOURCE },
      returns: 'mapping of key to `add`, `update` or `exists`',
      examples: ["salt '*' ssh.check_key_file root salt://ssh/keyfile"],
      run: async (ctx, { user, source, config, saltenv, fingerprint_hash_type: hashType }) => {
        const keys = await fetchedKeys(ctx, { source, saltenv, hashType });
        const out: Dict = new Map();
        for (const key of keys?.values() ?? [])
          out.set(key.key, await statusOf(ctx, { user, config, fingerprint_hash_type: hashType }, key));
        return out;
      },
    }),
    set_auth_key: defineFunction({
      doc: 'Lets a key log in.',
      params: {
        ...{
          user: USER,
          key: KEY,
          enc: ENC,
          comment: COMMENT,
          options: OPTIONS,
          config: AUTHORIZED_KEYS.config,
        },
        ...{ cache_keys: CACHE_KEYS, fingerprint_hash_type: AUTHORIZED_KEYS.fingerprint_hash_type },
      },
      returns: '`new`, `replace`, `no change`, `fail`, `invalid` or `Invalid public key`',
      failsWith: [textOtherThan('new', 'replace', 'no change')],
      examples: ["salt '*' ssh.set_auth_key <user> '<key>' enc='dsa'"],
      run: (ctx, { user, config, fingerprint_hash_type, ...key }) =>
        setKey(ctx, { user, config, fingerprint_hash_type }, wantedKey(key)),
    }),
    set_auth_key_from_file: defineFunction({
      doc: 'Lets the keys of a file log in.',
      params: { user: USER, ...SOURCE },
      returns: '`new`, `replace`, `no change` or `fail`',
      failsWith: [textOtherThan('new', 'replace', 'no change')],
      examples: ["salt '*' ssh.set_auth_key_from_file <user> salt://ssh_keys/<user>.id_rsa.pub"],
      run: (ctx, { user, source, config, saltenv, fingerprint_hash_type: hashType }) =>
        eachOf(
          ctx,
          { source, saltenv, hashType },
          {
            run: (key) => setKey(ctx, { user, config, fingerprint_hash_type: hashType }, key),
            ranking: ['fail', 'replace', 'new'],
            otherwise: 'no change',
          },
        ),
    }),
    rm_auth_key: defineFunction({
      doc: 'Lets a key log in no more.',
      params: { user: USER, key: KEY, ...AUTHORIZED_KEYS },
      returns: '`Key removed`, `Key not present` or `Key not removed`',
      failsWith: [textOtherThan('Key removed', 'Key not present')],
      examples: ["salt '*' ssh.rm_auth_key <user> <key>"],
      run: (ctx, { user, key, ...file }) => removeKey(ctx, { user, ...file }, key),
    }),
    rm_auth_key_from_file: defineFunction({
      doc: 'Lets the keys of a file log in no more.',
      params: { user: USER, ...SOURCE },
      returns: '`Key removed`, `Key not present`, `Key not removed` or `fail`',
      failsWith: [textOtherThan('Key removed', 'Key not present')],
      examples: ["salt '*' ssh.rm_auth_key_from_file <user> salt://ssh_keys/<user>.id_rsa.pub"],
      run: (ctx, { user, source, config, saltenv, fingerprint_hash_type: hashType }) =>
        eachOf(
          ctx,
          { source, saltenv, hashType },
          {
            run: ({ key }) => removeKey(ctx, { user, config, fingerprint_hash_type: hashType }, key),
            ranking: ['Key not removed', 'Key removed'],
            otherwise: 'Key not present',
          },
        ),
    }),
    ...knownHostFunctions,
    ...keyFileFunctions,
  },
});
