/**
 * Making a folder and those above it. Node's own `mkdirSync(…, { recursive: true })` never returns below `/proc` and
 * the like (Node 20), and with paths that come from outside that would stop a whole daemon.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { diskRefusal } from './disk-refusal.ts';
import { isDir } from '../python/paths.ts';

/**
 * Makes a folder and what is missing above it; existing folders are kept as they are.
 * @param mode permission bits of the new ones; the umask is taken off them
 * @throws DiskRefusesError, or another error of the system: ENOTDIR, EEXIST for a file in the way, EACCES, ENOENT where
 *   nothing can be made
 */
export function makeFolders(path: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let folder = path; !isDir(folder); folder = dirname(folder)) {
    missing.push(folder);
    if (dirname(folder) === folder) break;
  }
  for (const folder of missing.reverse()) {
    try {
      mkdirSync(folder, { mode });
    } catch (error) {
      // somebody else may have made it in the meantime
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isDir(folder))
        throw diskRefusal(error, folder) ?? error;
    }
  }
}
