/** Connections to PostgreSQL: a pool, TLS as libpq's `sslmode` says, and errors that say what to do. */
import type { ClientConfig, Pool, PoolClient } from 'pg';
import { messageOf } from '../../errors/errors.ts';
import { codeOf, StoreUnavailableError } from './errors.ts';
import { DatabaseOptions } from './options.ts';
import { isAboutTls, tlsKinds } from './postgres-tls.ts';
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
/** The class of our advisory locks: `Salt` as a number. */
const LOCK_CLASS = 0x53616c74;

/** The server ended the connection, or went away. */
const LOST = /^(08...|57P0[125]|ECONNRESET|EPIPE)$/;
const LOST_TEXT = /^Connection terminated|^Client has encountered a connection error/;
/** Two writers were in each other's way. */
const COLLIDED = /^40(001|P01)$/;
/** What is written is what it does not take: its data, a constraint, a limit of the program. */
const REFUSED = /^(22|23|54)...$/;

/** What differs between those who connect. */
export interface PostgresNaming {
  /** The returner's name, for the command that creates tables. */
  readonly name: string;
  /** What its options begin with. */
  readonly prefix: string;
  /** The name of the option with the password. */
  readonly password: string;
  /** The option as the user writes it; default: `prefix.name`. */
  readonly settingOf?: (name: string) => string;
  /** What to do when a table or the database is missing; default: the returner's command that creates them. */
  readonly whenMissing?: string;
}

/** The connections to one database. */
export type PostgresConnections = SqlConnections<PostgresSession>;

/** Connections, of which none is open yet. */
export function postgresConnections(settings: DatabaseSettings, naming: PostgresNaming): PostgresConnections {
  const driver = new PostgresDriver(settings, naming);
  return new SqlConnections({ database: driver.database, timeoutMs: settings.timeoutMs }, driver);
}

/**
 * Runs statements in one transaction that sees what others have committed before each of its statements.
 * @param locks numbers of locks that no other writer has meanwhile
 * @param attemptsMax 1 for what is not safe to repeat
 */
export function transaction<T>(
  connections: PostgresConnections,
  run: (session: PostgresSession) => Promise<T>,
  options: {
    readonly locks?: readonly number[];
    readonly timeoutMs?: number;
    readonly attemptsMax?: number;
  } = {},
): Promise<T> {
  const { locks = [], timeoutMs = connections.timeoutMs } = options;
  const limit = Math.ceil(timeoutMs);
  // settings of the transaction alone: a pooler between may give the connection to others afterwards
  const begin = [
    'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE',
    `SET LOCAL statement_timeout = ${limit}`,
    `SET LOCAL lock_timeout = ${limit}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${limit}`,
    ...locks.map((lock) => `SELECT pg_advisory_xact_lock(${LOCK_CLASS}, ${lock})`),
  ];
  return connections.use(async (session) => {
    await session.script(begin.join('; '), timeoutMs);
    const result = await run(session);
    await session.script('COMMIT', timeoutMs);
    return result;
  }, options.attemptsMax);
}

class PostgresDriver implements SqlDriver<PostgresSession> {
  readonly database: string;
  readonly words: SqlErrorWords;
  readonly #settings: DatabaseSettings;
  readonly #options: DatabaseOptions;
  readonly #naming: PostgresNaming;
  #pool: Promise<Pool> | undefined;
  #hasWarned = false;

  constructor(settings: DatabaseSettings, naming: PostgresNaming) {
    this.#settings = settings;
    this.#options = new DatabaseOptions(settings.options, naming.prefix, naming.settingOf);
    this.#naming = naming;
    this.database = this.#options.text('db') ?? '';
    this.words = errorWords(this.#options, naming, settings.timeoutMs);
  }

  async makeDatabase(): Promise<void> {
    await this.end();
    try {
      const pool = await this.#open('postgres');
      try {
        await pool.query(
          `CREATE DATABASE "${this.database.replaceAll('"', '""')}" ENCODING 'UTF8' TEMPLATE template0`,
        );
      } finally {
        await pool.end();
      }
    } catch (error) {
      // another one may have made it meanwhile
      if (codeOf(error) !== '42P04') throw error;
    }
  }

  async once<T>(run: (session: PostgresSession) => Promise<T>): Promise<T> {
    const opening = (this.#pool ??= this.#open(this.database));
    let pool: Pool;
    try {
      pool = await opening;
    } catch (error) {
      if (this.#pool === opening) this.#pool = undefined;
      throw error;
    }
    const client = await pool.connect();
    // a connection that breaks tells both its statement and this
    const ignore = (): void => undefined;
    client.on('error', ignore);
    let isFine = false;
    try {
      const result = await run(new PostgresSession(client, this.#settings.timeoutMs));
      isFine = true;
      return result;
    } finally {
      client.off('error', ignore);
      if (!isFine) client.on('error', ignore);
      // what an error has left behind on a connection, an open transaction above all, goes with it
      client.release(!isFine);
    }
  }

  async end(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await endPool(pool);
  }

  /** Opens a pool with the first kind of connection of the `sslmode` that the server takes. */
  async #open(database: string): Promise<Pool> {
    const { default: pg } = await import('pg');
    const kinds = tlsKinds(this.#options);
    for (const [at, ssl] of kinds.entries()) {
      const pool = new pg.Pool({
        ...this.#clientOptions(database),
        ssl,
        max: this.#settings.connectionsMax,
        idleTimeoutMillis: IDLE_MS,
        connectionTimeoutMillis: this.#settings.timeoutMs,
      });
      pool.on('error', () => undefined);
      try {
        (await pool.connect()).release();
        if (ssl === false) this.#warnOfPlainText();
        return pool;
      } catch (error) {
        await pool.end();
        if (at === kinds.length - 1 || !isAboutTls(error)) throw error;
      }
    }
    throw new StoreUnavailableError(`${this.words.place}: there is no way to connect.`);
  }

  /**
   * `prefer` and `allow` go on without TLS when the server has none, or somebody in between says so. Said once for each
   * server.
   */
  #warnOfPlainText(): void {
    const [host, mode] = [
      this.#options.text('host') ?? 'localhost',
      this.#options.text('sslmode') ?? 'prefer',
    ];
    if (this.#hasWarned || mode === 'disable' || isLocal(host)) return;
    this.#hasWarned = true;
    this.#settings.warn?.(
      `${this.words.place} is reached without TLS: password and data can be read on the way. ` +
        `Set ${this.#options.setting('sslmode')} to verify-full (or require), or to disable if the network is trusted.`,
    );
  }

  #clientOptions(database: string): ClientConfig {
    return {
      host: this.#options.text('host') ?? 'localhost',
      port: this.#options.port() ?? 5432,
      user: this.#options.text('user') ?? '',
      password: this.#options.text(this.#naming.password) ?? '',
      database,
      application_name: 'salt',
      keepAlive: true,
      client_encoding: 'UTF8',
      // every value as the server writes it
      types: { getTypeParser: () => (text: string) => text },
    };
  }
}

function errorWords(
  options: DatabaseOptions,
  { password, name, whenMissing }: PostgresNaming,
  timeoutMs: number,
): SqlErrorWords {
  const host = options.text('host') ?? 'localhost';
  const port = String(options.value('port') ?? 5432);
  return {
    place: `The PostgreSQL database ${options.text('db') ?? ''} at ${host}:${port}`,
    tls: options.tlsWords('sslrootcert', 'sslcert'),
    missingCode: '3D000',
    isPassing: (error) => isLost(error) || COLLIDED.test(codeOf(error)),
    isRefused: (code) => REFUSED.test(code),
    hint: (code, text) => {
      if (code === '28P01' || code === '28000')
        return `; see the options ${options.setting('user')} and ${options.setting(password)}`;
      if (code === '3D000' || code === '42P01')
        return `; ${whenMissing ?? `create what is missing with: salt-run returner.create_schema ${name}`}`;
      if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'ENOENT')
        return `; is it running, and do ${options.setting('host')} and ${options.setting('port')} name it?`;
      if (/timeout/i.test(text)) return ` (no answer within ${timeoutMs} ms)`;
      if (/does not support SSL/.test(text))
        return `; the option ${options.setting('sslmode')} asks for TLS, and nothing is sent without it`;
      return '';
    },
  };
}

/** True for a server on this machine: a socket in a folder, or a loopback address. */
function isLocal(host: string): boolean {
  return host.startsWith('/') || /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i.test(host);
}

/** One connection while it is used. */
export class PostgresSession implements SqlSession {
  readonly #client: PoolClient;
  readonly #timeoutMs: number;

  constructor(client: PoolClient, timeoutMs: number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
  }

  /** Several statements without values, in one exchange. */
  async script(sql: string, timeoutMs = this.#timeoutMs): Promise<void> {
    await this.#query(sql, undefined, timeoutMs);
  }

  /** Runs a statement. @returns the number of rows that it has changed */
  async run(sql: string, values: readonly unknown[] = [], timeoutMs = this.#timeoutMs): Promise<number> {
    return (await this.#query(sql, values, timeoutMs)).rowCount ?? 0;
  }

  async rows(sql: string, values: readonly unknown[] = []): Promise<SqlRow[]> {
    return (await this.#query(sql, values, this.#timeoutMs)).rows;
  }

  /**
   * Rows whose values are what they mean.
   * @param readerOf makes a value of a text, for the number of its type; undefined leaves it to the driver
   */
  async answer(
    sql: string,
    values: readonly unknown[],
    readerOf: (type: number) => ((text: string) => unknown) | undefined,
  ): Promise<SqlAnswer> {
    const { default: pg } = await import('pg');
    const { fields, rows } = await this.#client.query<unknown[]>({
      text: sql,
      values: [...values],
      rowMode: 'array',
      types: {
        getTypeParser: (type: number) =>
          readerOf(type) ?? (pg.types.getTypeParser(type) as (text: string) => unknown),
      },
      ...limited(this.#timeoutMs),
    });
    return { columns: fields.map(({ name }) => name), rows };
  }

  #query(
    text: string,
    values: readonly unknown[] | undefined,
    timeoutMs: number,
  ): Promise<{ readonly rowCount: number | null; readonly rows: SqlRow[] }> {
    const query = { text, ...limited(timeoutMs) };
    return this.#client.query<Record<string, string | null>>(
      values === undefined ? query : { ...query, values: [...values] },
    );
  }
}

/** The server gives up a little earlier where it was told to; this is for one that does not answer at all. */
function limited(timeoutMs: number): { readonly query_timeout: number } {
  return { query_timeout: timeoutMs + 250 };
}

function isLost(error: unknown): boolean {
  // whoever has waited as long as it may does not wait again: the pool calls its limit a terminated connection
  if (/timeout/i.test(messageOf(error))) return false;
  return LOST.test(codeOf(error)) || LOST_TEXT.test(messageOf(error));
}
