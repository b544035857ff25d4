/**
 * The job cache for reading where jobs are kept in databases: what the embedded one knows, and what the databases know
 * besides. A return that has just come is in the embedded one first; with `ext_job_cache` returns are in the database
 * alone.
 */
import { messageOf } from '../../../errors/errors.ts';
import type { JobArchive, JobFilter, JobSummary } from '../../../storage/jobs/job-store.ts';
import type { ReturnCode, StoredReturn } from '../../../storage/jobs/stored-return.ts';
import { newestFirst, passesFilter } from '../../../storage/jobs/job-filter.ts';
import type { LedgerEntry } from '../../../storage/jobs/ledger.ts';
import { funText } from '../../../storage/jobs/job-rows.ts';
import { toNumber, type Dict } from '../../../python/values/value.ts';
import type { JidReturns, ReturnStore } from './return-store.ts';

/** A database that is asked. */
export interface NamedStore {
  readonly name: string;
  readonly store: ReturnStore;
}

/** What is read from. */
export interface MergedJobStoreDeps {
  /** The embedded job cache; without it only the databases are asked, and one that fails is an error. */
  readonly embedded?: JobArchive;
  /** Opened when the first question comes. */
  readonly databases: () => Promise<readonly NamedStore[]>;
  /** A database does not answer; called once for each. It may throw an error of its own. */
  readonly onDown: (name: string, reason: string) => void;
}

/** Reads the embedded job cache and the databases as one. */
export class MergedJobStore implements JobArchive {
  readonly #deps: MergedJobStoreDeps;
  readonly #down = new Set<string>();
  #databases: Promise<readonly NamedStore[]> | undefined;

  constructor(deps: MergedJobStoreDeps) {
    this.#deps = deps;
  }

  /** The embedded job cache alone. */
  get embedded(): JobArchive | undefined {
    return this.#deps.embedded;
  }

  async job(jid: string): Promise<Dict | undefined> {
    const known = await this.#deps.embedded?.job(jid);
    if (known !== undefined) return known;
    return (await this.#ask((store) => store.load(jid))).find((load) => load !== undefined);
  }

  async returns(jid: string): Promise<StoredReturn[]> {
    const out = [...((await this.#deps.embedded?.returns(jid)) ?? [])];
    const ids = new Set(out.map(({ id }) => id));
    const found = await this.#ask((store) => store.returns(jid));
    const fun = found.some((returns) => returns.size > 0) ? funText((await this.job(jid))?.get('fun')) : '';
    for (const ret of found.flatMap((returns) => storedReturns(jid, fun, returns))) {
      if (ids.has(ret.id)) continue;
      ids.add(ret.id);
      out.push(ret);
    }
    return out;
  }

  codes(jid: string): Promise<readonly ReturnCode[]> {
    return this.returns(jid);
  }

  async jobs(filter: JobFilter): Promise<JobSummary[]> {
    const jobs = new Map<string, JobSummary>();
    for (const loads of await this.#ask((store) => store.loads()))
      for (const [jid, load] of loads) if (passesFilter(filter, { jid, load })) jobs.set(jid, { jid, load });
    for (const job of (await this.#deps.embedded?.jobs(filter)) ?? []) jobs.set(job.jid, job);
    const sorted = newestFirst(jobs.values());
    return filter.limit === undefined ? sorted : sorted.slice(0, filter.limit);
  }

  /** What is only in a database has no ledger. A return that is there alone is found when the job is looked at. */
  async unsettled(jids: readonly string[]): Promise<ReadonlySet<string>> {
    return (await this.#deps.embedded?.unsettled(jids)) ?? new Set();
  }

  async ledger(jid: string): Promise<readonly LedgerEntry[]> {
    return (await this.#deps.embedded?.ledger(jid)) ?? [];
  }

  async close(): Promise<void> {
    const databases = (await this.#databases?.catch(() => [])) ?? [];
    this.#databases = undefined;
    await Promise.allSettled(databases.map(({ store }) => store.close()));
    await this.#deps.embedded?.close();
  }

  /** Asks every database; one that does not answer is told of, and not asked again. */
  async #ask<T>(question: (store: ReturnStore) => Promise<T>): Promise<T[]> {
    try {
      return await this.#askAll(question);
    } finally {
      // nobody closes what was opened for one call
      if (this.embedded === undefined) await this.close();
    }
  }

  async #askAll<T>(question: (store: ReturnStore) => Promise<T>): Promise<T[]> {
    const { embedded, onDown } = this.#deps;
    const out: T[] = [];
    for (const { name, store } of await (this.#databases ??= this.#deps.databases())) {
      if (this.#down.has(name)) continue;
      try {
        out.push(await question(store));
      } catch (error) {
        this.#down.add(name);
        onDown(name, messageOf(error));
        if (embedded === undefined) throw error;
      }
    }
    return out;
  }
}

function storedReturns(jid: string, fun: string, returns: JidReturns): StoredReturn[] {
  return [...returns].map(([id, ret]) => {
    const [success, retcode, out] = [ret.get('success'), toNumber(ret.get('retcode')), ret.get('out')];
    const isSuccess = success === undefined || success === true;
    const own = ret.get('fun');
    return {
      jid,
      id,
      fun: own === undefined ? fun : funText(own),
      return: ret.get('return') ?? null,
      retcode: retcode ?? (isSuccess ? 0 : 1),
      success: isSuccess,
      ...(typeof out === 'string' ? { out } : {}),
    };
  });
}
