/** Named values in banks below `cachedir`, a file each (salt/cache/localfs.py, 3006.16). */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { decode, encode } from '../../formats/wire/msgpack.ts';
import { makeDirectory, safeJoin, writeFileAtomic } from '../../host/files.ts';
import type { Value } from '../../python/values/value.ts';

/**
 * The banks below one folder. A bank is named by folders with slashes between them; UnsafePathError for one that leads
 * out of it.
 */
export class ValueBanks {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  store(bank: string, key: string, value: Value): void {
    const folder = this.#folder(bank);
    makeDirectory(folder, 0o700);
    writeFileAtomic(safeJoin(folder, `${key}.p`), encode(value, 'local'), { mode: 0o600, durable: true });
  }

  /** The value; an empty mapping when there is none. */
  fetch(bank: string, key: string): Value {
    const path = safeJoin(this.#folder(bank), `${key}.p`);
    return existsSync(path) ? decode(readFileSync(path), 'local') : new Map();
  }

  /** The keys of a bank and the banks in it. */
  list(bank: string): string[] {
    const folder = this.#folder(bank);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
    // Salt compat: Salt takes every trailing `p` and dot of a key away; here only the ending goes
    return readdirSync(folder).map((name) => name.replace(/\.p$/, ''));
  }

  /** Removes a key, or a bank with all that is in it. @returns false when there was nothing to remove */
  flush(bank: string, key?: string): boolean {
    const folder = this.#folder(bank);
    const path = key === undefined ? folder : safeJoin(folder, `${key}.p`);
    if (!existsSync(path)) return false;
    rmSync(path, { recursive: true, force: true });
    return true;
  }

  #folder(bank: string): string {
    return safeJoin(this.#root, ...bank.split('/').filter((part) => part !== ''));
  }
}
