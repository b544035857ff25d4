/**
 * The job cache's embedded default: SQLite files in `<cachedir>/job_cache`, one for each day of jids, so that forgetting
 * a day is removing a file however much it holds. One process writes (the master's Maintenance), any number reads.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../host/files.ts';
import { isDict, type Dict, type Value } from '../values/value.ts';
import { decode, encode } from '../wire/msgpack.ts';
import { jidTimeMs } from './jid.ts';
import type { JobFilter, JobStore, JobSummary, StoredReturn } from './job-store.ts';
import { blobBytes, openSqlite, type Blob, type SqliteDatabase, type SqliteStatement } from './sqlite.ts';

/** Jobs whose jid is no time live together in this file. */
const UNDATED = 'undated';
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
    out TEXT, ret BLOB NOT NULL, PRIMARY KEY (jid, id)
  );
  CREATE INDEX IF NOT EXISTS jobs_by_fun ON jobs (fun, jid);
`;

interface Day {
  readonly db: SqliteDatabase;
  readonly insertJob: SqliteStatement;
  readonly insertReturn: SqliteStatement;
}

interface ReturnRow {
  readonly jid: string;
  readonly id: string;
  readonly fun: string;
  readonly retcode: number;
  readonly success: number;
  readonly out: string | null;
  readonly ret: Blob;
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
}

/** The store. Writes that come together are committed together, and acknowledged after the commit. */
export class SqliteJobStore implements JobStore {
  readonly #options: SqliteStoreOptions;
  readonly #days = new Map<string, Day>();
  #writes: Write[] = [];
  #commitPlanned = false;

  constructor(options: SqliteStoreOptions) {
    this.#options = options;
    if (!options.readOnly) makeDirectory(options.directory, 0o700);
  }

  saveJob(jid: string, load: Dict, minions: readonly string[]): Promise<boolean> {
    const fun = funText(load.get('fun'));
    return this.#write(() => {
      const { insertJob } = this.#day(jid);
      return (
        Number(insertJob.run(jid, fun, encode(load, 'local'), encode({ '': minions }, 'local')).changes) > 0
      );
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
      const { insertReturn } = this.#day(ret.jid);
      const body = encode(ret.return, 'local');
      const { jid, id, fun, retcode, success, out = null } = ret;
      return Number(insertReturn.run(jid, id, fun, retcode, success ? 1 : 0, out, body).changes) > 0;
    });
  }

  async job(jid: string): Promise<Dict | undefined> {
    const row = this.#existingDay(jid)?.db.prepare('SELECT load, minions FROM jobs WHERE jid = ?').get(jid);
    return row === undefined ? undefined : loadOf(row as { load: Blob; minions: Blob });
  }

  async returns(jid: string): Promise<StoredReturn[]> {
    const rows =
      this.#existingDay(jid)?.db.prepare('SELECT * FROM returns WHERE jid = ? ORDER BY rowid').all(jid) ?? [];
    return (rows as ReturnRow[]).map((row) => ({
      jid: row.jid,
      id: row.id,
      fun: row.fun,
      retcode: Number(row.retcode),
      success: Number(row.success) !== 0,
      return: decode(blobBytes(row.ret), 'local'),
      ...(row.out === null ? {} : { out: row.out }),
    }));
  }

  async jobs(filter: JobFilter): Promise<JobSummary[]> {
    const out: JobSummary[] = [];
    const { limit = Infinity, fromJid = '', toJid = JID_LAST } = filter;
    const days = this.#dayNames().filter((name) => name !== UNDATED);
    // the undated come last: nobody knows how old they are
    const names = [...days.sort().reverse(), ...this.#dayNames().filter((name) => name === UNDATED)];
    for (const name of names) {
      if (out.length >= limit) break;
      if (name !== UNDATED && (name < fromJid.slice(0, 8) || name > toJid.slice(0, 8))) continue;
      readDay(this.#open(name).db, filter, out);
    }
    return out;
  }

  async removeOlderThan(atMs: number): Promise<void> {
    const oldest = new Date(atMs).toISOString().slice(0, 10).replaceAll('-', '');
    for (const name of this.#dayNames()) {
      if (name === UNDATED || name >= oldest) continue;
      this.#days.get(name)?.db.close();
      this.#days.delete(name);
      for (const suffix of ['', '-wal', '-shm']) rmSync(this.#path(name) + suffix, { force: true });
    }
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

  #day(jid: string): Day {
    const day = this.#open(dayOf(jid));
    if (this.#inTransaction !== undefined && !this.#inTransaction.has(day)) {
      day.db.exec('BEGIN IMMEDIATE');
      this.#inTransaction.add(day);
    }
    return day;
  }

  #existingDay(jid: string): Day | undefined {
    const name = dayOf(jid);
    return existsSync(this.#path(name)) ? this.#open(name) : undefined;
  }

  #open(name: string): Day {
    const known = this.#days.get(name);
    if (known !== undefined) return known;
    this.#closeIdleDays();
    const { readOnly = false, durable = false } = this.#options;
    const db = openSqlite(this.#path(name), readOnly);
    db.exec('PRAGMA busy_timeout = 5000');
    if (!readOnly) {
      db.exec('PRAGMA journal_mode = WAL');
      db.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`);
      db.exec('PRAGMA wal_autocheckpoint = 0');
      db.exec('PRAGMA cache_size = -2048');
      db.exec(SCHEMA);
    }
    const insertJob = readOnly ? unused : db.prepare('INSERT OR IGNORE INTO jobs VALUES (?, ?, ?, ?)');
    const insertReturn = readOnly
      ? unused
      : db.prepare('INSERT OR IGNORE INTO returns VALUES (?, ?, ?, ?, ?, ?, ?)');
    const day = { db, insertJob, insertReturn };
    this.#days.set(name, day);
    return day;
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

function dayOf(jid: string): string {
  return jidTimeMs(jid) === undefined ? UNDATED : jid.slice(0, 8);
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
