/**
 * `mysql`, also as `mariadb`: jobs, returns and events in MariaDB or MySQL, in the tables of Salt's returner
 * (salt/returners/mysql.py, 3006.16), so that a database that Salt has made is read and continued, by Salt too.
 */
import { createHash } from 'node:crypto';
import { CommandExecutionError } from '../../errors/errors.ts';
import { systemClock, type Clock } from '../../host/clock.ts';
import { jidAt } from '../../storage/jobs/jid.ts';
import { parseJson } from '../../formats/json/text.ts';
import { truthy, type Dict, type Value } from '../../python/values/value.ts';
import { MysqlConnections, quoteName, type MysqlSession } from './mysql-connections.ts';
import {
  StoreUnavailableError,
  type JidReturns,
  type ReturnStore,
  type SavedEvent,
  type SavedLoad,
  type StoreKind,
  type StoreSettings,
} from './return-store.ts';
import {
  cut,
  dictOf,
  EventMemory,
  fitJson,
  jidsAndIds,
  lockSlots,
  newReturns,
  plainText,
  portions,
  returnKey,
  textField,
  textSum,
  type TextRange,
  type Width,
} from './sql-fields.ts';
import { storeJson } from './store-json.ts';

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
const DELETED_AT_ONCE = 5000;
/** How much longer than others a statement may take that forgets or archives old rows. */
const CLEANING_FACTOR = 20;
const OLD_JID = "`jid` < ? AND `jid` REGEXP '^[0-9]{20}'";

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
  optionPrefix: 'mysql',
  defaults: DEFAULTS,
  open: (settings) => new MysqlStore(settings),
};

/** The same by the name of its other server. */
export const mariadbKind: StoreKind = { ...mysqlKind, name: 'mariadb' };

/** What the tables can hold, which others may have made. */
interface Facts {
  readonly tables: ReadonlySet<string>;
  readonly columns: ReadonlyMap<string, Column>;
  readonly packetBytes: number;
}

interface Column {
  readonly range: TextRange;
  readonly width: Width;
  readonly bytes: Width;
  readonly isJson: boolean;
}

const UNKNOWN_COLUMN: Column = { range: 'bmp', width: undefined, bytes: undefined, isJson: false };

interface Cell {
  readonly column: string;
  readonly text: string;
}

class MysqlStore implements ReturnStore {
  readonly #connections: MysqlConnections;
  readonly #clock: Clock;
  readonly #events: EventMemory;
  #facts: Promise<Facts> | undefined;

  constructor(settings: StoreSettings) {
    this.#connections = new MysqlConnections(settings);
    this.#clock = settings.clock ?? systemClock;
    this.#events = new EventMemory(this.#clock.nowMs());
  }

  async createSchema(): Promise<string[]> {
    const made: string[] = [];
    if (await this.#connections.createDatabase()) made.push(`database ${this.#connections.database}`);
    await this.#connections.use(async (session) => {
      const { tables } = await readFacts(session);
      for (const [name, columns] of SCHEMA) {
        if (tables.has(name)) continue;
        await session.run(
          `CREATE TABLE IF NOT EXISTS ${quoteName(name)} (${columns}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
        );
        made.push(`table ${name}`);
      }
    });
    this.#facts = undefined;
    return made;
  }

  async saveReturns(rets: readonly Dict[]): Promise<void> {
    if (rets.length === 0) return;
    const facts = await this.#known('salt_returns');
    await this.#locked(lockSlots(rets).map(String), async (session) => {
      const { jids, ids } = jidsAndIds(rets);
      const rows = await session.rows(
        'SELECT `jid`, `id` FROM `salt_returns` WHERE `jid` IN (?) AND `id` IN (?)',
        [jids, ids],
      );
      const known = new Set(rows.map(({ jid, id }) => returnKey(jid ?? '', id ?? '')));
      const texts = newReturns(rets, known).map((ret) =>
        this.#row(session, facts, 'salt_returns', returnCells(ret, facts), whatReturn(ret)),
      );
      await insert(
        session,
        facts,
        '`salt_returns` (`fun`, `jid`, `return`, `id`, `success`, `full_ret`)',
        texts,
      );
    });
  }

  async saveLoads(loads: readonly SavedLoad[]): Promise<void> {
    if (loads.length === 0) return;
    const facts = await this.#known('jids');
    const range = columnOf(facts, 'jids', 'load');
    // in one order, so that two writers do not wait for each other
    const sorted = [...loads].sort((a, b) => (a.jid < b.jid ? -1 : 1));
    await this.#connections.use(async (session) => {
      const rows = sorted.map(({ jid, load }) => {
        const cells = [
          { column: 'jid', text: plainText(jid) },
          { column: 'load', text: jsonFor(range, load) },
        ];
        return this.#row(session, facts, 'jids', cells, `The job ${jid}`);
      });
      // not INSERT IGNORE, which would cut what is too long
      await insert(
        session,
        facts,
        '`jids` (`jid`, `load`)',
        rows,
        ' ON DUPLICATE KEY UPDATE `jid` = `jids`.`jid`',
      );
    });
  }

  async saveEvents(events: readonly SavedEvent[], masterId: string): Promise<void> {
    if (events.length === 0) return;
    const facts = await this.#known('salt_events');
    const column = columnOf(facts, 'salt_events', 'data');
    const texts = events.map(({ data }) => jsonFor(column, data));
    const mayBeThere = this.#events.note(events, texts);
    await this.#connections.use(async (session) => {
      const suspects = events.filter((_, at) => mayBeThere[at]);
      const sums = texts.filter((_, at) => mayBeThere[at]).map(textSum);
      const known = await this.#eventsThatAreThere(session, suspects, sums, masterId);
      const rows: string[] = [];
      for (const [at, { tag }] of events.entries()) {
        const text = texts[at] ?? '';
        const key = `${tag} ${textSum(text)}`;
        if (mayBeThere[at] && known.has(key)) continue;
        known.add(key);
        const cells = [
          {
            column: 'tag',
            text: cut(
              plainText(tag, columnOf(facts, 'salt_events', 'tag').range),
              columnOf(facts, 'salt_events', 'tag').width,
            ),
          },
          { column: 'data', text },
          { column: 'master_id', text: masterId },
        ];
        rows.push(this.#row(session, facts, 'salt_events', cells, `The event ${tag}`));
      }
      await insert(session, facts, '`salt_events` (`tag`, `data`, `master_id`)', rows);
    });
  }

  load(jid: string): Promise<Dict | undefined> {
    return this.#connections.use(async (session) => {
      const [row] = await session.rows('SELECT `load` FROM `jids` WHERE `jid` = ?', [jid]);
      return row === undefined ? undefined : dictOf(row['load'] ?? '');
    });
  }

  returns(jid: string): Promise<JidReturns> {
    return this.#connections.use(async (session) => {
      const rows = await session.rows('SELECT `id`, `full_ret` FROM `salt_returns` WHERE `jid` = ?', [jid]);
      const out = new Map<string, Dict>();
      // the first of several that other writers have left
      for (const { id, full_ret: ret } of rows)
        if (id !== null && id !== undefined && !out.has(id)) out.set(id, dictOf(ret ?? ''));
      return out;
    });
  }

  async lastReturns(fun: string): Promise<ReadonlyMap<string, Value>> {
    const facts = await this.#known('salt_returns');
    const name = cut(fun, columnOf(facts, 'salt_returns', 'fun').width);
    return this.#connections.use(async (session) => {
      // minions whose names differ in case only are several
      const rows = await session.rows(
        'SELECT s.`id`, s.`full_ret` FROM `salt_returns` s JOIN (SELECT MIN(`id`) AS id, MAX(`jid`) AS jid FROM `salt_returns` ' +
          'WHERE `fun` = ? GROUP BY BINARY `id`) m ON s.`jid` = m.jid AND s.`id` = m.id AND BINARY s.`id` = BINARY m.id WHERE s.`fun` = ?',
        [name, name],
      );
      const out = new Map<string, Value>();
      for (const { id, full_ret: text } of rows) {
        const ret = parseJson(text ?? '');
        if (id !== null && id !== undefined && isOf(ret, fun)) out.set(id, ret);
      }
      return out;
    });
  }

  loads(): Promise<ReadonlyMap<string, Dict>> {
    return this.#connections.use(async (session) => {
      const rows = await session.rows('SELECT `jid`, `load` FROM `jids`');
      return new Map(rows.map(({ jid, load }) => [jid ?? '', dictOf(load ?? '')]));
    });
  }

  minions(): Promise<string[]> {
    return this.#connections.use(async (session) => {
      const rows = await session.rows('SELECT DISTINCT BINARY `id` AS id FROM `salt_returns` ORDER BY 1');
      return rows.map(({ id }) => id ?? '');
    });
  }

  /** As Salt's: returns and events by when they were written, jobs by their returns; jobs that have none by their jid. */
  async removeOlderThan(atMs: number, isArchived = false): Promise<void> {
    await this.#known('salt_returns');
    const seconds = atMs / 1000;
    const isOld = '`alter_time` < FROM_UNIXTIME(?)';
    const withOldReturns = `\`jid\` IN (SELECT \`jid\` FROM \`salt_returns\` WHERE ${isOld})`;
    const withoutReturns = `${OLD_JID} AND NOT EXISTS (SELECT 1 FROM \`salt_returns\` r WHERE r.\`jid\` = \`jids\`.\`jid\`)`;
    const rules: readonly (readonly [table: string, condition: string, values: readonly unknown[]])[] = [
      ['jids', `(${withOldReturns}) OR (${withoutReturns})`, [seconds, jidAt(atMs)]],
      ['salt_returns', isOld, [seconds]],
      ['salt_events', isOld, [seconds]],
    ];
    await this.#locked(['clean'], async (session) => {
      const timeoutMs = this.#connections.timeoutMs * CLEANING_FACTOR;
      for (const [table, condition, values] of rules) {
        if (isArchived) await archive(session, table, condition, values, timeoutMs);
        const sql = `DELETE FROM ${quoteName(table)} WHERE ${condition} LIMIT ${DELETED_AT_ONCE}`;
        while ((await session.run(sql, values, timeoutMs)) === DELETED_AT_ONCE);
      }
    });
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  /** Runs statements while no other writer has these locks; they are the server's, and go with the connection. */
  #locked(names: readonly string[], run: (session: MysqlSession) => Promise<void>): Promise<void> {
    const database = createHash('md5').update(this.#connections.database).digest('hex').slice(0, 16);
    const locks = names.map((name) => `brine.${database}.${name}`);
    return this.#connections.use(async (session) => {
      const { lockSeconds } = this.#connections;
      const [row = {}] = await session.rows(
        `SELECT ${locks.map((_, at) => `GET_LOCK(?, ${lockSeconds}) AS l${at}`).join(', ')}`,
        locks,
      );
      if (Object.values(row).some((got) => got !== '1'))
        throw new StoreUnavailableError(
          `The MySQL database ${this.#connections.database} has been kept busy by another writer for ${lockSeconds} s.`,
        );
      await run(session);
      await session.run(`DO ${locks.map(() => 'RELEASE_LOCK(?)').join(', ')}`, locks);
    });
  }

  async #eventsThatAreThere(
    session: MysqlSession,
    events: readonly SavedEvent[],
    sums: readonly string[],
    masterId: string,
  ): Promise<Set<string>> {
    if (events.length === 0) return new Set();
    const sinceMs = EventMemory.earliestMs(events, this.#clock.nowMs());
    const rows = await session.rows(
      'SELECT `tag`, MD5(`data`) AS sum FROM `salt_events` WHERE `tag` IN (?) AND `master_id` = ? ' +
        'AND `alter_time` >= FROM_UNIXTIME(?) AND MD5(`data`) IN (?)',
      [[...new Set(events.map(({ tag }) => tag))], masterId, Math.max(1, sinceMs / 1000), sums],
    );
    return new Set(rows.map(({ tag, sum }) => `${tag} ${sum}`));
  }

  /** A row as it stands in a statement. @throws CommandExecutionError when it is longer than a column or a statement may be */
  #row(session: MysqlSession, facts: Facts, table: string, cells: readonly Cell[], what: string): string {
    for (const { column, text } of cells) {
      const { bytes } = columnOf(facts, table, column);
      const size = bytes === undefined ? 0 : Buffer.byteLength(text);
      if (bytes !== undefined && size > bytes)
        throw new CommandExecutionError(
          `${what} has ${size} bytes for the column ${column} of ${table}, which takes ${bytes}; make it longtext to keep such ones.`,
        );
    }
    const row = `(${cells.map(({ text }) => session.quote(text)).join(', ')})`;
    const size = Buffer.byteLength(row);
    if (size > facts.packetBytes - STATEMENT_MARGIN)
      throw new CommandExecutionError(
        `${what} makes a statement of ${size} bytes, and the server's max_allowed_packet is ${facts.packetBytes}; raise it to keep such ones.`,
      );
    return row;
  }

  /** What the tables can hold, asked once. @throws StoreUnavailableError when a table is missing */
  async #known(table: string): Promise<Facts> {
    const asked = (this.#facts ??= this.#connections.use(readFacts));
    try {
      const facts = await asked;
      if (facts.tables.has(table)) return facts;
    } catch (error) {
      this.#facts = undefined;
      throw error;
    }
    this.#facts = undefined;
    throw new StoreUnavailableError(
      `The MySQL database ${this.#connections.database} has no table ${table}; create it with: salt-run returner.create_schema mysql`,
    );
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
    packetBytes: Number(packet?.['bytes'] ?? STATEMENT_BYTES),
  };
}

function columnOf({ columns }: Facts, table: string, name: string): Column {
  return columns.get(`${table}.${name}`) ?? UNKNOWN_COLUMN;
}

function jsonFor({ range, isJson }: Column, value: Value): string {
  return fitJson(storeJson(value, { strict: isJson }), range);
}

function returnCells(ret: Dict, facts: Facts): Cell[] {
  const of = (name: string): Column => columnOf(facts, 'salt_returns', name);
  const plain = (name: string): Cell => ({ column: name, text: textField(ret, name, of(name).range) });
  return [
    { column: 'fun', text: cut(plain('fun').text, of('fun').width) },
    plain('jid'),
    { column: 'return', text: jsonFor(of('return'), ret.get('return') ?? null) },
    plain('id'),
    { column: 'success', text: cut(successText(ret.get('success')), of('success').width) },
    { column: 'full_ret', text: jsonFor(of('full_ret'), ret) },
  ];
}

/** Salt's drivers write Python's True and False as numbers. */
function successText(value: Value | undefined): string {
  if (value === undefined || typeof value === 'boolean') return value === true ? '1' : '0';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : truthy(value) ? '1' : '0';
}

function whatReturn(ret: Dict): string {
  return `The return of ${textField(ret, 'id')} for job ${textField(ret, 'jid')}`;
}

/** True when a row of a name that was cut is of this function. */
function isOf(ret: Value, fun: string): boolean {
  return !(ret instanceof Map) || !ret.has('fun') || plainText(ret.get('fun')) === fun;
}

/** Writes rows, as many at once as a statement may hold. */
async function insert(
  session: MysqlSession,
  { packetBytes }: Facts,
  into: string,
  rows: readonly string[],
  suffix = '',
): Promise<void> {
  const limit = Math.min(STATEMENT_BYTES, packetBytes - STATEMENT_MARGIN);
  for (const some of portions(rows, (row) => Buffer.byteLength(row) + 2, limit))
    await session.run(`INSERT INTO ${into} VALUES ${some.join(', ')}${suffix}`);
}

/** Moves old rows into the table beside theirs, all of them or none. */
async function archive(
  session: MysqlSession,
  table: string,
  condition: string,
  values: readonly unknown[],
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
