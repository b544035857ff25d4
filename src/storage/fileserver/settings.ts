/** What a file server is told by the configuration: folders of each environment, what it leaves out, how it sums. */
import { join } from 'node:path';
import { messageOf } from '../../errors/errors.ts';
import { safeJoin } from '../../host/files.ts';
import type { Logger } from '../../host/log.ts';
import { compileGlob } from '../../python/text/fnmatch.ts';
import { compilePattern } from '../../python/regex/pattern.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';

/** The environment whose folders stand for every environment that is not configured. */
const ANY_ENVIRONMENT = '__env__';

/** The options of a file server, read once. */
export interface FileServerSettings {
  /** Environment to folders, in the order in which they are searched. */
  readonly roots: ReadonlyMap<string, readonly string[]>;
  readonly hashType: string;
  /** Bytes of one piece of a file. */
  readonly pieceBytes: number;
  readonly followSymlinks: boolean;
  readonly ignoreSymlinks: boolean;
  /** Seconds that a list of files stays good. */
  readonly listCacheSeconds: number;
  /** Where sums and lists are kept: `<cachedir>/roots`, `<cachedir>/file_lists`. */
  readonly cachedir: string;
  readonly backends: readonly string[];
  /** True for paths that `file_ignore_regex` or `file_ignore_glob` leave out. */
  isIgnored(path: string): boolean;
}

const DEFAULT_PIECE_BYTES = 262_144;
const DEFAULT_LIST_CACHE_SECONDS = 20;

/**
 * Reads the options of a master, or of a minion that serves itself (`file_client: local`).
 * @param opts by Salt's names
 */
export function fileServerSettings(opts: Dict, log: Logger): FileServerSettings {
  const number = (name: string, fallback: number): number => {
    const value = toNumber(opts.get(name));
    return value !== undefined && Number.isFinite(value) && value >= 0 ? value : fallback;
  };
  const backends = opts.get('fileserver_backend');
  const hashType = opts.get('hash_type');
  return {
    roots: readRoots(opts.get('file_roots')),
    hashType: typeof hashType === 'string' ? hashType.toLowerCase() : 'sha256',
    pieceBytes: Math.max(1, Math.trunc(number('file_buffer_size', DEFAULT_PIECE_BYTES))),
    followSymlinks: opts.get('fileserver_followsymlinks') !== false,
    ignoreSymlinks: truthy(opts.get('fileserver_ignoresymlinks')),
    listCacheSeconds: number('fileserver_list_cache_time', DEFAULT_LIST_CACHE_SECONDS),
    cachedir: pyStr(opts.get('cachedir') ?? ''),
    backends: Array.isArray(backends) ? backends.map(pyStr) : ['roots'],
    isIgnored: ignoring(texts(opts.get('file_ignore_regex')), texts(opts.get('file_ignore_glob')), log),
  };
}

function readRoots(value: Value | undefined): Map<string, readonly string[]> {
  const out = new Map<string, readonly string[]>();
  if (value === undefined || !isDict(value)) return out;
  for (const [saltenv, folders] of value) out.set(pyStr(saltenv), texts(folders));
  return out;
}

function texts(value: Value | undefined): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Salt compat: an expression that is none is reported once and left out; Salt fails at each request. */
function ignoring(expressions: string[], globs: string[], log: Logger): (path: string) => boolean {
  const tests: ((path: string) => boolean)[] = [];
  for (const source of expressions) {
    try {
      const pattern = compilePattern(source);
      tests.push((path) => pattern.search(path) !== undefined);
    } catch (error) {
      log.error(
        `The expression ${JSON.stringify(source)} in file_ignore_regex is ignored: ${messageOf(error)}`,
      );
    }
  }
  for (const source of globs) tests.push(compileGlob(source).matches);
  return (path) => tests.some((test) => test(path));
}

/**
 * The folders of an environment. One that is not configured has those of `__env__`, with its name put in; the name
 * comes from the network, so one that would lead elsewhere has none.
 * @returns undefined when there is no such environment
 */
export function foldersOf({ roots }: FileServerSettings, saltenv: string): readonly string[] | undefined {
  if (saltenv !== ANY_ENVIRONMENT) {
    const folders = roots.get(saltenv);
    if (folders !== undefined) return folders;
  }
  const folders = roots.get(ANY_ENVIRONMENT);
  if (folders === undefined || !isPlainName(saltenv)) return undefined;
  return folders.map((folder) => folder.replaceAll(ANY_ENVIRONMENT, () => saltenv));
}

function isPlainName(saltenv: string): boolean {
  if (saltenv === '' || saltenv.length > 255) return false;
  if (saltenv.split('/').some((part) => part === '' || part === '.' || part === '..')) return false;
  try {
    safeJoin('/', saltenv);
    return true;
  } catch {
    return false;
  }
}

/** An environment's name as the name of a file (salt/utils/files.py `safe_filename_leaf`, 3006.16). */
export function environmentFileName(saltenv: string): string {
  return saltenv.replace(/[\\:/*?"<>|]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The folder of cached sums of files. */
export function hashCacheFolder({ cachedir }: FileServerSettings): string {
  return join(cachedir, 'roots', 'hash');
}

/** The folder of cached lists of files. */
export function listCacheFolder({ cachedir }: FileServerSettings): string {
  return join(cachedir, 'file_lists', 'roots');
}
