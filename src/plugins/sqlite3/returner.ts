/**
 * `sqlite3`: jobs and returns in one SQLite file, with the tables of Salt's returner (salt/returners/sqlite3_return.py,
 * 3006.16), so that a file that Salt has written is read and continued. Events, which Salt's does not keep, have a
 * table like MySQL's.
 */
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import { systemClock, type Clock } from '../../host/clock.ts';
import { jidAt } from '../../storage/jobs/jid.ts';
import { openSqlite, type SqliteDatabase } from '../../storage/jobs/sqlite.ts';
import { blockBriefly, patiently, writeAtOnce } from '../../storage/jobs/sqlite-writing.ts';
import { pyStr } from '../../python/values/repr.ts';
import { parseJson } from '../../formats/json/text.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import type {
  JidReturns,
  ReturnStore,
  SavedEvent,
  SavedLoad,
  StoreKind,
  StoreSettings,
} from '../shared/returner/return-store.ts';
import { storeJson } from '../shared/returner/store-json.ts';

/** What is made when it is missing, in this order. Indexes keep no one from writing what Salt writes. */
const SCHEMA: readonly (readonly [kind: 'table' | 'index', name: string, sql: string])[] = [
  ['table', 'jids', 'CREATE TABLE jids (jid TEXT PRIMARY KEY, load TEXT NOT NULL)'],
  [
    'table',
    'salt_returns',
    'CREATE TABLE salt_returns (fun TEXT KEY, jid TEXT KEY, id TEXT KEY, fun_args TEXT, date TEXT NOT NULL, ' +
      'full_ret TEXT NOT NULL, success TEXT NOT NULL)',
  ],
  [
    'table',
    'salt_events',
    'CREATE TABLE salt_events (id INTEGER PRIMARY KEY, tag TEXT NOT NULL, data TEXT NOT NULL, ' +
      'alter_time TEXT NOT NULL, master_id TEXT NOT NULL)',
  ],
  ['index', 'salt_returns_jid_id', 'CREATE INDEX salt_returns_jid_id ON salt_returns (jid, id)'],
  ['index', 'salt_returns_fun', 'CREATE INDEX salt_returns_fun ON salt_returns (fun, id, jid)'],
  ['index', 'salt_events_tag', 'CREATE INDEX salt_events_tag ON salt_events (tag)'],
];
/** Jids named in one statement. */
const JIDS_AT_ONCE = 500;

/** The kind of database `sqlite3`. */
export const sqlite3Kind: StoreKind = {
  name: 'sqlite3',
  file: 'sqlite3_return',
  optionPrefix: 'sqlite3',
  defaults: new Map<string, Value | undefined>([
    ['database', undefined],
    ['timeout', 5],
  ]),
  open: (settings) => new Sqlite3Store(settings),
};

interface Row {
  readonly jid: string;
  readonly id: string;
  readonly fun: string;
  readonly load: string;
  readonly full_ret: string;
  readonly success: string;
}

class Sqlite3Store implements ReturnStore {
  readonly #path: string | undefined;
  readonly #patienceMs: number;
  readonly #clock: Clock;
  #open: { readonly db: SqliteDatabase; readonly file: string } | undefined;

  constructor({ options, timeoutMs, clock = systemClock }: StoreSettings) {
    // Salt compat: the example of Salt's documentation for --return_kwargs calls it `db`
    const path = options.get('db') ?? options.get('database');
    this.#path = truthy(path) ? String(path) : undefined;
    this.#patienceMs = (toNumber(options.get('timeout')) ?? timeoutMs / 1000) * 1000;
    this.#clock = clock;
  }

  async createSchema(): Promise<string[]> {
    const path = this.#existingFolder();
    const made: string[] = [];
    if (!existsSync(path)) {
      // returns may hold secrets
      closeSync(openSync(path, 'a', 0o600));
      made.push(`file ${path}`);
    }
    await this.#write((db) => {
      const known = db.prepare('SELECT 1 FROM sqlite_master WHERE type = ? AND name = ?');
      for (const [kind, name, sql] of SCHEMA) {
        if (known.get(kind, name) !== undefined) continue;
        db.exec(sql);
        made.push(`${kind} ${name}`);
      }
    });
    return made;
  }

  async saveReturns(rets: readonly Dict[]): Promise<void> {
    const date = localTime(this.#clock.nowMs());
    await this.#write((db) => {
      const known = returnsThatAreThere(db, rets);
      const insert = db.prepare(
        'INSERT INTO salt_returns (fun, jid, id, fun_args, date, full_ret, success) VALUES (?, ?, ?, ?, ?, ?, ?)',
      );
      for (const ret of rets) {
        const [jid, id] = [textOf(ret, 'jid'), textOf(ret, 'id')];
        const key = keyOf(jid, id);
        if (known.has(key)) continue;
        known.add(key);
        const args = ret.get('fun_args');
        const success = ret.get('success') ?? '';
        const shown = typeof success === 'boolean' ? String(Number(success)) : pyStr(success);
        const fun = textOf(ret, 'fun');
        insert.run(
          fun,
          jid,
          id,
          truthy(args) ? pyStr(args as Value) : null,
          date,
          storeJson(ret.get('return') ?? null),
          shown,
        );
      }
    });
  }

  async saveLoads(loads: readonly SavedLoad[]): Promise<void> {
    await this.#write((db) => {
      const insert = db.prepare('INSERT OR IGNORE INTO jids (jid, load) VALUES (?, ?)');
      for (const { jid, load } of loads) insert.run(jid, storeJson(load));
    });
  }

  async saveEvents(events: readonly SavedEvent[], masterId: string): Promise<void> {
    const at = localTime(this.#clock.nowMs());
    await this.#write((db) => {
      const known = db.prepare('SELECT 1 FROM salt_events WHERE tag = ? AND data = ? AND master_id = ?');
      const insert = db.prepare(
        'INSERT INTO salt_events (tag, data, alter_time, master_id) VALUES (?, ?, ?, ?)',
      );
      for (const { tag, data } of events) {
        const text = storeJson(data);
        if (known.get(tag, text, masterId) === undefined) insert.run(tag, text, at, masterId);
      }
    });
  }

  load(jid: string): Promise<Dict | undefined> {
    return this.#read((db) => {
      const row = db.prepare('SELECT load FROM jids WHERE jid = ?').get(jid) as Row | undefined;
      return row === undefined ? undefined : loadOf(row);
    });
  }

  returns(jid: string): Promise<JidReturns> {
    return this.#read((db) => {
      const rows = db
        .prepare('SELECT id, full_ret, success FROM salt_returns WHERE jid = ? ORDER BY rowid DESC')
        .all(jid) as Row[];
      // the first of several that other writers have left
      return new Map(
        rows
          .reverse()
          .map((row) => [row.id, dict({ return: parseJson(row.full_ret), success: isSuccess(row.success) })]),
      );
    });
  }

  lastReturns(fun: string): Promise<ReadonlyMap<string, Value>> {
    return this.#read((db) => {
      const sql = 'SELECT id, full_ret, max(jid) FROM salt_returns WHERE fun = ? GROUP BY id';
      const rows = db.prepare(sql).all(fun) as Row[];
      return new Map(rows.map((row) => [row.id, parseJson(row.full_ret)]));
    });
  }

  loads(): Promise<ReadonlyMap<string, Dict>> {
    return this.#read((db) => {
      const rows = db.prepare('SELECT jid, load FROM jids').all() as Row[];
      return new Map(rows.map((row) => [row.jid, loadOf(row)]));
    });
  }

  minions(): Promise<string[]> {
    return this.#read((db) =>
      (db.prepare('SELECT DISTINCT id FROM salt_returns ORDER BY id').all() as Row[]).map(({ id }) => id),
    );
  }

  async removeOlderThan(atMs: number): Promise<void> {
    const jid = jidAt(atMs);
    await this.#write((db) => {
      const isOld = "jid < ? AND jid GLOB '[0-9][0-9][0-9][0-9]*' AND length(jid) >= 20";
      db.prepare(`DELETE FROM jids WHERE ${isOld}`).run(jid);
      db.prepare(`DELETE FROM salt_returns WHERE ${isOld}`).run(jid);
      const hasEvents = "SELECT 1 FROM sqlite_master WHERE name = 'salt_events'";
      if (db.prepare(hasEvents).get() !== undefined)
        db.prepare('DELETE FROM salt_events WHERE alter_time < ?').run(localTime(atMs));
    });
  }

  close(): Promise<void> {
    this.#open?.db.close();
    this.#open = undefined;
    return Promise.resolve();
  }

  #existingFolder(): string {
    if (this.#path === undefined)
      throw new CommandExecutionError('sqlite3 config option "sqlite3.database" is missing');
    if (!existsSync(dirname(this.#path)))
      throw new CommandExecutionError(
        `The folder ${dirname(this.#path)} of the option sqlite3.database does not exist; make it, writable for the user of this program.`,
      );
    return this.#path;
  }

  /** The open database; opened anew when the file is another one than before. */
  #database(): SqliteDatabase {
    const path = this.#existingFolder();
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined)
      throw new CommandExecutionError(
        `The database ${path} does not exist; create it with: salt-run returner.create_schema sqlite3`,
      );
    const file = `${stat.dev} ${stat.ino}`;
    if (this.#open?.file === file) return this.#open.db;
    this.#open?.db.close();
    this.#open = undefined;
    const db = openSqlite(path);
    blockBriefly(db);
    this.#open = { db, file };
    return db;
  }

  #read<T>(run: (db: SqliteDatabase) => T): Promise<T> {
    return this.#telling(() => patiently(this.#clock, this.#patienceMs, () => run(this.#database())));
  }

  /** One transaction; all of it is on the disk afterwards, or nothing is. */
  #write(run: (db: SqliteDatabase) => void): Promise<void> {
    const waiting = { clock: this.#clock, patienceMs: this.#patienceMs };
    return this.#telling(() => {
      const db = this.#database();
      return writeAtOnce(db, waiting, () => run(db));
    });
  }

  async #telling<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw told(error, this.#path);
    }
  }
}

function told(error: unknown, path: string | undefined): unknown {
  if (error instanceof CommandExecutionError) return error;
  const text = messageOf(error);
  const hint = text.includes('no such table')
    ? '; create what is missing with: salt-run returner.create_schema sqlite3'
    : '';
  return new CommandExecutionError(`The database ${path ?? ''}: ${text}${hint}`, { cause: error });
}

/** The keys of those of these returns that have a row. */
function returnsThatAreThere(db: SqliteDatabase, rets: readonly Dict[]): Set<string> {
  const jids = [...new Set(rets.map((ret) => textOf(ret, 'jid')))];
  const known = new Set<string>();
  for (let at = 0; at < jids.length; at += JIDS_AT_ONCE) {
    const some = jids.slice(at, at + JIDS_AT_ONCE);
    const sql = `SELECT jid, id FROM salt_returns WHERE jid IN (${some.map(() => '?').join(', ')})`;
    for (const { jid, id } of db.prepare(sql).all(...some) as Row[]) known.add(keyOf(jid, id));
  }
  return known;
}

function keyOf(jid: string, id: string): string {
  return `${jid} ${id}`;
}

function textOf(ret: Dict, field: string): string {
  const value = ret.get(field);
  if (Array.isArray(value)) return value.map(String).join(',');
  return value === undefined || value === null ? '' : pyStr(value);
}

function loadOf({ load }: Row): Dict {
  const value = parseJson(load);
  return isDict(value) ? value : new Map<Value, Value>();
}

/** As Salt writes it, and as others do. */
function isSuccess(text: string): boolean {
  return text === '1' || text.toLowerCase() === 'true';
}

/** Python's `str(datetime.now())`. */
function localTime(atMs: number): string {
  const date = new Date(atMs - new Date(atMs).getTimezoneOffset() * 60_000);
  const micros = String(Math.floor((atMs % 1000) * 1000)).padStart(6, '0');
  return `${date.toISOString().slice(0, 19).replace('T', ' ')}.${micros}`;
}
