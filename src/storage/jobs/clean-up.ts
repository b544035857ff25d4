/** What the job cache forgets: days that are over, days beyond a number of jobs or bytes, too much that has no day. */
import type { DayFiles } from './day-files.ts';
import { dayAt, UNDATED } from './job-days.ts';
import type { JobLimits, JobLimitsKept } from './job-store.ts';

/** Jobs, and returns, that are kept without a day of their own: the newest. */
const UNDATED_MAX = 10_000;

/** Forgets what is too old or too much, in the files of the days. */
export class JobCleanUp {
  readonly #files: DayFiles;
  readonly #countsOfPastDays = new Map<string, number>();

  constructor(files: DayFiles) {
    this.#files = files;
  }

  /** Forgets the days before a time. @param atMs milliseconds since 1970 */
  removeOlderThan(atMs: number): void {
    const oldest = dayAt(atMs);
    for (const name of this.#files.names()) if (name !== UNDATED && name < oldest) this.#remove(name);
    if (this.#files.isKept(UNDATED))
      // the last row stays: its number is what readers go on from
      this.#files
        .open(UNDATED)
        .db.prepare('DELETE FROM returns WHERE at < ? AND rowid < (SELECT max(rowid) FROM returns)')
        .run(atMs);
  }

  /** Forgets the oldest of what has no day, beyond a number. @returns how many jobs and returns */
  tidyUndated(): number {
    if (!this.#files.isKept(UNDATED)) return 0;
    const { db, outbox } = this.#files.open(UNDATED);
    const run = (sql: string): number => Number(db.prepare(sql).run(UNDATED_MAX).changes);
    const returns = run('DELETE FROM returns WHERE rowid <= (SELECT max(rowid) FROM returns) - ?');
    const jobs = run(
      'DELETE FROM jobs WHERE jid <= (SELECT jid FROM jobs ORDER BY jid DESC LIMIT 1 OFFSET ?)',
    );
    if (jobs > 0) db.exec('DELETE FROM ledger WHERE jid NOT IN (SELECT jid FROM jobs)');
    outbox?.keepNewest(2 * UNDATED_MAX);
    return returns + jobs;
  }

  /** Forgets the oldest days until what is left keeps to the limits, but never the newest. */
  removeBeyond({ jobsMax, bytesMax }: JobLimits): JobLimitsKept {
    let [jobs, bytes] = [0, 0];
    let isFull = false;
    const days = this.#files.newestFirst();
    for (const [index, name] of days.entries()) {
      if (!isFull) {
        jobs += this.#jobCount(name, index > 0 && name !== UNDATED);
        bytes += this.#files.bytes(name);
        isFull = (jobsMax > 0 && jobs > jobsMax) || (bytesMax > 0 && bytes > bytesMax);
        if (index === 0 || !isFull) continue;
      }
      this.#remove(name);
    }
    return { areKept: !isFull || days.length > 1, jobs, bytes };
  }

  /** Jobs of a day. Of a day that is over they are counted once. */
  #jobCount(name: string, isOver: boolean): number {
    const known = isOver ? this.#countsOfPastDays.get(name) : undefined;
    if (known !== undefined) return known;
    const { n } = this.#files.open(name).db.prepare('SELECT count(*) AS n FROM jobs').get() as { n: number };
    if (isOver) this.#countsOfPastDays.set(name, Number(n));
    return Number(n);
  }

  #remove(name: string): void {
    this.#files.remove(name);
    this.#countsOfPastDays.delete(name);
  }
}
