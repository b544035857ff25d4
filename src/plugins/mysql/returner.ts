/**
 * `mysql`, also as `mariadb`: jobs, returns and events in MariaDB or MySQL, in the tables of Salt's returner
 * (salt/returners/mysql.py, 3006.16), so that a database that Salt has made is read and continued, by Salt too.
 */
import { parseJson } from '../../formats/json/text.ts';
import { mysqlConnections } from '../../network/databases/mysql-pool.ts';
import { truthy, type Value } from '../../python/values/value.ts';
import type { StoreKind } from '../shared/returner/return-store.ts';
import { loadValues, returnValues } from '../shared/returner/sql-columns.ts';
import type { OldRows, SqlReads, SqlTables } from '../shared/returner/sql-dialect.ts';
import { dictOf, returnOf } from '../shared/returner/sql-fields.ts';
import { SqlStore } from '../shared/returner/sql-store.ts';
import { mysqlDialect, tableStatement, type MysqlFacts } from './returner/dialect.ts';

/** The tables as Salt documents them, but for characters of four bytes, and with one key more: jid and id together. */
const COLUMNS: ReadonlyMap<string, string> = new Map([
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
  load: (jid) => ({ sql: 'SELECT `load` FROM `jids` WHERE `jid` = ?', values: [jid] }),
  loads: { sql: 'SELECT `jid`, `load` FROM `jids`' },
  returnColumn: 'full_ret',
};

const TABLES: SqlTables<MysqlFacts> = {
  schema: new Map([...COLUMNS].map(([name, columns]) => [name, [tableStatement(name, columns)]])),
  reads: READS,
  oldRows: OLD_ROWS,
  returnRow: (ret, facts) => returnValues(ret, facts, successText(ret.get('success'))),
  loadRow: loadValues,
  readLoad: ({ load }) => dictOf(load ?? ''),
  readReturn: dictOf,
  readLastReturn: (json, fun) => returnOf(fun, parseJson(json)),
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
  open: (settings) =>
    new SqlStore({
      connections: mysqlConnections(settings, {
        password: 'pass',
        whenMissing: 'create what is missing with: salt-run returner.create_schema mysql',
      }),
      dialect: mysqlDialect,
      tables: TABLES,
      returner: 'mysql',
      clock: settings.clock,
    }),
};

/** The same by the name of its other server. */
export const mariadbKind: StoreKind = { ...mysqlKind, name: 'mariadb' };

/** Salt's drivers write Python's True and False as numbers. */
function successText(value: Value | undefined): string {
  if (value === undefined || typeof value === 'boolean') return value === true ? '1' : '0';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : truthy(value) ? '1' : '0';
}
