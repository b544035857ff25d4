/** Connections to MariaDB and MySQL: a pool, the same session on each, and errors that say what to do. */
import { checkServerIdentity, TLSSocket } from 'node:tls';
import type {
  Connection,
  Pool,
  PoolConnection,
  PoolOptions,
  ResultSetHeader,
  RowDataPacket,
  TypeCast,
} from 'mysql2/promise';
import { codeOf } from './errors.ts';
import { mysqlOptions, type MysqlAccess } from './mysql.ts';
import { isAddressToVerify, mysqlTls, type MysqlTlsNaming } from './mysql-tls.ts';
import { DatabaseOptions } from './options.ts';
import type { DatabaseSettings } from './settings.ts';
import {
  endPool,
  SqlConnections,
  type SqlAnswer,
  type SqlDriver,
  type SqlErrorWords,
  type SqlRow,
  type SqlSession,
} from './sql.ts';

const IDLE_MS = 20_000;
/**
 * After how long the server ends a connection that says nothing: what holds a lock and is gone must not hold it for
 * hours.
 */
const SERVER_IDLE_S = 60;
/** Statements that wait for a connection; more are refused. */
const WAITING_MAX = 1000;

const USUAL_TLS: MysqlTlsNaming = { prefix: 'ssl_', isWanted: false };

/** The connection went away under a statement: a server that was started anew, or one that ends idle connections. */
const LOST = new Set([
  ...[
    'PROTOCOL_CONNECTION_LOST',
    'ECONNRESET',
    'EPIPE',
    'ER_CLIENT_INTERACTION_TIMEOUT',
    'ER_SERVER_SHUTDOWN',
  ],
  'ER_CONNECTION_KILLED',
]);
/** Two writers were in each other's way. */
const COLLIDED = new Set(['ER_LOCK_DEADLOCK', 'ER_CHECKREAD']);
/** What is written is what it does not take; trying again is of no use. */
const REFUSED = new Set([
  ...[
    'ER_DATA_TOO_LONG',
    'ER_TRUNCATED_WRONG_VALUE_FOR_FIELD',
    'ER_TRUNCATED_WRONG_VALUE',
    'ER_BAD_NULL_ERROR',
  ],
  ...['ER_WARN_DATA_OUT_OF_RANGE', 'ER_NET_PACKET_TOO_LARGE', 'ER_TOO_BIG_ROWSIZE', 'ER_CONSTRAINT_FAILED'],
  ...['ER_INVALID_JSON_TEXT', 'ER_CANNOT_CONVERT_STRING', 'ER_DUP_ENTRY'],
]);

/** The connections to one database. */
export type MysqlConnections = SqlConnections<MysqlSession>;

/** What differs between those who connect; what their options begin with is `mysql.` */
export interface MysqlNaming {
  /** The name of the option with the password. */
  readonly password: string;
  /** What to do when a table or the database is missing. */
  readonly whenMissing: string;
  readonly tls?: MysqlTlsNaming;
  /** Leaves each session as the server has it, since the statements are the site's. */
  readonly isSessionKept?: boolean;
}

/** Connections, of which none is open yet. */
export function mysqlConnections(settings: DatabaseSettings, naming: MysqlNaming): MysqlConnections {
  const driver = new MysqlDriver(settings, naming);
  return new SqlConnections({ database: driver.database, timeoutMs: settings.timeoutMs }, driver);
}

/** How long to wait for others' locks. */
export function lockSecondsOf(timeoutMs: number): number {
  return Math.max(1, Math.ceil(timeoutMs / 1000));
}

class MysqlDriver implements SqlDriver<MysqlSession> {
  readonly database: string;
  readonly words: SqlErrorWords;
  readonly #settings: DatabaseSettings;
  readonly #options: DatabaseOptions;
  readonly #naming: Required<MysqlNaming>;
  readonly #prepared = new WeakSet<object>();
  #pool: Promise<Pool> | undefined;
  #isAddressVerified = false;

  constructor(settings: DatabaseSettings, naming: MysqlNaming) {
    this.#settings = settings;
    this.#naming = { tls: USUAL_TLS, isSessionKept: false, ...naming };
    this.#options = new DatabaseOptions(settings.options, 'mysql');
    this.database = this.#options.text('db') ?? '';
    this.words = errorWords(this.#options, this.#naming, settings.timeoutMs);
  }

  async makeDatabase(): Promise<void> {
    const { createConnection } = await import('mysql2/promise');
    const { database: _, ...options } = this.#poolOptions();
    const connection = await createConnection(options);
    try {
      this.#verifyAddress(connection);
      await connection.query(
        `CREATE DATABASE IF NOT EXISTS ${quoteName(this.database)} DEFAULT CHARACTER SET utf8mb4`,
      );
    } finally {
      connection.destroy();
    }
  }

  async once<T>(run: (session: MysqlSession) => Promise<T>): Promise<T> {
    const connection = await this.#connect();
    let isFine = false;
    try {
      const session = new MysqlSession(connection, this.#settings.timeoutMs);
      if (!this.#prepared.has(connection.connection)) {
        this.#verifyAddress(connection);
        // strict, so that nothing is cut silently, and without modes that change how texts are quoted
        if (!this.#naming.isSessionKept)
          await session.run(
            "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', SESSION autocommit = 1, " +
              `SESSION wait_timeout = ${SERVER_IDLE_S}, SESSION innodb_lock_wait_timeout = ${lockSecondsOf(this.#settings.timeoutMs)}`,
          );
        this.#prepared.add(connection.connection);
      }
      const result = await run(session);
      isFine = true;
      return result;
    } finally {
      // what an error has left behind on a connection, locks above all, goes with it
      if (isFine) connection.release();
      else connection.destroy();
    }
  }

  async #connect(): Promise<PoolConnection> {
    this.#pool ??= this.#open();
    try {
      return await (await this.#pool).getConnection();
    } catch (error) {
      // what was refused after the handshake has left a session, on which the next one would show no certificate
      if (isAddressToVerify(this.#options, this.#naming.tls) && !this.#isAddressVerified) this.#dropPool();
      throw error;
    }
  }

  /** With the sessions of its connections, on which no later one may go on. */
  #dropPool(): void {
    void this.end();
  }

  async end(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await endPool(pool);
  }

  async #open(): Promise<Pool> {
    const { createPool } = await import('mysql2/promise');
    return createPool({
      ...this.#poolOptions(),
      connectionLimit: this.#settings.connectionsMax,
      maxIdle: 1,
      idleTimeout: IDLE_MS,
      queueLimit: WAITING_MAX,
      enableKeepAlive: true,
    });
  }

  #poolOptions(): PoolOptions {
    const access: MysqlAccess = {
      host: this.#options.text('host') ?? '',
      port: this.#options.port(),
      user: this.#options.text('user') ?? '',
      password: this.#options.text('pass') ?? '',
      database: this.database,
      tls: mysqlTls(this.#options, this.#naming.tls),
      timeoutMs: this.#settings.timeoutMs,
    };
    // every value as the server writes it
    return {
      ...mysqlOptions(access),
      charset: 'utf8mb4_general_ci',
      typeCast: (field) => field.string('utf8'),
    };
  }

  /** The driver compares a certificate with names only; where the host is an address, this does. */
  #verifyAddress(opened: Connection): void {
    if (!isAddressToVerify(this.#options, this.#naming.tls)) return;
    const { connection } = opened as { connection?: { stream?: unknown } };
    const stream = connection?.stream;
    // a connection that goes on with the session of an earlier one has no certificate of its own
    if (stream instanceof TLSSocket && stream.isSessionReused() && this.#isAddressVerified) return;
    const error =
      stream instanceof TLSSocket
        ? checkServerIdentity(this.#options.text('host') ?? '', stream.getPeerCertificate())
        : new Error('the connection is not encrypted');
    this.#isAddressVerified = error === undefined;
    if (error === undefined) return;
    this.#dropPool();
    throw error;
  }
}

function errorWords(
  options: DatabaseOptions,
  { password, whenMissing, tls }: Required<MysqlNaming>,
  timeoutMs: number,
): SqlErrorWords {
  const host = options.text('host') ?? '';
  const where = host.startsWith('/') ? host : `${host}:${String(options.value('port'))}`;
  return {
    place: `The MySQL database ${options.text('db') ?? ''} at ${where}`,
    tls: options.tlsWords(`${tls.prefix}ca`, `${tls.prefix}cert`),
    missingCode: 'ER_BAD_DB_ERROR',
    isPassing: (error) => LOST.has(codeOf(error)) || COLLIDED.has(codeOf(error)),
    isRefused: (code) => REFUSED.has(code),
    hint: (code) => {
      if (code === 'HANDSHAKE_NO_SSL_SUPPORT')
        return `; the options mysql.${tls.prefix}* ask for TLS, and nothing is sent without it`;
      if (code === 'ER_ACCESS_DENIED_ERROR') return `; see the options mysql.user and mysql.${password}`;
      if (code === 'ER_BAD_DB_ERROR' || code === 'ER_NO_SUCH_TABLE') return `; ${whenMissing}`;
      if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'ETIMEDOUT' || code === 'ENOENT')
        return '; is it running, and do mysql.host and mysql.port name it?';
      if (code === 'PROTOCOL_SEQUENCE_TIMEOUT') return ` (no answer within ${timeoutMs} ms)`;
      return '';
    },
  };
}

/** One connection while it is used. */
export class MysqlSession implements SqlSession {
  readonly #connection: PoolConnection;
  readonly #timeoutMs: number;

  constructor(connection: PoolConnection, timeoutMs: number) {
    this.#connection = connection;
    this.#timeoutMs = timeoutMs;
  }

  /** Runs a statement. @returns the number of rows that it has changed */
  async run(sql: string, values: readonly unknown[] = [], timeoutMs = this.#timeoutMs): Promise<number> {
    const [result] = await this.#connection.query<ResultSetHeader>({
      sql,
      values: [...values],
      timeout: timeoutMs,
    });
    return result.affectedRows;
  }

  async rows(sql: string, values: readonly unknown[] = []): Promise<SqlRow[]> {
    const [rows] = await this.#connection.query<RowDataPacket[]>({
      sql,
      values: [...values],
      timeout: this.#timeoutMs,
    });
    return rows;
  }

  /** Rows whose values are what they mean. @param read makes a value of a column */
  async answer(sql: string, read: TypeCast): Promise<SqlAnswer> {
    const [rows, fields] = await this.#connection.query<RowDataPacket[][]>({
      sql,
      timeout: this.#timeoutMs,
      rowsAsArray: true,
      typeCast: read,
    });
    return { columns: fields.map(({ name }) => name), rows };
  }

  /** A value as it stands in a statement. */
  quote(value: string | null): string {
    return this.#connection.escape(value);
  }
}

/** A name as it stands in a statement. */
export function quoteName(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}
