/** Paths as configuration files write them: `~`, globs, and everything below `root_dir`. */
import { readdirSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, posix, resolve } from 'node:path';
import { quoteWord } from '../python/shell-words.ts';
import { compileGlob } from '../python/text/fnmatch.ts';
import type { Dict } from '../python/values/value.ts';

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where configuration is looked for when nothing else is said. */
export const DEFAULT_CONFIG_DIR = '/etc/salt';

/** Python's `os.path.normpath`. */
function normalPath(path: string): string {
  const normal = posix.normalize(path);
  return normal.length > 1 ? normal.replace(/\/+$/, '') : normal;
}

/** Joins parts of which every one after the first is taken as relative (3006.16 salt/utils/path.py join). */
function joinBelow(root: string, ...parts: string[]): string {
  return normalPath(
    [normalPath(root), ...parts.map((part) => normalPath(part).replace(/^\/+/, ''))].join('/'),
  );
}

/**
 * Puts `root_dir` before options that hold paths: before relative ones, and before absolute ones that do not lie below
 * it yet (the compiled-in root is `/`, so that is every other path). URLs stay as they are (3006.16
 * salt/config/__init__.py prepend_root_dir).
 */
export function prependRootDir(values: Dict, keys: readonly string[]): void {
  const root = values.get('root_dir');
  if (typeof root !== 'string') return;
  const rootDir = resolve(root);
  for (const key of keys) {
    const path = values.get(key);
    if (typeof path !== 'string' || isUrl(path)) continue;
    const below = path.startsWith(`${rootDir}/`) ? path.slice(rootDir.length) : path;
    values.set(key, joinBelow(rootDir, below));
  }
}

/** True for `scheme:…`, as log files of a system log are written. */
function isUrl(path: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:/.test(path);
}

/** True when a path holds wildcards. */
export function hasWildcards(path: string): boolean {
  return /[*?[]/.test(path);
}

/**
 * Python's `glob.glob`: existing paths that match; names starting with a dot only where the pattern says so.
 * @returns paths in the order of their names
 */
export function globPaths(pattern: string): string[] {
  if (pattern === '') return [];
  const absolute = isAbsolute(pattern);
  let found = [absolute ? '/' : ''];
  for (const part of pattern.split('/').filter((x) => x !== '')) {
    found = found.flatMap((base) => matchesIn(base, part));
  }
  return found.sort();
}

function matchesIn(base: string, part: string): string[] {
  if (!hasWildcards(part)) {
    const path = join(base, part);
    return statSync(path, { throwIfNoEntry: false }) ? [path] : [];
  }
  const glob = compileGlob(part);
  try {
    return readdirSync(base === '' ? '.' : base)
      .filter((name) => (part.startsWith('.') || !name.startsWith('.')) && glob.matches(name))
      .map((name) => join(base, name));
  } catch {
    return [];
  }
}

/**
 * What a command needs to read the same configuration, for sentences that name one.
 * @param confFile the option `conf_file`
 * @returns `-c FOLDER ` with a space behind it; empty for Salt's own folder
 */
export function folderOption(confFile: string): string {
  const folder = dirname(confFile);
  return folder === DEFAULT_CONFIG_DIR ? '' : `-c ${quoteWord(folder)} `;
}
