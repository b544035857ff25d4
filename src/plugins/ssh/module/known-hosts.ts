/**
 * Files of the keys by which hosts are known: `~/.ssh/known_hosts`, `/etc/ssh/ssh_known_hosts` (3006.16
 * salt/modules/ssh.py).
 */
import { chmodSync, lchownSync, mkdirSync, statSync } from 'node:fs';
import { CommandExecutionError, CommandNotFoundError, SaltInvocationError } from '../../../errors/errors.ts';
import { readBytes, writeInPlace } from '../../../host/file-operations.ts';
import { findProgram } from '../../../host/which.ts';
import { isOsError, osErrorText } from '../../../python/os-errors.ts';
import { dirName, isAbs, isFile, joinPath, pathExists } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { splitLines, strip } from '../../../python/values/text.ts';
import { dict, toNumber, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { runText } from '../../shared/program.ts';
import { refuseForeignLinks } from './foreign-links.ts';
import { fingerprintOf } from './key-lines.ts';
import { userAccount } from '../../shared/accounts.ts';

const SSH_PORT = 22;
const SCAN_ATTEMPTS = 5;

/** A key by which a host is known. */
export interface HostKey {
  readonly hostname: string;
  readonly key: string;
  readonly enc: string | undefined;
  /** Missing where the key was given and has not been read from anywhere. */
  readonly fingerprint?: string;
  readonly port?: Value;
}

/** A file of known hosts, and whose it is. */
export interface KnownHosts {
  readonly path: string;
  /** Undefined for the file of the whole machine. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
}

/** An outcome that is an error, as the functions return it. */
export function errorStatus(error: string): Dict {
  return dict({ status: 'error', error });
}

/**
 * Finds the file that a user and `config` mean.
 * @returns the file, or the sentence that says why there is none
 */
export async function findKnownHosts(
  ctx: ModuleContext,
  user: string | undefined,
  config: string | undefined,
): Promise<KnownHosts | string> {
  if (user === undefined) {
    const path = config ?? '/etc/ssh/ssh_known_hosts';
    return isAbs(path) ? { path, owner: undefined } : 'Cannot determine absolute path to file.';
  }
  const info = await userAccount(ctx, [user]);
  if (info === undefined) return `User ${user} does not exist`;
  const uid = toNumber(info.get('uid')) ?? 0;
  const path = joinPath(pyStr(info.get('home') ?? ''), config ?? '.ssh/known_hosts');
  refuseForeignLinks(path, uid);
  return { path, owner: { uid, gid: toNumber(info.get('gid')) ?? 0 } };
}

/** A host as its line begins: with a port other than that of SSH in `[host]:port`. */
function hostAndPort(hostname: string, port: Value | undefined): string {
  return port === undefined || port === SSH_PORT ? hostname : `[${hostname}]:${pyStr(port)}`;
}

/** The keys among what `ssh-keygen -F` or `ssh-keyscan` printed. */
function readHostKeys(output: string, hashType: string | undefined): HostKey[] {
  return splitLines(output).flatMap((line) => {
    const [hostname, enc, key, ...more] = strip(line).split(/\s+/);
    if (line.startsWith('#') || hostname === undefined || enc === undefined || key === undefined) return [];
    const fingerprint = more.length > 0 ? undefined : fingerprintOf(key, hashType);
    return fingerprint === undefined ? [] : [{ hostname, key, enc, fingerprint }];
  });
}

/** Keys as the functions return them. */
export function hostKeysValue(keys: readonly HostKey[]): Value {
  if (keys.length === 0) return null;
  return keys.map(({ hostname, key, enc, fingerprint, port }) =>
    fingerprint === undefined
      ? dict({ hostname, enc, key, ...(port === undefined ? {} : { port }) })
      : dict({ hostname, key, enc, fingerprint, ...(port === undefined ? {} : { port }) }),
  );
}

function requireProgram(name: string): void {
  if (findProgram(name) === undefined)
    throw new CommandNotFoundError(`The '${name}' binary was not found in $PATH.`);
}

/** Where a host is looked for. */
export interface HostQuery {
  readonly hostname: string;
  readonly port: Value | undefined;
  readonly fingerprint_hash_type: string | undefined;
}

function find(ctx: ModuleContext, file: KnownHosts, { hostname, port }: HostQuery): Promise<string> {
  const argv = ['ssh-keygen', '-F', hostAndPort(hostname, port), '-f', file.path];
  return runText(ctx, argv, { ignore_retcode: true });
}

/** The keys that a file has for a host. @throws CommandNotFoundError without `ssh-keygen` */
export async function storedKeys(ctx: ModuleContext, file: KnownHosts, query: HostQuery): Promise<HostKey[]> {
  requireProgram('ssh-keygen');
  return readHostKeys(await find(ctx, file, query), query.fingerprint_hash_type);
}

/** How a host is asked for its keys. */
export interface HostScan extends HostQuery {
  readonly enc: string | undefined;
  readonly hash_known_hosts: boolean;
  readonly timeout: string;
}

/**
 * Asks a host for its keys. Salt compat: a host whose name begins with a dash is refused; Salt hands it to
 * `ssh-keyscan`, which takes it for an option.
 * @throws CommandNotFoundError without `ssh-keyscan`, SaltInvocationError for a name that is an option
 */
export async function scannedKeys(ctx: ModuleContext, scan: HostScan): Promise<HostKey[]> {
  const { hostname, port, enc, hash_known_hosts, timeout, fingerprint_hash_type } = scan;
  requireProgram('ssh-keyscan');
  if (hostname.startsWith('-'))
    throw new SaltInvocationError(`'${hostname}' is no host: the name of a host does not begin with a dash.`);
  const argv = ['ssh-keyscan', ...(port === undefined ? [] : ['-p', pyStr(port)])];
  if (enc !== undefined) argv.push('-t', enc);
  if (hash_known_hosts) argv.push('-H');
  argv.push('-T', timeout, hostname);
  let output = '';
  for (let attempt = 0; output === '' && attempt < SCAN_ATTEMPTS; attempt++)
    output = await runText(ctx, argv);
  return readHostKeys(output, fingerprint_hash_type);
}

/** `ssh-keygen` makes a new file, which is then the user's again. */
function giveBack({ path, owner }: KnownHosts): void {
  if (owner !== undefined && process.geteuid?.() === 0) lchownSync(path, owner.uid, owner.gid);
}

/** Removes every key of a host. @returns what `ssh-keygen` said */
export async function removeHost(ctx: ModuleContext, file: KnownHosts, query: HostQuery): Promise<string> {
  const output = await runText(ctx, [
    'ssh-keygen',
    '-R',
    hostAndPort(query.hostname, query.port),
    '-f',
    file.path,
  ]);
  giveBack(file);
  return output;
}

/** Hashes the names of hosts in a file. @returns what `ssh-keygen` said */
export async function hashHosts(ctx: ModuleContext, file: KnownHosts): Promise<string> {
  requireProgram('ssh-keygen');
  const { mode } = statSync(file.path);
  const output = await runText(ctx, ['ssh-keygen', '-H', '-f', file.path]);
  chmodSync(file.path, mode & 0o7777);
  giveBack(file);
  return output;
}

/** The numbers of the lines that `ssh-keygen -F` found, of one kind of keys where one is given. */
function foundLines(output: string, enc: string | undefined): Set<number> {
  const lines = splitLines(output);
  const numbers = new Set<number>();
  for (const [i, line] of lines.entries()) {
    const [, number] = /^# Host .* line (\d+)/.exec(line) ?? [];
    const kind = (lines[i + 1] ?? '').trim().split(/\s+/).at(-2);
    if (number !== undefined && (enc === undefined || kind === enc)) numbers.add(Number(number));
  }
  return numbers;
}

function lineOf({ hostname, enc, key, port }: HostKey): string {
  return `${port === undefined ? hostname : `[${hostname}]:${pyStr(port)}`} ${enc ?? 'None'} ${key}\n`;
}

function ensureFolder({ path, owner }: KnownHosts): void {
  const folder = dirName(path);
  if (pathExists(folder)) return;
  mkdirSync(folder, { recursive: true });
  if (owner === undefined) return;
  if (process.geteuid?.() === 0) lchownSync(folder, owner.uid, owner.gid);
  chmodSync(folder, 0o700);
}

/**
 * Puts keys in the place of those that a file has for their host.
 * @param scan the host; with a kind of keys only those of that kind are replaced
 * @throws CommandExecutionError when the file cannot be written
 */
export async function replaceKeys(
  ctx: ModuleContext,
  file: KnownHosts,
  scan: HostScan,
  keys: readonly HostKey[],
): Promise<void> {
  const { path } = file;
  const isNew = !isFile(path);
  const found = isNew ? new Set<number>() : foundLines(await find(ctx, file, scan), scan.enc);
  try {
    ensureFolder(file);
    const before = isNew ? '' : readBytes(path).toString('latin1');
    const kept = before.split(/(?<=\n)/).filter((_line, i) => !found.has(i + 1));
    writeInPlace(path, Buffer.from(`${kept.join('')}${keys.map(lineOf).join('')}`, 'latin1'));
  } catch (error) {
    if (!isOsError(error)) throw error;
    throw new CommandExecutionError(`Couldn't append to known hosts file: '${osErrorText(error)}'`);
  }
  giveBack(file);
  if (isNew) chmodSync(path, 0o600);
}

/** Keys with the port that their line names, where it is not that of SSH and the name is not hashed. */
export function withPort(scan: HostScan, keys: readonly HostKey[]): HostKey[] {
  const { port, hash_known_hosts } = scan;
  if (hash_known_hosts || port === undefined || port === SSH_PORT) return [...keys];
  return keys.map((key) => (key.hostname.includes(':') ? key : { ...key, port }));
}

/** Whether a port cannot be told from another once the name is hashed. */
export function isOddPort(port: Value | undefined): boolean {
  return port !== undefined && port !== SSH_PORT;
}

/**
 * Whether a key is of the kind that is asked for, by its whole name or as ssh-keyscan calls it.
 * Salt compat: Salt knows `ed25519` for no name of `ssh-ed25519`, and saves the key again at each run.
 */
export function isOfKind(kind: string, asked: string): boolean {
  return kind === asked || kind === wholeKind(asked) || (asked === 'ecdsa' && kind.startsWith('ecdsa-'));
}

/** The name by which a file of known hosts has a kind of keys. */
export function wholeKind(asked: string): string {
  if (asked === 'dsa') return 'ssh-dss';
  return asked === 'rsa' || asked === 'ed25519' ? `ssh-${asked}` : asked;
}
