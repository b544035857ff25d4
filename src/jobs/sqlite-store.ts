/**
 * The job cache's embedded default: SQLite files in `<cachedir>/job_cache`, one for each day of jids, so that forgetting
 * a day is removing a file however much it holds. One process writes (the master's Maintenance), any number reads.
 */
import { existsSync, linkSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../host/files.ts';
import { isDict, type Dict, type Value } from '../values/value.ts';
import { decode, encode } from '../wire/msgpack.ts';
import { jidTimeMs } from './jid.ts';
import { dayAt, dayOf, UNDATED, type DayWindow } from './job-days.ts';
import type { JobFilter, JobLimits, JobLimitsKept, JobStore, JobSummary, StoredReturn } from './job-store.ts';
import { judgeJob, type JobOutcome, type LedgerEntry, type OutcomeKind } from './ledger.ts';
import { JobOutbox } from './outbox.ts';
import { blobBytes, openSqlite, type Blob, type SqliteDatabase, type SqliteStatement } from './sqlite.ts';

/** Jobs, and returns, that are kept without a day of their own: the newest. */
const UNDATED_MAX = 10_000;
/** Orders behind every jid. */
const JID_LAST = '~';
/** Jobs read at once for a list: enough to be quick, few enough for one wanted job to cost little. */
const LIST_PAGE = 1000;
/** Open day files kept at hand. */
const OPEN_DAYS_MAX = 4;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS jobs (
    jid TEXT PRIMARY KEY, fun TEXT NOT NULL, load BLOB NOT NULL, minions BLOB NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS returns (
    jid TEXT NOT NULL, id TEXT NOT NULL, fun TEXT NOT NULL, retcode INTEGER NOT NULL, success INTEGER NOT NULL,
    out TEXT, ret BLOB NOT NULL, at REAL, PRIMARY KEY (jid, id)
  );
  CREATE TABLE IF NOT EXISTS ledger (
    jid TEXT NOT NULL, id TEXT NOT NULL, received REAL, absent TEXT, kind TEXT, judged REAL, detail TEXT,
    PRIMARY KEY (jid, id)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS jobs_by_fun ON jobs (fun, jid);
`;
const INSERT_RETURN =
  'INSERT OR IGNORE INTO returns (jid, id, fun, retcode, success, out, ret, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)';
const NOTE = `
  INSERT INTO ledger (jid, id, received, absent, kind, judged, detail) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (jid, id) DO UPDATE SET
    received = coalesce(received, excluded.received), absent = coalesce(absent, excluded.absent),
    kind = coalesce(excluded.kind, kind), judged = coalesce(judged, excluded.judged),
    detail = CASE WHEN excluded.kind IS NULL THEN detail ELSE excluded.detail END`;

interface Day {
  readonly db: SqliteDatabase;
  readonly insertJob: SqliteStatement;
  readonly insertReturn: SqliteStatement;
  readonly note: SqliteStatement;
  readonly outbox: JobOutbox | undefined;
  /** Jobs with a minion that was given up: only their returns can be late. */
  readonly judged: Set<string>;
}

interface ReturnRow {
  readonly jid: string;
  readonly id: string;
  readonly fun: string;
  readonly retcode: number;
  readonly success: number;
  readonly out: string | null;
  readonly ret: Blob;
  readonly at?: number | null;
}

interface LedgerRow {
  readonly id: string;
  readonly received: number | null;
  readonly absent: string | null;
  readonly kind: string | null;
  readonly judged: number | null;
  readonly detail: string | null;
}

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

interface Write {
  readonly run: () => boolean;
  readonly resolve: (done: boolean) => void;
  readonly reject: (error: Error) => void;
}

/** Where and how. */
export interface SqliteStoreOptions {
  readonly directory: string;
  /** Open for reading beside a running master. */
  readonly readOnly?: boolean;
  /** Flush to the disk with each batch, so that acknowledged returns survive a power failure too. */
  readonly durable?: boolean;
  /** Keep a list of what is to be handed on to a database, in the order in which it came. */
  readonly outbox?: boolean;
  /** The days that may be begun; every day, without it. What is of another one is kept with the undated. */
  readonly days?: DayWindow;
  /** Told of a jid of a day that is not begun. @param id who returned with it */
  readonly onStrayDay?: (jid: string, id: string | undefined) => void;
  /** Told when a minion that was given up has returned after all. */
  readonly onLate?: (jid: string, outcome: JobOutcome) => void;
}

/** The store. Writes that come together are committed together, and acknowledged after the commit. */
export class SqliteJobStore implements JobStore {
  /** `strayDays` jobs and returns of a day that was not begun for them, `undatedForgotten` because there were too many. */
  readonly counters = { strayDays: 0, undatedForgotten: 0 };
  readonly #options: SqliteStoreOptions;
  readonly #days = new Map<string, Day>();
  #writes: Write[] = [];
  #commitPlanned = false;
  readonly #countsOfPastDays = new Map<string, number>();

  constructor(options: SqliteStoreOptions) {
    this.#options = options;
    if (!options.readOnly) makeDirectory(options.directory, 0o700);
  }

  saveJob(jid: string, load: Dict, minions: readonly string[]): Promise<boolean> {
    const fun = funText(load.get('fun'));
    return this.#write(() => {
      const { insertJob, outbox } = this.#day(jid);
      const lists = encode({ '': minions }, 'local');
      const isNew = Number(insertJob.run(jid, fun, encode(load, 'local'), lists).changes) > 0;
      if (isNew) outbox?.addJob(jid);
      return isNew;
    });
  }

  async addMinions(jid: string, minions: readonly string[], syndicId: string): Promise<void> {
    await this.#write(() => {
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

  saveReturn(ret: StoredReturn): Promise<boolean> {
    return this.#write(() => {
      const { insertReturn, judged, outbox } = this.#day(ret.jid, ret.id);
      const body = encode(ret.return, 'local');
      const { jid, id, fun, retcode, success, out = null, atMs = null } = ret;
      const isNew =
        Number(insertReturn.run(jid, id, fun, retcode, success ? 1 : 0, out, body, atMs).changes) > 0;
      if (isNew) outbox?.addReturn(jid, id, ret.more);
      if (isNew && judged.has(jid)) this.#lookForLate(jid, [id]);
      return isNew;
    });
  }

  async note(jid: string, entries: readonly LedgerEntry[]): Promise<void> {
    await this.#write(() => {
      if (this.#existingDay(jid) === undefined) return false;
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
    const day = this.#existingDay(jid);
    return day === undefined ? [] : ledgerOf(day.db, jid);
  }

  /** Tells of those of these minions that have both a verdict and a return. */
  #lookForLate(jid: string, ids: readonly string[]): void {
    const { onLate } = this.#options;
    const db = this.#existingDay(jid)?.db;
    if (onLate === undefined || db === undefined) return;
    const statement = db.prepare(
      'SELECT r.*, l.received, l.absent, l.kind, l.judged, l.detail FROM returns r JOIN ledger l USING (jid, id) ' +
        'WHERE r.jid = ? AND r.id = ? AND l.kind IS NOT NULL',
    );
    for (const id of ids) {
      const row = statement.get(jid, id) as (ReturnRow & LedgerRow) | undefined;
      if (row === undefined) continue;
      const evidence = {
        publishedMs: jidTimeMs(jid),
        minions: [],
        presence: new Map(),
        nowMs: 0,
        patienceMs: 0,
      };
      const [outcome] = judgeJob({ ...evidence, returns: [returnOf(row)], entries: [entryOf(row)] });
      if (outcome !== undefined) onLate(jid, outcome);
    }
  }

  async job(jid: string): Promise<Dict | undefined> {
    const row = this.#existingDay(jid)?.db.prepare('SELECT load, minions FROM jobs WHERE jid = ?').get(jid);
    return row === undefined ? undefined : loadOf(row as { load: Blob; minions: Blob });
  }

  async returns(jid: string): Promise<StoredReturn[]> {
    const rows =
      this.#existingDay(jid)?.db.prepare('SELECT * FROM returns WHERE jid = ? ORDER BY rowid').all(jid) ?? [];
    return (rows as ReturnRow[]).map(returnOf);
  }

  /** One return, without looking at the others of its job. */
  returned(jid: string, id: string): StoredReturn | undefined {
    const row = this.#existingDay(jid)
      ?.db.prepare('SELECT * FROM returns WHERE jid = ? AND id = ?')
      .get(jid, id);
    return row === undefined ? undefined : returnOf(row as ReturnRow);
  }

  async jobs(filter: JobFilter): Promise<JobSummary[]> {
    const out: JobSummary[] = [];
    const { limit = Infinity, fromJid = '', toJid = JID_LAST } = filter;
    for (const name of this.#newestFirst()) {
      if (out.length >= limit) break;
      if (name !== UNDATED && (name < fromJid.slice(0, 8) || name > toJid.slice(0, 8))) continue;
      readDay(this.#open(name).db, filter, out);
    }
    return out;
  }

  /** Returns in the order in which they were kept, day by day. @param after the last row of each day that is not wanted any more */
  keptAfter(after: ReadonlyMap<string, number>, limit: number): KeptRow[] {
    const out: KeptRow[] = [];
    const sql = 'SELECT rowid AS row, jid, id, fun, at FROM returns WHERE rowid > ? ORDER BY rowid LIMIT ?';
    for (const day of this.#dayNames().sort()) {
      if (out.length >= limit) break;
      const rows = this.#open(day)
        .db.prepare(sql)
        .all(after.get(day) ?? 0, limit - out.length);
      for (const { row, jid, id, fun, at } of rows as (ReturnRow & { row: number })[])
        out.push({ day, row: Number(row), jid, id, fun, atMs: Number(at ?? 0) });
    }
    return out;
  }

  /** The last row of each day. */
  lastRows(): Map<string, number> {
    const lastOf = (day: string): number => {
      const last = this.#open(day).db.prepare('SELECT max(rowid) AS row FROM returns').get();
      return Number((last as { row: number | null }).row ?? 0);
    };
    return new Map(this.#dayNames().map((day) => [day, lastOf(day)]));
  }

  async removeOlderThan(atMs: number): Promise<void> {
    const oldest = dayAt(atMs);
    for (const name of this.#dayNames()) if (name !== UNDATED && name < oldest) this.#removeDay(name);
    if (existsSync(this.#path(UNDATED)))
      // the last row stays: its number is what readers go on from
      this.#open(UNDATED)
        .db.prepare('DELETE FROM returns WHERE at < ? AND rowid < (SELECT max(rowid) FROM returns)')
        .run(atMs);
  }

  /** Forgets the oldest of what has no day, beyond a number. @returns how many jobs and returns */
  async tidyUndated(): Promise<number> {
    if (!existsSync(this.#path(UNDATED))) return 0;
    const { db, outbox } = this.#open(UNDATED);
    const run = (sql: string): number => Number(db.prepare(sql).run(UNDATED_MAX).changes);
    const returns = run('DELETE FROM returns WHERE rowid <= (SELECT max(rowid) FROM returns) - ?');
    const jobs = run(
      'DELETE FROM jobs WHERE jid <= (SELECT jid FROM jobs ORDER BY jid DESC LIMIT 1 OFFSET ?)',
    );
    if (jobs > 0) db.exec('DELETE FROM ledger WHERE jid NOT IN (SELECT jid FROM jobs)');
    outbox?.keepNewest(2 * UNDATED_MAX);
    this.counters.undatedForgotten += returns + jobs;
    return returns + jobs;
  }

  async removeBeyond({ jobsMax, bytesMax }: JobLimits): Promise<JobLimitsKept> {
    let [jobs, bytes] = [0, 0];
    let isFull = false;
    const days = this.#newestFirst();
    for (const [index, name] of days.entries()) {
      if (!isFull) {
        jobs += this.#jobCount(name, index > 0 && name !== UNDATED);
        bytes += this.#dayBytes(name);
        isFull = (jobsMax > 0 && jobs > jobsMax) || (bytesMax > 0 && bytes > bytesMax);
        if (index === 0 || !isFull) continue;
      }
      this.#removeDay(name);
    }
    return { areKept: !isFull || days.length > 1, jobs, bytes };
  }

  /** Jobs of a day. Of a day that is over they are counted once. */
  #jobCount(name: string, isOver: boolean): number {
    const known = isOver ? this.#countsOfPastDays.get(name) : undefined;
    if (known !== undefined) return known;
    const { n } = this.#open(name).db.prepare('SELECT count(*) AS n FROM jobs').get() as { n: number };
    if (isOver) this.#countsOfPastDays.set(name, Number(n));
    return Number(n);
  }

  #dayBytes(name: string): number {
    const sizes = ['', '-wal'].map(
      (suffix) => statSync(this.#path(name) + suffix, { throwIfNoEntry: false })?.size,
    );
    return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  }

  #removeDay(name: string): void {
    this.#days.get(name)?.db.close();
    this.#days.delete(name);
    this.#countsOfPastDays.delete(name);
    for (const suffix of ['', '-wal', '-shm']) rmSync(this.#path(name) + suffix, { force: true });
  }

  /** Moves what was written from the log into the files; called now and then by the writing process. */
  checkpoint(): void {
    for (const { db } of this.#days.values()) db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  }

  async close(): Promise<void> {
    this.#commit();
    for (const { db } of this.#days.values()) db.close();
    this.#days.clear();
  }

  #write(run: () => boolean): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#writes.push({ run, resolve, reject });
      if (this.#commitPlanned) return;
      this.#commitPlanned = true;
      setImmediate(() => this.#commit());
    });
  }

  #commit(): void {
    this.#commitPlanned = false;
    const writes = this.#writes;
    this.#writes = [];
    if (writes.length === 0) return;
    const touched = new Set<Day>();
    this.#inTransaction = touched;
    try {
      const results = writes.map((write) => write.run());
      for (const { db } of touched) db.exec('COMMIT');
      writes.forEach((write, index) => write.resolve(results[index] as boolean));
    } catch (error) {
      for (const { db } of touched) tryRollback(db);
      for (const write of writes) write.reject(error as Error);
    } finally {
      this.#inTransaction = undefined;
    }
  }

  /** The days that the running batch has begun a transaction on. */
  #inTransaction: Set<Day> | undefined;

  #day(jid: string, id?: string): Day {
    const day = this.#open(this.#fileFor(jid, id));
    if (this.#inTransaction !== undefined && !this.#inTransaction.has(day)) {
      day.db.exec('BEGIN IMMEDIATE');
      this.#inTransaction.add(day);
    }
    return day;
  }

  /** Where to write. */
  #fileFor(jid: string, id: string | undefined): string {
    const { days, onStrayDay } = this.#options;
    const name = dayOf(jid);
    const mayBe = name === UNDATED || days === undefined || days.holds(name);
    if (mayBe || this.#days.has(name) || existsSync(this.#path(name))) return name;
    this.counters.strayDays++;
    onStrayDay?.(jid, id);
    return UNDATED;
  }

  #existingDay(jid: string): Day | undefined {
    const name = [dayOf(jid), UNDATED].find((each) => existsSync(this.#path(each)));
    return name === undefined ? undefined : this.#open(name);
  }

  #open(name: string): Day {
    const known = this.#days.get(name);
    if (known !== undefined) return known;
    this.#closeIdleDays();
    const { readOnly = false, durable = false, outbox: isHandedOn = false } = this.#options;
    if (!readOnly && !existsSync(this.#path(name))) this.#begin(name);
    const db = openSqlite(this.#path(name), readOnly);
    db.exec('PRAGMA busy_timeout = 5000');
    if (!readOnly) {
      db.exec('PRAGMA journal_mode = WAL');
      db.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`);
      db.exec('PRAGMA wal_autocheckpoint = 0');
      db.exec('PRAGMA cache_size = -2048');
      db.exec(SCHEMA);
      addReturnTimes(db);
    }
    const insertJob = readOnly ? unused : db.prepare('INSERT OR IGNORE INTO jobs VALUES (?, ?, ?, ?)');
    const insertReturn = readOnly ? unused : db.prepare(INSERT_RETURN);
    const note = readOnly ? unused : db.prepare(NOTE);
    const judged = new Set(readOnly ? [] : judgedJobs(db));
    const outbox = isHandedOn && !readOnly ? new JobOutbox(db) : undefined;
    const day = { db, insertJob, insertReturn, note, outbox, judged };
    this.#days.set(name, day);
    return day;
  }

  /** Makes the file of a day with its tables, so that no reader finds it without them. Another program may be quicker. */
  #begin(name: string): void {
    const path = this.#path(name);
    const fresh = `${path}.${process.pid}`;
    rmSync(fresh, { force: true });
    const db = openSqlite(fresh);
    db.exec(`BEGIN; ${SCHEMA} COMMIT`);
    db.close();
    try {
      linkSync(fresh, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(fresh, { force: true });
    }
  }

  #closeIdleDays(): void {
    for (const [name, day] of this.#days) {
      if (this.#days.size < OPEN_DAYS_MAX) return;
      if (this.#inTransaction?.has(day)) continue;
      day.db.close();
      this.#days.delete(name);
    }
  }

  #path(name: string): string {
    return join(this.#options.directory, `${name}.sqlite`);
  }

  /** The undated come last: nobody knows how old they are. */
  #newestFirst(): string[] {
    const names = this.#dayNames().sort().reverse();
    return [...names.filter((name) => name !== UNDATED), ...names.filter((name) => name === UNDATED)];
  }

  #dayNames(): string[] {
    if (!existsSync(this.#options.directory)) return [];
    return readdirSync(this.#options.directory)
      .filter((file) => file.endsWith('.sqlite'))
      .map((file) => file.slice(0, -'.sqlite'.length));
  }
}

const unused: SqliteStatement = {
  run: () => {
    throw new Error('the job cache was opened for reading');
  },
  get: () => undefined,
  all: () => [],
};

function tryRollback(db: SqliteDatabase): void {
  try {
    db.exec('ROLLBACK');
  } catch {
    // the failed statement has ended the transaction already
  }
}

/** Files of earlier versions do not say when a return came. */
function addReturnTimes(db: SqliteDatabase): void {
  const columns = db.prepare("SELECT name FROM pragma_table_info('returns')").all() as { name: string }[];
  if (!columns.some(({ name }) => name === 'at')) db.exec('ALTER TABLE returns ADD COLUMN at REAL');
}

function judgedJobs(db: SqliteDatabase): string[] {
  const rows = db.prepare('SELECT DISTINCT jid FROM ledger WHERE kind IS NOT NULL').all();
  return (rows as { jid: string }[]).map(({ jid }) => jid);
}

function ledgerOf(db: SqliteDatabase, jid: string): LedgerEntry[] {
  // a reader may meet a file of an earlier version
  if (db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'ledger'").get() === undefined) return [];
  return (db.prepare('SELECT * FROM ledger WHERE jid = ?').all(jid) as LedgerRow[]).map(entryOf);
}

function entryOf({ id, received, absent, kind, judged, detail }: LedgerRow): LedgerEntry {
  const more = detail === null ? {} : { detail };
  return {
    id,
    ...(received === null ? {} : { receivedMs: Number(received) }),
    ...(absent === null ? {} : { absentSince: absent }),
    ...(kind === null ? {} : { verdict: { kind: kind as OutcomeKind, atMs: Number(judged), ...more } }),
  };
}

function returnOf(row: ReturnRow): StoredReturn {
  const { jid, id, fun, retcode, success, ret, out, at = null } = row;
  return {
    jid,
    id,
    fun,
    retcode: Number(retcode),
    success: Number(success) !== 0,
    return: decode(blobBytes(ret), 'local'),
    ...(out === null ? {} : { out }),
    ...(at === null ? {} : { atMs: Number(at) }),
  };
}

/** A function name, or the names of a multi-function job, as the index keeps them. */
export function funText(fun: Value | undefined): string {
  return Array.isArray(fun) ? fun.map(String).join(',') : typeof fun === 'string' ? fun : '';
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

/** A job's row; without its minions where nobody asks for them. */
interface LoadRow {
  readonly load: Blob;
  readonly minions?: Blob;
}

function loadOf(row: LoadRow): Dict {
  const load = decode(blobBytes(row.load), 'local');
  const lists = row.minions === undefined ? null : decode(blobBytes(row.minions), 'local');
  const minions = new Set<string>();
  if (isDict(lists))
    for (const list of lists.values())
      if (Array.isArray(list)) for (const id of list) minions.add(String(id));
  const out: Dict = isDict(load) ? load : new Map();
  if (minions.size > 0) out.set('Minions', [...minions].sort());
  return out;
}
