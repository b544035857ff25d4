/** Accounts and groups with their password fields, of this system or below another root folder. */
import { readTextIfExists } from '../../../host/files.ts';
import { joinPath } from '../../../python/paths.ts';
import { systemAccounts } from '../../../host/users.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { compareText } from '../../../python/values/order.ts';
import { splitLines } from '../../../python/values/text.ts';

/** One line of `passwd(5)`. */
export interface Account {
  readonly name: string;
  readonly passwd: string;
  readonly uid: number;
  readonly gid: number;
  readonly gecos: string;
  readonly home: string;
  readonly shell: string;
}

/** One line of `group(5)`. */
export interface AccountGroup {
  readonly name: string;
  readonly passwd: string;
  readonly gid: number;
  readonly members: readonly string[];
}

/** A folder that stands for `/`; undefined for this system. */
export type RootFolder = string | undefined;

function records(text: string, count: number): string[][] {
  return splitLines(text)
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= count && fields[0] !== '' && !/^[#+-]/.test(fields[0] ?? ''));
}

function toAccount([
  name = '',
  passwd = '',
  uid = '',
  gid = '',
  gecos = '',
  home = '',
  shell = '',
]: string[]): Account {
  return { name, passwd, uid: Number(uid), gid: Number(gid), gecos, home, shell };
}

function toGroup([name = '', passwd = '', gid = '', members = '']: string[]): AccountGroup {
  return { name, passwd, gid: Number(gid), members: members === '' ? [] : members.split(',') };
}

function rootFile(root: string, file: string): string {
  const path = joinPath(root === '' ? '/' : root, file);
  const text = readTextIfExists(path);
  if (text === undefined)
    throw new PythonError('FileNotFoundError', `[Errno 2] No such file or directory: '${path}'`);
  return text;
}

/** All accounts, in the system's order. */
export async function allAccounts(root: RootFolder): Promise<Account[]> {
  const text =
    root === undefined
      ? ((await systemAccounts.ask(['getent', 'passwd'])) ?? readTextIfExists('/etc/passwd') ?? '')
      : rootFile(root, 'etc/passwd');
  return records(text, 7).map(toAccount);
}

/** One account by name; undefined when there is none. */
export async function findAccount(name: string, root: RootFolder): Promise<Account | undefined> {
  const file = root === undefined ? readTextIfExists('/etc/passwd') : rootFile(root, 'etc/passwd');
  const local = records(file ?? '', 7).find((fields) => fields[0] === name);
  if (local !== undefined || root !== undefined) return local && toAccount(local);
  if (name === '' || /[:\n\0]/.test(name)) return undefined;
  const answer = (await systemAccounts.ask(['getent', '--', 'passwd', name])) ?? '';
  const found = records(answer, 7).find((fields) => fields[0] === name);
  return found && toAccount(found);
}

/** All groups, in the system's order. */
export async function allGroups(root: RootFolder): Promise<AccountGroup[]> {
  const text =
    root === undefined
      ? ((await systemAccounts.ask(['getent', 'group'])) ?? readTextIfExists('/etc/group') ?? '')
      : rootFile(root, 'etc/group');
  return records(text, 4).map(toGroup);
}

/** One group by name; undefined when there is none. */
export async function findGroupEntry(name: string, root: RootFolder): Promise<AccountGroup | undefined> {
  const file = root === undefined ? readTextIfExists('/etc/group') : rootFile(root, 'etc/group');
  const local = records(file ?? '', 4).find((fields) => fields[0] === name);
  if (local !== undefined || root !== undefined) return local && toGroup(local);
  if (name === '' || /[:\n\0]/.test(name)) return undefined;
  const answer = (await systemAccounts.ask(['getent', '--', 'group', name])) ?? '';
  const found = records(answer, 4).find((fields) => fields[0] === name);
  return found && toGroup(found);
}

/** Names of the groups of an account, the primary one among them, sorted. */
export async function groupNamesOf(account: Account): Promise<string[]> {
  const answer = await systemAccounts.ask(['id', '-G', '--', account.name]);
  const groups = await allGroups(undefined);
  if (answer === undefined) {
    // an account of another root folder: its number means nothing here
    const isKnown = (await findAccount(account.name, undefined)) !== undefined;
    return namesIn(groups, isKnown ? account : { ...account, gid: -1 });
  }
  const ids = new Set(answer.trim().split(/\s+/).map(Number));
  const names = groups.filter(({ gid }) => ids.has(gid)).map(({ name }) => name);
  return [...new Set(names)].sort(compareText);
}

/** The same, from groups that were read already. */
export function namesIn(groups: readonly AccountGroup[], account: Account): string[] {
  const mine = groups.filter(({ gid, members }) => gid === account.gid || members.includes(account.name));
  return [...new Set(mine.map(({ name }) => name))].sort(compareText);
}
