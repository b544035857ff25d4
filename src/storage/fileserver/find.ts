/** Finding one file of an environment: the only place where a path from the network becomes a path of this machine. */
import { realpathSync, statSync, type BigIntStats } from 'node:fs';
import { posix } from 'node:path';
import { UnsafePathError } from '../../errors/errors.ts';
import { safeJoin } from '../../host/files.ts';
import { foldersOf, type FileServerSettings } from './settings.ts';

/** A file that is served. */
export interface FoundFile {
  /** Absolute path on this machine. */
  readonly path: string;
  /** Its path below the environment. */
  readonly rel: string;
  readonly saltenv: string;
  readonly stat: BigIntStats;
}

/** What a path asks for, after its query was read. */
interface Wanted {
  readonly path: string;
  readonly saltenv: string;
  /** Position of the only folder to look into. */
  readonly index: number | undefined;
}

/**
 * Finds a file (salt/fileserver/__init__.py `find_file`, salt/fileserver/roots.py `find_file`, 3006.16).
 * @param path as it came: `web/index.html`, with `?saltenv=…` or, with special characters, behind a `|`
 * @param saltenv the environment, unless the path names one
 * @returns undefined when there is none, or the path is not one to be served
 */
export function findFile(settings: FileServerSettings, path: string, saltenv: string): FoundFile | undefined {
  const wanted = readPath(path, saltenv);
  if (wanted === undefined) return undefined;
  const folders = foldersOf(settings, wanted.saltenv) ?? [];
  const chosen = wanted.index === undefined ? folders : folders.slice(wanted.index, wanted.index + 1);
  for (const folder of chosen) {
    const full = pathBelow(settings, folder, wanted.path);
    if (full === undefined) continue;
    const stat = fileAt(full);
    if (stat !== undefined && !settings.isIgnored(full))
      return { path: full, rel: wanted.path, saltenv: wanted.saltenv, stat };
  }
  return undefined;
}

function readPath(given: string, saltenv: string): Wanted | undefined {
  if (given.startsWith('|')) return usable({ path: given.replace(/^\|+/, ''), saltenv, index: undefined });
  const [path = '', query = ''] = given.split('?');
  let wanted: Wanted = { path, saltenv, index: undefined };
  for (const word of query.split('&')) {
    const at = word.indexOf('=');
    if (at < 0) continue;
    const value = word.slice(at + 1);
    if (word.slice(0, at) === 'saltenv') wanted = { ...wanted, saltenv: value };
    if (word.slice(0, at) === 'index') {
      if (!/^\d{1,9}$/.test(value)) return undefined;
      wanted = { ...wanted, index: Number(value) };
    }
  }
  return usable(wanted);
}

function usable(wanted: Wanted): Wanted | undefined {
  if (wanted.path === '' || wanted.path.startsWith('/') || wanted.path.split('/').includes('..'))
    return undefined;
  const path = posix.normalize(wanted.path).replace(/\/$/, '');
  return path === '.' || path === '' ? undefined : { ...wanted, path };
}

/** With `fileserver_followsymlinks: False` links must not lead out of the folder, wherever on the way they are. */
function pathBelow(settings: FileServerSettings, folder: string, rel: string): string | undefined {
  try {
    const full = safeJoin(folder, rel);
    if (!settings.followSymlinks && !realpathSync(full).startsWith(`${realpathSync(folder)}/`))
      return undefined;
    return full;
  } catch (error) {
    if (error instanceof UnsafePathError || 'code' in (error as Error)) return undefined;
    throw error;
  }
}

function fileAt(path: string): BigIntStats | undefined {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat?.isFile() ? stat : undefined;
  } catch {
    return undefined; // a name that is too long, a folder that we may not enter
  }
}
