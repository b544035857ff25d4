/**
 * Addresses of sources as Python's `urlparse` takes them apart (3.11 Lib/urllib/parse.py), and Salt's own additions.
 */
import { withoutCredentials } from '../../python/values/masked.ts';

/** Protocols that another machine answers, in the order in which messages name them. */
export const REMOTE_PROTOCOLS: readonly string[] = ['http', 'https', 'ftp', 'swift', 's3'];
/** All protocols of sources. */
export const VALID_PROTOCOLS: readonly string[] = ['salt', 'file', ...REMOTE_PROTOCOLS];

/** Parts of an address. */
export interface UrlParts {
  /** In small letters; empty for a path. */
  readonly scheme: string;
  /** What stands between `//` and the path, with user and port. */
  readonly host: string;
  readonly path: string;
}

/**
 * Takes an address apart.
 *
 * Salt compat: a path of this machine has neither a query nor a fragment, so that `?` and `#` in it belong to the
 * file's name; Salt cuts there, and fails or takes another file.
 */
export function parseUrl(url: string): UrlParts {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(url)?.[1]?.toLowerCase();
  if (scheme === undefined) return { scheme: '', host: '', path: url };
  const isFile = scheme === 'file';
  let rest = url.slice(scheme.length + 1);
  let host = '';
  if (rest.startsWith('//')) {
    const end = (isFile ? /\// : /[/?#]/).exec(rest.slice(2))?.index;
    host = end === undefined ? rest.slice(2) : rest.slice(2, end + 2);
    rest = end === undefined ? '' : rest.slice(end + 2);
  }
  return { scheme, host, path: isFile ? rest : rest.replace(/[?#].*$/s, '') };
}

/** An address without name and password, for messages. */
export function withoutPassword(url: string): string {
  return withoutCredentials(url);
}
