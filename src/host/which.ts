/** Finding programs. */
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';

/** Folders that are searched even when `PATH` has lost them. */
const USUAL_FOLDERS = ['/sbin', '/bin', '/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin'];

/**
 * The path of a program, as `which(1)` finds it; the usual folders are searched after those of `PATH`. Follows
 * 3006.16 salt/utils/path.py `which`.
 * @param name a name, or a path, which is given back as it is when it can be run
 * @param path the folders to search, separated by `:`; default: `PATH` of our environment
 */
export function findProgram(name: string, path: string = process.env['PATH'] ?? ''): string | undefined {
  if (name === '' || name.includes('\0')) return undefined;
  // Salt compat: Salt also takes a bare name that happens to lie in the minion's working directory.
  if (name.includes('/') && isExecutable(name)) return name;
  return searchPath(name, [path, ...USUAL_FOLDERS].join(':'));
}

/** The first executable file of that name in the folders of a `PATH`; without one, those that `execvp` searches. */
export function searchPath(name: string, path = '/bin:/usr/bin'): string | undefined {
  const folders = path.split(':').filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** True for a regular file that we may execute. */
export function isExecutable(path: string): boolean {
  try {
    // most places of a search have no such file, and an error for each costs more than the look
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
