/** Lists of what the job cache keeps: its jobs, newest first, and its returns in the order in which they were kept. */
import type { DayFiles } from './day-files.ts';
import { UNDATED } from './job-days.ts';
import { loadOf, type LoadRow, type ReturnRow } from './job-rows.ts';
import type { JobFilter, JobSummary } from './job-store.ts';
import type { SqliteDatabase } from './sqlite.ts';

/** Orders behind every jid. */
const JID_LAST = '~';
/** Jobs read at once for a list: enough to be quick, few enough for one wanted job to cost little. */
const LIST_PAGE = 1000;

/** One return in the order in which returns were kept. */
export interface KeptRow {
  /** The day's file. */
  readonly day: string;
  /** Grows with each return of the day. */
  readonly row: number;
  readonly jid: string;
  readonly id: string;
  readonly fun: string;
  /** When it was kept, milliseconds since 1970. */
  readonly atMs: number;
}

/** The jobs that a filter wants, newest first. */
export function listJobs(files: DayFiles, filter: JobFilter): JobSummary[] {
  const out: JobSummary[] = [];
  const { limit = Infinity, fromJid = '', toJid = JID_LAST } = filter;
  for (const name of files.newestFirst()) {
    if (out.length >= limit) break;
    if (name !== UNDATED && (name < fromJid.slice(0, 8) || name > toJid.slice(0, 8))) continue;
    readDay(files.open(name).db, filter, out);
  }
  return out;
}

/** Adds a day's jobs, newest first, until the filter's limit is reached. */
function readDay(db: SqliteDatabase, filter: JobFilter, out: JobSummary[]): void {
  const { limit = Infinity, fun, wantsFun, fromJid = '', toJid = JID_LAST, accepts, withoutMinions } = filter;
  const sql =
    `SELECT jid, fun, load${withoutMinions ? '' : ', minions'} FROM jobs WHERE jid >= ? AND jid < ?` +
    `${fun === undefined ? '' : ' AND fun = ?'} ORDER BY jid DESC LIMIT ${LIST_PAGE}`;
  const statement = db.prepare(sql);
  let before = toJid + JID_LAST;
  for (;;) {
    const rows = statement.all(fromJid, before, ...(fun === undefined ? [] : [fun])) as (LoadRow & {
      jid: string;
      fun: string;
    })[];
    for (const row of rows) {
      if (wantsFun !== undefined && !wantsFun(row.fun)) continue;
      const job = { jid: row.jid, load: loadOf(row) };
      if (accepts === undefined || accepts(job)) out.push(job);
      if (out.length >= limit) return;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < LIST_PAGE) return;
    before = last.jid;
  }
}

/**
 * Returns in the order in which they were kept, day by day.
 * @param after the last row of each day that is not wanted any more
 */
export function keptAfter(files: DayFiles, after: ReadonlyMap<string, number>, limit: number): KeptRow[] {
  const out: KeptRow[] = [];
  const sql = 'SELECT rowid AS row, jid, id, fun, at FROM returns WHERE rowid > ? ORDER BY rowid LIMIT ?';
  for (const day of files.names().sort()) {
    if (out.length >= limit) break;
    const rows = files
      .open(day)
      .db.prepare(sql)
      .all(after.get(day) ?? 0, limit - out.length);
    for (const { row, jid, id, fun, at } of rows as (ReturnRow & { row: number })[])
      out.push({ day, row: Number(row), jid, id, fun, atMs: Number(at ?? 0) });
  }
  return out;
}

/** The last row of each day. */
export function lastRows(files: DayFiles): Map<string, number> {
  const lastOf = (day: string): number => {
    const last = files.open(day).db.prepare('SELECT max(rowid) AS row FROM returns').get();
    return Number((last as { row: number | null }).row ?? 0);
  };
  return new Map(files.names().map((day) => [day, lastOf(day)]));
}
