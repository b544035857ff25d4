/**
 * Running git: as a user, with private keys, and without credentials in what is returned (3006.16 salt/modules/git.py
 * `_git_run`).
 */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { joinPath, pathExists } from '../../../python/paths.ts';
import { dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { runAll, type Ended } from '../../shared/program.ts';
import { redacted } from './credentials.ts';
import { editEnvironment, hidePasswords, speaksWithRemote } from '../../shared/hidden-passwords.ts';
import { identitiesOf, needsPassphrase, prepareIdentity } from './identity.ts';
import { expandFolder, optionWords } from './words.ts';

/** How one command of git is run. */
export interface GitRun {
  readonly cwd?: string | undefined;
  readonly user?: string | undefined;
  readonly identity?: Value;
  readonly ignoreRetcode?: boolean;
  /** Return a failure instead of throwing it. */
  readonly mayFail?: boolean;
  /** Both streams as `stdout`. */
  readonly merged?: boolean;
  readonly saltenv?: Value;
  readonly outputEncoding?: string | undefined;
}

async function runOnce(
  ctx: ModuleContext,
  given: readonly string[],
  run: GitRun,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const { words, env: passwords } = speaksWithRemote(given)
    ? hidePasswords(given, await remoteAddresses(ctx, run))
    : { words: given, env: {} };
  return runAll(ctx, ['git', ...words], {
    cwd: run.cwd,
    runas: run.user,
    env: dict({ ...env, ...passwords }),
    ignore_retcode: run.ignoreRetcode ?? false,
    redirect_stderr: run.merged ?? false,
    output_encoding: run.outputEncoding,
  });
}

/** The addresses of a checkout's remotes, as they are configured; none where there is no checkout. */
async function remoteAddresses(ctx: ModuleContext, run: GitRun): Promise<string[]> {
  const { cwd } = run;
  if (cwd === undefined || !['.git', 'HEAD'].some((name) => pathExists(joinPath(cwd, name)))) return [];
  const words = ['git', 'config', '--local', '--get-regexp', '^(remote|submodule)[.].*url$'];
  const asked = { cwd, runas: run.user, ignore_retcode: true, output_loglevel: 'quiet' };
  return [(await runAll(ctx, words, asked)).stdout];
}

/**
 * Replaces a value of git's configuration by one that no argument is to have.
 * @param place `--local` or `--global`
 * @throws CommandExecutionError where git cannot write its configuration
 */
export async function replaceSetting(
  ctx: ModuleContext,
  { place, before, after }: { readonly place: string; readonly before: string; readonly after: string },
  run: GitRun,
): Promise<void> {
  const ended = await runAll(ctx, ['git', 'config', place, '--edit'], {
    cwd: run.cwd,
    runas: run.user,
    env: dict({ ...editEnvironment(before, after) }),
    output_loglevel: 'quiet',
  });
  if (ended.retcode !== 0)
    throw new CommandExecutionError(`git could not write its configuration: ${redacted(ended.stderr)}`);
}

const complaint = ({ stdout, stderr }: Ended, { merged = false }: GitRun): string =>
  redacted(merged ? stdout : stderr);

const failed: Ended = { retcode: 128, pid: 0, stdout: '', stderr: '' };

/** What came of several keys. */
interface Attempts {
  readonly errors: string[];
  readonly missing: string[];
}

/** Tries one key. @returns undefined where it could not be tried */
async function tryIdentity(
  ctx: ModuleContext,
  words: readonly string[],
  { run, key, attempts }: { readonly run: GitRun; readonly key: string; readonly attempts: Attempts },
): Promise<Ended | undefined> {
  const identity = await prepareIdentity(ctx, key, { user: run.user, saltenv: run.saltenv ?? 'base' });
  if (identity === undefined) {
    if (!key.includes('salt://')) attempts.missing.push(key);
    return undefined;
  }
  try {
    if (ctx.opts.get('__cli') !== 'salt-call' && needsPassphrase(identity.path)) {
      attempts.errors.push(
        `Identity file ${identity.path} is passphrase-protected and cannot be used in a non-interactive command. Using salt-call from the minion will allow a passphrase-protected key to be used.`,
      );
      return undefined;
    }
    ctx.log.info(`Attempting git authentication using identity file ${identity.path}`);
    const ended = await runOnce(ctx, words, run, identity.env);
    const said = complaint(ended, run);
    if (ended.retcode !== 0 && said !== '') attempts.errors.push(said);
    return ended;
  } finally {
    identity.release();
  }
}

async function runWithIdentities(
  ctx: ModuleContext,
  words: readonly string[],
  { run, keys }: { readonly run: GitRun; readonly keys: readonly string[] },
): Promise<Ended> {
  const attempts: Attempts = { errors: [], missing: [] };
  let last: Ended | undefined;
  for (const key of keys) {
    last = (await tryIdentity(ctx, words, { run, key, attempts })) ?? last;
    if (last?.retcode === 0) return last;
  }
  if (run.mayFail === true) return last ?? failed;
  const { errors, missing } = attempts;
  const absent =
    missing.length === 0
      ? ''
      : `${errors.length > 0 ? '\n\n' : ''}The following identity file(s) were not found: ${missing.join(', ')}`;
  throw new CommandExecutionError(
    `Unable to authenticate using identity file:\n\n${errors.join('\n')}${absent}`,
  );
}

/**
 * Runs git.
 * @param words what follows `git`
 * @throws CommandExecutionError `Command 'git …' failed: …` without credentials, unless it may fail
 */
export async function runGit(ctx: ModuleContext, words: readonly string[], run: GitRun = {}): Promise<Ended> {
  const keys = identitiesOf(run.identity);
  if (keys.length > 0) return runWithIdentities(ctx, words, { run, keys });
  const ended = await runOnce(ctx, words, run);
  if (ended.retcode === 0 || run.mayFail === true) return ended;
  const said = complaint(ended, run);
  throw new CommandExecutionError(
    `Command 'git ${redacted(words.join(' '))}' failed${said === '' ? '' : `: ${said}`}`,
  );
}

/** The arguments that most functions share. */
export interface SharedArgs {
  readonly cwd: string;
  readonly user: string | undefined;
  readonly output_encoding: string | undefined;
  readonly git_opts?: Value;
  readonly ignore_retcode?: boolean;
  readonly identity?: Value;
  readonly saltenv?: Value;
}

/** Arguments of a function as the way in which git is run. */
export function runOf(args: Omit<SharedArgs, 'cwd'>, cwd?: string): GitRun {
  return {
    cwd,
    user: args.user,
    identity: args.identity ?? null,
    ignoreRetcode: args.ignore_retcode ?? false,
    saltenv: args.saltenv ?? 'base',
    outputEncoding: args.output_encoding,
  };
}

/** Runs git within a checkout: `git [git_opts] words…`. */
export function inCheckout(
  ctx: ModuleContext,
  args: SharedArgs,
  words: readonly string[],
  more: Pick<GitRun, 'ignoreRetcode' | 'mayFail' | 'merged'> = {},
): Promise<Ended> {
  const cwd = expandFolder(args.cwd, args.user);
  return runGit(ctx, [...optionWords(args.git_opts), ...words], { ...runOf(args, cwd), ...more });
}

/** The same; what git printed. */
export async function printedIn(
  ctx: ModuleContext,
  args: SharedArgs,
  words: readonly string[],
): Promise<string> {
  return (await inCheckout(ctx, args, words)).stdout;
}

/** The same with the error output in it, which is where git reports progress. */
export async function saidIn(
  ctx: ModuleContext,
  args: SharedArgs,
  words: readonly string[],
): Promise<string> {
  return (await inCheckout(ctx, args, words, { merged: true })).stdout;
}
