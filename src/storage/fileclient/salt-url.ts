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

/** Takes a URL apart; what is none is a path without an environment. `?env=` is dropped, as Salt does. */
export function parseSaltUrl(url: string): SaltUrl {
  if (!isSaltUrl(url)) return { path: url, saltenv: undefined };
  const resource = url.slice(SCHEME.length);
  const old = resource.indexOf('?env=');
  if (old >= 0) return { path: resource.slice(0, old), saltenv: undefined };
  const at = resource.indexOf('?saltenv=');
  if (at < 0) return { path: resource, saltenv: undefined };
  return { path: resource.slice(0, at), saltenv: resource.slice(at + '?saltenv='.length) };
}

/** The URL of a path: forward slashes, no slash in front. */
export function createSaltUrl(path: string): string {
  return SCHEME + path.replaceAll('\\', '/').replace(/^\//, '');
}

/**
 * Takes the environment off a URL.
 * @returns the URL without it, and the environment when it names one
 */
export function splitEnvironment(url: string): {
  readonly url: string;
  readonly saltenv: string | undefined;
} {
  if (!isSaltUrl(url)) return { url, saltenv: undefined };
  const { path, saltenv } = parseSaltUrl(url);
  return { url: createSaltUrl(path), saltenv: saltenv === '' ? undefined : saltenv };
}

/** A path in which a question mark is part of a name, for servers that would end the path there. */
export function escapePath(path: string): string {
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
