/** What the log says while the disk takes nothing for the job cache, and once it takes something again. */
import { codeOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { diskRefusal, spokenError } from '../../host/disk-refusal.ts';
import type { Logger } from '../../host/log.ts';
import { rareLines, type RareLines } from '../../host/rare-lines.ts';

/** The kind of refusals that end when there is room. */
const DISK = 'disk';

/** Lines about the writes of the process that owns the job cache. */
export class JobCacheLines {
  readonly #log: Logger;
  readonly #tell: RareLines;

  constructor(clock: Pick<Clock, 'monotonicMs'>, log: Logger) {
    this.#log = log;
    this.#tell = rareLines(clock, (text, error) => log.error(text, error));
  }

  /** A write was refused. */
  refused(error: Error): void {
    const isOfDisk = codeOf(error) === 'disk-refuses' || diskRefusal(error) !== undefined;
    const what = isOfDisk
      ? 'The disk refuses what the job cache is to keep. Jobs are not published, and minions keep their returns, until it takes them'
      : 'The job cache could not keep something. Its job is not published, or its minion keeps the return and gives it again';
    this.#tell(isOfDisk ? DISK : '', `${what}: ${spokenError(error)}`, error);
  }

  /** A write has reached the disk. */
  taken(): void {
    const count = this.#tell.over(DISK);
    if (count > 0)
      this.#log.warning(
        `The disk takes again what the job cache is to keep (attempts that it refused: ${count}).`,
      );
  }

  /** Runs what is tried again by itself a little later. @throws what says nothing of a disk */
  watching(run: () => void): void {
    try {
      run();
    } catch (error) {
      if (diskRefusal(error) === undefined) throw error;
      this.refused(error as Error);
    }
  }
}
