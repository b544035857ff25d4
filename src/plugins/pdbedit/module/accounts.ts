/** Accounts of Samba as pdbedit lists and changes them: the inner part of 3006.16 salt/modules/pdbedit.py. */
import { pyStr } from '../../../python/values/repr.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { runAll } from '../../shared/program.ts';
import { ntHash } from './nt-hash.ts';

/** Hashes serve as passwords: what pdbedit says is not logged. */
const SILENT = { output_loglevel: 'quiet' } as const;
/** The flags of an account that can be set. */
const FLAGS = 'NDHLX';

/** What an account shall be; null for what is not said. */
export interface Wanted {
  readonly password: string | undefined;
  readonly password_hashed: boolean;
  readonly domain: Value;
  readonly profile: Value;
  readonly script: Value;
  readonly drive: Value;
  readonly homedir: Value;
  readonly fullname: Value;
  readonly account_desc: Value;
  readonly account_control: Value;
  readonly machine_sid: Value;
  readonly user_sid: Value;
  readonly reset_login_hours: boolean;
  readonly reset_bad_password_count: boolean;
}

/** The accounts with all that is known of them, by their names. */
export async function accountsOf(ctx: ModuleContext, withHashes: boolean): Promise<Dict> {
  const style = withHashes ? ['--smbpasswd-style'] : [];
  const ended = await runAll(ctx, ['pdbedit', '--list', '--verbose', ...style], SILENT);
  const found = dict();
  if (ended.retcode > 0) {
    ctx.log.error(ended.stderr);
    return found;
  }
  for (const part of ended.stdout.split(/\n-+|-+\n/)) {
    const account = accountIn(part);
    if (account.size > 0) found.set(account.get('unix username') ?? null, account);
  }
  return found;
}

function accountIn(part: string): Dict {
  const account = dict();
  let label = '';
  for (const line of splitLines(part)) {
    if (line.trim() === '') continue;
    const at = line.indexOf(':');
    if (at < 0) account.set(label, `${pyStr(account.get(label) ?? '')}${line.trim()}`);
    else {
      label = line.slice(0, at).trim().toLowerCase();
      account.set(label, line.slice(at + 1).trim());
    }
  }
  return account;
}

/** The names of the accounts, or what went wrong. */
export async function namesOf(ctx: ModuleContext): Promise<string[] | Dict> {
  const { retcode, stdout, stderr } = await runAll(ctx, ['pdbedit', '--list']);
  if (retcode > 0) return dict({ Error: stderr });
  return splitLines(stdout)
    .map((line) => line.split(':'))
    .filter(({ length }) => length > 2)
    .map(([name = '']) => name);
}

/** Whether there is an account. */
export async function hasAccount(ctx: ModuleContext, login: string): Promise<boolean> {
  const names = await namesOf(ctx);
  return Array.isArray(names) ? names.includes(login) : names.has(login);
}

/** One account; empty where there is none. */
export async function accountOf(ctx: ModuleContext, login: string, withHashes: boolean): Promise<Dict> {
  const account = (await accountsOf(ctx, withHashes)).get(login);
  return isDict(account) ? account : dict();
}

/** The hash that an account shall have. */
export const hashOf = (password: string, isHashed: boolean): string =>
  isHashed ? password.toUpperCase() : ntHash(password);

/**
 * Makes an account where there is none, and gives it its password.
 *
 * Salt compat: a password goes to smbpasswd through a pipe, where Salt hands its hash, which is worth as much, to
 * pdbedit on its command line. A hash that the caller gives has no other way.
 * @returns created, updated, unchanged, or what the program says
 */
export async function createAccount(
  ctx: ModuleContext,
  login: string,
  given: { readonly password: string; readonly isHashed: boolean; readonly isMachine: boolean },
): Promise<string> {
  const { password, isHashed, isMachine } = given;
  const typed = isHashed ? '' : password;
  const stdin = `${typed}\n${typed}\n`;
  let done = 'unchanged';
  if (!(await hasAccount(ctx, login))) {
    const machine = isMachine ? ['--machine'] : [];
    const words = ['pdbedit', '--create', '--user', login, '-t', ...machine];
    const { retcode, stderr } = await runAll(ctx, words, { stdin });
    if (retcode > 0) return stderr;
    done = 'created';
  }
  const wanted = hashOf(password, isHashed);
  if ((await accountOf(ctx, login, true)).get('nt hash') === wanted) return done;
  const words = isHashed
    ? ['pdbedit', '--modify', '--user', login, `--set-nt-hash=${wanted}`]
    : ['smbpasswd', '-s', login];
  const { retcode, stderr } = await runAll(ctx, words, { ...SILENT, ...(isHashed ? {} : { stdin }) });
  if (retcode > 0) return stderr;
  return done === 'created' ? done : 'updated';
}

/** The words for pdbedit by which an account becomes what it shall be. */
export function changingWords(ctx: ModuleContext, current: Dict, wanted: Wanted): string[] {
  const words: string[] = [];
  const plain: readonly (readonly [label: string, option: string, value: Value])[] = [
    ['domain', 'domain', wanted.domain],
    ['full name', 'fullname', wanted.fullname],
    ['account desc', 'account-desc', wanted.account_desc],
    ['home directory', 'homedir', wanted.homedir],
    ['homedir drive', 'drive', wanted.drive],
    ['profile path', 'profile', wanted.profile],
    ['logon script', 'script', wanted.script],
  ];
  for (const [label, option, value] of plain)
    if (value !== null && current.has(label) && current.get(label) !== pyStr(value))
      words.push(`--${option}=${pyStr(value)}`);
  if (wanted.account_control !== null) {
    const flags = flagsOf(ctx, pyStr(wanted.account_control));
    // Salt compat: Salt sets them each time; here they are the same where the account has them, and those that cannot
    // be set besides
    if (!hasFlags(pyStr(current.get('account flags') ?? ''), flags))
      words.push(`--account-control=[${flags.join('')}]`);
  }
  for (const [label, option, value] of [
    ['user sid', '-U', wanted.user_sid],
    ['machine sid', '-M', wanted.machine_sid],
  ] as const)
    if (value !== null && current.has(label) && !isSid(pyStr(current.get(label) ?? ''), pyStr(value)))
      words.push(option, pyStr(value));
  if (wanted.reset_login_hours) words.push('--logon-hours-reset');
  if (wanted.reset_bad_password_count) words.push('--bad-password-count-reset');
  return words;
}

/**
 * Whether a SID is the one that is wanted, which may be its last part alone.
 *
 * Salt compat: to Salt, 1000 is as well the end of 21000.
 */
const isSid = (now: string, wanted: string): boolean => now === wanted || now.endsWith(`-${wanted}`);

function flagsOf(ctx: ModuleContext, given: string): string[] {
  const letters = [...(given.startsWith('[') ? given.slice(1, -1) : given).toUpperCase()];
  for (const letter of letters)
    if (!FLAGS.includes(letter))
      ctx.log.warning(`pdbedit.modify - unknown ${letter} flag for account_control, ignored`);
  return letters.filter((letter) => FLAGS.includes(letter));
}

function hasFlags(now: string, wanted: readonly string[]): boolean {
  const settable = [...now].filter((letter) => FLAGS.includes(letter)).sort();
  return settable.join('') === [...new Set(wanted)].sort().join('');
}

/** Makes an account what it shall be. @returns created, updated, unchanged, absent, or what the program says */
export async function modifyAccount(ctx: ModuleContext, login: string, wanted: Wanted): Promise<string> {
  const { password } = wanted;
  let done = 'unchanged';
  if (password !== undefined) {
    done = await createAccount(ctx, login, { password, isHashed: wanted.password_hashed, isMachine: false });
    if (!['created', 'updated', 'unchanged'].includes(done)) return done;
  } else if (!(await hasAccount(ctx, login))) return 'absent';
  const words = changingWords(ctx, await accountOf(ctx, login, true), wanted);
  if (words.length === 0) return done;
  const { retcode, stderr } = await runAll(ctx, ['pdbedit', '--modify', '--user', login, ...words]);
  if (retcode > 0) return stderr;
  return done === 'created' ? done : 'updated';
}
