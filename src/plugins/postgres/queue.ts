/**
 * Queues in PostgreSQL, a table each, in the database of the options `queue.pgjsonb.*` (salt/queues/pgjsonb_queue.py,
 * 3006.16), so that a real Salt goes on with them. Items are any JSON.
 */
import { parseJson } from '../../formats/json/text.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { POSTGRES_TLS } from '../../network/databases/postgres-tls.ts';
import {
  postgresConnections,
  transaction,
  type PostgresConnections,
  type PostgresSession,
} from '../../network/databases/postgres.ts';
import { storeJson } from '../shared/returner/store-json.ts';
import {
  QueueError,
  type QueueBackend,
  type QueueKind,
  type QueueSettings,
  type Taking,
} from '../shared/queue/queue-backend.ts';
import { queueName } from '../shared/queue/queue-name.ts';

const PREFIX = 'queue.pgjsonb';
/** The options as libpq names them, with what holds when nothing sets them. */
const DEFAULTS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['host', 'localhost'],
  ['user', 'salt'],
  ['password', 'salt'],
  ['dbname', 'salt'],
  ['port', 5432],
]);
const TIMEOUT_MS = 10_000;
/** What PostgreSQL takes of a name; the rest is left out without a word. */
const NAME_BYTES_MAX = 63;
/** The number of the lock under which tables are made. */
const MAKING_LOCK = 7;

/** Nothing is connected yet. */
function open({ opts, log }: QueueSettings): QueueBackend {
  return new PgjsonbQueues(
    postgresConnections(
      {
        options: connectionOptions(opts),
        timeoutMs: TIMEOUT_MS,
        connectionsMax: 1,
        warn: (text) => log.warning(text),
      },
      {
        name: 'pgjsonb',
        prefix: PREFIX,
        password: 'password',
        whenMissing: 'create the database, or see queue.pgjsonb.dbname',
      },
    ),
  );
}

/** The backend `pgjsonb`. */
export const pgjsonbQueues: QueueKind = { name: 'pgjsonb', open };

function connectionOptions(opts: Dict): Map<string, Value> {
  const options = new Map<string, Value>();
  for (const [name, value] of DEFAULTS)
    options.set(name === 'dbname' ? 'db' : name, opts.get(`${PREFIX}.${name}`) ?? value);
  for (const name of POSTGRES_TLS) {
    const value = opts.get(`${PREFIX}.${name}`);
    if (value !== undefined) options.set(name, value);
  }
  return options;
}

class PgjsonbQueues implements QueueBackend {
  readonly #connections: PostgresConnections;

  constructor(connections: PostgresConnections) {
    this.#connections = connections;
  }

  /** Salt compat: Salt lists every table of the database; here those that are queues. */
  queues(): Promise<string[]> {
    return this.#connections.use(async (session) => {
      const rows = await session.rows(
        `SELECT relname FROM pg_class c WHERE relkind = 'r' AND relname !~ '^(pg_|sql_)' AND pg_table_is_visible(oid) AND ${IS_QUEUE} ORDER BY relname`,
      );
      return rows.map((row) => row['relname'] ?? '');
    });
  }

  items(queue: string): Promise<Value[]> {
    return this.#existing(queue, async (session, table) =>
      valuesOf(await session.rows(`SELECT data FROM ${table} ORDER BY id`)),
    );
  }

  length(queue: string): Promise<number> {
    return this.#existing(queue, async (session, table) => {
      const [row] = await session.rows(`SELECT count(*) AS number FROM ${table}`);
      return Number(row?.['number'] ?? 0);
    });
  }

  async insert(queue: string, items: Value): Promise<Value> {
    const name = tableName(queue);
    const texts = jsonOf(items);
    await this.#once(async (session) => {
      await session.script(`SELECT pg_advisory_xact_lock(${MAKING_LOCK})`);
      await session.script(
        `CREATE TABLE IF NOT EXISTS "${name}"(id SERIAL PRIMARY KEY, data jsonb NOT NULL)`,
      );
      await requireQueue(session, name);
      await session.run(
        `INSERT INTO "${name}"(data) SELECT item::jsonb FROM unnest($1::text[]) WITH ORDINALITY AS t(item, at) ORDER BY at`,
        [texts],
      );
    });
    return true;
  }

  async delete(queue: string, items: Value): Promise<number> {
    const texts = jsonOf(items);
    const name = tableName(queue);
    return this.#once(async (session) => {
      await requireQueue(session, name);
      const rows = await session.rows(
        `DELETE FROM "${name}" WHERE data = ANY($1::text[]::jsonb[]) RETURNING 1`,
        [texts],
      );
      return rows.length;
    });
  }

  /** The lock keeps a real Salt from reading items that are being taken: it reads and deletes in two steps. */
  take<T>(queue: string, { quantity }: Taking, use: (items: Value[]) => Promise<T>): Promise<T> {
    const name = tableName(queue);
    const limit = quantity === 'all' ? '' : `LIMIT ${quantity}`;
    return this.#once(async (session) => {
      await requireQueue(session, name);
      await session.script(`LOCK TABLE "${name}" IN ACCESS EXCLUSIVE MODE`);
      const taken = await session.rows(
        `WITH taken AS (DELETE FROM "${name}" WHERE id IN (SELECT id FROM "${name}" ORDER BY id ${limit}) RETURNING id, data) ` +
          'SELECT data FROM taken ORDER BY id',
      );
      return use(valuesOf(taken));
    });
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  #existing<T>(queue: string, run: (session: PostgresSession, table: string) => Promise<T>): Promise<T> {
    const name = tableName(queue);
    return this.#connections.use(async (session) => {
      await requireQueue(session, name);
      return run(session, `"${name}"`);
    });
  }

  /** A transaction that is not repeated when the connection is lost, since nobody knows then whether it was kept. */
  #once<T>(run: (session: PostgresSession) => Promise<T>): Promise<T> {
    return transaction(this.#connections, run, { attemptsMax: 1 });
  }
}

/** Whether the table `c` has the two columns of a queue, and no others. */
const IS_QUEUE =
  "(SELECT array_agg(attname::text || ' ' || format_type(atttypid, NULL) ORDER BY attnum) FROM pg_attribute a " +
  "WHERE a.attrelid = c.oid AND attnum > 0 AND NOT attisdropped) = ARRAY['id integer', 'data jsonb']";

/** Salt compat: Salt writes the name without quotes, so that PostgreSQL takes capitals for small letters. */
function tableName(queue: string): string {
  return queueName(queue, NAME_BYTES_MAX).replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Keeps other tables of the database, such as those of returners, from being emptied. @throws QueueError */
async function requireQueue(session: PostgresSession, name: string): Promise<void> {
  const sql = `SELECT ${IS_QUEUE} AS fits FROM pg_class c WHERE oid = to_regclass($1)`;
  const [row] = await session.rows(sql, [`"${name}"`]);
  if (row === undefined)
    throw new QueueError(`There is no queue ${name} in the database: the first queue.insert makes it.`);
  if (row['fits'] !== 't')
    throw new QueueError(
      `The table ${name} of the database is no queue: it has other columns than id and data. Take another name.`,
    );
}

function valuesOf(rows: readonly Readonly<Record<string, string | null>>[]): Value[] {
  return rows.map((row) => parseJson(row['data'] ?? 'null'));
}

/** Salt compat: Salt passes over what is no mapping and no list; here it is an item. */
function jsonOf(items: Value): string[] {
  return (Array.isArray(items) ? items : [items]).map((item) => storeJson(item, { strict: true }));
}
