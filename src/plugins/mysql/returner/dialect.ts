/** How a store does it in MariaDB and MySQL: statements and locks. */
import { createHash } from 'node:crypto';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { StoreUnavailableError } from '../../../network/databases/errors.ts';
import {
  lockSecondsOf,
  quoteName,
  type MysqlConnections,
  type MysqlSession,
} from '../../../network/databases/mysql-pool.ts';
import { columnOf, type SqlColumn, type SqlFacts } from '../../shared/returner/sql-columns.ts';
import {
  DELETED_AT_ONCE,
  type Cleaning,
  type EventBatch,
  type NewRow,
  type OldRule,
  type SqlDialect,
} from '../../shared/returner/sql-dialect.ts';
import { portions, textSum, type TextRange, type Width } from '../../shared/returner/sql-fields.ts';

/** Bytes of one INSERT, where the server takes so many. */
const STATEMENT_BYTES = 2 * 1024 * 1024;
/** What a statement has besides its rows. */
const STATEMENT_MARGIN = 1024;

/** What the tables can hold. */
export interface MysqlFacts extends SqlFacts<Column> {
  readonly packetBytes: number;
}

interface Column extends SqlColumn {
  readonly bytes: Width;
}

const UNKNOWN_COLUMN: Column = { range: 'bmp', width: undefined, bytes: undefined, isJson: false };

/** Statements and locks of MySQL. */
export const mysqlDialect: SqlDialect<MysqlSession, MysqlFacts> = {
  server: 'MySQL',
  readFacts,
  write: (connections, locks, run) =>
    locks === 'tables' || locks.length === 0
      ? connections.use(run)
      : locked(connections, locks.map(String), run),
  insert,
  eventsThatAreThere,
  clean,
};

/** The statement that creates a table. */
export function tableStatement(name: string, columns: string): string {
  return `CREATE TABLE IF NOT EXISTS ${quoteName(name)} (${columns}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`;
}

async function readFacts(session: MysqlSession, tables: readonly string[]): Promise<MysqlFacts> {
  const rows = await session.rows(
    'SELECT TABLE_NAME AS t, COLUMN_NAME AS c, DATA_TYPE AS type, CHARACTER_SET_NAME AS charset, ' +
      'CHARACTER_MAXIMUM_LENGTH AS width, CHARACTER_OCTET_LENGTH AS bytes FROM information_schema.COLUMNS ' +
      'WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN (?)',
    [tables],
  );
  const [packet] = await session.rows('SELECT @@max_allowed_packet AS bytes');
  const columns = rows.map(({ t, c, type, charset, width, bytes }): [string, Column] => {
    const range: TextRange = charset === 'utf8mb4' ? 'all' : /^utf8/.test(charset ?? '') ? 'bmp' : 'ascii';
    const isText = type === 'varchar' || type === 'char';
    return [
      `${t}.${c}`,
      {
        range: type === 'json' ? 'all' : range,
        width: isText && width !== null ? Number(width) : undefined,
        bytes: isText || bytes === null ? undefined : Number(bytes),
        isJson: type === 'json',
      },
    ];
  });
  return {
    tables: new Set(rows.map(({ t }) => t ?? '')),
    columns: new Map(columns),
    otherwise: UNKNOWN_COLUMN,
    packetBytes: Number(packet?.['bytes'] ?? STATEMENT_BYTES),
  };
}

async function eventsThatAreThere(
  session: MysqlSession,
  _: MysqlFacts,
  { events, texts, suspects, sinceMs, masterId }: EventBatch,
): Promise<Set<number>> {
  const asked = suspects.map((at) => ({ at, tag: events[at]?.tag ?? '', sum: textSum(texts[at] ?? '') }));
  const rows = await session.rows(
    'SELECT `tag`, MD5(`data`) AS sum FROM `salt_events` WHERE `tag` IN (?) AND `master_id` = ? ' +
      'AND `alter_time` >= FROM_UNIXTIME(?) AND MD5(`data`) IN (?)',
    [
      [...new Set(asked.map(({ tag }) => tag))],
      masterId,
      Math.max(1, sinceMs / 1000),
      asked.map(({ sum }) => sum),
    ],
  );
  const known = new Set(rows.map(({ tag, sum }) => `${tag} ${sum}`));
  return new Set(asked.filter(({ tag, sum }) => known.has(`${tag} ${sum}`)).map(({ at }) => at));
}

function clean(connections: MysqlConnections, { rules, isArchived, timeoutMs }: Cleaning): Promise<void> {
  return locked(connections, ['clean'], async (session) => {
    for (const rule of rules) {
      if (isArchived) await archive(session, rule, timeoutMs);
      const sql = `DELETE FROM ${quoteName(rule.table)} WHERE ${rule.condition} LIMIT ${DELETED_AT_ONCE}`;
      while ((await session.run(sql, rule.values, timeoutMs)) === DELETED_AT_ONCE);
    }
  });
}

/** Runs statements while no other writer has these locks; they are the server's, and go with the connection. */
function locked(
  connections: MysqlConnections,
  names: readonly string[],
  run: (session: MysqlSession) => Promise<void>,
): Promise<void> {
  const database = createHash('md5').update(connections.database).digest('hex').slice(0, 16);
  const locks = names.map((name) => `brine.${database}.${name}`);
  return connections.use(async (session) => {
    const lockSeconds = lockSecondsOf(connections.timeoutMs);
    const [row = {}] = await session.rows(
      `SELECT ${locks.map((_, at) => `GET_LOCK(?, ${lockSeconds}) AS l${at}`).join(', ')}`,
      locks,
    );
    if (Object.values(row).some((got) => got !== '1'))
      throw new StoreUnavailableError(
        `The MySQL database ${connections.database} has been kept busy by another writer for ${lockSeconds} s.`,
      );
    await run(session);
    await session.run(`DO ${locks.map(() => 'RELEASE_LOCK(?)').join(', ')}`, locks);
  });
}

/**
 * A row as it stands in a statement.
 * @throws CommandExecutionError when it is longer than a column or a statement may be
 */
function rowText(session: MysqlSession, facts: MysqlFacts, table: string, { what, values }: NewRow): string {
  for (const [column, text] of values) {
    const { bytes } = columnOf(facts, table, column);
    const size = bytes === undefined || text === null ? 0 : Buffer.byteLength(text);
    if (bytes !== undefined && size > bytes)
      throw new CommandExecutionError(
        `${what} has ${size} bytes for the column ${column} of ${table}, which takes ${bytes}; make it longtext to keep such ones.`,
      );
  }
  const row = `(${[...values.values()].map((text) => session.quote(text)).join(', ')})`;
  const size = Buffer.byteLength(row);
  if (size > facts.packetBytes - STATEMENT_MARGIN)
    throw new CommandExecutionError(
      `${what} makes a statement of ${size} bytes, and the server's max_allowed_packet is ${facts.packetBytes}; raise it to keep such ones.`,
    );
  return row;
}

/** Writes rows, as many at once as a statement may hold. */
async function insert(
  session: MysqlSession,
  facts: MysqlFacts,
  table: string,
  rows: readonly NewRow[],
): Promise<void> {
  const names = [...(rows[0]?.values.keys() ?? [])].map(quoteName).join(', ');
  // not INSERT IGNORE, which would cut what is too long
  const suffix = table === 'jids' ? ' ON DUPLICATE KEY UPDATE `jid` = `jids`.`jid`' : '';
  const texts = rows.map((row) => rowText(session, facts, table, row));
  const limit = Math.min(STATEMENT_BYTES, facts.packetBytes - STATEMENT_MARGIN);
  for (const some of portions(texts, (text) => Buffer.byteLength(text) + 2, limit))
    await session.run(`INSERT INTO ${quoteName(table)} (${names}) VALUES ${some.join(', ')}${suffix}`);
}

/** Moves old rows into the table beside theirs, all of them or none. */
async function archive(
  session: MysqlSession,
  { table, condition, values }: OldRule,
  timeoutMs: number,
): Promise<void> {
  const target = quoteName(`${table}_archive`);
  await session.run(`CREATE TABLE IF NOT EXISTS ${target} LIKE ${quoteName(table)}`);
  const known = table === 'jids' ? ` ON DUPLICATE KEY UPDATE ${target}.\`jid\` = ${target}.\`jid\`` : '';
  await session.run('START TRANSACTION');
  await session.run(
    `INSERT INTO ${target} SELECT * FROM ${quoteName(table)} WHERE ${condition}${known}`,
    values,
    timeoutMs,
  );
  await session.run(`DELETE FROM ${quoteName(table)} WHERE ${condition}`, values, timeoutMs);
  await session.run('COMMIT');
}
