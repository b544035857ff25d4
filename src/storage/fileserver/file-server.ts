/**
 * The file server: answers what file clients ask, over the network or in the same process, in the shapes of Salt's own
 * (salt/fileserver/__init__.py `Fileserver`, salt/fileserver/roots.py, 3006.16).
 */
import { closeSync, openSync, readSync, type BigIntStats } from 'node:fs';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { compareText } from '../../python/values/order.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { findInLayers, readWanted, type FoundFile } from './find.ts';
import { FileHashes } from './hashes.ts';
import { ROOTS, type FileBackend, type Layer } from './layer.ts';
import { joinLists, LayerLists } from './layer-lists.ts';
import { ListCache } from './list-cache.ts';
import type { FileLists, ListForm } from './listing.ts';
import type { FileServerSettings } from './settings.ts';
import { answerSeveral, SEVERAL_FILES } from './several.ts';

/** What a file server is made of. */
export interface FileServerDeps {
  readonly settings: FileServerSettings;
  /** Where files come from, the first one first. */
  readonly backends: readonly FileBackend[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** Answers one question. */
export type FileCommand = (load: Dict) => Value | Promise<Value>;

const gzipAsync = promisify(gzip);
/** Pieces up to this size are compressed at once, larger ones aside. */
const COMPRESS_HERE_BYTES = 16 * 1024;
const JOINED_MAX = 64;
const FIXED_FILES_MAX = 20_000;

/** Answers the file server's commands. */
export class FileServer {
  readonly settings: FileServerSettings;
  readonly #hashes: FileHashes;
  readonly backends: readonly FileBackend[];
  readonly #lists: ListCache;
  readonly #layerLists: LayerLists;
  /** The lists of environments with several sources, by what they were joined of. */
  readonly #joined = new BoundedMap<string, { of: readonly FileLists[]; lists: FileLists }>(JOINED_MAX);
  readonly #fixed = new BoundedMap<string, { path: string; stat: BigIntStats }>(FIXED_FILES_MAX);
  /** What may be asked, by command. */
  readonly commands: ReadonlyMap<string, FileCommand> = new Map<string, FileCommand>([
    ['_serve_file', (load) => this.#serve(load)],
    ['_file_find', (load) => this.#describe(load)],
    ['_file_hash', (load) => this.#hash(load)],
    ['_file_hash_and_stat', (load) => this.#hashAndStat(load)],
    ['_file_list', (load) => this.#list(load, 'files')],
    ['_file_list_emptydirs', (load) => this.#list(load, 'empty_dirs')],
    ['_dir_list', (load) => this.#list(load, 'dirs')],
    ['_symlink_list', (load) => this.#links(load)],
    ['_file_envs', (load) => this.#environments(load)],
    [SEVERAL_FILES, (load) => answerSeveral(this.commands, load)],
  ]);

  constructor({ settings, backends, clock, log }: FileServerDeps) {
    this.settings = settings;
    this.backends = backends;
    this.#hashes = new FileHashes(settings, clock);
    this.#lists = new ListCache(settings, clock, log);
    this.#layerLists = new LayerLists(settings, clock);
  }

  /** Every environment that there is, sorted. @param backends only of these */
  environments(backends = this.backends): string[] {
    return [...new Set(backends.flatMap((backend) => [...backend.environments()]))].sort(compareText);
  }

  /** The paths of an environment that begin with `prefix`, sorted. @param backends only of these */
  async list(
    saltenv: string,
    form: Exclude<ListForm, 'links'>,
    { prefix = '', backends = this.backends }: { prefix?: string; backends?: readonly FileBackend[] } = {},
  ): Promise<string[]> {
    const paths = (await this.#listsOf(saltenv, backends))[form];
    return prefix === '' ? [...paths] : paths.filter((path) => path.startsWith(prefix));
  }

  /** The links of an environment whose path begins with `prefix`. @param backends only of these */
  async links(
    saltenv: string,
    { prefix = '', backends = this.backends }: { prefix?: string; backends?: readonly FileBackend[] } = {},
  ): Promise<Map<string, string>> {
    const { links } = await this.#listsOf(saltenv, backends);
    return new Map([...links].filter(([path]) => path.startsWith(prefix)));
  }

  async #listsOf(saltenv: string, backends: readonly FileBackend[]): Promise<FileLists> {
    const parts: FileLists[] = [];
    for (const backend of backends) {
      if (backend.name === ROOTS) parts.push(await this.#lists.lists(saltenv));
      else for (const layer of await backend.layers(saltenv)) parts.push(await this.#layerLists.of(layer));
    }
    if (parts.length === 1 && parts[0] !== undefined) return parts[0];
    const key = `${backends.map(({ name }) => name).join()}\0${saltenv}`;
    const known = this.#joined.get(key);
    if (known !== undefined && isSame(known.of, parts)) return known.lists;
    const lists = joinLists(parts);
    this.#joined.set(key, { of: parts, lists });
    return lists;
  }

  async #find(load: Dict, fallback?: string): Promise<FoundFile | undefined> {
    const path = load.get('path');
    const saltenv = load.get('saltenv') ?? fallback;
    if (typeof path !== 'string' || path === '' || saltenv === undefined) return undefined;
    const wanted = readWanted(path, pyStr(saltenv));
    if (wanted === undefined) return undefined;
    for (const backend of this.backends) {
      const layers: readonly Layer[] = await backend.layers(wanted.saltenv, wanted.path);
      const found = findInLayers(this.settings, wanted, layers, this.#fixed);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async #serve(load: Dict): Promise<Value> {
    const at = toNumber(load.get('loc'));
    const file = at === undefined ? undefined : await this.#find(load);
    if (file === undefined || at === undefined || !Number.isSafeInteger(at) || at < 0)
      return dict({ data: '', dest: '' });
    const data = readPiece(file, at, this.settings.pieceBytes);
    const level = toNumber(load.get('gzip')) ?? 0;
    if (data.length === 0) return dict({ data: '', dest: file.rel });
    // ours: with the size a client knows that it has all, and asks no more
    const size = Number(file.stat.size);
    if (!Number.isInteger(level) || level < 1 || level > 9) return dict({ data, dest: file.rel, size });
    const packed =
      data.length <= COMPRESS_HERE_BYTES ? gzipSync(data, { level }) : await gzipAsync(data, { level });
    return dict({ data: packed, dest: file.rel, gzip: level, size });
  }

  async #describe(load: Dict): Promise<Value> {
    const file = await this.#find(load, 'base');
    if (file === undefined) return dict({ path: '', rel: '' });
    return dict({ path: file.path, rel: file.rel, stat: statList(file.stat), back: file.backend });
  }

  async #hash(load: Dict): Promise<Value> {
    const file = await this.#find(load);
    return file === undefined ? '' : this.#sum(file);
  }

  async #hashAndStat(load: Dict): Promise<Value> {
    const file = await this.#find(load);
    return file === undefined ? ['', null] : [await this.#sum(file), statList(file.stat)];
  }

  async #sum(file: FoundFile): Promise<Dict> {
    return dict({ hash_type: this.settings.hashType, hsum: await this.#hashes.of(file) });
  }

  async #list(load: Dict, form: Exclude<ListForm, 'links'>): Promise<Value> {
    const saltenv = load.get('saltenv');
    return saltenv === undefined ? [] : this.list(pyStr(saltenv), form, { prefix: prefixOf(load) });
  }

  async #links(load: Dict): Promise<Value> {
    const saltenv = load.get('saltenv');
    return saltenv === undefined
      ? new Map()
      : new Map(await this.links(pyStr(saltenv), { prefix: prefixOf(load) }));
  }

  #environments(load: Dict): Value {
    if (load.get('sources') !== true) return this.environments();
    return new Map(this.backends.map((backend) => [backend.name, this.environments([backend])]));
  }
}

function isSame(one: readonly FileLists[], other: readonly FileLists[]): boolean {
  return one.length === other.length && one.every((lists, at) => lists === other[at]);
}

function prefixOf(load: Dict): string {
  const prefix = load.get('prefix');
  return typeof prefix === 'string' ? prefix.replace(/^\/+|\/+$/g, '') : '';
}

function readPiece({ path, stat }: FoundFile, at: number, most: number): Buffer {
  // files of /proc and the like claim to be empty
  const length = stat.size === 0n ? most : Math.max(0, Math.min(most, Number(stat.size) - at));
  const fd = openSync(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const count = readSync(fd, buffer, filled, length - filled, at + filled);
      if (count === 0) break;
      filled += count;
    }
    return buffer.subarray(0, filled);
  } finally {
    closeSync(fd);
  }
}

/** Python's `list(os.stat(path))`: mode, inode, device, links, owner, group, size and three times in whole seconds. */
export function statList(stat: BigIntStats): Value[] {
  const seconds = (ns: bigint): bigint => ns / 1_000_000_000n;
  const { mode, ino, dev, nlink, uid, gid, size, atimeNs, mtimeNs, ctimeNs } = stat;
  const times = [atimeNs, mtimeNs, ctimeNs].map(seconds);
  return [mode, ino, dev, nlink, uid, gid, size, ...times].map((value) =>
    value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value,
  );
}
