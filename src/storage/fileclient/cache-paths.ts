/**
 * Where a minion keeps what it has fetched: `<cachedir>/files/<saltenv>/<path>`, `localfiles/<path>`, and
 * `extrn_files/<saltenv>/<host>/<path>` for other URLs (salt/fileclient.py, 3006.16). Whatever the name, the place is
 * inside.
 */
import { createHash } from 'node:crypto';
import { isAbsolute, join, posix } from 'node:path';
import { safeJoin } from '../../host/files.ts';
import { unescapePath } from './salt-url.ts';

/** Longer names of files from elsewhere are replaced by their sum. */
const NAME_LENGTH_MAX = 255;

/** The folder to cache below. @param other another one than the minion's, absolute or inside it */
export function cacheRoot(cachedir: string, other: string | undefined): string {
  if (other === undefined || other === '') return cachedir;
  return isAbsolute(other) ? other : join(cachedir, other);
}

/** The folder of an environment. @throws UnsafePathError */
export function environmentFolder(root: string, saltenv: string): string {
  return safeJoin(join(root, 'files'), saltenv);
}

/** The place of a file of the master. @throws UnsafePathError */
export function cachedFilePath(root: string, saltenv: string, path: string): string {
  const rel = posix.normalize(unescapePath(path)).replace(/^\/+/, '');
  return safeJoin(environmentFolder(root, saltenv), rel);
}

/** The place of a copy of a file of this machine. @throws UnsafePathError */
export function localFilePath(root: string, path: string): string {
  return safeJoin(join(root, 'localfiles'), path.replace(/^[|/]+/, ''));
}

/** The place of a file from any other URL. @throws UnsafePathError */
export function externalFilePath(root: string, saltenv: string, url: string): string {
  const { host, path, query } = splitUrl(url);
  const rel = (query === '' ? path : `${path}-${query}`).replace(/^\/+/, '');
  const name = rel.length > NAME_LENGTH_MAX ? createHash('sha256').update(`/${rel}`).digest('hex') : rel;
  const folder = join(root, 'extrn_files');
  return name === '' ? safeJoin(folder, saltenv, host) : safeJoin(safeJoin(folder, saltenv, host), name);
}

/** A URL's host without its user and the colon of its port, its path and its query, all as they are written. */
function splitUrl(url: string): { host: string; path: string; query: string } {
  const rest = url.replace(/^[A-Za-z][A-Za-z0-9+.-]*:/, '').replace(/#.*$/s, '');
  const match = /^\/\/([^/?]*)([^?]*)\??(.*)$/s.exec(rest);
  if (match === null) return { host: '.', path: rest.split('?')[0] ?? '', query: rest.split('?')[1] ?? '' };
  const [, netloc = '', path = '', query = ''] = match;
  const host = netloc.slice(netloc.lastIndexOf('@') + 1).replace(/:(?=\d+$)/, '');
  return { host: host === '' ? '.' : host, path, query };
}
