/**
 * Tokens that were revoked, by their digests, until they would have ended. They are noted on the disk: the stream keeps
 * one message of a subject, and who can write to NATS can put another one in its place.
 */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import type { Clock } from '../../host/clock.ts';
import { safeJoin, writeFileAtomic } from '../../host/files.ts';

/** What a note of a revoked token is called behind its digest. */
const ENDING = '.gone';

/** Where they are noted, and for how long. */
export interface GoneTokensDeps {
  readonly folder: string;
  /** How long a token lives at most, ms. */
  readonly lifeMs: number;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** How many are remembered; the oldest are forgotten. */
  readonly most: number;
}

/** See the head of this file. */
export class GoneTokens {
  /** When each was revoked, ms since 1970; the oldest first. */
  readonly #since = new Map<string, number>();
  readonly #deps: GoneTokensDeps;

  constructor(deps: GoneTokensDeps) {
    this.#deps = deps;
  }

  /** Reads what was noted. */
  load(): void {
    const { folder } = this.#deps;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const notes = readdirSync(folder)
      .filter((name) => name.endsWith(ENDING))
      .map((name): [string, number] => [
        name.slice(0, -ENDING.length),
        statSync(safeJoin(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
      ]);
    for (const [digest, sinceMs] of notes.sort(([, one], [, other]) => one - other))
      this.#since.set(digest, sinceMs);
    this.#forget();
  }

  has(digest: string): boolean {
    return this.#since.has(digest);
  }

  /** Their digests. */
  digests(): string[] {
    return [...this.#since.keys()];
  }

  add(digest: string): void {
    if (this.#since.has(digest)) return;
    const { folder, clock } = this.#deps;
    this.#since.set(digest, clock.nowMs());
    writeFileAtomic(safeJoin(folder, `${digest}${ENDING}`), '', { mode: 0o600, durable: true });
    this.#forget();
  }

  /** Forgets those that have ended by themselves, and what is too many. */
  #forget(): void {
    const { folder, clock, lifeMs, most } = this.#deps;
    for (const [digest, sinceMs] of this.#since) {
      if (this.#since.size <= most && clock.nowMs() - sinceMs <= lifeMs) return;
      this.#since.delete(digest);
      rmSync(safeJoin(folder, `${digest}${ENDING}`), { force: true });
    }
  }
}
