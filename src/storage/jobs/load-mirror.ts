/**
 * The loads of recent jobs in Salt's own job cache layout, because a real `salt` command looks there whether a job
 * exists before it prints the returns it hears (salt/client/__init__.py `get_iter_returns`, 3006.16). They carry no
 * `jid` file, which tells them from the jobs that Salt has kept itself, and are removed when no command can be waiting
 * any more (`salts-clean-up.ts`).
 */
import { chmodSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { makeDirectory, writeFileAtomic } from '../../host/files.ts';
import type { Logger } from '../../host/log.ts';
import { rareLines } from '../../host/rare-lines.ts';
import type { Dict } from '../../python/values/value.ts';
import { encode } from '../../formats/wire/msgpack.ts';
import { LOAD_FILE, MINIONS_FILE, saltsJobFolder, saltsJobsRoot } from './salts-layout.ts';

/**
 * Minions that are named in the mirror; lists that are longer would cost more than the job itself, and nobody waits for
 * them.
 */
const MINIONS_MAX = 1_000;

/** Where loads are written, and who may look. */
export interface LoadMirrorOptions {
  readonly cachedir: string;
  /** The option `hash_type`. */
  readonly hashType: string;
  /** Whether the group of the master's user may hear the event bus: then it may look for its own jobs, too. */
  readonly isShared?: boolean;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Logger;
}

/** Writes `.load.p` and `.minions.p` of a job. */
export class LoadMirror {
  readonly #options: LoadMirrorOptions;
  readonly #tell: (kind: string, text: string) => void;

  constructor(options: LoadMirrorOptions) {
    this.#options = options;
    this.#tell = rareLines(options.clock, (text) => options.log.warning(text));
  }

  /**
   * Keeps a load. A failure costs only that a real `salt` command does not see this job.
   *
   * Salt compat: Salt's files are readable for everybody. Here only the group that hears the event bus can open the job
   * of a user with limited rights, if it knows the job's id, and finds no arguments in it: Salt's client looks whether
   * there is a load, and no further.
   *
   * @param minions whom it is meant for
   * @param isLimited whether the job is that of a user whose command may run without the rights of the master's user
   */
  save(jid: string, load: Dict, minions: readonly string[], isLimited: boolean): void {
    const { cachedir, hashType, isShared } = this.#options;
    try {
      const folder = saltsJobFolder(cachedir, hashType, jid);
      const isOpen = isShared === true && isLimited;
      makeDirectory(dirname(folder), 0o700);
      if (isOpen) openToGroup(dirname(folder));
      makeDirectory(folder, isOpen ? 0o750 : 0o700);
      const mode = isOpen ? 0o640 : 0o600;
      const named = minions.length > MINIONS_MAX || isOpen ? [] : [...minions];
      const kept: Dict = isOpen ? new Map([...load, ['arg', []]]) : load;
      // Salt reads this file whenever there is a load, and fails when it is missing
      writeFileAtomic(join(folder, MINIONS_FILE), encode(named, 'local'), { mode });
      writeFileAtomic(join(folder, LOAD_FILE), encode(kept, 'local'), { mode });
    } catch (error) {
      this.#tell(
        '',
        `The load of job ${jid} could not be kept in ${saltsJobsRoot(cachedir)} for Salt's own programs: ${messageOf(error)}`,
      );
    }
  }
}

/** Lets the group of a folder pass through it to what it knows the name of, without seeing what there is. */
export function openToGroup(folder: string): void {
  const { mode } = statSync(folder);
  if ((mode & 0o010) === 0) chmodSync(folder, (mode & 0o777) | 0o010);
}

/**
 * Removes the file that earlier versions kept among the groups, with which a real master's lists and clean-up failed.
 */
export function removeSharedMinions(cachedir: string): void {
  const path = join(saltsJobsRoot(cachedir), MINIONS_FILE);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) rmSync(path, { force: true });
}
