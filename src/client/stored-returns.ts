/** What the job cache already has of a job, read beside the running master. */
import { jobCacheDirectory } from '../config/job-caches.ts';
import type { MasterOptions } from '../config/master-options.ts';
import type { LedgerEntry } from '../jobs/ledger.ts';
import { SqliteJobStore } from '../jobs/sqlite-store.ts';
import { dict, type Dict } from '../values/value.ts';

/** The returns of a job as the events that announced them. Empty when the cache cannot be read. */
export async function storedReturns(opts: MasterOptions, jid: string): Promise<Dict[]> {
  const store = openCache(opts);
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
export async function storedLedger(opts: MasterOptions, jid: string): Promise<LedgerEntry[]> {
  const store = openCache(opts);
  try {
    return await store.ledger(jid);
  } finally {
    await store.close();
  }
}

/** What was published under a jid, with the expected minions in `Minions`; undefined for an unknown one. */
export async function storedJob(opts: MasterOptions, jid: string): Promise<Dict | undefined> {
  const store = openCache(opts);
  try {
    return await store.job(jid);
  } finally {
    await store.close();
  }
}

function openCache(opts: MasterOptions): SqliteJobStore {
  return new SqliteJobStore({ directory: jobCacheDirectory(opts.get('cachedir')), readOnly: true });
}
