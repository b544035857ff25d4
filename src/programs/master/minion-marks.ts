/**
 * Which accepted keys have acted as minions: a file for each in a folder, with the mark of its key, so that all workers
 * know it and a key that is accepted later under the same id begins anew.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MasterOptions } from '../../config/master-options.ts';
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Clock } from '../../host/clock.ts';
import { isValidMinionId, makeDirectory, safeJoin, writeFileAtomic } from '../../host/files.ts';
import type { KeyStore } from '../../storage/keys/store.ts';

/**
 * Minions whose file is known to be right, and for how long: after that it is looked at again, as the key may be
 * another.
 */
const RECENT_MAX = 20_000;
const RECENT_MS = 60_000;

/** What the marks need. */
export interface MinionMarksDeps {
  /** What tells an accepted key from others of the same id; undefined when none is accepted. */
  readonly keyMark: (id: string) => string | undefined;
  readonly clock: Clock;
}

/** Where a master keeps them. */
export function minionMarksFolder(opts: MasterOptions): string {
  return join(opts.get('cachedir'), 'minions.known');
}

/** The marks of accepted keys that have acted as minions, read and written by all workers. */
export class MinionMarks {
  readonly #folder: string;
  readonly #deps: MinionMarksDeps;
  readonly #recent = new BoundedMap<string, number>(RECENT_MAX);

  constructor(folder: string, deps: MinionMarksDeps) {
    this.#folder = folder;
    this.#deps = deps;
    makeDirectory(folder, 0o700);
  }

  /** True for who was added a short while ago. */
  isRecent(id: string): boolean {
    const atMs = this.#recent.get(id);
    return atMs !== undefined && this.#deps.clock.monotonicMs() - atMs < RECENT_MS;
  }

  /** True for who has acted as a minion under the key that is accepted now. */
  has(id: string): boolean {
    const mark = this.#deps.keyMark(id);
    return mark !== undefined && this.#read(id) === mark;
  }

  add(id: string): void {
    const mark = this.#deps.keyMark(id);
    if (mark === undefined || !isValidMinionId(id)) return;
    if (this.#read(id) !== mark) writeFileAtomic(safeJoin(this.#folder, id), mark, { mode: 0o600 });
    this.#recent.set(id, this.#deps.clock.monotonicMs());
  }

  #read(id: string): string | undefined {
    if (!isValidMinionId(id)) return undefined;
    try {
      return readFileSync(safeJoin(this.#folder, id), 'utf8');
    } catch {
      return undefined; // none yet
    }
  }
}

/**
 * What tells an accepted key from others of the same id; undefined when none is accepted. A rejected one counts before
 * it.
 */
export function keyMark(keys: KeyStore, id: string): string | undefined {
  const text = keys.readKey(id, 'accepted');
  if (text === undefined || keys.has(id, 'rejected')) return undefined;
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
