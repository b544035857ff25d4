/**
 * A remote source of files as this machine keeps it: what was there at the last fetch, and whether fetches are kept
 * away. Every process of a master reads it; whoever fetches has its lock.
 */
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { readTextIfExists, writeFileAtomic } from '../../host/files.ts';
import { dropLock, takeLock } from '../../host/owner-lock.ts';

/** What was known at the last fetch. */
export interface CopyState {
  /** Versions by name; of git: commits by the full names of references, e.g. `refs/remotes/origin/main`. */
  readonly refs: ReadonlyMap<string, string>;
  /** When they were fetched, milliseconds since 1970; undefined before the first time. */
  readonly fetchedAtMs: number | undefined;
  /** When a fetch was last tried. */
  readonly triedAtMs: number;
  /** Why the last one failed; undefined when it did not. */
  readonly fault: string | undefined;
}

/** What came of a fetch. */
export interface FetchOutcome {
  readonly isChanged: boolean;
  readonly fault: string | undefined;
}

/** One copy, in a folder of its own; its kinds say how it is brought up to date. */
export abstract class RemoteCopy {
  readonly folder: string;
  readonly #clock: Clock;
  #state: { version: string; state: CopyState } | undefined;

  /** @param folder made with the first fetch */
  constructor(folder: string, clock: Clock) {
    this.folder = folder;
    this.#clock = clock;
  }

  /** Brings what lies in the folder up to date. @returns the versions that are there now @throws when that fails */
  protected abstract pull(before: CopyState): Promise<ReadonlyMap<string, string>>;

  /** After the new state was kept. */
  protected tidy?(refs: ReadonlyMap<string, string>): void;

  /** What is known now; cheap enough for every request. */
  state(): CopyState {
    const path = join(this.folder, 'state.json');
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return NEVER_FETCHED;
    const version = `${stat.ino}.${stat.mtimeMs}`;
    if (this.#state?.version !== version) this.#state = { version, state: readState(path) };
    return this.#state.state;
  }

  /** True while an operator keeps fetches away. */
  get isLocked(): boolean {
    return statSync(this.#operatorLock, { throwIfNoEntry: false }) !== undefined;
  }

  get #operatorLock(): string {
    return join(this.folder, 'update.lk');
  }

  /** Keeps fetches away until {@link unlock}. @returns false when it was so already */
  lock(): boolean {
    if (this.isLocked) return false;
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    writeFileSync(this.#operatorLock, '', { mode: 0o600 });
    return true;
  }

  /** @returns false when it was not locked */
  unlock(): boolean {
    const wasLocked = this.isLocked;
    rmSync(this.#operatorLock, { force: true });
    return wasLocked;
  }

  /** Forgets the copy and everything made of it. */
  clear(): void {
    rmSync(this.folder, { recursive: true, force: true });
    this.#state = undefined;
  }

  /**
   * Brings the copy up to date. What was there stays when that fails; the state says since when.
   * @returns undefined when another process is at it
   */
  async fetch(): Promise<FetchOutcome | undefined> {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    if (this.isLocked) return { isChanged: false, fault: 'updates are locked (fileserver.clear_lock)' };
    const lock = join(this.folder, 'fetching');
    if (takeLock(lock) !== undefined) return undefined;
    const before = this.state();
    const nowMs = this.#clock.nowMs();
    try {
      const refs = await this.pull(before);
      const isChanged = before.fetchedAtMs === undefined || !sameRefs(before.refs, refs);
      this.#keep({ refs, fetchedAtMs: nowMs, triedAtMs: nowMs, fault: undefined });
      this.tidy?.(refs);
      return { isChanged, fault: undefined };
    } catch (error) {
      const fault = messageOf(error);
      this.#keep({ ...before, triedAtMs: nowMs, fault });
      return { isChanged: false, fault };
    } finally {
      dropLock(lock);
    }
  }

  /**
   * Does something with the copy that nobody else may do at the same time.
   * @returns undefined when another process is at it
   */
  protected async alone<T>(work: () => Promise<T>): Promise<T | undefined> {
    const lock = join(this.folder, 'fetching');
    if (takeLock(lock) !== undefined) return undefined;
    try {
      return await work();
    } finally {
      dropLock(lock);
    }
  }

  #keep(state: CopyState): void {
    const { refs, fetchedAtMs, triedAtMs, fault } = state;
    const text = JSON.stringify({ refs: [...refs], fetchedAtMs, triedAtMs, fault });
    writeFileAtomic(join(this.folder, 'state.json'), text, { mode: 0o600 });
  }
}

const NEVER_FETCHED: CopyState = {
  refs: new Map(),
  fetchedAtMs: undefined,
  triedAtMs: 0,
  fault: undefined,
};

function sameRefs(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([name, version]) => other.get(name) === version);
}

function readState(path: string): CopyState {
  try {
    const value = JSON.parse(readTextIfExists(path) ?? 'null') as {
      refs: [string, string][];
      fetchedAtMs?: number;
      triedAtMs: number;
      fault?: string;
    } | null;
    if (value === null) return NEVER_FETCHED;
    return {
      refs: new Map(value.refs),
      fetchedAtMs: value.fetchedAtMs,
      triedAtMs: value.triedAtMs,
      fault: value.fault,
    };
  } catch {
    return NEVER_FETCHED;
  }
}
