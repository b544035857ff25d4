/** What the minion has in its cache already, and copies of its own files there (salt/fileclient.py, 3006.16). */
import { copyFileSync, existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UnsafePathError } from '../../errors/errors.ts';
import { makeFolders } from '../../host/make-folders.ts';
import { compareText } from '../../python/values/order.ts';
import {
  cachedFilePath,
  cacheRoot,
  environmentFolder,
  externalFilePath,
  localFilePath,
} from './cache-paths.ts';
import { isSaltUrl, parseSaltUrl, schemeOf } from './salt-url.ts';

/**
 * Where a file is in the cache.
 * @param url any URL or path
 * @returns an empty text when it is not there
 */
export function isCached(cachedir: string, url: string, saltenv: string): string {
  const parsed = parseSaltUrl(url);
  const environment = parsed.saltenv ?? saltenv;
  const places = [
    () => cachedFilePath(cachedir, environment, parsed.path),
    () => localFilePath(cachedir, parsed.path),
    () => externalFilePath(cachedir, environment, parsed.path),
  ];
  for (const [index, place] of places.entries()) {
    const path = placeOrNone(place);
    if (path === undefined || !existsSync(path)) continue;
    return parsed.path.startsWith('|') && index < 2 ? `|${path}` : path;
  }
  return '';
}

/** Where a URL would be in the cache; a path is itself. */
export function cacheDestination(cachedir: string, url: string, saltenv: string, other?: string): string {
  if (schemeOf(url) === '') return url;
  if (isSaltUrl(url)) {
    const { path, saltenv: named } = parseSaltUrl(url);
    return cachedFilePath(cachedir, named ?? saltenv, path);
  }
  return placeOrNone(() => externalFilePath(cacheRoot(cachedir, other), saltenv, url)) ?? 'Invalid path';
}

function placeOrNone(place: () => string): string | undefined {
  try {
    return place();
  } catch (error) {
    if (error instanceof UnsafePathError) return undefined;
    throw error;
  }
}

/** Copies a file of this machine into the cache. @returns where it is then */
export function cacheLocalFile(cachedir: string, path: string): string {
  const dest = localFilePath(cachedir, path);
  makeFolders(dirname(dest));
  copyFileSync(path, dest);
  return dest;
}

/** The files in the cache: those of an environment, and copies of the minion's own; sorted. */
export async function cachedFiles(cachedir: string, saltenv: string): Promise<string[]> {
  const found = new Set<string>();
  for (const folder of [environmentFolder(cachedir, saltenv), join(cachedir, 'localfiles')]) {
    // Salt compat: where there is no such folder, the one above it is listed
    const isThere = (await stat(folder).catch(() => undefined))?.isDirectory() === true;
    await collect(isThere ? folder : dirname(folder), found);
  }
  return [...found].sort(compareText);
}

async function collect(folder: string, found: Set<string>): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await collect(path, found);
    else found.add(path);
  }
}
