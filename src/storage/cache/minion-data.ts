/**
 * What the master remembers of each minion: grains and pillar in `<cachedir>/minions/<id>/data.p`, mine data in
 * `mine.p`, in Salt's own format so that Salt's programs on the same folder read it
 * (docs/internals/job-cache-files.md#data-of-minions).
 */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BoundedMap } from '../../host/bounded-map.ts';
import { isValidMinionId, makeDirectory, safeJoin, writeFileIfChanged } from '../../host/files.ts';
import { ChangeList, type ChangeMark, type Changes } from './change-list.ts';
import { isDict, type Dict } from '../../python/values/value.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';

/**
 * Beside `grains` and `pillar` in the bank `data`, and unknown to Salt: the pillar by which rights are decided. It is
 * there when the minion had asked for an environment of its choice, and is made without one.
 */
export const RIGHTS_PILLAR = 'rights_pillar';

/** Banks of one minion. */
export type MinionBank = 'data' | 'mine';

/** Ids of changed minions, below `cachedir`; see `change-list.ts`. */
const CHANGES_FILE = '.minion_changes';
/** Parsed entries kept in memory. */
const CACHED_MAX = 2000;

/** Reads and writes the cache of minion data. */
export class MinionDataCache {
  readonly #directory: string;
  readonly #changes: ChangeList;
  readonly #cache = new BoundedMap<string, { mtimeMs: number; ino: number; value: Dict }>(CACHED_MAX);

  /** @param cachedir the master's `cachedir` */
  constructor(cachedir: string) {
    this.#directory = join(cachedir, 'minions');
    this.#changes = new ChangeList(join(cachedir, CHANGES_FILE));
  }

  /** What is kept for a minion; undefined when there is nothing, or nothing readable. */
  read(id: string, bank: MinionBank): Dict | undefined {
    if (!isValidMinionId(id)) return undefined;
    const path = this.#path(id, bank);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile()) return undefined;
    const known = this.#cache.get(path);
    // each write makes a new file: two within one tick of the file system's clock differ in their inode
    if (known?.mtimeMs === stat.mtimeMs && known.ino === stat.ino) return known.value;
    try {
      const value = decode(readFileSync(path), 'local');
      if (!isDict(value)) return undefined;
      this.#cache.set(path, { mtimeMs: stat.mtimeMs, ino: stat.ino, value });
      return value;
    } catch {
      return undefined; // half-written by another program, or not ours: as good as absent
    }
  }

  /** When a minion's data were written; undefined when there are none. Milliseconds since 1970, with a fraction. */
  stamp(id: string, bank: MinionBank): number | undefined {
    if (!isValidMinionId(id)) return undefined;
    const stat = statSync(this.#path(id, bank), { throwIfNoEntry: false });
    return stat?.isFile() ? stat.mtimeMs : undefined;
  }

  /** The file as it is; undefined when there is none. */
  bytes(id: string, bank: MinionBank): Buffer | undefined {
    if (!isValidMinionId(id)) return undefined;
    try {
      return readFileSync(this.#path(id, bank));
    } catch {
      return undefined; // there is none
    }
  }

  /**
   * What tells one content of the file from another without reading it, and when it was written; undefined when there
   * is none.
   */
  seen(id: string, bank: MinionBank): { readonly stamp: string; readonly mtimeMs: number } | undefined {
    if (!isValidMinionId(id)) return undefined;
    const stat = statSync(this.#path(id, bank), { throwIfNoEntry: false });
    if (stat?.isFile() !== true) return undefined;
    return { stamp: `${stat.ino} ${stat.mtimeMs} ${stat.size}`, mtimeMs: stat.mtimeMs };
  }

  /** As {@link read}, without keeping it in memory: for those who go through all minions. */
  peek(id: string, bank: MinionBank): Dict | undefined {
    if (!isValidMinionId(id)) return undefined;
    try {
      const value = decode(readFileSync(this.#path(id, bank)), 'local');
      return isDict(value) ? value : undefined;
    } catch {
      return undefined; // there is none, or it is half-written by another program
    }
  }

  /**
   * Keeps data of a minion in place of what was kept before.
   * @returns false when they take more than `bytesMax` as a file: nothing is changed then
   */
  write(id: string, bank: MinionBank, value: Dict, bytesMax = Infinity): boolean {
    const bytes = encode(value, 'local');
    if (bytes.length > bytesMax) return false;
    makeDirectory(this.#directory, 0o700);
    makeDirectory(safeJoin(this.#directory, id), 0o700);
    const path = this.#path(id, bank);
    // a minion asks for its pillar again and again, and mostly nothing has changed
    if (!writeFileIfChanged(path, bytes, { mode: 0o600 })) return true;
    this.#cache.delete(path);
    this.#changes.add(id);
    return true;
  }

  /**
   * What the master's programs have changed since an earlier call.
   * @param mark what that call gave; undefined at first
   */
  changesSince(mark: ChangeMark | undefined): Changes {
    return this.#changes.since(mark);
  }

  remove(id: string, bank?: MinionBank): void {
    if (!isValidMinionId(id)) return;
    rmSync(bank === undefined ? safeJoin(this.#directory, id) : this.#path(id, bank), {
      force: true,
      recursive: true,
    });
    this.#changes.add(id);
  }

  /** The minions of which anything is kept. */
  ids(): string[] {
    try {
      return readdirSync(this.#directory).filter(isValidMinionId);
    } catch {
      return [];
    }
  }

  #path(id: string, bank: MinionBank): string {
    return safeJoin(this.#directory, id, `${bank}.p`);
  }
}
