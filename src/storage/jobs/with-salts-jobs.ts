/** The embedded job cache for reading, with the jobs that a master of Salt has kept in the same `cachedir`. */
import type { Dict } from '../../python/values/value.ts';
import { newestFirst } from './job-filter.ts';
import type { JobArchive, JobFilter, JobSummary } from './job-store.ts';
import type { ReturnCode, StoredReturn } from './stored-return.ts';
import type { LedgerEntry } from './ledger.ts';
import type { SaltsJobs } from './salts-jobs.ts';

/** Reads both job caches as one. What both know is ours. */
export class WithSaltsJobs implements JobArchive {
  readonly #own: JobArchive;
  readonly #salts: SaltsJobs;

  constructor(own: JobArchive, salts: SaltsJobs) {
    this.#own = own;
    this.#salts = salts;
  }

  async job(jid: string): Promise<Dict | undefined> {
    return (await this.#own.job(jid)) ?? this.#salts.job(jid);
  }

  /** A minion that was busy when Salt's master ended may have returned to ours. */
  async returns(jid: string): Promise<StoredReturn[]> {
    const own = await this.#own.returns(jid);
    const ids = new Set(own.map(({ id }) => id));
    const earlier = (await this.#salts.returns(jid)).filter(({ id }) => !ids.has(id));
    return [...earlier, ...own];
  }

  async codes(jid: string): Promise<ReturnCode[]> {
    const own = await this.#own.codes(jid);
    const ids = new Set(own.map(({ id }) => id));
    const earlier = (await this.#salts.returns(jid)).filter(({ id }) => !ids.has(id));
    return [...earlier, ...own];
  }

  async jobs(filter: JobFilter): Promise<JobSummary[]> {
    const own = await this.#own.jobs(filter);
    const { limit } = filter;
    // of Salt's, only those that are newer than what there is enough of
    const last = limit !== undefined && own.length >= limit ? own.at(-1)?.jid : undefined;
    const from = [filter.fromJid, last].filter((jid) => jid !== undefined).sort();
    const fromJid = from.at(-1);
    const salts = await this.#salts.jobs({ ...filter, ...(fromJid === undefined ? {} : { fromJid }) });
    const jobs = new Map([...salts, ...own].map((job) => [job.jid, job]));
    const sorted = newestFirst(jobs.values());
    return limit === undefined ? sorted : sorted.slice(0, limit);
  }

  /** Salt keeps no ledger: its jobs are over once they are old. */
  unsettled(jids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#own.unsettled(jids);
  }

  ledger(jid: string): Promise<readonly LedgerEntry[]> {
    return this.#own.ledger(jid);
  }

  close(): Promise<void> {
    return this.#own.close();
  }
}
