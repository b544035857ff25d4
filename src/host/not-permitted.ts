/**
 * The one place that reads what the system says when a user may not, and makes of it an error that names the path and
 * who may.
 */
import { accessSync, constants, statSync, type Stats } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { NotPermittedError } from '../errors/errors.ts';
import { thisUser } from './own-account.ts';

const FORBIDDEN: ReadonlySet<string> = new Set(['EACCES', 'EPERM']);

/**
 * Reads an error of the system.
 * @param purpose what the path was wanted for, as a sentence begins with it: `--preview-target looks at the keys of the
 *   master`
 * @returns undefined for an error that says nothing of rights, or of no path
 */
export function notPermitted(error: unknown, purpose?: string): NotPermittedError | undefined {
  if (error instanceof NotPermittedError) return error;
  if (!(error instanceof Error)) return undefined;
  const { code, path } = error as NodeJS.ErrnoException;
  if (path === undefined || !FORBIDDEN.has(code ?? '')) return undefined;
  const username = thisUser();
  const place = closedFolderOn(path) ?? path;
  const where =
    place === path
      ? `${path} is closed to the user ${username}`
      : `the user ${username} may not enter the folder ${place}, in which ${path} is`;
  const owner = ownerOf(place);
  const begin = purpose === undefined ? '' : `${purpose}: `;
  return new NotPermittedError(
    `${begin}${where}. Run it as ${owner === 0 || owner === undefined ? 'root' : `the user with the uid ${owner}, or as root`}, or let this user in.`,
    { cause: error },
  );
}

/** @throws NotPermittedError when the user of this process may not do that with a path that is there */
export function requirePermitted(path: string, mode: number, purpose: string): void {
  try {
    accessSync(path, mode);
  } catch (error) {
    const refusal = notPermitted(error, purpose);
    if (refusal !== undefined) throw refusal;
  }
}

/** The first folder on the way to a path that this user may not enter. */
export function closedFolderOn(path: string): string | undefined {
  const folders: string[] = [];
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (folder === dirname(folder)) break;
  }
  return folders.find((folder) => stat(folder) !== undefined && !mayEnter(folder));
}

function mayEnter(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Of the path, or of the folder in which it would be made. */
function ownerOf(path: string): number | undefined {
  return (stat(path) ?? stat(dirname(path)))?.uid;
}

function stat(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
