/**
 * Giving folders to the account a daemon runs as. The folders may have been that account's before, and whoever has
 * taken it over may exchange parts of them while root walks through: so nothing is named twice. What is looked at is
 * opened first, and what is changed is the open file; what stands inside a folder is reached through the open folder.
 */
import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
} from 'node:fs';
import { join } from 'node:path';
import type { User } from '../../host/users.ts';

/** Deeper folders are left as they are: nothing of ours is that deep, and each level holds an open file. */
const DEPTH_MAX = 32;
const OPEN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** What another process takes away, or puts a link in the place of, just now. */
const GONE = new Set(['ENOENT', 'ELOOP', 'ENOTDIR']);

/**
 * Gives a file or a tree to a user, when root asks. Left alone are links, which are not followed; files that have a
 * second name, which may be another's; sockets and pipes; and hidden files inside, as Salt leaves them.
 */
export function giveTree(path: string, user: User): void {
  if (process.getuid?.() === 0) give(path, user, DEPTH_MAX);
}

function give(path: string, user: User, depthLeft: number): void {
  const fd = openOrdinary(path);
  if (fd === undefined) return;
  try {
    const stat = fstatSync(fd);
    if (stat.isFile() && stat.nlink > 1) return;
    if (stat.uid !== user.uid) fchownSync(fd, user.uid, user.gid);
    if (!stat.isDirectory() || depthLeft === 0) return;
    const inside = throughDescriptor(fd, path);
    for (const name of readdirSync(inside))
      if (!name.startsWith('.')) give(join(inside, name), user, depthLeft - 1);
  } finally {
    closeSync(fd);
  }
}

/** Opens a file or a folder; undefined for everything else. */
function openOrdinary(path: string): number | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !(stat.isFile() || stat.isDirectory())) return undefined;
  try {
    return openSync(path, OPEN);
  } catch (error) {
    if (GONE.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** A path that leads into the open folder, whatever its name leads to by now. Without procfs it is the name. */
function throughDescriptor(fd: number, path: string): string {
  const opened = `/proc/self/fd/${fd}`;
  return existsSync(opened) ? opened : path;
}
