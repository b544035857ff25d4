/** Python's `os.path.expanduser`, which needs the machine's accounts. */
import { homedir } from 'node:os';
import { readTextIfExists } from './files.ts';
import { parseUsers } from './users.ts';

/**
 * `~` and `~name` at the start as home folders; unchanged for a name nobody has.
 * @param env the environment whose `HOME` counts, by default this process's
 */
export function expandUser(
  path: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  if (!path.startsWith('~')) return path;
  const end = path.includes('/') ? path.indexOf('/') : path.length;
  const name = path.slice(1, end);
  const home = name === '' ? (env['HOME'] ?? homedir()) : homeOf(name);
  return home === undefined ? path : `${home.replace(/\/+$/, '')}${path.slice(end)}` || '/';
}

function homeOf(name: string): string | undefined {
  return parseUsers(readTextIfExists('/etc/passwd') ?? '').find((user) => user.name === name)?.home;
}
