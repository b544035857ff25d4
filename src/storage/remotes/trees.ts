/**
 * Versions of a remote source as folders that never change, made when they are first asked for and shared by all
 * processes.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../host/clock.ts';
import { safeJoin } from '../../host/files.ts';
import type { Random } from '../../host/random.ts';

/** Trees that are kept at most of one repository; of those that nothing names the oldest go first. */
const TREES_MAX = 512;
/** A tree that nothing names any more may still be read by somebody who has just found a file in it. */
const TREE_GRACE_MS = 10 * 60_000;

/** What trees are made with. */
export interface TreesDeps {
  /** Their folder. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** The trees of one repository: `<version>`, or `<version>-<which part of it>`. */
export class Trees {
  readonly #deps: TreesDeps;
  readonly #making = new Map<string, Promise<string | undefined>>();

  constructor(deps: TreesDeps) {
    this.#deps = deps;
  }

  /**
   * The folder of a tree.
   * @param make fills a new folder; false when there is no such tree
   * @param named versions that something names now
   */
  get(
    name: string,
    make: (draft: string) => Promise<boolean>,
    named: () => ReadonlySet<string>,
  ): Promise<string | undefined> {
    const path = safeJoin(this.#deps.folder, name);
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) return Promise.resolve(path);
    let running = this.#making.get(name);
    if (running === undefined) {
      running = this.#make(path, make, named).finally(() => this.#making.delete(name));
      this.#making.set(name, running);
    }
    return running;
  }

  async #make(
    path: string,
    make: (draft: string) => Promise<boolean>,
    named: () => ReadonlySet<string>,
  ): Promise<string | undefined> {
    const draft = `${path}.${process.pid}.${this.#deps.random.bytes(6).toString('hex')}`;
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    try {
      if (!(await make(draft))) return undefined;
      renameSync(draft, path);
    } catch (error) {
      // another process was faster
      if (statSync(path, { throwIfNoEntry: false }) === undefined) throw error;
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
    const nowSeconds = this.#deps.clock.nowMs() / 1000;
    utimesSync(path, nowSeconds, nowSeconds);
    this.#bound(named());
    return path;
  }

  /** Removes trees of versions that nothing names any more, and drafts of processes that were killed. */
  forget(named: ReadonlySet<string>): void {
    const beforeMs = this.#deps.clock.nowMs() - TREE_GRACE_MS;
    for (const { name, path, mtimeMs } of this.#all())
      if (!named.has(versionOf(name)) || name.includes('.'))
        if (mtimeMs < beforeMs) rmSync(path, { recursive: true, force: true });
  }

  #bound(named: ReadonlySet<string>): void {
    const trees = this.#all();
    if (trees.length <= TREES_MAX) return;
    const unnamed = trees.filter(({ name }) => !named.has(versionOf(name)));
    unnamed.sort((one, other) => one.mtimeMs - other.mtimeMs);
    for (const { path } of unnamed.slice(0, trees.length - TREES_MAX))
      rmSync(path, { recursive: true, force: true });
  }

  #all(): { name: string; path: string; mtimeMs: number }[] {
    return namesIn(this.#deps.folder).flatMap((name) => {
      const path = join(this.#deps.folder, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat === undefined ? [] : [{ name, path, mtimeMs: stat.mtimeMs }];
    });
  }
}

const versionOf = (name: string): string => name.split(/[-.]/)[0] ?? '';

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
