/** The environment of a command, and who it runs as. */
import { homedir } from 'node:os';
import { accessSync, constants } from 'node:fs';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { ownEnvironment, runProcess, type RunAs } from '../../../host/process.ts';
import { findGroup, findUser, groupIdsOf, type User } from '../../../host/users.ts';
import { findProgram } from '../../../host/which.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { bytesRepr } from '../../../python/values/repr.ts';
import type { CommandOptions } from './params.ts';

const LOCALE_VARIABLES = [
  ...['CTYPE', 'NUMERIC', 'TIME', 'COLLATE', 'MONETARY', 'MESSAGES', 'PAPER', 'NAME', 'ADDRESS', 'TELEPHONE'],
  ...['MEASUREMENT', 'IDENTIFICATION'],
].map((name) => `LC_${name}`);

/** A login that takes longer than this hangs; the command then runs without the user's own variables. */
const LOGIN_TIMEOUT_MS = 30_000;

/** Who a command runs as; both undefined for the minion's own user. */
export interface Account {
  readonly user?: User;
  /** The name of the group that was asked for, and its id. */
  readonly group?: { readonly name: string; readonly gid: number };
}

/**
 * Looks up `runas` and `group`.
 * @throws CommandExecutionError `User 'X' is not available`, and for groups likewise
 */
export async function findAccount({
  runas,
  group: name,
}: Pick<CommandOptions, 'runas' | 'group'>): Promise<Account> {
  const user = runas === undefined ? undefined : await findUser(runas);
  if (runas !== undefined && !user) throw new CommandExecutionError(`User '${runas}' is not available`);
  if (name === undefined) return user ? { user } : {};
  if (findProgram('sudo') === undefined) {
    throw new CommandExecutionError('group argument requires sudo but not found');
  }
  const group = await findGroup(name);
  // Salt compat: Salt names the user in this sentence, where the group is meant.
  if (!group) throw new CommandExecutionError(`Group '${name}' is not available`);
  return { ...(user ? { user } : {}), group: { name, gid: group.gid } };
}

/** What the process has to change to in order to be that account; undefined when it is the minion's own. */
export async function credentialsOf(account: Account): Promise<RunAs | undefined> {
  const own = process.getuid?.() ?? 0;
  if (!account.group && (!account.user || account.user.uid === own)) return undefined;
  const user = account.user ?? (await findUser(own));
  if (!user) throw new CommandExecutionError(`User '${own}' is not available`);
  return { uid: user.uid, gid: account.group?.gid ?? user.gid, groups: await groupIdsOf(user) };
}

/** The folder a command starts in when none was asked for: the user's home, or `/` when we may not read that. */
export function defaultFolder(user: User | undefined): string {
  const home = user?.home ?? (process.env['HOME'] || homedir());
  try {
    accessSync(home, constants.R_OK);
    return home;
  } catch {
    return '/';
  }
}

/**
 * A command's environment.
 * @param login who it runs as, and the shell that a login of that account is to use (with the account's own shell,
 *   which may be `nologin`, when undefined)
 * @param given the variables that the caller has set
 */
export async function buildEnvironment(
  ctx: ModuleContext,
  options: CommandOptions,
  login: { readonly account: Account; readonly shell: string | undefined },
  given: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const { account, shell } = login;
  const env = new Map(given);
  if (account.user || account.group) {
    for (const [name, value] of await loginEnvironment(ctx, account, shell)) {
      if (!env.has(name)) env.set(name, value);
    }
    if (account.user) {
      env.set('USER', account.user.name);
      env.set('HOME', account.user.home);
    }
  }
  if (options.reset_system_locale) {
    for (const name of [...LOCALE_VARIABLES, 'LANGUAGE']) if (!env.has(name)) env.set(name, 'C');
  }
  const all = options.clean_env ? env : new Map([...ownEnvironment(), ...env]);
  const front = options.prepend_path;
  const path = all.get('PATH');
  if (front !== undefined) all.set('PATH', path === undefined ? front : `${front}:${path}`);
  // The service manager's socket is the minion's own; a command must not report in its name.
  if (!env.has('NOTIFY_SOCKET')) all.delete('NOTIFY_SOCKET');
  return all;
}

/** The variables a login of that account would have; empty, with an error line, when the login is refused. */
async function loginEnvironment(
  ctx: ModuleContext,
  account: Account,
  shell: string | undefined,
): Promise<Map<string, string>> {
  const marker = `<<<${ctx.random.bytes(16).toString('hex')}>>>`;
  const { stdout, stderr } = await runProcess(loginCommand(account, shell, marker), {
    timeoutMs: LOGIN_TIMEOUT_MS,
    signal: ctx.signal,
    cwd: '/',
  });
  const parts = stdout.toString('utf8').split(marker);
  const name = account.user?.name ?? account.group?.name ?? '';
  if (parts.length === 3) return parseVariables(parts[1] ?? '');
  if (parts.length > 1)
    throw new CommandExecutionError(`Environment could not be retrieved for user '${name}'`);
  ctx.log.error(
    `Environment could not be retrieved for user '${name}': ` +
      `stderr=${bytesRepr(stderr).slice(1)} stdout=${bytesRepr(stdout).slice(1)}`,
  );
  return new Map();
}

// The texts for the login shell are ours and fixed, but for the marker.
function loginCommand({ user, group }: Account, shell: string | undefined, marker: string): string[] {
  const print = `printf %s '${marker}'; env -0; printf %s '${marker}'`;
  if (!group)
    return ['su', ...(shell === undefined ? [] : ['-s', shell]), '-', user?.name ?? '', '-c', print];
  const who = [...(user ? ['-u', user.name] : []), '-g', group.name];
  return ['sudo', ...who, ...(shell === undefined ? [] : ['-i']), '--', 'sh', '-c', print];
}

function parseVariables(text: string): Map<string, string> {
  const env = new Map<string, string>();
  for (const line of text.split('\0')) {
    const at = line.indexOf('=');
    if (at > 0) env.set(line.slice(0, at), line.slice(at + 1));
  }
  // Salt reads the environment with Python, which makes itself a UTF-8 locale where there is none.
  const locale = env.get('LC_ALL') || env.get('LC_CTYPE') || env.get('LANG') || 'C';
  if (!env.has('LC_ALL') && (locale === 'C' || locale === 'POSIX')) env.set('LC_CTYPE', 'C.UTF-8');
  return env;
}
