/**
 * The loads of recent jobs in Salt's own job cache layout, because a real `salt` command looks there whether a job exists
 * before it prints the returns it hears (salt/client/__init__.py `get_iter_returns`, 3006.16). Two inodes a job, kept only
 * as long as a command may be waiting.
 */
import { createHash } from 'node:crypto';
import { existsSync, linkSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../host/clock.ts';
import { makeDirectory, writeFileAtomic } from '../host/files.ts';
import type { Logger } from '../host/log.ts';
import type { Dict } from '../values/value.ts';
import { encode } from '../wire/msgpack.ts';

/** Below the root, beside the groups. */
const SHARED_MINIONS = '.minions.p';

/** Writes `<cachedir>/jobs/<h[:2]>/<h[2:]>/.load.p`. */
export class LoadMirror {
  readonly #root: string;
  readonly #hashType: string;
  readonly #log: Logger;

  constructor(cachedir: string, hashType: string, log: Logger) {
    this.#root = join(cachedir, 'jobs');
    this.#hashType = hashType;
    this.#log = log;
  }

  /** Keeps a load. A failure costs only that a real `salt` command does not see this job. */
  save(jid: string, load: Dict): void {
    try {
      const hash = createHash(this.#hashType).update(jid).digest('hex');
      const group = join(this.#root, hash.slice(0, 2));
      const directory = join(group, hash.slice(2));
      makeDirectory(group, 0o755);
      makeDirectory(directory, 0o755);
      writeFileAtomic(join(directory, '.load.p'), encode(load, 'local'), { mode: 0o600 });
      this.#linkMinions(join(directory, '.minions.p'));
    } catch (error) {
      this.#log.warning(
        `The load of job ${jid} could not be kept in ${this.#root} for Salt's own programs.`,
        error,
      );
    }
  }

  /** Salt reads this file too and complains when it is missing; all jobs share one, so it costs no inode. */
  #linkMinions(path: string): void {
    const shared = join(this.#root, SHARED_MINIONS);
    try {
      if (!existsSync(shared)) writeFileAtomic(shared, encode([], 'local'), { mode: 0o600 });
      linkSync(shared, path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EEXIST') writeFileAtomic(path, encode([], 'local'), { mode: 0o600 });
    }
  }

  /** Removes loads older than `ageMs`. */
  removeOlderThan(ageMs: number, clock: Clock): void {
    const before = clock.nowMs() - ageMs;
    for (const group of names(this.#root)) {
      for (const name of names(join(this.#root, group))) {
        const path = join(this.#root, group, name);
        const stat = statSync(path, { throwIfNoEntry: false });
        if (stat !== undefined && stat.mtimeMs < before) rmSync(path, { recursive: true, force: true });
      }
    }
  }
}

function names(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
