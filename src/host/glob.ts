/**
 * Python's `glob.glob` on POSIX (3.11 Lib/glob.py): unsorted there, sorted here; hidden names need a pattern with a
 * dot.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { baseName, dirName, isDir, joinPath } from '../python/paths.ts';

const MAGIC = /[*?[]/;

/**
 * The paths that a glob matches.
 * @param matches tells whether a name matches one part of the pattern (`fnmatch`)
 */
export function globPaths(pattern: string, matches: (name: string, part: string) => boolean): string[] {
  const [folder, last] = [dirName(pattern), baseName(pattern)];
  if (!MAGIC.test(pattern)) {
    if (last !== '') return existsAsLink(pattern) ? [pattern] : [];
    return isDir(folder) ? [pattern] : [];
  }
  const folders =
    folder === '' ? [''] : folder !== pattern && MAGIC.test(folder) ? globPaths(folder, matches) : [folder];
  return folders.flatMap((place) => namesIn(place, last, matches).map((name) => joinPath(place, name)));
}

function namesIn(folder: string, part: string, matches: (name: string, part: string) => boolean): string[] {
  if (!MAGIC.test(part)) {
    if (part === '') return isDir(folder) ? [''] : [];
    return existsAsLink(joinPath(folder, part)) ? [part] : [];
  }
  try {
    const names = readdirSync(folder === '' ? '.' : folder).sort();
    return names.filter((name) => (part.startsWith('.') || !name.startsWith('.')) && matches(name, part));
  } catch {
    return [];
  }
}

function existsAsLink(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
