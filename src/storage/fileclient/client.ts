/**
 * The file client: brings files of the file server to this machine, into the cache or to a place of one's choice.
 * Follows salt/fileclient.py `RemoteClient` and `FSClient` (3006.16); what arrives is checked and takes its place in
 * one step.
 */
import { existsSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hashOfFile } from '../../host/file-hash.ts';
import { currentUmask } from '../../host/file-replacement.ts';
import { safeJoin, writeFileAtomic } from '../../host/files.ts';
import type { Logger } from '../../host/log.ts';
import { makeFolders } from '../../host/make-folders.ts';
import { compareText } from '../../python/values/order.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { cachedFilePath, cacheRoot, environmentFolder } from './cache-paths.ts';
import { download, type Download } from './download.ts';
import { FileClientError } from './errors.ts';
import { FileSource, readSum, type SendRequest, type ServedFile } from './file-source.ts';
import { mapLimited } from './limited.ts';
import { includeExclude } from './pattern.ts';
import { createSaltUrl, isSaltUrl, parseSaltUrl, redactUrl } from './salt-url.ts';
import { statPath } from './stat.ts';
import { isDir, isFile } from '../../python/paths.ts';

/** Files that are fetched at the same time. */
const FILES_AT_ONCE = 24;

/** What a client is made of. */
export interface FileClientDeps {
  readonly send: SendRequest;
  /** The minion's `cachedir`. */
  readonly cachedir: string;
  /** `hash_type`, for sums of files of this machine. */
  readonly hashType: string;
  readonly log: Logger;
}

/** How a file is fetched. */
export interface GetFileOptions {
  readonly saltenv: string;
  /** Make the folder of the destination. */
  readonly makedirs?: boolean;
  /** Level 1 to 9 to compress pieces on the way. */
  readonly gzip?: number | undefined;
  /** Another folder for the cache, absolute or below the minion's. */
  readonly cachedir?: string | undefined;
}

/** Which files of a folder are cached. */
export interface CacheDirOptions extends Pick<GetFileOptions, 'saltenv' | 'cachedir'> {
  readonly includeEmpty?: boolean;
  /** Patterns, see {@link includeExclude}. */
  readonly include?: Value | undefined;
  readonly exclude?: Value | undefined;
}

/** Finds, fetches and caches files of the file server. */
export class FileClient {
  readonly source: FileSource;
  readonly deps: FileClientDeps;

  constructor(deps: FileClientDeps) {
    this.deps = deps;
    this.source = new FileSource(deps.send);
  }

  /**
   * Fetches a file.
   * @param url `salt://path`
   * @param dest a path, a folder, or empty for the cache
   * @returns where it is; false when the server does not have it, or the folder of `dest` does not exist
   * @throws FileClientError `Unsupported path: x` for a URL of another kind
   */
  async getFile(url: string, dest: string, options: GetFileOptions): Promise<string | false> {
    if (!isSaltUrl(url)) throw new FileClientError(`Unsupported path: ${redactUrl(url)}`);
    const { path, saltenv = options.saltenv } = parseSaltUrl(url);
    const target = this.#targetOf(path, saltenv, dest, options);
    const wanted = { source: this.source, path, saltenv, gzip: options.gzip };
    if (!isFile(target)) return this.#fetchNew(wanted, target, dest, options);
    const served = await this.source.describe(path, saltenv);
    if (served === undefined) return false;
    if (await this.#isSame(target, served)) return target;
    return (await download({ ...wanted, served }, target)) ? target : false;
  }

  /** Fetches a file of the server into the cache. @returns its path; false when there is none */
  cacheFile(url: string, options: Pick<GetFileOptions, 'saltenv' | 'cachedir'>): Promise<string | false> {
    return this.getFile(url, '', options);
  }

  /** Fetches a folder. @returns paths of files and of empty folders, sorted */
  async getDir(url: string, dest: string, options: GetFileOptions): Promise<string[]> {
    const path = folderPath(url).replace(/\/+$/, '');
    const { saltenv } = options;
    const above = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
    const isInside = (name: string): boolean => name[path.length] === '/';
    const [files, emptyFolders] = await Promise.all([
      this.source.files(saltenv, path),
      this.source.emptyFolders(saltenv, path),
    ]);
    const place = (name: string): string => {
      const rel = name.slice(above.length).replace(/^\/+/, '');
      safeJoin(dest === '' ? '/' : dest, rel); // what a server names stays below the destination
      return `${dest}/${rel}`;
    };
    const fetched = await mapLimited(files.filter(isInside), FILES_AT_ONCE, (name) =>
      this.getFile(createSaltUrl(name, saltenv), place(name), { ...options, makedirs: true }),
    );
    const made = emptyFolders.filter(isInside).map(place);
    for (const folder of made) makeFolders(folder);
    return [...fetched.filter((name) => name !== false), ...made].sort(compareText);
  }

  /** Fetches a folder into the cache. @returns paths of files, then of empty folders when they are wanted */
  async cacheDir(url: string, options: CacheDirOptions): Promise<string[]> {
    const { saltenv } = options;
    const path = `${folderPath(url).replace(/\/$/, '')}/`;
    const isWanted = includeExclude(options.include, options.exclude);
    const files = (await this.source.files(saltenv, path.slice(0, -1))).filter(
      (name) => name.startsWith(path) && isWanted(name),
    );
    const cached = await this.#cacheAll(files, options);
    const out = cached.filter((name) => name !== false);
    if (options.includeEmpty !== true) return out;
    const folder = environmentFolder(cacheRoot(this.deps.cachedir, options.cachedir), saltenv);
    for (const name of await this.source.emptyFolders(saltenv)) {
      if (!name.startsWith(path)) continue;
      const made = safeJoin(folder, name);
      makeFolders(made, 0o700);
      out.push(made);
    }
    return out;
  }

  /** Fetches every file of an environment into the cache. */
  async cacheMaster(options: Pick<GetFileOptions, 'saltenv' | 'cachedir'>): Promise<(string | false)[]> {
    return this.#cacheAll(await this.source.files(options.saltenv), options);
  }

  /** The states of an environment: `web` for `web.sls` and `web/init.sls`. */
  async listStates(saltenv: string): Promise<string[]> {
    const names = (await this.source.files(saltenv))
      .filter((path) => path.endsWith('.sls'))
      .map((path) => path.replace(/(\/init)?\.sls$/, '').replaceAll('/', '.'));
    return [...new Set(names)].sort(compareText);
  }

  /**
   * The sum of a file of the server, or of this machine.
   * @returns `{hash_type, hsum}`; empty for a file of this machine that does not exist, an empty text for one of the
   *   server
   */
  async hashFile(path: string, saltenv: string): Promise<Value> {
    if (isSaltUrl(path)) return this.source.hash(parseSaltUrl(path).path, saltenv);
    if (!isFile(path)) {
      this.deps.log.warning(
        `specified file ${path} is not present to generate hash: Unsupported path: ${path}`,
      );
      return new Map();
    }
    return this.#localSum(path, this.deps.hashType);
  }

  /** The stat list of a file of the server, or of this machine; undefined when there is none. */
  async statFile(path: string, saltenv: string): Promise<readonly Value[] | undefined> {
    if (!isSaltUrl(path)) return isFile(path) ? statPath(path) : undefined;
    return (await this.source.describe(parseSaltUrl(path).path, saltenv))?.stat;
  }

  #cacheAll(
    files: readonly string[],
    options: Pick<GetFileOptions, 'saltenv' | 'cachedir'>,
  ): Promise<(string | false)[]> {
    const { saltenv, cachedir } = options;
    return mapLimited(files, FILES_AT_ONCE, (name) =>
      this.cacheFile(createSaltUrl(name, saltenv), { saltenv, cachedir }),
    );
  }

  #targetOf(path: string, saltenv: string, dest: string, { cachedir }: GetFileOptions): string {
    if (dest === '') return cachedFilePath(cacheRoot(this.deps.cachedir, cachedir), saltenv, path);
    return dest.endsWith('/') || isDir(dest) ? join(dest, basename(path)) : dest;
  }

  /** A file that is not here yet: a small one comes whole with the first answer. */
  async #fetchNew(
    wanted: Omit<Download, 'served' | 'first'>,
    target: string,
    dest: string,
    options: GetFileOptions,
  ): Promise<string | false> {
    const { source, path, saltenv, gzip } = wanted;
    const first = await source.piece(path, saltenv, 0, gzip);
    if (first.dest === '') return false;
    const isWhole = first.size === first.bytes.length;
    const served = isWhole ? undefined : await source.describe(path, saltenv);
    if (!isWhole && served === undefined) return false;
    if (!makeRoom(target, dest === '', options)) return false;
    if (served !== undefined) return (await download({ ...wanted, served, first }, target)) ? target : false;
    writeFileAtomic(target, first.bytes, { mode: 0o666 & ~currentUmask() });
    return target;
  }

  async #isSame(path: string, { sum }: ServedFile): Promise<boolean> {
    if (sum === undefined || !isFile(path)) return false;
    const own = readSum(await this.#localSum(path, sum.hashType));
    return own?.hsum === sum.hsum;
  }

  async #localSum(path: string, hashType: string): Promise<Dict> {
    return dict({ hsum: await hashOfFile(path, hashType), hash_type: hashType });
  }
}

function folderPath(url: string): string {
  if (!isSaltUrl(url)) throw new FileClientError(`Unsupported path: ${redactUrl(url)}`);
  return parseSaltUrl(url).path;
}

/** Makes the folder of a file of the cache. */
export function makeCacheRoom(target: string): void {
  const folder = dirname(target);
  // a file that was cached where a folder has to be now gives way, and the other way round
  if (isFile(folder)) rmSync(folder);
  if (!existsSync(folder)) makeFolders(folder, 0o700);
  if (isDir(target)) rmSync(target, { recursive: true });
}

/** Makes the folder of a file. @returns false when it is missing and must not be made */
function makeRoom(target: string, isCache: boolean, options: GetFileOptions): boolean {
  const folder = dirname(target);
  if (isCache) {
    makeCacheRoom(target);
    return true;
  }
  if (isDir(folder)) return true;
  if (options.makedirs === true) makeFolders(folder);
  return options.makedirs === true;
}
