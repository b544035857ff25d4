/**
 * The job cache's embedded default: SQLite files in `<cachedir>/job_cache`, one for each day of jids, so that
 * forgetting a day is removing a file however much it holds. One process writes (the master's Maintenance), any number
 * reads.
 */
import { makeDirectory } from '../../host/files.ts';
import { closeToOthers } from '../../host/loose-modes.ts';
import type { Dict } from '../../python/values/value.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';
import { JobCleanUp } from './clean-up.ts';
import type { Day, DayOptions } from './day-file.ts';
import { DayFiles } from './day-files.ts';
import { GroupCommit, type CommitWatch } from './group-commit.ts';
import { dayOf, UNDATED, type DayWindow } from './job-days.ts';
import {
  codeOf,
  entryOf,
  funText,
  loadOf,
  returnOf,
  type CodeRow,
  type LedgerRow,
  type ReturnRow,
} from './job-rows.ts';
import type {
  JobFilter,
  JobLimits,
  JobLimitsKept,
  JobArchive,
  JobJanitor,
  JobWriter,
  JobSummary,
} from './job-store.ts';
import type { ReturnCode, StoredReturn } from './stored-return.ts';
import { lateOutcomes } from './late-returns.ts';
import type { JobOutcome, LedgerEntry } from './ledger.ts';
import { keptAfter, lastRows, listJobs, type KeptRow } from './list-jobs.ts';
import { blobBytes, type Blob, type SqliteDatabase } from './sqlite.ts';

/** Where and how. */
export interface SqliteStoreOptions extends DayOptions {
  readonly directory: string;
  /** The days that may be begun; every day, without it. What is of another one is kept with the undated. */
  readonly days?: DayWindow;
  /** Told of a jid of a day that is not begun. @param id who returned with it */
  readonly onStrayDay?: (jid: string, id: string | undefined) => void;
  /** Told when a minion that was given up has returned after all. */
  readonly onLate?: (jid: string, outcome: JobOutcome) => void;
  readonly watch?: CommitWatch;
}

/** The store. Writes that come together are committed together, and acknowledged after the commit. */
export class SqliteJobStore implements JobArchive, JobWriter, JobJanitor {
  /**
   * `strayDays` jobs and returns of a day that was not begun for them, `undatedForgotten` because there were too many.
   */
  readonly counters = { strayDays: 0, undatedForgotten: 0 };
  readonly #options: SqliteStoreOptions;
  readonly #writes: GroupCommit;
  readonly #files: DayFiles;
  readonly #cleanUp: JobCleanUp;

  constructor(options: SqliteStoreOptions) {
    this.#options = options;
    this.#writes = new GroupCommit(options.watch);
    if (!options.readOnly) {
      makeDirectory(options.directory, 0o700);
      closeToOthers(options.directory);
    }
    this.#files = new DayFiles(options.directory, options, (day) => this.#writes.holds(day));
    this.#cleanUp = new JobCleanUp(this.#files);
  }

  /** What all of it takes on the disk. */
  bytes(): number {
    return this.#files.names().reduce((sum, name) => sum + this.#files.bytes(name), 0);
  }

  // what can be wrong with the content of one write is found out before it joins the others
  async saveJob(jid: string, load: Dict, minions: readonly string[]): Promise<boolean> {
    const fun = funText(load.get('fun'));
    const lists = encode({ '': minions }, 'local');
    const body = encode(load, 'local');
    return this.#writes.add(() => {
      const { insertJob, outbox } = this.#day(jid);
      const isNew = Number(insertJob.run(jid, fun, body, lists).changes) > 0;
      if (isNew) outbox?.addJob(jid);
      return isNew;
    });
  }

  async addMinions(jid: string, minions: readonly string[], syndicId: string): Promise<void> {
    await this.#writes.add(() => {
      const { db } = this.#day(jid);
      const row = db.prepare('SELECT minions FROM jobs WHERE jid = ?').get(jid) as
        { minions: Blob } | undefined;
      if (row === undefined) return false;
      const lists = decode(blobBytes(row.minions), 'local') as Dict;
      lists.set(syndicId, [...minions]);
      db.prepare('UPDATE jobs SET minions = ? WHERE jid = ?').run(encode(lists, 'local'), jid);
      return true;
    });
  }

  async saveReturn(ret: StoredReturn): Promise<boolean> {
    const body = encode(ret.return, 'local');
    return this.#writes.add(() => {
      const { insertReturn, judged, outbox } = this.#day(ret.jid, ret.id);
      const { jid, id, fun, retcode, success, out = null, atMs = null } = ret;
      const isNew =
        Number(insertReturn.run(jid, id, fun, retcode, success ? 1 : 0, out, body, atMs).changes) > 0;
      if (isNew) outbox?.addReturn(jid, id, ret.more);
      if (isNew && judged.has(jid)) this.#lookForLate(jid, [id]);
      return isNew;
    });
  }

  async note(jid: string, entries: readonly LedgerEntry[]): Promise<void> {
    await this.#writes.add(() => {
      if (this.#files.existing(jid) === undefined) return false;
      const { db, note, judged } = this.#day(jid);
      if (db.prepare('SELECT 1 FROM jobs WHERE jid = ?').get(jid) === undefined) return false;
      for (const { id, receivedMs = null, absentSince = null, verdict } of entries) {
        const { kind = null, atMs = null, detail = null } = verdict ?? {};
        note.run(jid, id, receivedMs, absentSince, kind, atMs, detail);
      }
      const given = entries.filter(({ verdict }) => verdict !== undefined).map(({ id }) => id);
      if (given.length === 0) return true;
      judged.add(jid);
      this.#lookForLate(jid, given);
      return true;
    });
  }

  async ledger(jid: string): Promise<LedgerEntry[]> {
    const day = this.#files.existing(jid);
    return day === undefined ? [] : ledgerOf(day.db, jid);
  }

  /** Tells of those of these minions that have both a verdict and a return. */
  #lookForLate(jid: string, ids: readonly string[]): void {
    const { onLate } = this.#options;
    const db = this.#files.existing(jid)?.db;
    if (onLate === undefined || db === undefined) return;
    for (const outcome of lateOutcomes(db, jid, ids)) onLate(jid, outcome);
  }

  async job(jid: string): Promise<Dict | undefined> {
    const row = this.#files
      .existing(jid)
      ?.db.prepare('SELECT load, minions FROM jobs WHERE jid = ?')
      .get(jid);
    return row === undefined ? undefined : loadOf(row as { load: Blob; minions: Blob });
  }

  async returns(jid: string): Promise<StoredReturn[]> {
    const rows =
      this.#files.existing(jid)?.db.prepare('SELECT * FROM returns WHERE jid = ? ORDER BY rowid').all(jid) ??
      [];
    return (rows as ReturnRow[]).map(returnOf);
  }

  async codes(jid: string): Promise<ReturnCode[]> {
    const day = this.#files.existing(jid);
    return day === undefined ? [] : codesOf(day.db, jid);
  }

  async unsettled(jids: readonly string[]): Promise<ReadonlySet<string>> {
    const byDay = new Map<Day, string[]>();
    for (const jid of jids) {
      const day = this.#files.existing(jid);
      if (day === undefined) continue;
      const known = byDay.get(day);
      if (known === undefined) byDay.set(day, [jid]);
      else known.push(jid);
    }
    return new Set([...byDay].flatMap(([{ db }, own]) => unsettledOf(db, own)));
  }

  /** One return, without looking at the others of its job. */
  returned(jid: string, id: string): StoredReturn | undefined {
    const row = this.#files
      .existing(jid)
      ?.db.prepare('SELECT * FROM returns WHERE jid = ? AND id = ?')
      .get(jid, id);
    return row === undefined ? undefined : returnOf(row as ReturnRow);
  }

  async jobs(filter: JobFilter): Promise<JobSummary[]> {
    return listJobs(this.#files, filter);
  }

  /**
   * Returns in the order in which they were kept, day by day.
   * @param after the last row of each day that is not wanted any more
   */
  keptAfter(after: ReadonlyMap<string, number>, limit: number): KeptRow[] {
    return keptAfter(this.#files, after, limit);
  }

  /** The last row of each day. */
  lastRows(): Map<string, number> {
    return lastRows(this.#files);
  }

  async removeOlderThan(atMs: number): Promise<void> {
    this.#cleanUp.removeOlderThan(atMs);
  }

  /** Forgets the oldest of what has no day, beyond a number. @returns how many jobs and returns */
  async tidyUndated(): Promise<number> {
    const forgotten = this.#cleanUp.tidyUndated();
    this.counters.undatedForgotten += forgotten;
    return forgotten;
  }

  async removeBeyond(limits: JobLimits): Promise<JobLimitsKept> {
    return this.#cleanUp.removeBeyond(limits);
  }

  /** Moves what was written from the log into the files; called now and then by the writing process. */
  checkpoint(): void {
    this.#files.checkpoint();
  }

  async close(): Promise<void> {
    this.#writes.commit();
    await this.#writes.settled();
    this.#files.close();
  }

  /** The day to write to. */
  #day(jid: string, id?: string): Day {
    const day = this.#files.open(this.#fileFor(jid, id));
    this.#writes.take(day);
    return day;
  }

  /** Where to write. */
  #fileFor(jid: string, id: string | undefined): string {
    const { days, onStrayDay } = this.#options;
    const name = dayOf(jid);
    const mayBe = name === UNDATED || days === undefined || days.holds(name);
    if (mayBe || this.#files.isOpen(name) || this.#files.isKept(name)) return name;
    this.counters.strayDays++;
    onStrayDay?.(jid, id);
    return UNDATED;
  }
}

function ledgerOf(db: SqliteDatabase, jid: string): LedgerEntry[] {
  if (!hasLedger(db)) return [];
  return (db.prepare('SELECT * FROM ledger WHERE jid = ?').all(jid) as LedgerRow[]).map(entryOf);
}

function unsettledOf(db: SqliteDatabase, jids: readonly string[]): string[] {
  if (!hasLedger(db)) return [];
  const sorted = [...jids].sort();
  const rows = db
    .prepare(
      'SELECT DISTINCT jid FROM ledger AS l WHERE jid >= ? AND jid <= ? AND NOT EXISTS (SELECT 1 FROM returns AS r WHERE r.jid = l.jid AND r.id = l.id)',
    )
    .all(sorted[0] ?? '', sorted.at(-1) ?? '') as { readonly jid: string }[];
  const asked = new Set(jids);
  return rows.map(({ jid }) => jid).filter((jid) => asked.has(jid));
}

/** A reader may meet a file of an earlier version. */
function hasLedger(db: SqliteDatabase): boolean {
  return db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'ledger'").get() !== undefined;
}

function codesOf(db: SqliteDatabase, jid: string): ReturnCode[] {
  // a file of an earlier version that nobody has written to since does not say when a return came
  const hasTimes =
    db.prepare("SELECT 1 FROM pragma_table_info('returns') WHERE name = 'at'").get() !== undefined;
  const sql = `SELECT id, retcode, success${hasTimes ? ', at' : ''} FROM returns WHERE jid = ? ORDER BY rowid`;
  return (db.prepare(sql).all(jid) as CodeRow[]).map(codeOf);
}
