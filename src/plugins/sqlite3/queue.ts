/**
 * Queues in SQLite files, one each, in the folder of the option `sqlite_queue_dir` (salt/queues/sqlite_queue.py,
 * 3006.16): the same files and tables, so that a real Salt goes on with them.
 */
import { existsSync, readdirSync } from 'node:fs';
import { messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { makeDirectory, safeJoin } from '../../host/files.ts';
import type { Value } from '../../python/values/value.ts';
import { pyStr } from '../../python/values/repr.ts';
import { openSqlite, type SqliteDatabase } from '../../storage/jobs/sqlite.ts';
import { blockBriefly, patiently, writeAtOnce } from '../../storage/jobs/sqlite-writing.ts';
import { QueueError, type QueueBackend, type QueueKind, type Taking } from '../shared/queue/queue-backend.ts';
import { queueName } from '../shared/queue/queue-name.ts';
import { runnerOfText, sqliteTexts } from '../shared/queue/runner-text.ts';

/** Python's `sqlite3` waits as long for other programs. */
const PATIENCE_MS = 5_000;
/** A name with `.db` and what SQLite adds for its journal is a name of a file. */
const NAME_BYTES_MAX = 200;
const ENDING = '.db';

/** The backend `sqlite`. Nothing is read when it is opened. */
export const sqliteQueues: QueueKind = {
  name: 'sqlite',
  open: ({ opts, clock }) => new SqliteQueues(pyStr(opts.get('sqlite_queue_dir') ?? ''), clock),
};

interface Row {
  readonly id: number;
  readonly name: string;
}

class SqliteQueues implements QueueBackend {
  readonly #folder: string;
  readonly #clock: Clock;

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  queues(): Promise<string[]> {
    const names = existsSync(this.#folder) ? readdirSync(this.#folder) : [];
    const files = names.filter((name) => name.endsWith(ENDING) && !name.startsWith('.'));
    return Promise.resolve(files.map((name) => name.slice(0, -ENDING.length)).sort());
  }

  items(queue: string): Promise<Value[]> {
    return this.#with(queue, (db, table) =>
      patiently(this.#clock, PATIENCE_MS, () => rowsOf(db, table).map(({ name }) => name)),
    );
  }

  length(queue: string): Promise<number> {
    return this.#with(queue, (db, table) =>
      patiently(this.#clock, PATIENCE_MS, () => {
        const row = db.prepare(`SELECT count(*) AS number FROM ${table}`).get() as {
          readonly number: number;
        };
        return Number(row.number);
      }),
    );
  }

  /** Salt compat: of a list, what stands before an item that is there already is put in, as in Salt. */
  insert(queue: string, items: Value): Promise<Value> {
    const texts = sqliteTexts(items);
    return this.#with(queue, (db, table) =>
      this.#write(db, () => {
        const insert = db.prepare(`INSERT INTO ${table}(name) VALUES(?)`);
        try {
          for (const text of texts) insert.run(text);
          return true;
        } catch (error) {
          if (!/UNIQUE constraint failed/.test(messageOf(error))) throw error;
          const what = Array.isArray(items) ? 'One or more items already exists' : 'Item already exists';
          return `${what} in this queue. sqlite error: UNIQUE constraint failed: ${queue}.name`;
        }
      }),
    );
  }

  async delete(queue: string, items: Value): Promise<number> {
    const texts = sqliteTexts(items);
    return this.#with(queue, (db, table) =>
      this.#write(db, () => {
        const remove = db.prepare(`DELETE FROM ${table} WHERE name = ?`);
        return texts.reduce((sum, text) => sum + Number(remove.run(text).changes), 0);
      }),
    );
  }

  take<T>(queue: string, { quantity, isRunner }: Taking, use: (items: Value[]) => Promise<T>): Promise<T> {
    return this.#with(queue, (db, table) =>
      this.#write(db, () => {
        const rows = rowsOf(db, table, quantity === 'all' ? -1 : quantity);
        const remove = db.prepare(`DELETE FROM ${table} WHERE id = ?`);
        for (const { id } of rows) remove.run(id);
        return use(rows.map(({ name }) => (isRunner ? runnerOfText(name, queue) : name)));
      }),
    );
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #write<T>(db: SqliteDatabase, run: () => T | Promise<T>): Promise<T> {
    return writeAtOnce(db, { clock: this.#clock, patienceMs: PATIENCE_MS }, run);
  }

  /** Salt compat: asking for a queue makes it, as in Salt. @param run is handed the table's name in quotes */
  async #with<T>(queue: string, run: (db: SqliteDatabase, table: string) => Promise<T>): Promise<T> {
    const path = safeJoin(this.#folder, `${queueName(queue, NAME_BYTES_MAX)}${ENDING}`);
    const table = `"${queue}"`;
    makeDirectory(this.#folder, 0o700);
    const db = openSqlite(path);
    try {
      blockBriefly(db);
      await this.#makeTable(db, queue, table);
      return await run(db, table);
    } catch (error) {
      if (error instanceof QueueError || !/sqlite|database|disk|file is not/i.test(messageOf(error)))
        throw error;
      throw new QueueError(`The queue ${queue} in ${path}: ${messageOf(error)}`, { cause: error });
    } finally {
      db.close();
    }
  }

  async #makeTable(db: SqliteDatabase, queue: string, table: string): Promise<void> {
    const known = (): boolean =>
      db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(queue) !== undefined;
    if (await patiently(this.#clock, PATIENCE_MS, known)) return;
    await this.#write(db, () => {
      if (!known()) db.exec(`CREATE TABLE ${table}(id INTEGER PRIMARY KEY, name TEXT UNIQUE)`);
    });
  }
}

/** In the order in which they came. */
function rowsOf(db: SqliteDatabase, table: string, limit = -1): Row[] {
  return db.prepare(`SELECT id, name FROM ${table} ORDER BY id LIMIT ?`).all(limit) as Row[];
}
