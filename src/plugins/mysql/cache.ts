/**
 * `cache: mysql`, MariaDB or MySQL (salt/cache/mysql_cache.py, 3006.16): one table, with a row for each key of a bank.
 */
import { pyStr } from '../../python/values/repr.ts';
import { toNumber, type Value } from '../../python/values/value.ts';
import type { CachePlace, CacheServer } from '../../storage/cache/cache-server.ts';
import {
  mysqlConnections,
  quoteName,
  type MysqlConnections,
  type MysqlSession,
} from '../../network/databases/mysql-pool.ts';
import { ANSWER_MS, type CacheDriver, type DriverUse } from '../shared/cache/driver.ts';

const CONNECTIONS_MAX = 4;
/** Options of the connection under Salt's names, and ours. */
const NAMES = [
  ['user', 'user'],
  ['password', 'pass'],
  ['port', 'port'],
  // ours: Salt's driver speaks no TLS
  ['ssl_ca', 'ssl_ca'],
  ['ssl_cert', 'ssl_cert'],
  ['ssl_key', 'ssl_key'],
  ['ssl_any_host', 'ssl_any_host'],
] as const;

/** The driver. */
export const mysqlDriver: CacheDriver = { name: 'mysql', open: (use) => new MysqlCache(use) };

class MysqlCache implements CacheServer {
  readonly place: string;
  readonly #connections: MysqlConnections;
  readonly #table: string;
  #prepared: Promise<void> | undefined;

  constructor({ option }: DriverUse) {
    // Salt's code says `salt`, its documentation `cache`
    this.#table = pyStr(option('mysql.table_name') ?? 'salt')
      .split('.')
      .map(quoteName)
      .join('.');
    const host = pyStr(option('mysql.unix_socket') ?? option('mysql.host') ?? '127.0.0.1');
    const database = pyStr(option('mysql.database') ?? 'salt_cache');
    const options = new Map<string, Value>([
      ['host', host],
      ['port', 3306],
      ['db', database],
    ]);
    for (const [salts, ours] of NAMES) {
      const value = option(`mysql.${salts}`);
      if (value !== undefined && value !== null) options.set(ours, value);
    }
    const seconds = toNumber(option('mysql.connect_timeout') ?? null);
    const timeoutMs = seconds === undefined || seconds <= 0 ? ANSWER_MS : seconds * 1000;
    this.#connections = mysqlConnections(
      { options, timeoutMs, connectionsMax: CONNECTIONS_MAX },
      { password: 'password', whenMissing: 'create the database, or see the option mysql.database' },
    );
    this.place = `The MySQL database ${database} at ${host}`;
  }

  store({ bank, key }: CachePlace, bytes: Buffer): Promise<number> {
    return this.#use(async (session) => {
      await session.run(`REPLACE INTO ${this.#table} (bank, etcd_key, data) VALUES (?, ?, ?)`, [
        bank,
        key,
        bytes,
      ]);
      const [stamp] = await this.#stampsOf(session, [{ bank, key }]);
      return stamp ?? 0; // removed at once by somebody else
    });
  }

  fetch({ bank, key }: CachePlace): Promise<Buffer | undefined> {
    return this.#use(async (session) => {
      const [row] = await session.rows(
        `SELECT TO_BASE64(data) AS data FROM ${this.#table} WHERE bank = ? AND etcd_key = ?`,
        [bank, key],
      );
      return row === undefined ? undefined : Buffer.from(row['data'] ?? '', 'base64');
    });
  }

  flush(bank: string, key?: string): Promise<Value> {
    const [more, values] = key === undefined ? ['', [bank]] : [' AND etcd_key = ?', [bank, key]];
    return this.#use(async (session) => {
      await session.run(`DELETE FROM ${this.#table} WHERE bank = ?${more}`, values);
      return null;
    });
  }

  list(bank: string): Promise<string[]> {
    return this.#use(async (session) => {
      const rows = await session.rows(
        `SELECT etcd_key FROM ${this.#table} WHERE bank = ? ORDER BY etcd_key`,
        [bank],
      );
      return rows.map((row) => row['etcd_key'] ?? '');
    });
  }

  stamps(places: readonly CachePlace[]): Promise<(number | undefined)[]> {
    return places.length === 0
      ? Promise.resolve([])
      : this.#use((session) => this.#stampsOf(session, places));
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  async #stampsOf(session: MysqlSession, places: readonly CachePlace[]): Promise<(number | undefined)[]> {
    const rows = await session.rows(
      `SELECT bank, etcd_key, UNIX_TIMESTAMP(last_update) AS stamp FROM ${this.#table} ` +
        `WHERE (bank, etcd_key) IN (${places.map(() => '(?, ?)').join(', ')})`,
      places.flatMap(({ bank, key }) => [bank, key]),
    );
    const found = new Map(rows.map((row) => [`${row['bank']}\n${row['etcd_key']}`, Number(row['stamp'])]));
    return places.map(({ bank, key }) => found.get(`${bank}\n${key}`));
  }

  async #use<T>(run: (session: MysqlSession) => Promise<T>): Promise<T> {
    await this.#prepare();
    return this.#connections.use(run);
  }

  /** The table, and in one of before 3005 the column for times. */
  #prepare(): Promise<void> {
    const preparing = (this.#prepared ??= this.#connections.use(async (session) => {
      await session.run(
        `CREATE TABLE IF NOT EXISTS ${this.#table} (bank CHAR(255), etcd_key CHAR(255), data MEDIUMBLOB, ` +
          'last_update TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, ' +
          'PRIMARY KEY(bank, etcd_key))',
      );
      const columns = await session.rows(`SHOW COLUMNS FROM ${this.#table} LIKE 'last_update'`);
      if (columns.length === 0)
        await session.run(
          `ALTER TABLE ${this.#table} ADD COLUMN last_update TIMESTAMP NOT NULL ` +
            'DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP',
        );
    }));
    preparing.catch(() => (this.#prepared = undefined)); // the next use tries again
    return preparing;
  }
}
