/**
 * Lists of files, kept for `fileserver_list_cache_time` seconds in memory and on disk, where all workers of a master
 * find them and Salt keeps them, too (`<cachedir>/file_lists/roots/<saltenv>.p`; salt/fileserver/__init__.py, 3006.16).
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Clock } from '../../host/clock.ts';
import { spokenError } from '../../host/disk-refusal.ts';
import { safeJoin, writeFileAtomic } from '../../host/files.ts';
import type { Logger } from '../../host/log.ts';
import { rareLines, type RareLines } from '../../host/rare-lines.ts';
import { dict, isDict, type Value } from '../../python/values/value.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';
import { listFiles, type FileLists } from './listing.ts';
import { environmentFileName, foldersOf, listCacheFolder, type FileServerSettings } from './settings.ts';
import { isDir } from '../../python/paths.ts';

const ENVIRONMENTS_MAX = 64;
const EMPTY: FileLists = { files: [], dirs: [], empty_dirs: [], links: new Map() };

/** Makes lists of files and keeps them for a while. */
export class ListCache {
  readonly #settings: FileServerSettings;
  readonly #clock: Clock;
  readonly #notKept: RareLines;
  /** By environment: the lists, and which version of the file they are. */
  readonly #known = new BoundedMap<string, { version: string; lists: FileLists }>(ENVIRONMENTS_MAX);
  readonly #running = new Map<string, Promise<FileLists>>();

  constructor(settings: FileServerSettings, clock: Clock, log: Logger) {
    this.#settings = settings;
    this.#clock = clock;
    this.#notKept = rareLines(clock, (text, error) => log.warning(text, error));
  }

  /** The lists of an environment; empty ones when there is no such environment. */
  async lists(saltenv: string): Promise<FileLists> {
    const folders = foldersOf(this.#settings, saltenv);
    if (folders === undefined || !folders.some(isDir)) return EMPTY;
    const path = safeJoin(listCacheFolder(this.#settings), `${environmentFileName(saltenv)}.p`);
    const cached = this.#cached(saltenv, path);
    if (cached !== undefined) return cached;
    let running = this.#running.get(saltenv);
    if (running === undefined) {
      running = this.#collect(saltenv, path, folders).finally(() => this.#running.delete(saltenv));
      this.#running.set(saltenv, running);
    }
    return running;
  }

  #cached(saltenv: string, path: string): FileLists | undefined {
    const version = this.#freshVersion(path);
    if (version === undefined) return undefined;
    const known = this.#known.get(saltenv);
    if (known?.version === version) return known.lists;
    const lists = readLists(path);
    if (lists !== undefined) this.#known.set(saltenv, { version, lists });
    return lists;
  }

  /** Which version of the file is there, unless it is too old. Salt's rule: whole seconds, none from the future. */
  #freshVersion(path: string): string | undefined {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    const ageSeconds = Math.floor(this.#clock.nowMs() / 1000) - Math.floor(stat.mtimeMs / 1000);
    const isFresh = ageSeconds >= 0 && ageSeconds < this.#settings.listCacheSeconds;
    return isFresh ? `${stat.ino}.${stat.mtimeMs}.${stat.size}` : undefined;
  }

  async #collect(saltenv: string, path: string, folders: readonly string[]): Promise<FileLists> {
    const lists = await listFiles(this.#settings, folders);
    try {
      mkdirSync(listCacheFolder(this.#settings), { recursive: true, mode: 0o700 });
      writeFileAtomic(path, encode(packLists(lists), 'local'), { mode: 0o600 });
      const version = this.#freshVersion(path);
      if (version !== undefined) this.#known.set(saltenv, { version, lists });
      this.#notKept.over(saltenv);
    } catch (error) {
      this.#notKept(
        saltenv,
        `The list of the files of ${saltenv} is not kept, and made anew for each request: ${spokenError(error)}`,
        error,
      );
    }
    return lists;
  }
}

function packLists(lists: FileLists): Value {
  return dict({
    files: [...lists.files],
    dirs: [...lists.dirs],
    empty_dirs: [...lists.empty_dirs],
    links: new Map(lists.links),
  });
}

function readLists(path: string): FileLists | undefined {
  try {
    const value = decode(readFileSync(path), 'local');
    if (!isDict(value)) return undefined;
    const list = (name: string): string[] => {
      const items = value.get(name);
      return Array.isArray(items) ? items.map(String) : [];
    };
    const links = value.get('links');
    return {
      files: list('files'),
      dirs: list('dirs'),
      empty_dirs: list('empty_dirs'),
      links: new Map(
        links !== undefined && isDict(links) ? [...links].map(([a, b]) => [String(a), String(b)]) : [],
      ),
    };
  } catch {
    return undefined; // another program is writing it
  }
}

/**
 * Forgets cached lists (salt/fileserver/__init__.py `clear_file_list_cache`, 3006.16).
 * @param environments only these; all without
 * @returns the environments whose lists were removed, by backend, sorted
 */
export function clearListCache(
  settings: FileServerSettings,
  environments: readonly string[] | undefined,
  backends: readonly string[],
): Map<string, string[]> {
  const folder = join(settings.cachedir, 'file_lists');
  const removed = new Map<string, string[]>();
  for (const backend of namesIn(folder).filter((name) => backends.includes(name))) {
    for (const name of namesIn(join(folder, backend))) {
      const saltenv = name.replace(/\.p$/, '');
      if (saltenv === name || (environments !== undefined && !environments.includes(saltenv))) continue;
      rmSync(join(folder, backend, name), { force: true });
      removed.set(backend, [...(removed.get(backend) ?? []), saltenv].sort());
    }
  }
  return removed;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
