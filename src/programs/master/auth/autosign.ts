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
    if (!mayBeTrusted(stat.mode, this.#opts)) {
      this.#log.warning(looseMode(path));
      return [];
    }
    const known = this.#files.get(path);
    if (known?.mtimeMs === stat.mtimeMs) return known.lines;
    const lines = contentLines(readFileSync(path, 'utf8'));
    this.#files.set(path, { mtimeMs: stat.mtimeMs, lines });
    return lines;
  }

  #hasAcceptedGrain(grains: Value | undefined): boolean {
    const directory = this.#opts.raw('autosign_grains_dir');
    if (!grains || !isDict(grains) || typeof directory !== 'string' || directory === '') return false;
    // the folder's files, not the grains: whoever asks chooses how many of those there are
    for (const { name, path, mode } of filesIn(directory)) {
      const value = grains.get(name);
      if (typeof value !== 'string') continue;
      if (!mayBeTrusted(mode, this.#opts)) {
        this.#log.warning(looseMode(path));
        continue;
      }
      if (contentLines(readTextIfExists(path) ?? '').includes(value)) return true;
    }
    return false;
  }
}

function mayBeTrusted(mode: number, opts: MasterOptions): boolean {
  if (mode & 0o002) return false;
  return (mode & 0o020) === 0 || opts.get('permissive_pki_access');
}

function looseMode(path: string): string {
  return (
    `Wrong permissions for ${path}, ignoring content: others than its owner may write to it. Run chmod go-w ${path}, ` +
    'or set permissive_pki_access where its group is to write.'
  );
}

/** Says of each file that decides about keys and that others may write to: nothing in it counts. */
export function sayLooseKeyFiles(opts: MasterOptions, log: Logger): void {
  const named = [opts.raw('autosign_file'), opts.raw('autoreject_file')].filter(
    (path) => typeof path === 'string' && path !== '',
  ) as string[];
  const directory = opts.raw('autosign_grains_dir');
  if (typeof directory === 'string' && directory !== '')
    named.push(...filesIn(directory).map(({ path }) => path));
  for (const path of named) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() === true && !mayBeTrusted(stat.mode, opts)) log.warning(looseMode(path));
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
