/** `sqlite3`: values in a SQLite file, as msgpack, so that a real Salt reads them (salt/sdb/sqlite3.py, 3006.16). */
import { decode, encode } from '../../formats/wire/msgpack.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { piecesOf } from '../../storage/jobs/sql-pieces.ts';
import {
  blobBytes,
  openSqlite,
  type Blob,
  type SqliteDatabase,
  type SqlValue,
} from '../../storage/jobs/sqlite.ts';
import { blockBriefly, patiently } from '../../storage/jobs/sqlite-writing.ts';
import { SdbError, type SdbDriver, type SdbUse } from '../shared/sdb/sdb-driver.ts';

/** Python's `sqlite3` waits as long for other programs. */
const PATIENCE_MS = 5_000;
const DEFAULT_TABLE = 'sdb';

/** The driver. */
export const sqlite3Driver: SdbDriver = {
  name: 'sqlite3',
  get: (use) =>
    withDatabase(use, (db, table) => {
      const sql = query(use.profile, 'get_query') ?? `SELECT value FROM ${table} WHERE key=:key`;
      const row = db.prepare(sql).get(bound('get_query', sql, { key: use.key })) as
        Readonly<Record<string, Blob | string | null>> | undefined;
      const [value] = row === undefined ? [] : Object.values(row);
      if (value === undefined) return null;
      if (value === null || typeof value !== 'object')
        throw new SdbError('the column of get_query holds no bytes, and values are kept as msgpack.');
      return decode(blobBytes(value), 'local');
    }),
  set: (use, value) =>
    withDatabase(use, (db, table) => {
      const sql = query(use.profile, 'set_query') ?? `INSERT OR REPLACE INTO ${table} VALUES (:key, :value)`;
      db.prepare(sql).run(bound('set_query', sql, { key: use.key, value: encode(value, 'local') }));
      return true;
    }),
};

async function withDatabase(
  { ctx, profile }: SdbUse,
  run: (db: SqliteDatabase, table: string) => Value,
): Promise<Value> {
  const path = profile.get('database');
  if (typeof path !== 'string' || path === '')
    throw new SdbError('it has no option `database`, which names the SQLite file.');
  const db = openSqlite(path);
  try {
    blockBriefly(db);
    const name = pyStr(profile.get('table') ?? DEFAULT_TABLE);
    return await patiently(ctx.clock, PATIENCE_MS, () => {
      for (const sql of creation(profile, name)) if (!makes(db, sql)) break;
      return run(db, quoted(name));
    });
  } finally {
    db.close();
  }
}

function creation(profile: Dict, table: string): string[] {
  const own = profile.get('create_statements');
  if (Array.isArray(own) && own.length > 0) return own.map(pyStr);
  if (profile.has('create_table') && profile.get('create_table') !== true) return [];
  return [
    `CREATE TABLE ${quoted(table)} (key text, value blob)`,
    `CREATE UNIQUE INDEX ${quoted(`${table}_idx`)} ON ${quoted(table)} (key)`,
  ];
}

/** Salt compat: that it is there already is found out by making it; the statements behind are left out then. */
function makes(db: SqliteDatabase, sql: string): boolean {
  try {
    db.exec(sql);
    return true;
  } catch {
    return false;
  }
}

function query(profile: Dict, name: string): string | undefined {
  const sql = profile.get(name);
  return typeof sql === 'string' && sql !== '' ? sql : undefined;
}

/** @throws SdbError for a query that wants other values: a driver would bind nothing for them, or end the process */
function bound<T extends Readonly<Record<string, SqlValue>>>(option: string, sql: string, values: T): T {
  const { positions, names } = piecesOf(sql);
  const known = Object.keys(values).map((name) => `:${name}`);
  const wanted = [...(positions > 0 ? ['?'] : []), ...names.map((name) => `:${name}`)];
  const other = wanted.find((each) => !known.includes(each));
  if (other === undefined) return values;
  throw new SdbError(`its ${option} wants a value for ${other}, and there is ${known.join(' and ')} only.`);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
