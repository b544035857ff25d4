/**
 * The mark of a master that gives its minions away. It is a file, so that every worker sees it at once; the next start
 * removes it.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createFile, makeDirectory } from '../../host/files.ts';

/** See the head of this file. */
export class DrainingMark {
  readonly #folder: string;
  readonly #path: string;

  /** @param cachedir of the master */
  constructor(cachedir: string) {
    this.#folder = join(cachedir, 'cluster');
    this.#path = join(this.#folder, 'draining');
  }

  get isSet(): boolean {
    return existsSync(this.#path);
  }

  set(): void {
    makeDirectory(this.#folder, 0o700);
    createFile(this.#path, '', { mode: 0o600, durable: true });
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }
}
