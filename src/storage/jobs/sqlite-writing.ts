/**
 * Sharing a SQLite file with other programs: waiting for those that write, and transactions that are whole or nothing.
 */
import { messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { SqliteDatabase } from './sqlite.ts';

/** How long one attempt on a file that another program writes may keep this process waiting. */
const BUSY_MS = 20;
const RETRY_MS = 50;

/** Limits how long a statement blocks this process; {@link patiently} then tries again. */
export function blockBriefly(db: SqliteDatabase): void {
  db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
}

/**
 * Tries again while another program writes, without keeping this one from its other work.
 * @param patienceMs for how long
 * @throws what the last attempt has thrown
 */
export async function patiently<T>(clock: Clock, patienceMs: number, run: () => T | Promise<T>): Promise<T> {
  const endMs = clock.monotonicMs() + patienceMs;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isBusy(error) || clock.monotonicMs() >= endMs) throw error;
    }
    await clock.sleep(RETRY_MS);
  }
}

/**
 * One transaction, which no other program writes into: all of it is on the disk afterwards, or nothing is.
 * @param run is run once, however long the file is busy before and afterwards
 * @param patienceMs how long to wait for other programs, before and afterwards
 */
export async function writeAtOnce<T>(
  db: SqliteDatabase,
  { clock, patienceMs }: { readonly clock: Clock; readonly patienceMs: number },
  run: () => T | Promise<T>,
): Promise<T> {
  await patiently(clock, patienceMs, () => db.exec('BEGIN IMMEDIATE'));
  try {
    const result = await run();
    await patiently(clock, patienceMs, () => db.exec('COMMIT'));
    return result;
  } catch (error) {
    tryRollback(db);
    throw error;
  }
}

/** Takes back what a transaction has done, after an error. */
export function tryRollback(db: SqliteDatabase): void {
  try {
    db.exec('ROLLBACK');
  } catch {
    // the failed statement has ended the transaction already
  }
}

function isBusy(error: unknown): boolean {
  return /database (table )?is locked|SQLITE_BUSY/.test(messageOf(error));
}
