/**
 * Whose keys gpg is run on, and how: the part of 3006.16 salt/modules/gpg.py that finds folders, and python-gnupg's
 * part that starts gpg.
 */
import { lchownSync, lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { walk, writeInPlace } from '../../../host/file-operations.ts';
import { runGpg, type GpgEnded } from '../../../host/gpg.ts';
import type { RunAs } from '../../../host/credentials.ts';
import { Secret } from '../../../host/secret.ts';
import { findUser, groupIdsOf } from '../../../host/users.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { isDir, pathExists } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { toNumber, truthy, type Dict } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { programPath } from '../../shared/program.ts';
import { userAccount } from '../../shared/accounts.ts';
import { optionText, pillarText, settingText } from '../../shared/settings.ts';

/** Whose keys. */
export interface WhoseKeys {
  readonly user: string | undefined;
  readonly gnupghome: string | undefined;
}

/** What a run is given besides its words. */
interface Given {
  readonly input?: Uint8Array;
  readonly passphrase?: Secret | undefined;
}

/** Keys may lie on slow keyservers, and be made of slow randomness; no question is ever waited for. */
const TIMEOUT_MS = 10 * 60 * 1000;
/** What is encrypted, decrypted and signed goes through memory. */
const BYTES_MAX = 512 * 1024 * 1024;

/** The folder of the minion's own keys, which the name `salt` stands for. */
export async function saltsKeys(ctx: ModuleContext): Promise<string> {
  return join((await settingText(ctx, ['config_dir'])) ?? '', 'gpgkeys');
}

async function userInfo(ctx: ModuleContext, given: string | undefined): Promise<Dict> {
  const user = given ?? (await optionText(ctx, ['user'])) ?? '';
  const info = await userAccount(ctx, [user]);
  if (info !== undefined) return info;
  if (user === 'salt') return userInfo(ctx, undefined);
  throw new SaltInvocationError(`User ${user} does not exist`);
}

/** A folder with keys, and gpg with it. */
export class Keyring {
  readonly #ctx: ModuleContext;
  readonly #credentials: RunAs | undefined;
  readonly home: string;

  private constructor(ctx: ModuleContext, home: string, credentials: RunAs | undefined) {
    this.#ctx = ctx;
    this.home = home;
    this.#credentials = credentials;
  }

  /**
   * Opens the keys of a user.
   * @param isChanging what is in the folder becomes the named user's, as Salt leaves it after a change
   * @throws PythonError (`ValueError`) for what is no folder; one that is not there is made, but in test mode
   */
  static async open(ctx: ModuleContext, whose: WhoseKeys, isChanging = false): Promise<Keyring> {
    const { user } = whose;
    const home = whose.gnupghome ?? (await homeOf(ctx, user));
    if (isChanging) {
      const info = await userInfo(ctx, user);
      const [uid, gid] = [toNumber(info.get('uid')) ?? 0, toNumber(info.get('gid')) ?? 0];
      if (uid !== process.getuid?.() && isDir(home)) giveTo(home, uid, gid);
    }
    // Salt compat: 3006.16 refuses where a user has no keys yet (66312)
    if (!pathExists(home)) {
      if (truthy(ctx.opts.get('test'))) return new Keyring(ctx, home, undefined);
      await makeHome(ctx, user, home);
    }
    if (!isDir(home))
      throw new PythonError('ValueError', `gnupghome should be a directory (it isn't): ${home}`);
    return new Keyring(ctx, home, await ownerOf(home));
  }

  /**
   * Runs gpg.
   * @throws CommandExecutionError where it takes too long, or brings too much
   */
  async run(args: readonly string[], given: Given = {}): Promise<GpgEnded> {
    const ended = await runGpg({
      program: programPath('gpg'),
      homedir: this.home,
      args,
      ...given,
      credentials: this.#credentials,
      timeoutMs: TIMEOUT_MS,
      outputLimitBytes: BYTES_MAX,
      signal: this.#ctx.signal,
      clock: this.#ctx.clock,
    });
    if (ended.timedOut)
      throw new CommandExecutionError(`gpg gave no answer within ${TIMEOUT_MS / 60_000} minutes`);
    if (ended.droppedBytes > 0)
      throw new CommandExecutionError(
        `gpg brought more than ${BYTES_MAX} bytes; encrypt or decrypt such a file with cmd.run`,
      );
    return ended;
  }

  /** The same, where it lists something: its lines in fields. */
  async list(args: readonly string[]): Promise<string[][]> {
    if (!pathExists(this.home)) return [];
    const { stdout } = await this.run(['--fixed-list-mode', '--with-colons', ...args]);
    return stdout
      .toString('utf8')
      .split('\n')
      .map((line) => line.trim().split(':'));
  }
}

async function homeOf(ctx: ModuleContext, user: string | undefined): Promise<string> {
  if (user === 'salt') return saltsKeys(ctx);
  return join(pyStr((await userInfo(ctx, user)).get('home') ?? ''), '.gnupg');
}

async function makeHome(ctx: ModuleContext, user: string | undefined, home: string): Promise<void> {
  const info = await userInfo(ctx, user);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const [uid, gid] = [toNumber(info.get('uid')), toNumber(info.get('gid'))];
  if (uid !== undefined && gid !== undefined && uid !== process.getuid?.()) lchownSync(home, uid, gid);
}

/**
 * gpg runs as the owner of the folder: a configuration in it can name programs, and must not become root's by it.
 * Salt compat: Salt runs it as itself, and gives the files to the user and back around it.
 */
async function ownerOf(home: string): Promise<RunAs | undefined> {
  const { uid } = statSync(home);
  if (process.getuid?.() !== 0 || uid === 0) return undefined;
  const owner = await findUser(uid);
  if (owner === undefined) throw new CommandExecutionError(`${home} belongs to nobody who has an account`);
  return { uid, gid: owner.gid, groups: await groupIdsOf(owner) };
}

/**
 * Gives a folder and all in it to a user; links are not followed, and what has further names elsewhere stays as it is.
 */
function giveTo(home: string, uid: number, gid: number): void {
  const give = (path: string): void => {
    const { uid: owner, gid: group, nlink, isFile } = factsOf(path);
    if ((owner !== uid || group !== gid) && !(isFile && nlink > 1)) lchownSync(path, uid, gid);
  };
  for (const { path, folders, files } of walk(home)) {
    give(path);
    for (const name of [...folders, ...files]) give(join(path, name));
  }
}

function factsOf(path: string): { uid: number; gid: number; nlink: number; isFile: boolean } {
  const facts = lstatSync(path);
  return { uid: facts.uid, gid: facts.gid, nlink: facts.nlink, isFile: facts.isFile() };
}

/**
 * The passphrase of the pillar; undefined where there is none.
 * @throws PythonError (`ValueError`) for one of several lines
 */
export async function pillarPassphrase(ctx: ModuleContext): Promise<Secret | undefined> {
  const passphrase = await pillarText(ctx, ['gpg_passphrase']);
  if (passphrase === undefined) return undefined;
  if (/[\n\r\0]/.test(passphrase)) throw new PythonError('ValueError', 'Invalid passphrase');
  return new Secret(passphrase);
}

/** The same, where it has to be there. */
export async function neededPassphrase(ctx: ModuleContext, isNeeded: boolean): Promise<Secret | undefined> {
  if (!isNeeded) return undefined;
  const found = await pillarPassphrase(ctx);
  if (found === undefined) throw new SaltInvocationError('gpg_passphrase not available in pillar.');
  return found;
}

/** What is worked on: a text, or the content of a file. */
export function inputOf(text: string | undefined, filename: string | undefined): Buffer {
  if (text !== undefined) return Buffer.from(text);
  if (filename !== undefined) return readFileSync(filename);
  throw new SaltInvocationError('filename or text must be passed.');
}

/** Writes what gpg has brought to a file, where one is named. */
export function keepOutput(output: string | undefined, content: Uint8Array): void {
  if (output !== undefined) writeInPlace(output, content);
}
