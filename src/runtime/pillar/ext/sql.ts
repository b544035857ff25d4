/** The external pillars mysql, postgres and sqlite3 (3006.16 salt/pillar/sql_base.py and the files of these names). */
import { readFileSync } from 'node:fs';
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { parseJson } from '../../../formats/json/text.ts';
import {
  mysqlAddress,
  mysqlTlsFault,
  openMysql,
  type MysqlAccess,
} from '../../../network/databases/mysql.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { float, isDict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ExtPillar, ExtPillarContext } from './ext-pillar.ts';
import { addRows, type RowForm } from './sql-rows.ts';

/** Longer a query may not take: the minion waits. */
const TIMEOUT_MS = 30_000;
/** Most rows of one query for one minion. */
const ROWS_MAX = 200_000;

/** What a query gave. */
interface Answer {
  readonly columns: readonly string[];
  readonly rows: readonly Value[][];
}

/** One connection: a query with the minion's id in its one place. */
interface Session {
  query(sql: string, id: string): Promise<Answer>;
  end(): Promise<void> | void;
}

interface Query {
  /** The key that its data comes below; '' for none. */
  readonly root: string;
  readonly sql: string;
  readonly form: RowForm;
}

/**
 * Makes an external pillar. Salt compat: a query that fails, fails the pillar; Salt logs it and goes on without the
 * data.
 */
function sqlPillar(open: (opts: Dict) => Promise<Session>): ExtPillar {
  return async (settings, { minionId, opts }: ExtPillarContext) => {
    const result: Dict = new Map();
    const session = await open(opts);
    try {
      for (const { root, sql, form } of queriesIn(settings)) {
        const { columns, rows } = await session.query(sql, minionId);
        if (rows.length > ROWS_MAX)
          throw new CommandExecutionError(
            `a query gives more than ${ROWS_MAX} rows for ${minionId}; narrow it`,
          );
        const below: Dict = root === '' ? result : new Map();
        if (root !== '') result.set(root, below);
        addRows(below, columns, rows, form);
      }
    } finally {
      await session.end();
    }
    return result;
  };
}

/** The queries of a configuration: a list, then those with names in the order of these. */
function queriesIn(settings: Value): Query[] {
  const named = isDict(settings) ? [...settings].map(([name, query]) => [pyStr(name), query] as const) : [];
  const listed = isDict(settings) ? [] : Array.isArray(settings) ? settings : [settings];
  return [
    ...listed.map((query) => ['', query] as const),
    ...named.sort(([a], [b]) => (a < b ? -1 : 1)),
  ].flatMap(([root, query]) => queryOf(root, query) ?? []);
}

function queryOf(root: string, given: Value): Query | undefined {
  const list = Array.isArray(given) ? given : [];
  const more: Dict = isDict(given) ? given : new Map();
  const sql = typeof given === 'string' ? given : (list[0] ?? more.get('query') ?? '');
  if (typeof sql !== 'string' || sql === '') return undefined;
  const lists = more.get('with_lists');
  return {
    root,
    sql,
    form: {
      depth: toNumber(list[1] ?? more.get('depth') ?? 0) ?? 0,
      asList: truthy(more.get('as_list')),
      asJson: truthy(more.get('as_json')),
      ignoreNull: truthy(more.get('ignore_null')),
      withLists: (typeof lists === 'string' ? lists.split(',') : Array.isArray(lists) ? lists : []).map(
        Number,
      ),
    },
  };
}

/** A query in Python's form, where `%s` is the value and `%%` a percent sign, in that of another driver. */
function withPlace(sql: string, place: string): string {
  let count = 0;
  const text = sql.replace(/%(%|s)/g, (_, kind: string) => {
    if (kind === '%') return '%';
    count++;
    return place;
  });
  if (count !== 1)
    throw new CommandExecutionError(
      `a query needs one %s, for the id of the minion, and this has ${count}: ${sql}`,
    );
  return text;
}

/** The options below a name, over their defaults. */
function optionsOf(opts: Dict, name: string, defaults: readonly [string, Value][]): Map<string, Value> {
  const given = opts.get(name);
  const own: Dict = isDict(given) ? given : new Map();
  return new Map(defaults.map(([key, value]) => [key, own.get(key) ?? value]));
}

const MYSQL_DEFAULTS: readonly [string, Value][] = [
  ['host', 'localhost'],
  ['user', 'salt'],
  ['pass', 'salt'],
  ['db', 'salt'],
  ['port', 3306],
  ['ssl', null],
];

/** `mysql`. */
export const mysqlPillar: ExtPillar = sqlPillar(async (opts) => {
  const given = optionsOf(opts, 'mysql', MYSQL_DEFAULTS);
  const text = (name: string): string => pyStr(given.get(name) ?? '');
  const access: MysqlAccess = {
    host: text('host'),
    port: Number(text('port')),
    user: text('user'),
    password: text('pass'),
    database: text('db'),
    tls: truthy(given.get('ssl')) ? tlsOf(given.get('ssl')) : undefined,
    timeoutMs: TIMEOUT_MS,
  };
  const where = `MySQL at ${mysqlAddress(access)}`;
  const connection = await openMysql(access, {
    rowsAsArray: true,
    dateStrings: true,
    supportBigNumbers: true,
    typeCast: (field, next) => {
      const { type } = field as { type: string };
      if (type === 'FLOAT' || type === 'DOUBLE') {
        const value = field.string();
        return value === null ? null : float(Number(value));
      }
      return type === 'JSON' ? field.string() : next();
    },
  }).catch((error: unknown) => {
    const tls = mysqlTlsFault(error, access, { caSetting: 'mysql: ssl: ca' });
    throw tls === undefined ? asFault(where, error) : new CommandExecutionError(tls, { cause: error });
  });
  return {
    query: async (sql, id) => {
      const [rows, fields] = await connection
        .query({ sql: withPlace(sql, hexLiteral(id)), timeout: TIMEOUT_MS })
        .catch((error: unknown) => fault(where, error));
      return { columns: fields.map(({ name }) => name), rows: (rows as unknown[][]).map(valuesOf) };
    },
    end: () => connection.destroy(),
  };
});

/**
 * An id as SQL: in digits it means the same in every `sql_mode`, where a quote may be escaped in one way or another.
 */
const hexLiteral = (id: string): string => `_utf8mb4 X'${Buffer.from(id, 'utf8').toString('hex')}'`;

function tlsOf(given: Value | undefined): { ca?: string; cert?: string; key?: string } {
  const files = isDict(given) ? given : new Map<Value, Value>();
  const read = (name: string): Record<string, string> => {
    const path = files.get(name);
    return typeof path === 'string' ? { [name]: readFileSync(path, 'utf8') } : {};
  };
  return { ...read('ca'), ...read('cert'), ...read('key') };
}

const POSTGRES_DEFAULTS: readonly [string, Value][] = [
  ['host', 'localhost'],
  ['user', 'salt'],
  ['pass', 'salt'],
  ['db', 'salt'],
  ['port', 5432],
];
/** Numbers of PostgreSQL's types that its driver gives as texts or as objects. */
const [INT8, JSON_TYPE, JSONB, FLOAT4, FLOAT8] = [20, 114, 3802, 700, 701];

/** `postgres`. */
export const postgresPillar: ExtPillar = sqlPillar(async (opts) => {
  const given = optionsOf(opts, 'postgres', POSTGRES_DEFAULTS);
  const text = (name: string): string => pyStr(given.get(name) ?? '');
  const { default: pg } = await import('pg');
  const where = `PostgreSQL at ${text('host')}:${text('port')}`;
  const client = new pg.Client({
    host: text('host'),
    port: Number(text('port')),
    user: text('user'),
    password: text('pass'),
    database: text('db'),
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    types: {
      getTypeParser: (type: number) => (value: string) => {
        if (type === JSON_TYPE || type === JSONB) return parseJson(value);
        if (type === INT8) return Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value);
        if (type === FLOAT4 || type === FLOAT8) return float(Number(value));
        return (pg.types.getTypeParser(type) as (raw: string) => unknown)(value);
      },
    },
  });
  client.on('error', () => undefined); // told by the query that it breaks
  await client.connect().catch((error: unknown) => fault(where, error));
  return {
    query: async (sql, id) => {
      const answer = await client
        .query({ text: withPlace(sql, '$1'), values: [id], rowMode: 'array' })
        .catch((error: unknown) => fault(where, error));
      return {
        columns: answer.fields.map(({ name }) => name),
        rows: (answer.rows as unknown[][]).map(valuesOf),
      };
    },
    end: () => client.end(),
  };
});

/** `sqlite3`. */
export const sqlitePillar: ExtPillar = sqlPillar(async (opts) => {
  const given = optionsOf(opts, 'sqlite3', [['database', '/var/lib/salt/pillar.db']]);
  const path = pyStr(given.get('database') ?? '');
  const { openSqlite } = await import('../../../storage/jobs/sqlite.ts');
  const { piecesOf } = await import('../../../storage/jobs/sql-pieces.ts');
  try {
    const database = openSqlite(path, true);
    return {
      query: (sql, id) => {
        try {
          const { positions, names } = piecesOf(sql);
          const wanted = Math.max(positions, names.length);
          // the driver would take nothing for the others
          if (wanted > 1)
            throw new Error(`a query wants ${wanted} values, and there is the minion's id only`);
          const rows = database.prepare(sql).all(id) as Record<string, unknown>[];
          const columns = Object.keys(rows[0] ?? {});
          const values = rows.map((row) => valuesOf(columns.map((name) => row[name])));
          return Promise.resolve({ columns, rows: values });
        } catch (error) {
          return Promise.reject(asFault(`SQLite in ${path}`, error));
        }
      },
      end: () => void database.close(),
    };
  } catch (error) {
    throw asFault(`SQLite in ${path}`, error);
  }
});

function valuesOf(row: readonly unknown[]): Value[] {
  return row.map((value) => {
    if (value === undefined || value === null) return null;
    if (value instanceof ArrayBuffer) return new Uint8Array(value);
    if (value instanceof Uint8Array) return Uint8Array.from(value);
    if (value instanceof Date) return value.toISOString().slice(0, 19).replace('T', ' ');
    return value as Value;
  });
}

function asFault(where: string, error: unknown): CommandExecutionError {
  return new CommandExecutionError(`${where}: ${messageOf(error)}`, { cause: error });
}

function fault(where: string, error: unknown): never {
  throw asFault(where, error);
}
