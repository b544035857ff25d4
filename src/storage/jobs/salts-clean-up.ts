/**
 * What is removed from the folders in which Salt keeps jobs: Salt's own jobs when `keep_jobs_seconds` have passed, as
 * Salt would (salt/returners/local_cache.py `clean_old_jobs`, 3006.16), and the loads that our master lends to Salt's
 * commands (`load-mirror.ts`) as soon as no command can wait for them.
 */
import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../host/clock.ts';
import { GROUP_NAME, JID_FILE, JOB_NAME, saltsJobsRoot } from './salts-layout.ts';

/** A real `salt` command looks for the load of its job within seconds; an hour is generous. */
const LENT_MS = 3_600_000;
/** Groups for one round, of 256: a job cache of Salt may hold hundreds of thousands of folders. */
const GROUPS_PER_ROUND = 16;

/** What is kept, and for how long. */
export interface SaltsCleanUpOptions {
  /** The master's. */
  readonly cachedir: string;
  /** `keep_jobs_seconds`; 0 keeps Salt's jobs for ever. */
  readonly keepSeconds: number;
  readonly clock: Clock;
}

/** Goes through a part of the folders at each round, so that none takes long. */
export class SaltsCleanUp {
  readonly #options: SaltsCleanUpOptions;
  #waiting: string[] = [];

  constructor(options: SaltsCleanUpOptions) {
    this.#options = options;
  }

  /** One round. @returns how many jobs were removed */
  async round(): Promise<number> {
    const root = saltsJobsRoot(this.#options.cachedir);
    if (this.#waiting.length === 0)
      this.#waiting = (await namesIn(root)).filter((name) => GROUP_NAME.test(name));
    let removed = 0;
    for (const group of this.#waiting.splice(0, GROUPS_PER_ROUND))
      removed += await this.#clean(join(root, group));
    return removed;
  }

  async #clean(group: string): Promise<number> {
    let removed = 0;
    for (const name of (await namesIn(group)).filter((each) => JOB_NAME.test(each))) {
      const folder = join(group, name);
      if (!(await this.#isOver(folder))) continue;
      await rm(folder, { recursive: true, force: true });
      removed++;
    }
    // fails where there is still something in it, or a job has just come
    if (removed > 0) await rmdir(group).catch(() => undefined);
    return removed;
  }

  async #isOver(folder: string): Promise<boolean> {
    const { keepSeconds, clock } = this.#options;
    const jid = await stat(join(folder, JID_FILE)).catch(() => undefined);
    if (jid !== undefined) return keepSeconds > 0 && clock.nowMs() - jid.ctimeMs > keepSeconds * 1000;
    const lent = await stat(folder).catch(() => undefined);
    return lent !== undefined && clock.nowMs() - lent.mtimeMs > LENT_MS;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}
