/**
 * The loads of recent jobs in Salt's own job cache layout, because a real `salt` command looks there whether a job exists
 * before it prints the returns it hears (salt/client/__init__.py `get_iter_returns`, 3006.16). They carry no `jid` file, which tells
 * them from the jobs that Salt has kept itself, and are removed when no command can be waiting any more (`salts-clean-up.ts`).
 */
import { rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectory, writeFileAtomic } from '../../host/files.ts';
import type { Logger } from '../../host/log.ts';
import type { Dict } from '../../python/values/value.ts';
import { encode } from '../../formats/wire/msgpack.ts';
import { LOAD_FILE, MINIONS_FILE, saltsJobFolder, saltsJobsRoot } from './salts-layout.ts';

/** Minions that are named in the mirror; lists that are longer would cost more than the job itself, and nobody waits for them. */
const MINIONS_MAX = 1_000;

/** Writes `.load.p` and `.minions.p` of a job. */
export class LoadMirror {
  readonly #cachedir: string;
  readonly #hashType: string;
  readonly #log: Logger;

  constructor(cachedir: string, hashType: string, log: Logger) {
    this.#cachedir = cachedir;
    this.#hashType = hashType;
    this.#log = log;
  }

  /** Keeps a load. A failure costs only that a real `salt` command does not see this job. @param minions whom it is meant for */
  save(jid: string, load: Dict, minions: readonly string[]): void {
    try {
      const folder = saltsJobFolder(this.#cachedir, this.#hashType, jid);
      makeDirectory(dirname(folder), 0o700);
      makeDirectory(folder, 0o700);
      const named = minions.length > MINIONS_MAX ? [] : [...minions];
      // Salt reads this file whenever there is a load, and fails when it is missing
      writeFileAtomic(join(folder, MINIONS_FILE), encode(named, 'local'), { mode: 0o600 });
      writeFileAtomic(join(folder, LOAD_FILE), encode(load, 'local'), { mode: 0o600 });
    } catch (error) {
      this.#log.warning(
        `The load of job ${jid} could not be kept in ${saltsJobsRoot(this.#cachedir)} for Salt's own programs.`,
        error,
      );
    }
  }
}

/** Removes the file that earlier versions kept among the groups, with which a real master's lists and clean-up failed. */
export function removeSharedMinions(cachedir: string): void {
  const path = join(saltsJobsRoot(cachedir), MINIONS_FILE);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) rmSync(path, { force: true });
}
