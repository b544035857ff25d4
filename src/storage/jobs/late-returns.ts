/** Minions of a job that were given up and have returned after all. */
import { jidTimeMs } from './jid.ts';
import { entryOf, returnOf, type LedgerRow, type ReturnRow } from './job-rows.ts';
import { judgeJob, type JobOutcome } from './ledger.ts';
import type { SqliteDatabase } from './sqlite.ts';

/** What has become of those of these minions that have both a verdict and a return. */
export function lateOutcomes(db: SqliteDatabase, jid: string, ids: readonly string[]): JobOutcome[] {
  const statement = db.prepare(
    'SELECT r.*, l.received, l.absent, l.kind, l.judged, l.detail FROM returns r JOIN ledger l USING (jid, id) ' +
      'WHERE r.jid = ? AND r.id = ? AND l.kind IS NOT NULL',
  );
  const evidence = { publishedMs: jidTimeMs(jid), minions: [], presence: new Map(), nowMs: 0, patienceMs: 0 };
  return ids.flatMap((id) => {
    const row = statement.get(jid, id) as (ReturnRow & LedgerRow) | undefined;
    if (row === undefined) return [];
    return judgeJob({ ...evidence, returns: [returnOf(row)], entries: [entryOf(row)] }).slice(0, 1);
  });
}
