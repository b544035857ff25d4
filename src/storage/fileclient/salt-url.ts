/** `salt://` URLs (salt/utils/url.py, 3006.16). */
import { withoutCredentials } from '../../python/values/masked.ts';

const SCHEME = 'salt://';

/** A URL taken apart. */
export interface SaltUrl {
  /** Path below the environment; behind a `|` nothing in it is special. */
  readonly path: string;
  /** The environment that the URL names. */
  readonly saltenv: string | undefined;
}

/** True for `salt://…`. */
export function isSaltUrl(url: string): boolean {
  return url.startsWith(SCHEME);
}

/**
 * Takes a URL apart; what is none is a path without an environment. `?env=` is dropped, as Salt does.
 *
 * Salt compat: the last `?saltenv=` counts, where Salt takes the first, so that `createSaltUrl` can name a file that
 * has one in its name.
 */
export function parseSaltUrl(url: string): SaltUrl {
  if (!isSaltUrl(url)) return { path: url, saltenv: undefined };
  const resource = url.slice(SCHEME.length);
  const at = resource.lastIndexOf('?saltenv=');
  if (at >= 0)
    return {
      path: servedPath(resource.slice(0, at)),
      saltenv: resource.slice(at + '?saltenv='.length) || undefined,
    };
  const old = resource.indexOf('?env=');
  return { path: servedPath(old < 0 ? resource : resource.slice(0, old)), saltenv: undefined };
}

/** Servers know paths with slashes alone, and with none in front. */
function servedPath(path: string): string {
  return path.replaceAll('\\', '/').replace(/^\//, '');
}

/** The URL of a file as a server lists it, whatever is in its name. */
export function createSaltUrl(served: string, saltenv: string): string {
  return `${SCHEME}${escapePath(served.replace(/^\//, ''))}?saltenv=${saltenv}`;
}

/** A path in which a question mark is part of a name, for servers that would end the path there. */
function escapePath(path: string): string {
  return path.includes('?') ? `|${path}` : path;
}

/** A path without the `|` that escapes it. */
export function unescapePath(path: string): string {
  return path.startsWith('|') ? path.replace(/^\|+/, '') : path;
}

/** The scheme of any URL, in lower case; empty for a path (Python's `urlparse(url).scheme`). */
export function schemeOf(url: string): string {
  return /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(url)?.[1]?.toLowerCase() ?? '';
}

/** A URL for the log: without its name and password. */
export function redactUrl(url: string): string {
  return withoutCredentials(url);
}
