/**
 * The accounts of this system: the local files first, then whatever else the system knows (LDAP…), through `getent`.
 */
import { readTextIfExists } from './files.ts';
import { runProcess } from './process.ts';

/** One line of `passwd(5)`. */
export interface User {
  readonly name: string;
  readonly uid: number;
  /** The primary group. */
  readonly gid: number;
  /** The comment field: full name, room, phones. */
  readonly gecos: string;
  readonly home: string;
  readonly shell: string;
}

/** One line of `group(5)`. */
export interface Group {
  readonly name: string;
  readonly gid: number;
  /** Users whose further group it is. */
  readonly members: readonly string[];
}

/** Where accounts come from; tests give their own. */
export interface AccountSources {
  readonly passwdPath: string;
  readonly groupPath: string;
  /** Standard output of a program, or undefined when it failed or is missing. */
  readonly ask: (argv: readonly string[]) => Promise<string | undefined>;
}

/** The running system's own accounts. */
export const systemAccounts: AccountSources = {
  passwdPath: '/etc/passwd',
  groupPath: '/etc/group',
  ask: async (argv) => {
    try {
      const { retcode, stdout } = await runProcess(argv, { timeoutMs: 30_000 });
      return retcode === 0 ? stdout.toString('utf8') : undefined;
    } catch {
      return undefined; // no such program here: the local files are all there is
    }
  },
};

/**
 * Looks a user up.
 * @param key a name, or a numeric user id as a number
 * @returns undefined when there is no such user
 */
export async function findUser(
  key: string | number,
  sources: AccountSources = systemAccounts,
): Promise<User | undefined> {
  const matches = (user: User): boolean => (typeof key === 'number' ? user.uid === key : user.name === key);
  return find(readTextIfExists(sources.passwdPath), 'passwd', key, sources, parseUsers, matches);
}

/** Looks a group up by name, or by group id given as a number. */
export async function findGroup(
  key: string | number,
  sources: AccountSources = systemAccounts,
): Promise<Group | undefined> {
  const matches = (group: Group): boolean =>
    typeof key === 'number' ? group.gid === key : group.name === key;
  return find(readTextIfExists(sources.groupPath), 'group', key, sources, parseGroups, matches);
}

async function find<T>(
  local: string | undefined,
  database: 'passwd' | 'group',
  key: string | number,
  sources: AccountSources,
  parse: (text: string) => T[],
  matches: (account: T) => boolean,
): Promise<T | undefined> {
  const found = parse(linesAbout(local ?? '', key)).find(matches);
  if (found !== undefined || !isAccountKey(key)) return found;
  return parse((await sources.ask(['getent', '--', database, String(key)])) ?? '').find(matches);
}

/**
 * The lines in which a key stands as a field. To parse them all would take most of the time of a run with many files.
 */
function linesAbout(text: string, key: string | number): string {
  const found: string[] = [];
  const wanted = typeof key === 'number' ? `:${key}:` : `${key}:`;
  for (let at = text.indexOf(wanted); at >= 0;) {
    const start = text.lastIndexOf('\n', at) + 1;
    const next = text.indexOf('\n', at);
    const end = next < 0 ? text.length : next;
    found.push(text.slice(start, end));
    at = text.indexOf(wanted, end);
  }
  return found.join('\n');
}

// What no account can be called is not asked for: `getent` would take it for something else.
function isAccountKey(key: string | number): boolean {
  return typeof key === 'number' ? key >= 0 : key !== '' && !/[:\n\0]/.test(key);
}

/** All users of the local file and of `getent`, each name once, sorted as the system lists them. */
export async function listUsers(sources: AccountSources = systemAccounts): Promise<User[]> {
  return parseUsers((await sources.ask(['getent', 'passwd'])) ?? readTextIfExists(sources.passwdPath) ?? '');
}

/** All groups of the local file and of `getent`, each name once, sorted as the system lists them. */
export async function listGroups(sources: AccountSources = systemAccounts): Promise<Group[]> {
  return parseGroups((await sources.ask(['getent', 'group'])) ?? readTextIfExists(sources.groupPath) ?? '');
}

/**
 * All group ids of a user, primary first: what `initgroups(3)` would set. The system is asked, because a local user
 * may be in groups that come from elsewhere; the local file is the second choice.
 */
export async function groupIdsOf(user: User, sources: AccountSources = systemAccounts): Promise<number[]> {
  const answer = await sources.ask(['id', '-G', '--', user.name]);
  const ids =
    answer !== undefined && /^\d+( \d+)*\n?$/.test(answer)
      ? answer.trim().split(' ').map(Number)
      : parseGroups(readTextIfExists(sources.groupPath) ?? '')
          .filter((group) => group.members.includes(user.name))
          .map((group) => group.gid);
  return [...new Set([user.gid, ...ids])];
}

/** The users in the text of a `passwd(5)` file; lines that are not whole are left out, the first of a name counts. */
export function parseUsers(text: string): User[] {
  return uniqueByName(
    records(text, 7).flatMap(([name = '', , uid = '', gid = '', gecos = '', home = '', shell = '']) =>
      isId(uid) && isId(gid) ? [{ name, uid: Number(uid), gid: Number(gid), gecos, home, shell }] : [],
    ),
  );
}

/** The groups in the text of a `group(5)` file; lines that are not whole are left out, the first of a name counts. */
function parseGroups(text: string): Group[] {
  return uniqueByName(
    records(text, 4).flatMap(([name = '', , gid = '', members = '']) =>
      isId(gid)
        ? [{ name, gid: Number(gid), members: members.split(',').filter((member) => member !== '') }]
        : [],
    ),
  );
}

function records(text: string, fieldCount: number): string[][] {
  const lines = text.split('\n').filter((line) => line !== '' && !/^[#+-]/.test(line));
  return lines
    .map((line) => line.split(':'))
    .filter((fields) => fields.length === fieldCount && fields[0] !== '');
}

function isId(text: string): boolean {
  return /^\d{1,10}$/.test(text);
}

function uniqueByName<T extends { readonly name: string }>(accounts: readonly T[]): T[] {
  const byName = new Map<string, T>();
  for (const account of accounts) if (!byName.has(account.name)) byName.set(account.name, account);
  return [...byName.values()];
}
