/** Python's `os.path` on POSIX (3.11 Lib/posixpath.py), where it differs from Node's `path`. */
import { lstatSync, readlinkSync, statSync } from 'node:fs';
import { hasErrorCode } from './os-errors.ts';

/** `os.path.isabs` */
export function isAbs(path: string): boolean {
  return path.startsWith('/');
}

/** `os.path.split`: everything before the last slash, and what is behind it. */
export function splitPath(path: string): [head: string, tail: string] {
  const at = path.lastIndexOf('/') + 1;
  const head = path.slice(0, at);
  return [/^\/*$/.test(head) ? head : head.replace(/\/+$/, ''), path.slice(at)];
}

/** `os.path.dirname` */
export function dirName(path: string): string {
  return splitPath(path)[0];
}

/** `os.path.basename`: empty behind a slash. */
export function baseName(path: string): string {
  return splitPath(path)[1];
}

/** `os.path.join`: an absolute part starts anew, nothing is normalised. */
export function joinPath(first: string, ...rest: readonly string[]): string {
  let path = first;
  for (const part of rest) {
    if (part.startsWith('/')) path = part;
    else path += path === '' || path.endsWith('/') ? part : `/${part}`;
  }
  return path;
}

/** `os.path.normpath`: two leading slashes stay two, the empty path becomes `.`. */
export function normPath(path: string): string {
  if (path === '') return '.';
  const slashes = path.startsWith('//') && !path.startsWith('///') ? '//' : path.startsWith('/') ? '/' : '';
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..' || (slashes === '' && parts.length === 0) || parts.at(-1) === '..') parts.push(part);
    else parts.pop();
  }
  return slashes + parts.join('/') || '.';
}

/** `os.path.abspath` */
export function absPath(path: string): string {
  return normPath(isAbs(path) ? path : joinPath(process.cwd(), path));
}

/** `os.path.relpath`, for paths that begin with `/`. */
export function relativePath(path: string, start: string): string {
  const [from, to] = [start, path].map((place) =>
    absPath(place)
      .split('/')
      .filter((part) => part !== ''),
  );
  const [base = [], parts = []] = [from, to];
  let common = 0;
  while (common < base.length && common < parts.length && base[common] === parts[common]) common++;
  return [...base.slice(common).map(() => '..'), ...parts.slice(common)].join('/') || '.';
}

/** `os.path.expandvars`: `$NAME` and `${NAME}`; unknown ones stay. */
export function expandVariables(path: string): string {
  return path.replace(/\$(\w+|\{[^}]*\})/g, (whole, name: string) => {
    const value = process.env[name.replace(/^\{|\}$/g, '')];
    return value ?? whole;
  });
}

/** `os.path.exists`: links followed; false for what cannot be looked at. */
export function pathExists(path: string): boolean {
  return facts(path) !== undefined;
}

/** `os.path.lexists`: a link that leads nowhere exists, too. */
export function linkExists(path: string): boolean {
  return isLink(path) || pathExists(path);
}

/** `os.path.isfile` */
export function isFile(path: string): boolean {
  return facts(path)?.isFile() ?? false;
}

/** `os.path.isdir` */
export function isDir(path: string): boolean {
  return facts(path)?.isDirectory() ?? false;
}

/** `os.path.islink` */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function facts(path: string): ReturnType<typeof statSync> {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** `os.path.realpath`: links are followed as far as they lead somewhere; what is missing stays as it is. */
export function realPath(path: string): string {
  return follow(isAbs(path) ? '/' : process.cwd(), path, new Map()).path;
}

function follow(
  start: string,
  rest: string,
  seen: Map<string, string | undefined>,
): { readonly path: string; readonly ok: boolean } {
  let path = start;
  const parts = rest.split('/');
  for (const [i, part] of parts.entries()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      path = dirName(path);
      continue;
    }
    const next = joinPath(path, part);
    if (!isLink(next)) {
      path = next;
      continue;
    }
    if (seen.has(next)) {
      const known = seen.get(next);
      if (known !== undefined) {
        path = known;
        continue;
      }
      return { path: joinPath(next, ...parts.slice(i + 1)), ok: false }; // a circle
    }
    seen.set(next, undefined);
    const target = readlinkSync(next);
    const found = follow(isAbs(target) ? '/' : path, target, seen);
    if (!found.ok) return { path: joinPath(found.path, ...parts.slice(i + 1)), ok: false };
    seen.set(next, found.path);
    path = found.path;
  }
  return { path, ok: true };
}

/** The text of a symbolic link; undefined when it is none. */
export function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (hasErrorCode(error, 'EINVAL', 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}
