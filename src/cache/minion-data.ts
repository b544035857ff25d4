/**
 * What the master remembers of each minion: grains and pillar in `<cachedir>/minions/<id>/data.p`, mine data in `mine.p`,
 * in Salt's own format so that Salt's programs on the same folder read it (wire-protocol.md, 10.1).
 */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BoundedMap } from '../host/bounded-map.ts';
import { isValidMinionId, makeDirectory, safeJoin, writeFileAtomic } from '../host/files.ts';
import { isDict, type Dict } from '../values/value.ts';
import { decode, encode } from '../wire/msgpack.ts';

/** Banks of one minion. */
export type MinionBank = 'data' | 'mine';

/** Parsed entries kept in memory. */
const CACHED_MAX = 2000;

/** Reads and writes the cache of minion data. */
export class MinionDataCache {
  readonly #directory: string;
  readonly #cache = new BoundedMap<string, { mtimeMs: number; value: Dict }>(CACHED_MAX);

  /** @param cachedir the master's `cachedir` */
  constructor(cachedir: string) {
    this.#directory = join(cachedir, 'minions');
  }

  /** What is kept for a minion; undefined when there is nothing, or nothing readable. */
  read(id: string, bank: MinionBank): Dict | undefined {
    if (!isValidMinionId(id)) return undefined;
    const path = this.#path(id, bank);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile()) return undefined;
    const known = this.#cache.get(path);
    if (known?.mtimeMs === stat.mtimeMs) return known.value;
    try {
      const value = decode(readFileSync(path), 'local');
      if (!isDict(value)) return undefined;
      this.#cache.set(path, { mtimeMs: stat.mtimeMs, value });
      return value;
    } catch {
      return undefined; // half-written by another program, or not ours: as good as absent
    }
  }

  write(id: string, bank: MinionBank, value: Dict): void {
    makeDirectory(this.#directory, 0o700);
    makeDirectory(safeJoin(this.#directory, id), 0o700);
    writeFileAtomic(this.#path(id, bank), encode(value, 'local'), { mode: 0o600 });
  }

  remove(id: string, bank?: MinionBank): void {
    if (!isValidMinionId(id)) return;
    rmSync(bank === undefined ? safeJoin(this.#directory, id) : this.#path(id, bank), {
      force: true,
      recursive: true,
    });
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
