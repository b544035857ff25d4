/** A file of the job cache: the tables of one day, and the statements that write to them. */
import { linkSync, rmSync } from 'node:fs';
import { JobOutbox } from './outbox.ts';
import { openSqlite, type SqliteDatabase, type SqliteStatement } from './sqlite.ts';
import type { DiskSync } from '../../host/disk-sync.ts';
import { WalSync } from './wal-sync.ts';

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

/** An open day. */
export interface Day {
  readonly db: SqliteDatabase;
  readonly insertJob: SqliteStatement;
  readonly insertReturn: SqliteStatement;
  readonly note: SqliteStatement;
  readonly outbox: JobOutbox | undefined;
  /** Jobs with a minion that was given up: only their returns can be late. */
  readonly judged: Set<string>;
  /** Brings what was committed to the disk itself; undefined where that is not waited for. */
  readonly wal: WalSync | undefined;
}

/** How days are opened. */
export interface DayOptions {
  /** Open for reading beside a running master. */
  readonly readOnly?: boolean;
  /**
   * What each batch is brought to before it is acknowledged, so that it outlives a failure of power; without it that is
   * not waited for.
   */
  readonly disk?: DiskSync | undefined;
  /** Keep a list of what is to be handed on to a database, in the order in which it came. */
  readonly outbox?: boolean;
}

/** Lets a day go. */
export function closeDay({ db, wal }: Day): void {
  wal?.close();
  db.close();
}

/** Opens the file of a day, which {@link beginDay} has made. */
export function openDay(path: string, options: DayOptions): Day {
  const { readOnly = false, disk, outbox: isHandedOn = false } = options;
  const db = openSqlite(path, readOnly);
  db.exec('PRAGMA busy_timeout = 5000');
  if (readOnly)
    return {
      db,
      insertJob: unused,
      insertReturn: unused,
      note: unused,
      outbox: undefined,
      judged: new Set(),
      wal: undefined,
    };
  db.exec('PRAGMA journal_mode = WAL');
  db.exec('PRAGMA synchronous = NORMAL');
  db.exec('PRAGMA wal_autocheckpoint = 0');
  db.exec('PRAGMA cache_size = -2048');
  db.exec(SCHEMA);
  addReturnTimes(db);
  return {
    db,
    insertJob: db.prepare('INSERT OR IGNORE INTO jobs VALUES (?, ?, ?, ?)'),
    insertReturn: db.prepare(INSERT_RETURN),
    note: db.prepare(NOTE),
    judged: new Set(judgedJobs(db)),
    outbox: isHandedOn ? new JobOutbox(db) : undefined,
    wal: disk === undefined ? undefined : new WalSync(path, db, disk),
  };
}

/**
 * Large returns lie in chains of pages, each of which is handed to the system twice, to the log and to the file: with
 * SQLite's usual 4 kB a thousand returns of 100 kB took half as much processor time again. A small return that is
 * committed alone takes some 15 µs more with these, in batches of 32 none more. Files that are there keep theirs.
 */
const PAGE_BYTES = 16 * 1024;

/** Makes the file of a day with its tables, so that no reader finds it without them. Another program may be quicker. */
export function beginDay(path: string): void {
  const fresh = `${path}.${process.pid}`;
  rmSync(fresh, { force: true });
  const db = openSqlite(fresh);
  db.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
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

const unused: SqliteStatement = {
  run: () => {
    throw new Error('the job cache was opened for reading');
  },
  get: () => undefined,
  all: () => [],
};

/** Files of earlier versions do not say when a return came. */
function addReturnTimes(db: SqliteDatabase): void {
  const columns = db.prepare("SELECT name FROM pragma_table_info('returns')").all() as { name: string }[];
  if (!columns.some(({ name }) => name === 'at')) db.exec('ALTER TABLE returns ADD COLUMN at REAL');
}

function judgedJobs(db: SqliteDatabase): string[] {
  const rows = db.prepare('SELECT DISTINCT jid FROM ledger WHERE kind IS NOT NULL').all();
  return (rows as { jid: string }[]).map(({ jid }) => jid);
}
