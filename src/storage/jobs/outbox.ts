/**
 * What of the job cache is to be handed on to databases, in the order in which it came: a list beside the jobs and
 * returns of each day, written with them in one transaction. Whoever hands on keeps a position in the list of each day,
 * and reads from there.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';
import { blobBytes, openSqlite, type Blob, type SqliteDatabase, type SqliteStatement } from './sqlite.ts';

const SCHEMA =
  'CREATE TABLE IF NOT EXISTS outbox (seq INTEGER PRIMARY KEY AUTOINCREMENT, jid TEXT NOT NULL, id TEXT, more BLOB)';
const READ = `
  SELECT o.seq, o.jid, o.id, o.more, r.fun, r.retcode, r.success, r.out, r.ret,
    CASE WHEN o.id IS NULL THEN (SELECT load FROM jobs j WHERE j.jid = o.jid) END AS load,
    CASE WHEN o.id IS NULL THEN (SELECT minions FROM jobs j WHERE j.jid = o.jid) END AS minions
  FROM outbox o LEFT JOIN returns r ON r.jid = o.jid AND r.id = o.id
  WHERE o.seq > ? ORDER BY o.seq LIMIT ?`;

/** The list of one open day, for writing. */
export class JobOutbox {
  readonly #db: SqliteDatabase;
  readonly #insert: SqliteStatement;

  constructor(db: SqliteDatabase) {
    this.#db = db;
    db.exec(SCHEMA);
    this.#insert = db.prepare('INSERT INTO outbox (jid, id, more) VALUES (?, ?, ?)');
  }

  addJob(jid: string): void {
    this.#insert.run(jid, null, null);
  }

  /** @param more the fields of the return that the job cache does not keep */
  addReturn(jid: string, id: string, more: Dict | undefined): void {
    this.#insert.run(jid, id, more === undefined ? null : encode(more, 'local'));
  }

  /** Forgets the oldest entries beyond a number. */
  keepNewest(count: number): void {
    this.#db.prepare('DELETE FROM outbox WHERE seq <= (SELECT max(seq) FROM outbox) - ?').run(count);
  }
}

/** A job or a return that is to be handed on. */
export type OutboxEntry =
  | { readonly seq: number; readonly jid: string; readonly load: Dict; readonly minions: string[] }
  /** The return as the master got it. */
  | { readonly seq: number; readonly jid: string; readonly ret: Dict };

interface Row {
  readonly seq: number;
  readonly jid: string;
  readonly id: string | null;
  readonly more: Blob | null;
  readonly fun: string | null;
  readonly retcode: number | null;
  readonly success: number | null;
  readonly out: string | null;
  readonly ret: Blob | null;
  readonly load: Blob | null;
  readonly minions: Blob | null;
}

/** One day, as a reader has found it. */
export interface OutboxDay {
  readonly name: string;
  /** The position of the last entry; 0 when there is none. */
  readonly lastSeq: number;
}

/** Entries of one day as they were asked for. */
export interface OutboxPage {
  /** Those of them that can be read. */
  readonly entries: readonly OutboxEntry[];
  /** The position of the last one, readable or not; undefined when there was none. */
  readonly lastSeq: number | undefined;
  /** Whether there may be more behind it. */
  readonly isFull: boolean;
}

/** Files that are open at a time: a minion that returns with made-up jids can bring in any number of days. */
const OPEN_DAYS_MAX = 4;

interface KnownDay {
  db: SqliteDatabase | undefined;
  readonly file: string;
  stamp: string;
  lastSeq: number;
}

/** Reads the lists beside the process that writes them. Looks at a day's entries only when its files have changed. */
export class OutboxReader {
  readonly #directory: string;
  readonly #days = new Map<string, KnownDay>();
  /** Days without a list, by what their files were like. */
  readonly #without = new Map<string, string>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The days there are, oldest first. */
  days(): OutboxDay[] {
    const names = existsSync(this.#directory)
      ? readdirSync(this.#directory)
          .filter((file) => file.endsWith('.sqlite'))
          .map((file) => file.slice(0, -'.sqlite'.length))
      : [];
    for (const [name, day] of this.#days) if (!names.includes(name)) this.#forget(name, day);
    for (const name of this.#without.keys()) if (!names.includes(name)) this.#without.delete(name);
    const out: OutboxDay[] = [];
    for (const name of names.sort()) {
      const day = this.#look(name);
      if (day !== undefined) out.push({ name, lastSeq: day.lastSeq });
    }
    return out;
  }

  /** Entries behind a position; what cannot be read any more is left out. */
  entries(name: string, afterSeq: number, limit: number): readonly OutboxEntry[] {
    return this.page(name, afterSeq, limit).entries;
  }

  /** Entries behind a position, and how far they reach. */
  page(name: string, afterSeq: number, limit: number): OutboxPage {
    const day = this.#look(name);
    if (day === undefined) return { entries: [], lastSeq: undefined, isFull: false };
    const rows = this.#database(name, day).prepare(READ).all(afterSeq, limit) as Row[];
    const last = rows.at(-1)?.seq;
    return {
      entries: rows.map(entryOf).filter((entry) => entry !== undefined),
      lastSeq: last === undefined ? undefined : Number(last),
      isFull: rows.length >= limit,
    };
  }

  close(): void {
    for (const [name, day] of this.#days) this.#forget(name, day);
  }

  #look(name: string): KnownDay | undefined {
    const path = this.#path(name);
    const stat = statSync(path, { throwIfNoEntry: false });
    const known = this.#days.get(name);
    if (stat === undefined || (known !== undefined && known.file !== `${stat.ino}`)) {
      if (known !== undefined) this.#forget(name, known);
      if (stat === undefined) return undefined;
    }
    const wal = statSync(`${path}-wal`, { throwIfNoEntry: false });
    const stamp = [stat, wal].map((each) => `${each?.mtimeMs} ${each?.size}`).join(' ');
    if (this.#without.get(name) === stamp) return undefined;
    const day = this.#days.get(name) ?? this.#open(name, `${stat.ino}`);
    if (day === undefined) this.#without.set(name, stamp);
    if (day !== undefined && day.stamp !== stamp) {
      const { last } = this.#database(name, day).prepare('SELECT max(seq) AS last FROM outbox').get() as {
        last: number | null;
      };
      day.lastSeq = Number(last ?? 0);
      day.stamp = stamp;
    }
    return day;
  }

  /** Undefined for a day that has no list: nothing of it is handed on. */
  #open(name: string, file: string): KnownDay | undefined {
    const db = this.#connect(name);
    if (db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'outbox'").get() === undefined) {
      db.close();
      return undefined;
    }
    const day: KnownDay = { db, file, stamp: '', lastSeq: 0 };
    this.#days.set(name, day);
    return day;
  }

  #database(name: string, day: KnownDay): SqliteDatabase {
    return (day.db ??= this.#connect(name));
  }

  #connect(name: string): SqliteDatabase {
    const open = [...this.#days.values()].filter(({ db }) => db !== undefined);
    for (const day of open.slice(0, Math.max(0, open.length - OPEN_DAYS_MAX + 1))) {
      day.db?.close();
      day.db = undefined;
    }
    const db = openSqlite(this.#path(name), true);
    db.exec('PRAGMA busy_timeout = 1000');
    return db;
  }

  #path(name: string): string {
    return join(this.#directory, `${name}.sqlite`);
  }

  #forget(name: string, { db }: KnownDay): void {
    db?.close();
    this.#days.delete(name);
  }
}

function entryOf(row: Row): OutboxEntry | undefined {
  const { seq, jid, load, minions, ret } = row;
  if (ret !== null) return { seq: Number(seq), jid, ret: returnOf(row, decode(blobBytes(ret), 'local')) };
  if (load === null) return undefined;
  const value = decode(blobBytes(load), 'local');
  const lists = minions === null ? null : decode(blobBytes(minions), 'local');
  const ids = isDict(lists) ? [...lists.values()].flatMap((list) => (Array.isArray(list) ? list : [])) : [];
  return {
    seq: Number(seq),
    jid,
    load: isDict(value) ? value : new Map<Value, Value>(),
    minions: [...new Set(ids.map(String))],
  };
}

/** The return as it came, or what the job cache knows of it. */
function returnOf({ jid, id, fun, retcode, success, out, more }: Row, value: Value): Dict {
  const kept = more === null ? null : decode(blobBytes(more), 'local');
  const ret: Dict = isDict(kept) ? kept : new Map();
  const known: [string, Value][] = [
    ['jid', jid],
    ['id', id],
    ['fun', fun],
    ['retcode', Number(retcode)],
    ['success', Number(success) !== 0],
    ...(out === null ? [] : [['out', out] as [string, Value]]),
  ];
  for (const [name, each] of known) if (!ret.has(name)) ret.set(name, each);
  return ret.set('return', value);
}
