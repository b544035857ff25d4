/**
 * `mysql`, also as `mariadb`: jobs, returns and events in MariaDB or MySQL, in the tables of Salt's returner
 * (salt/returners/mysql.py, 3006.16), so that a database that Salt has made is read and continued, by Salt too.
 */
import { createHash } from 'node:crypto';
import { parseJson } from '../../formats/json/text.ts';
import { CommandExecutionError } from '../../errors/errors.ts';
import { truthy, type Dict, type Value } from '../../python/values/value.ts';
import { StoreUnavailableError } from '../../network/databases/errors.ts';
import {
  lockSecondsOf,
  mysqlConnections,
  quoteName,
  type MysqlConnections,
  type MysqlSession,
} from '../../network/databases/mysql-pool.ts';
import { type StoreKind, type StoreSettings } from '../shared/returner/return-store.ts';
import {
  columnOf,
  loadValues,
  returnValues,
  type SqlColumn,
  type SqlFacts,
  type SqlValues,
} from '../shared/returner/sql-columns.ts';
import { dictOf, portions, textSum, type TextRange, type Width } from '../shared/returner/sql-fields.ts';
import {
  DELETED_AT_ONCE,
  SqlStore,
  type EventBatch,
  type NewRow,
  type OldRows,
  type OldRule,
  type SqlReads,
} from '../shared/returner/sql-store.ts';

/** The tables as Salt documents them, but for characters of four bytes, and with one key more: jid and id together. */
const SCHEMA: ReadonlyMap<string, string> = new Map([
  ['jids', '`jid` varchar(255) NOT NULL, `load` mediumtext NOT NULL, UNIQUE KEY `jid` (`jid`)'],
  [
    'salt_returns',
    '`fun` varchar(50) NOT NULL, `jid` varchar(255) NOT NULL, `return` mediumtext NOT NULL, `id` varchar(255) NOT NULL, ' +
      '`success` varchar(10) NOT NULL, `full_ret` mediumtext NOT NULL, `alter_time` timestamp DEFAULT CURRENT_TIMESTAMP, ' +
      'KEY `id` (`id`), KEY `jid` (`jid`), KEY `fun` (`fun`), KEY `jid_id` (`jid`, `id`)',
  ],
  [
    'salt_events',
    '`id` bigint NOT NULL AUTO_INCREMENT, `tag` varchar(255) NOT NULL, `data` mediumtext NOT NULL, ' +
      '`alter_time` timestamp DEFAULT CURRENT_TIMESTAMP, `master_id` varchar(255) NOT NULL, PRIMARY KEY (`id`), KEY `tag` (`tag`)',
  ],
]);
/** Bytes of one INSERT, where the server takes so many. */
const STATEMENT_BYTES = 2 * 1024 * 1024;
/** What a statement has besides its rows. */
const STATEMENT_MARGIN = 1024;
const IS_OLD = '`alter_time` < FROM_UNIXTIME(?)';
const OLD_ROWS: OldRows = {
  jobs:
    `(\`jid\` IN (SELECT \`jid\` FROM \`salt_returns\` WHERE ${IS_OLD})) OR ` +
    "(`jid` < ? AND `jid` REGEXP '^[0-9]{20}' AND NOT EXISTS (SELECT 1 FROM `salt_returns` r WHERE r.`jid` = `jids`.`jid`))",
  returns: IS_OLD,
  events: IS_OLD,
};
const READS: SqlReads = {
  knownReturns: (jids, ids) => ({
    sql: 'SELECT `jid`, `id` FROM `salt_returns` WHERE `jid` IN (?) AND `id` IN (?)',
    values: [jids, ids],
  }),
  returns: (jid) => ({
    sql: 'SELECT `id`, `full_ret` FROM `salt_returns` WHERE `jid` = ?',
    values: [jid],
  }),
  lastReturns: (fun) => ({
    // minions whose names differ in case only are several
    sql:
      'SELECT s.`id`, s.`full_ret` FROM `salt_returns` s JOIN (SELECT MIN(`id`) AS id, MAX(`jid`) AS jid FROM `salt_returns` ' +
      'WHERE `fun` = ? GROUP BY BINARY `id`) m ON s.`jid` = m.jid AND s.`id` = m.id AND BINARY s.`id` = BINARY m.id WHERE s.`fun` = ?',
    values: [fun, fun],
  }),
  minions: 'SELECT DISTINCT BINARY `id` AS id FROM `salt_returns` ORDER BY 1',
  returnColumn: 'full_ret',
};

const DEFAULTS = new Map<string, Value | undefined>([
  ...['host', 'user', 'pass', 'db'].map((name): [string, Value] => [name, 'salt']),
  ['port', 3306],
  ['ssl_ca', undefined],
  ['ssl_cert', undefined],
  ['ssl_key', undefined],
  // ours: takes a certificate of `ssl_ca` whatever host it names
  ['ssl_any_host', undefined],
]);

/** The kind of database `mysql`. */
export const mysqlKind: StoreKind = {
  name: 'mysql',
  file: 'mysql',
  optionPrefix: 'mysql',
  defaults: DEFAULTS,
  open: (settings) => new MysqlStore(settings),
};

/** The same by the name of its other server. */
export const mariadbKind: StoreKind = { ...mysqlKind, name: 'mariadb' };

/** What the tables can hold. */
interface Facts extends SqlFacts<Column> {
  readonly packetBytes: number;
}

interface Column extends SqlColumn {
  readonly bytes: Width;
}

const UNKNOWN_COLUMN: Column = { range: 'bmp', width: undefined, bytes: undefined, isJson: false };

class MysqlStore extends SqlStore<MysqlSession, Facts, string> {
  protected readonly naming = { server: 'MySQL', returner: 'mysql' };
  protected readonly connections: MysqlConnections;
  protected readonly schema = SCHEMA;
  protected readonly reads = READS;
  protected readonly oldRows = OLD_ROWS;
  protected readonly readFacts = readFacts;
  protected readonly insert = insert;

  constructor(settings: StoreSettings) {
    super(settings);
    this.connections = mysqlConnections(settings);
  }

  protected preparing(run: (session: MysqlSession) => Promise<void>): Promise<void> {
    return this.connections.use(run);
  }

  protected async createTable(session: MysqlSession, name: string, columns: string): Promise<void> {
    await session.run(
      `CREATE TABLE IF NOT EXISTS ${quoteName(name)} (${columns}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    );
  }

  protected writing(run: (session: MysqlSession) => Promise<void>): Promise<void> {
    return this.connections.use(run);
  }

  protected locked(slots: readonly number[], run: (session: MysqlSession) => Promise<void>): Promise<void> {
    return this.#locked(slots.map(String), run);
  }

  protected returnRow(ret: Dict, facts: Facts): SqlValues {
    return returnValues(ret, facts, successText(ret.get('success')));
  }

  protected readonly loadRow = loadValues;

  protected override readLastReturn(json: string): Value {
    return parseJson(json);
  }

  protected async readLoad(session: MysqlSession, jid: string): Promise<Dict | undefined> {
    const [row] = await session.rows('SELECT `load` FROM `jids` WHERE `jid` = ?', [jid]);
    return row === undefined ? undefined : dictOf(row['load'] ?? '');
  }

  protected async readLoads(session: MysqlSession): Promise<Map<string, Dict>> {
    const rows = await session.rows('SELECT `jid`, `load` FROM `jids`');
    return new Map(rows.map(({ jid, load }) => [jid ?? '', dictOf(load ?? '')]));
  }

  protected async eventsThatAreThere(
    session: MysqlSession,
    _: Facts,
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

  protected clean(rules: readonly OldRule[], isArchived: boolean, timeoutMs: number): Promise<void> {
    return this.#locked(['clean'], async (session) => {
      for (const rule of rules) {
        if (isArchived) await archive(session, rule, timeoutMs);
        const sql = `DELETE FROM ${quoteName(rule.table)} WHERE ${rule.condition} LIMIT ${DELETED_AT_ONCE}`;
        while ((await session.run(sql, rule.values, timeoutMs)) === DELETED_AT_ONCE);
      }
    });
  }

  /** Runs statements while no other writer has these locks; they are the server's, and go with the connection. */
  #locked(names: readonly string[], run: (session: MysqlSession) => Promise<void>): Promise<void> {
    const database = createHash('md5').update(this.connections.database).digest('hex').slice(0, 16);
    const locks = names.map((name) => `brine.${database}.${name}`);
    return this.connections.use(async (session) => {
      const lockSeconds = lockSecondsOf(this.connections.timeoutMs);
      const [row = {}] = await session.rows(
        `SELECT ${locks.map((_, at) => `GET_LOCK(?, ${lockSeconds}) AS l${at}`).join(', ')}`,
        locks,
      );
      if (Object.values(row).some((got) => got !== '1'))
        throw new StoreUnavailableError(
          `The MySQL database ${this.connections.database} has been kept busy by another writer for ${lockSeconds} s.`,
        );
      await run(session);
      await session.run(`DO ${locks.map(() => 'RELEASE_LOCK(?)').join(', ')}`, locks);
    });
  }
}

async function readFacts(session: MysqlSession): Promise<Facts> {
  const rows = await session.rows(
    'SELECT TABLE_NAME AS t, COLUMN_NAME AS c, DATA_TYPE AS type, CHARACTER_SET_NAME AS charset, ' +
      'CHARACTER_MAXIMUM_LENGTH AS width, CHARACTER_OCTET_LENGTH AS bytes FROM information_schema.COLUMNS ' +
      'WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN (?)',
    [[...SCHEMA.keys()]],
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

/** Salt's drivers write Python's True and False as numbers. */
function successText(value: Value | undefined): string {
  if (value === undefined || typeof value === 'boolean') return value === true ? '1' : '0';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : truthy(value) ? '1' : '0';
}

/**
 * A row as it stands in a statement.
 * @throws CommandExecutionError when it is longer than a column or a statement may be
 */
function rowText(session: MysqlSession, facts: Facts, table: string, { what, values }: NewRow): string {
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
  facts: Facts,
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
