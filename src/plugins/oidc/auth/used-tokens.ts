/**
 * Tokens that have let somebody in, a file for each, so that all workers of a master know them, and those that take
 * their place. Which of two that are shown the same token at once was first, the file system decides.
 */
import { readdirSync, rmSync, statSync } from 'node:fs';
import type { Clock } from '../../../host/clock.ts';
import { createFile, makeDirectory, safeJoin } from '../../../host/files.ts';

/** What is kept, and where. */
export interface UsedTokensDeps {
  readonly folder: string;
  /** A token is forgotten after this time, when it cannot be used any longer. */
  readonly keptMs: number;
  readonly countMax: number;
  readonly clock: Clock;
}

/** The folder is looked through for old ones no more often. */
const LOOK_MS = 30_000;
/** SHA-256 in base64url. */
const DIGEST = /^[\w-]{43}$/;

/** Remembers. */
export class UsedTokens {
  readonly #deps: UsedTokensDeps;
  #lookedMs = -Infinity;
  #count = 0;

  constructor(deps: UsedTokensDeps) {
    this.#deps = deps;
  }

  /**
   * A token is used.
   * @param digest SHA-256 of it, in base64url
   * @returns `full`: it is not remembered, and must not count
   * @throws the system's error when it cannot be written down
   */
  use(digest: string): 'new' | 'used before' | 'full' {
    const { folder, countMax } = this.#deps;
    if (!DIGEST.test(digest)) throw new Error('no digest');
    this.#forgetOld();
    if (this.#count >= countMax) return 'full';
    makeDirectory(folder, 0o700);
    try {
      createFile(safeJoin(folder, digest), '', { mode: 0o600, durable: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return 'used before';
      throw error;
    }
    this.#count++;
    return 'new';
  }

  #forgetOld(): void {
    const { folder, keptMs, clock } = this.#deps;
    if (clock.monotonicMs() - this.#lookedMs < LOOK_MS) return;
    this.#lookedMs = clock.monotonicMs();
    this.#count = 0;
    for (const name of namesIn(folder)) {
      if (!DIGEST.test(name)) continue;
      const path = safeJoin(folder, name);
      const atMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
      if (atMs === undefined) continue;
      if (clock.nowMs() - atMs > keptMs) rmSync(path, { force: true });
      else this.#count++;
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
