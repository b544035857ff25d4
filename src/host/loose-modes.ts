/** Files and folders whose permissions let others in: what a program believes must not be everybody's to write. */
import { chmodSync, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { BrineError } from '../errors/errors.ts';

const ALL_WRITE = 0o002;
const STICKY = 0o1000;

/**
 * True for a file that every user of this machine may write, and for a folder in which each may replace what is there.
 */
export function mayAllWrite(path: string): boolean {
  const stat = statOf(path);
  if (stat === undefined || (stat.mode & ALL_WRITE) === 0) return false;
  return !stat.isDirectory() || (stat.mode & STICKY) === 0;
}

/**
 * What is said of a path for which {@link mayAllWrite} is true.
 * @param what what it is, e.g. `The configuration file`
 */
export function looseText(what: string, path: string): string {
  return `${what} ${path} can be changed by every user of this machine, and with it what this program does; close it with: chmod o-w ${path}`;
}

/**
 * Refuses a private key that others may read or replace, as ssh does. A key in a folder that is closed to them is safe.
 * @throws BrineError with the command that closes it
 */
export function requirePrivate(path: string): void {
  const [file, folder] = [statOf(path), statOf(dirname(path))];
  if (file === undefined || folder === undefined) return; // whoever reads it says so
  if ((file.mode & 0o007) === 0 || (folder.mode & 0o001) === 0) return;
  throw new BrineError(
    `The private key ${path} can be read by every user of this machine, who can then pass for its owner; it is not used. ` +
      `Make a new one if that may have happened, or close it with: chmod 0400 ${path}`,
  );
}

/**
 * Takes the permissions of others from a folder or a file that is only for its owner. One that is another's is left as
 * it is.
 */
export function closeToOthers(path: string): void {
  const stat = statOf(path);
  if (stat === undefined || (stat.mode & 0o077) === 0) return;
  try {
    chmodSync(path, stat.mode & 0o700);
  } catch {
    // another user's: he decides
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
