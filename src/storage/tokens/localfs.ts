/**
 * `eauth_tokens: localfs`: a file for each token in `token_dir`, named by it, as Salt reads and writes them
 * (salt/tokens/localfs.py, 3006.16).
 */
import { readdir, readFile, unlink } from 'node:fs/promises';
import { decode, encode } from '../../formats/wire/msgpack.ts';
import { syncFolder } from '../../host/disk-sync.ts';
import { makeDirectory, safeJoin, writeFileAtomic } from '../../host/files.ts';
import { isDict, type Dict } from '../../python/values/value.ts';
import { isToken, type TokenStore } from './token-store.ts';

/** What a token stands for is some hundred bytes, with its rules some thousand. */
const FILE_BYTES_MAX = 1024 * 1024;

/** Tokens in files. */
export class LocalTokens implements TokenStore {
  readonly #folder: string;

  /** @param folder `token_dir`; made, for its owner only, with the first token */
  constructor(folder: string) {
    this.#folder = folder;
  }

  write(token: string, data: Dict): Promise<void> {
    makeDirectory(this.#folder, 0o700);
    writeFileAtomic(safeJoin(this.#folder, token), encode(data, 'local'), { mode: 0o600, durable: true });
    return Promise.resolve();
  }

  async read(token: string): Promise<Dict | undefined> {
    if (!isToken(token)) return undefined;
    try {
      const bytes = await readFile(safeJoin(this.#folder, token));
      const data = bytes.length > FILE_BYTES_MAX ? null : decode(bytes, 'local');
      return isDict(data) ? data : undefined;
    } catch {
      return undefined; // not there, not ours, or broken: no token
    }
  }

  async remove(token: string): Promise<boolean> {
    if (!isToken(token)) return false;
    try {
      await unlink(safeJoin(this.#folder, token));
      syncFolder(this.#folder);
      return true;
    } catch {
      return false;
    }
  }

  async list(): Promise<string[]> {
    try {
      return (await readdir(this.#folder)).filter(isToken);
    } catch {
      return [];
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
