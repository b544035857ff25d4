/** What the job cache already has of a job, read beside the running master. */
import { jobCacheDirectory } from '../../config/job-caches.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import { silentLogger, type Logger } from '../../host/log.ts';
import type { JobArchive } from '../../storage/jobs/job-store.ts';
import type { LedgerEntry } from '../../storage/jobs/ledger.ts';
import { SaltsJobs } from '../../storage/jobs/salts-jobs.ts';
import { SqliteJobStore } from '../../storage/jobs/sqlite-store.ts';
import { WithSaltsJobs } from '../../storage/jobs/with-salts-jobs.ts';
import { dict, type Dict } from '../../python/values/value.ts';

/** The returns of a job as the events that announced them. Empty when the cache cannot be read. */
export async function storedReturns(opts: MasterOptions, jid: string): Promise<Dict[]> {
  const store = openJobCache(opts, silentLogger);
  try {
    const returns = await store.returns(jid);
    return returns.map(({ id, fun, return: value, retcode, success, out }) =>
      dict({ jid, id, fun, return: value, retcode, success, out }),
    );
  } finally {
    await store.close();
  }
}

/** What is known of a job's minions besides their returns. */
export async function storedLedger(opts: MasterOptions, jid: string): Promise<readonly LedgerEntry[]> {
  const store = openJobCache(opts, silentLogger);
  try {
    return await store.ledger(jid);
  } finally {
    await store.close();
  }
}

/** What was published under a jid, with the expected minions in `Minions`; undefined for an unknown one. */
export async function storedJob(opts: MasterOptions, jid: string): Promise<Dict | undefined> {
  const store = openJobCache(opts, silentLogger);
  try {
    return await store.job(jid);
  } finally {
    await store.close();
  }
}

/** The embedded job cache for reading, with the jobs that Salt has kept in the same `cachedir`. */
export function openJobCache(opts: MasterOptions, log: Logger): JobArchive {
  const cachedir = opts.get('cachedir');
  return new WithSaltsJobs(
    new SqliteJobStore({ directory: jobCacheDirectory(cachedir), readOnly: true }),
    new SaltsJobs({ cachedir, hashType: opts.get('hash_type'), log }),
  );
}
