/** How Salt's three returners for PostgreSQL do it: their statements, transactions and locks. */
import {
  transaction,
  type PostgresConnections,
  type PostgresSession,
} from '../../../network/databases/postgres.ts';
import { columnOf, type SqlColumn, type SqlFacts } from '../../shared/returner/sql-columns.ts';
import {
  DELETED_AT_ONCE,
  type Cleaning,
  type EventBatch,
  type NewRow,
  type OldRows,
  type SqlDialect,
  type SqlReads,
} from '../../shared/returner/sql-dialect.ts';
import { portions } from '../../shared/returner/sql-fields.ts';

/** Bytes of one INSERT. */
const STATEMENT_BYTES = 4 * 1024 * 1024;
/** The number of the lock for cleaning; those of returns are below. */
const CLEANING_LOCK = 1000;

/** A column as the database describes it. */
export interface PostgresColumn extends SqlColumn {
  readonly type: string;
}

/** What the tables are made of. */
export type PostgresFacts = SqlFacts<PostgresColumn>;

/** Statements and locks of PostgreSQL. */
export const postgresDialect: SqlDialect<PostgresSession, PostgresFacts> = {
  server: 'PostgreSQL',
  readFacts,
  write: (connections, locks, run) =>
    transaction(connections, run, { locks: locks === 'tables' ? [CLEANING_LOCK] : locks }),
  insert,
  eventsThatAreThere,
  clean,
};

/** The statements that create a table. @param indexes what stands behind its name in each */
export function tableStatements(
  name: string,
  columns: string,
  indexes: readonly string[],
): readonly string[] {
  return [`CREATE TABLE ${name} (${columns})`, ...indexes.map((index) => `CREATE INDEX ON ${name} ${index}`)];
}

/**
 * The statements that read returns.
 * @param writtenAt the column of `salt_returns` that says when it was written
 * @param returnColumn the column of `salt_returns` out of which a return is read
 */
export function returnReads(writtenAt: string, returnColumn: string): Omit<SqlReads, 'load' | 'loads'> {
  return {
    knownReturns: (jids, ids) => ({
      sql: 'SELECT jid, id FROM salt_returns WHERE jid = ANY($1) AND id = ANY($2)',
      values: [jids, ids],
    }),
    returns: (jid) => ({
      sql: `SELECT id, ${returnColumn} AS ret FROM salt_returns WHERE jid = $1 ORDER BY ${writtenAt}`,
      values: [jid],
    }),
    lastReturns: (fun) => ({
      sql: `SELECT DISTINCT ON (id) id, ${returnColumn} AS ret FROM salt_returns WHERE fun = $1 ORDER BY id, jid DESC, ${writtenAt}`,
      values: [fun],
    }),
    minions: 'SELECT DISTINCT id FROM salt_returns ORDER BY id',
    returnColumn: 'ret',
  };
}

/** Conditions of old rows. @param writtenAt the column of `salt_returns` that says when it was written */
export function oldRowsOf(writtenAt: string): OldRows {
  const isOld = (column: string): string => `${column} < to_timestamp($1)`;
  return {
    jobs:
      `jid IN (SELECT jid FROM salt_returns WHERE ${isOld(writtenAt)}) OR (jid < $2 AND jid ~ '^[0-9]{20}' ` +
      'AND NOT EXISTS (SELECT 1 FROM salt_returns r WHERE r.jid = jids.jid))',
    returns: isOld(writtenAt),
    events: isOld('alter_time'),
  };
}

async function readFacts(session: PostgresSession, tables: readonly string[]): Promise<PostgresFacts> {
  const rows = await session.rows(
    'SELECT table_name AS t, column_name AS c, udt_name AS type, character_maximum_length AS width FROM ' +
      'information_schema.columns WHERE table_schema = ANY(current_schemas(false)::text[]) AND table_name = ANY($1)',
    [tables],
  );
  const [encoding] = await session.rows("SELECT current_setting('server_encoding') AS name");
  const range = encoding?.['name'] === 'UTF8' ? 'all' : 'ascii';
  return {
    tables: new Set(rows.map(({ t }) => t ?? '')),
    columns: new Map(
      rows.map(({ t, c, type, width }) => [
        `${t}.${c}`,
        {
          type: type ?? 'text',
          range,
          width: width === null || width === undefined ? undefined : Number(width),
          isJson: type?.startsWith('json') ?? false,
        },
      ]),
    ),
    otherwise: { type: 'text', range, width: undefined, isJson: false },
  };
}

async function eventsThatAreThere(
  session: PostgresSession,
  facts: PostgresFacts,
  { events, texts, suspects, sinceMs, masterId }: EventBatch,
): Promise<Set<number>> {
  const { type } = columnOf(facts, 'salt_events', 'data');
  const rows = await session.rows(
    'SELECT g.n FROM unnest($1::int[], $2::text[], $3::text[]) AS g (n, tag, data) WHERE EXISTS (SELECT 1 FROM salt_events e ' +
      'WHERE e.tag = g.tag AND e.master_id = $4 AND e.alter_time >= to_timestamp($5) ' +
      `AND md5(e.data::text) = md5(g.data::${type}::text))`,
    [
      suspects,
      suspects.map((at) => events[at]?.tag ?? ''),
      suspects.map((at) => texts[at] ?? ''),
      masterId,
      sinceMs / 1000,
    ],
  );
  return new Set(rows.map(({ n }) => Number(n)));
}

async function clean(
  connections: PostgresConnections,
  { rules, isArchived, timeoutMs }: Cleaning,
): Promise<void> {
  for (const { table, condition, values } of rules) {
    const some = `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${DELETED_AT_ONCE}))`;
    const sql = isArchived
      ? `WITH gone AS (${some} RETURNING *) INSERT INTO ${table}_archive SELECT * FROM gone`
      : some;
    const portion = async (session: PostgresSession): Promise<number> => {
      if (isArchived) await session.run(`CREATE TABLE IF NOT EXISTS ${table}_archive (LIKE ${table})`);
      return session.run(sql, values, timeoutMs);
    };
    const options = { locks: [CLEANING_LOCK], timeoutMs };
    while ((await transaction(connections, portion, options)) === DELETED_AT_ONCE);
  }
}

/** Writes rows that have the same columns, as many at once as a statement may hold. */
async function insert(
  session: PostgresSession,
  facts: PostgresFacts,
  table: string,
  rows: readonly NewRow[],
): Promise<void> {
  const names = [...(rows[0]?.values.keys() ?? [])];
  const types = names.map((name) => columnOf(facts, table, name).type);
  const arrays = names.map((_, at) => `$${at + 1}::text[]`).join(', ');
  const values = types
    .map((type, at) => (type === 'text' || type === 'varchar' ? `v${at}` : `v${at}::${type}`))
    .join(', ');
  // Salt compat: pgjsonb's ON CONFLICT … DO UPDATE makes the latest return the load of the job
  const suffix = table === 'jids' ? ' ON CONFLICT DO NOTHING' : '';
  const sql =
    `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')}) SELECT ${values} ` +
    `FROM unnest(${arrays}) AS given (${names.map((_, at) => `v${at}`).join(', ')})${suffix}`;
  for (const some of portions(rows, sizeOf, STATEMENT_BYTES))
    await session.run(
      sql,
      names.map((name) => some.map((row) => row.values.get(name) ?? null)),
    );
}

function sizeOf({ values }: NewRow): number {
  let size = 0;
  for (const text of values.values()) size += text === null ? 4 : text.length;
  return size;
}
