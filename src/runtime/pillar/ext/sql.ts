/** The external pillars mysql, postgres and sqlite3 (3006.16 salt/pillar/sql_base.py and the files of these names). */
import { existsSync } from 'node:fs';
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { parseJson } from '../../../formats/json/text.ts';
import { systemClock } from '../../../host/clock.ts';
import type { TypeCast } from 'mysql2/promise';
import type { MysqlNaming } from '../../../network/databases/mysql-pool.ts';
import type { PostgresNaming } from '../../../network/databases/postgres.ts';
import { POSTGRES_TLS } from '../../../network/databases/postgres-tls.ts';
import type { DatabaseSettings } from '../../../network/databases/settings.ts';
import type { SqlAnswer } from '../../../network/databases/sql.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { float, isDict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { SqliteDatabase } from '../../../storage/jobs/sqlite.ts';
import type { ExtPillar, ExtPillarContext } from './ext-pillar.ts';
import { addRows, type RowForm } from './sql-rows.ts';

/** Longer a query may not take: the minion waits. */
const TIMEOUT_MS = 30_000;
/** Most rows of one query for one minion. */
const ROWS_MAX = 200_000;

interface Query {
  /** The key that its data comes below; '' for none. */
  readonly root: string;
  readonly sql: string;
  readonly form: RowForm;
}

/**
 * Makes an external pillar. Salt compat: a query that fails, fails the pillar; Salt logs it and goes on without the
 * data.
 * @param ask asks a database, each time with the minion's id in its one place
 */
function sqlPillar(
  ask: (context: ExtPillarContext, queries: readonly string[]) => Promise<readonly SqlAnswer[]>,
): ExtPillar {
  return async (settings, context) => {
    const queries = queriesIn(settings);
    const answers = await ask(
      context,
      queries.map(({ sql }) => sql),
    );
    const result: Dict = new Map();
    for (const [at, { root, form }] of queries.entries()) {
      const { columns = [], rows = [] } = answers[at] ?? {};
      const below: Dict = root === '' ? result : new Map();
      if (root !== '') result.set(root, below);
      addRows(below, columns, rows.map(valuesOf), form);
    }
    return result;
  };
}

/** Asks one after another. */
async function eachOf(
  queries: readonly string[],
  ask: (sql: string) => SqlAnswer | Promise<SqlAnswer>,
): Promise<SqlAnswer[]> {
  const answers: SqlAnswer[] = [];
  for (const sql of queries) {
    const answer = await ask(sql);
    if (answer.rows.length > ROWS_MAX)
      throw new CommandExecutionError(`a query gives more than ${ROWS_MAX} rows; narrow it: ${sql}`);
    answers.push(answer);
  }
  return answers;
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

/** One connection, for the pillar of one minion. */
function connectionTo(options: ReadonlyMap<string, Value>, { log }: ExtPillarContext): DatabaseSettings {
  const warn = (text: string): void => {
    if (!warned.has(text)) log.warning(text);
    warned.add(text);
  };
  return { options, timeoutMs: TIMEOUT_MS, connectionsMax: 1, warn };
}

/** What was said of the connections of other minions' pillars already. */
const warned = new Set<string>();

const WHEN_MISSING = 'create what is missing, or correct the query or the option';

/** Options for TLS, as the returner has them behind `ssl_`; `ssl` is a mapping of the same, or True. */
const MYSQL_TLS = ['ca', 'cert', 'key', 'any_host'];
const MYSQL_DEFAULTS: readonly [string, Value][] = [
  ['host', 'localhost'],
  ['user', 'salt'],
  ['pass', 'salt'],
  ['db', 'salt'],
  ['port', 3306],
  ['ssl', null],
  ...MYSQL_TLS.map((name): [string, Value] => [`ssl_${name}`, null]),
];

const MYSQL: MysqlNaming = { password: 'pass', whenMissing: `${WHEN_MISSING} mysql.db`, isSessionKept: true };

/** `mysql`. */
export const mysqlPillar: ExtPillar = sqlPillar(async (context, queries) => {
  const options = optionsOf(context.opts, 'mysql', MYSQL_DEFAULTS);
  const ssl = options.get('ssl');
  if (isDict(ssl)) for (const name of MYSQL_TLS) options.set(`ssl.${name}`, ssl.get(name) ?? null);
  const { mysqlConnections } = await import('../../../network/databases/mysql-pool.ts');
  const connections = mysqlConnections(connectionTo(options, context), {
    ...MYSQL,
    tls: { prefix: isDict(ssl) ? 'ssl.' : 'ssl_', isWanted: truthy(ssl) },
  });
  const place = hexLiteral(context.minionId);
  try {
    return await connections.use((session) =>
      eachOf(queries, (sql) => session.answer(withPlace(sql, place), mysqlValue)),
    );
  } finally {
    await connections.close();
  }
});

/** Types of MySQL whose texts are what they mean. */
const TEXT_TYPES: ReadonlySet<string> = new Set(['JSON', 'DATE', 'NEWDATE', 'DATETIME', 'TIMESTAMP']);

/** A column of MySQL as a value. @param next makes what the driver would */
const mysqlValue: TypeCast = (field, next) => {
  const { type } = field as { type: string };
  if (TEXT_TYPES.has(type)) return field.string('utf8');
  if (type !== 'FLOAT' && type !== 'DOUBLE' && type !== 'LONGLONG') return next();
  const text = field.string('utf8');
  if (text === null) return null;
  if (type !== 'LONGLONG') return float(Number(text));
  return Number.isSafeInteger(Number(text)) ? Number(text) : text;
};

/**
 * An id as SQL: in digits it means the same in every `sql_mode`, where a quote may be escaped in one way or another.
 */
const hexLiteral = (id: string): string => `_utf8mb4 X'${Buffer.from(id, 'utf8').toString('hex')}'`;

const POSTGRES_DEFAULTS: readonly [string, Value][] = [
  ['host', 'localhost'],
  ['user', 'salt'],
  ['pass', 'salt'],
  ['db', 'salt'],
  ['port', 5432],
  ...POSTGRES_TLS.map((name): [string, Value] => [name, null]),
];
/** Numbers of PostgreSQL's types that its driver gives as texts or as objects. */
const [INT8, JSON_TYPE, JSONB, FLOAT4, FLOAT8] = [20, 114, 3802, 700, 701];

const POSTGRES: PostgresNaming = {
  name: 'postgres',
  prefix: 'postgres',
  password: 'pass',
  whenMissing: `${WHEN_MISSING} postgres.db`,
};

/** `postgres`. */
export const postgresPillar: ExtPillar = sqlPillar(async (context, queries) => {
  const options = optionsOf(context.opts, 'postgres', POSTGRES_DEFAULTS);
  const { postgresConnections } = await import('../../../network/databases/postgres.ts');
  const connections = postgresConnections(connectionTo(options, context), POSTGRES);
  try {
    return await connections.use((session) =>
      eachOf(queries, (sql) => session.answer(withPlace(sql, '$1'), [context.minionId], postgresReader)),
    );
  } finally {
    await connections.close();
  }
});

function postgresReader(type: number): ((text: string) => Value) | undefined {
  if (type === JSON_TYPE || type === JSONB) return parseJson;
  if (type === INT8) return (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text));
  return type === FLOAT4 || type === FLOAT8 ? (text) => float(Number(text)) : undefined;
}

/** `sqlite3`. */
export const sqlitePillar: ExtPillar = sqlPillar(async ({ minionId, opts }, queries) => {
  const options = optionsOf(opts, 'sqlite3', [
    ['database', '/var/lib/salt/pillar.db'],
    ['timeout', 5],
  ]);
  const path = pyStr(options.get('database') ?? '');
  const patienceMs = (toNumber(options.get('timeout')) ?? 0) * 1000;
  const { openSqlite } = await import('../../../storage/jobs/sqlite.ts');
  const { blockBriefly, patiently } = await import('../../../storage/jobs/sqlite-writing.ts');
  if (!existsSync(path))
    throw new CommandExecutionError(
      `The database ${path} does not exist; make it, or name another one in sqlite3.database`,
    );
  try {
    const database = openSqlite(path, true);
    try {
      blockBriefly(database);
      return await patiently(systemClock, patienceMs, () =>
        eachOf(queries, (sql) => sqliteAnswer(database, sql, minionId)),
      );
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof CommandExecutionError) throw error;
    throw new CommandExecutionError(`The database ${path}: ${messageOf(error)}`, { cause: error });
  }
});

async function sqliteAnswer(database: SqliteDatabase, sql: string, id: string): Promise<SqlAnswer> {
  const { piecesOf } = await import('../../../storage/jobs/sql-pieces.ts');
  const { positions, names } = piecesOf(sql);
  const wanted = Math.max(positions, names.length);
  // the driver would take nothing for the others
  if (wanted > 1) throw new Error(`a query wants ${wanted} values, and there is the minion's id only`);
  const rows = database.prepare(sql).all(id) as Record<string, unknown>[];
  const columns = Object.keys(rows[0] ?? {});
  return { columns, rows: rows.map((row) => columns.map((name) => row[name])) };
}

function valuesOf(row: readonly unknown[]): Value[] {
  return row.map((value) => {
    if (value === undefined || value === null) return null;
    if (value instanceof ArrayBuffer) return new Uint8Array(value);
    if (value instanceof Uint8Array) return Uint8Array.from(value);
    if (value instanceof Date) return value.toISOString().slice(0, 19).replace('T', ' ');
    return value as Value;
  });
}
