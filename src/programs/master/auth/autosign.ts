/**
 * Who is accepted or rejected without being asked: `auto_accept`, `autosign_file`, `autoreject_file`, stub files and
 * grains (salt/daemons/masterapi.py AutoKey, 3006.16; docs/internals/wire-protocol.md#authentication).
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { MasterOptions } from '../../../config/master-options.ts';
import { readTextIfExists } from '../../../host/files.ts';
import type { Logger } from '../../../host/log.ts';
import type { KeyStore } from '../../../storage/keys/store.ts';
import { expressionMatch } from '../../../python/text/expression-match.ts';
import { isDict, type Value } from '../../../python/values/value.ts';

/** Decides by the configuration alone. */
export class AutoKey {
  readonly #opts: MasterOptions;
  readonly #keys: KeyStore;
  readonly #log: Logger;
  readonly #files = new Map<string, { mtimeMs: number; lines: readonly string[] }>();

  constructor(opts: MasterOptions, keys: KeyStore, log: Logger) {
    this.#opts = opts;
    this.#keys = keys;
    this.#log = log;
  }

  /** @param grains what the minion sent as `autosign_grains` */
  isAccepted(id: string, grains: Value | undefined): boolean {
    if (this.#opts.get('auto_accept')) return true;
    if (this.#isListed(id, this.#opts.raw('autosign_file'))) return true;
    const timeout = this.#opts.raw('autosign_timeout');
    if (this.#keys.takeAutosignStub(id, typeof timeout === 'number' ? timeout : 120)) return true;
    return this.#hasAcceptedGrain(grains);
  }

  isRejected(id: string): boolean {
    return this.#isListed(id, this.#opts.raw('autoreject_file'));
  }

  #isListed(id: string, path: Value | undefined): boolean {
    if (typeof path !== 'string' || path === '') return false;
    return this.#lines(path).some((line) => expressionMatch(id, line));
  }

  #lines(path: string): readonly string[] {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile()) return [];
    if (!this.#mayBeTrusted(stat.mode)) {
      this.#log.warning(`Wrong permissions for ${path}, ignoring content`);
      return [];
    }
    const known = this.#files.get(path);
    if (known?.mtimeMs === stat.mtimeMs) return known.lines;
    const lines = contentLines(readFileSync(path, 'utf8'));
    this.#files.set(path, { mtimeMs: stat.mtimeMs, lines });
    return lines;
  }

  #mayBeTrusted(mode: number): boolean {
    if (mode & 0o002) return false;
    return (mode & 0o020) === 0 || this.#opts.get('permissive_pki_access');
  }

  #hasAcceptedGrain(grains: Value | undefined): boolean {
    const directory = this.#opts.raw('autosign_grains_dir');
    if (!grains || !isDict(grains) || typeof directory !== 'string' || directory === '') return false;
    // the folder's files, not the grains: whoever asks chooses how many of those there are
    for (const { name, path, mode } of filesIn(directory)) {
      const value = grains.get(name);
      if (typeof value !== 'string') continue;
      if (!this.#mayBeTrusted(mode)) {
        this.#log.warning(`Wrong permissions for ${path}, ignoring content`);
        continue;
      }
      if (contentLines(readTextIfExists(path) ?? '').includes(value)) return true;
    }
    return false;
  }
}

function filesIn(directory: string): { name: string; path: string; mode: number }[] {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() === true ? [{ name, path, mode: stat.mode }] : [];
  });
}

function contentLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}
