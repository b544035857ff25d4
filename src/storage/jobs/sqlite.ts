/**
 * The embedded database. `node:sqlite` where Node brings it, the `libsql` package elsewhere; both are synchronous, and
 * only the few calls used here are described, so that either fits.
 */
import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { writing } from '../../host/disk-refusal.ts';
import { closeToOthers } from '../../host/loose-modes.ts';

/** Bytes as a column gives them: `libsql` makes a Buffer for one row and an ArrayBuffer for many. */
export type Blob = Uint8Array | ArrayBuffer;

/** The bytes of a column. */
export function blobBytes(blob: Blob): Uint8Array {
  return blob instanceof ArrayBuffer ? new Uint8Array(blob) : blob;
}

/** What a column is written as. */
export type SqlValue = string | number | bigint | null | Uint8Array;
/** Values in their order, or one mapping of them by the names in the statement. */
export type SqlValues = readonly SqlValue[] | readonly [Readonly<Record<string, SqlValue>>];

/** A prepared statement. */
export interface SqliteStatement {
  run(...values: SqlValues): { changes: number | bigint };
  get(...values: SqlValues): unknown;
  all(...values: SqlValues): unknown[];
}

/** An open database. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): unknown;
}

interface Driver {
  open(path: string, readOnly: boolean): SqliteDatabase;
}

/**
 * Opens a database, which is made when it is not there. Its file is only for its owner, and with it those that SQLite
 * puts beside it, which get its mode.
 * @throws when neither driver can be loaded; DiskRefusesError, as every call on it does, for a disk that takes nothing
 */
export function openSqlite(path: string, readOnly = false): SqliteDatabase {
  return writing(path, () => {
    if (!readOnly) {
      closeSync(openSync(path, 'a', 0o600));
      for (const suffix of ['', '-wal', '-shm']) closeToOthers(`${path}${suffix}`);
    }
    return namingDatabase(path, loadSqliteDriver().open(path, readOnly));
  });
}

/** A database whose errors name its file, which SQLite's own do not. */
function namingDatabase(path: string, database: SqliteDatabase): SqliteDatabase {
  return {
    exec: (sql) => writing(path, () => database.exec(sql)),
    prepare: (sql) =>
      namingStatement(
        path,
        writing(path, () => database.prepare(sql)),
      ),
    close: () => writing(path, () => database.close()),
  };
}

function namingStatement(path: string, statement: SqliteStatement): SqliteStatement {
  return {
    run: (...values) => writing(path, () => statement.run(...values)),
    get: (...values) => writing(path, () => statement.get(...values)),
    all: (...values) => writing(path, () => statement.all(...values)),
  };
}

/** What opens databases here. @throws when neither driver can be loaded */
export function loadSqliteDriver(): Driver {
  const require = createRequire(import.meta.filename);
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) {
    const { DatabaseSync } = require('node:sqlite') as {
      DatabaseSync: new (path: string, options: { readOnly: boolean }) => SqliteDatabase;
    };
    return { open: (path, readOnly) => new DatabaseSync(path, { readOnly }) };
  }
  const Database = require('libsql') as new (path: string, options: { readonly: boolean }) => SqliteDatabase;
  return { open: (path, readOnly) => new Database(path, { readonly: readOnly }) };
}
