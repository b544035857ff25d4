/** Connections to PostgreSQL: a pool, TLS as libpq's `sslmode` says, and errors that say what to do. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { checkServerIdentity, type ConnectionOptions } from 'node:tls';
import type { ClientConfig, Pool, PoolClient } from 'pg';
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import type { TlsPeer } from '../tls/fault.ts';
import { codeOf, StoreUnavailableError } from './errors.ts';
import type { DatabaseSettings } from './settings.ts';
import { SqlConnections, type SqlRow, type SqlSession } from './sql.ts';

const IDLE_MS = 20_000;
/** Where libpq looks for the authorities that `verify-ca` and `verify-full` need. */
const USERS_ROOTS = ['.postgresql', 'root.crt'];
/** The class of our advisory locks: `Salt` as a number. */
const LOCK_CLASS = 0x53616c74;

/** The server ended the connection, or went away. */
const LOST = /^(08...|57P0[125]|ECONNRESET|EPIPE)$/;
const LOST_TEXT = /^Connection terminated|^Client has encountered a connection error/;
/** Two writers were in each other's way. */
const COLLIDED = /^40(001|P01)$/;
/** What is written is what it does not take: its data, a constraint, a limit of the program. */
const REFUSED = /^(22|23|54)...$/;

/** What differs between Salt's returners. */
export interface PostgresNaming {
  /** The returner's name, for the command that creates tables. */
  readonly name: string;
  /** What its options begin with. */
  readonly prefix: string;
  /** The name of the option with the password. */
  readonly password: string;
  /** What to do when a table or the database is missing; default: the returner's command that creates them. */
  readonly whenMissing?: string;
}

/** The connections of one store. */
export class PostgresConnections extends SqlConnections<PostgresSession, Pool> {
  protected readonly missingCode = '3D000';
  readonly #naming: PostgresNaming;
  #hasWarned = false;

  constructor(settings: DatabaseSettings, naming: PostgresNaming) {
    super(settings, naming.prefix);
    this.#naming = naming;
  }

  get naming(): PostgresNaming {
    return this.#naming;
  }

  /**
   * As {@link use}, in one transaction that sees what others have committed before each of its statements.
   * @param locks numbers of locks that no other writer has meanwhile
   * @param attemptsMax 1 for what is not safe to repeat
   */
  transaction<T>(
    run: (session: PostgresSession) => Promise<T>,
    options: {
      readonly locks?: readonly number[];
      readonly timeoutMs?: number;
      readonly attemptsMax?: number;
    } = {},
  ): Promise<T> {
    const { locks = [], timeoutMs = this.settings.timeoutMs } = options;
    const limit = Math.ceil(timeoutMs);
    // settings of the transaction alone: a pooler between may give the connection to others afterwards
    const begin = [
      'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE',
      `SET LOCAL statement_timeout = ${limit}`,
      `SET LOCAL lock_timeout = ${limit}`,
      `SET LOCAL idle_in_transaction_session_timeout = ${limit}`,
      ...locks.map((lock) => `SELECT pg_advisory_xact_lock(${LOCK_CLASS}, ${lock})`),
    ];
    return this.use(async (session) => {
      await session.script(begin.join('; '), timeoutMs);
      const result = await run(session);
      await session.script('COMMIT', timeoutMs);
      return result;
    }, options.attemptsMax);
  }

  protected async makeDatabase(): Promise<void> {
    await this.forget();
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

  protected async once<T>(run: (session: PostgresSession) => Promise<T>): Promise<T> {
    const opening = (this.pool ??= this.#open(this.database));
    let pool: Pool;
    try {
      pool = await opening;
    } catch (error) {
      if (this.pool === opening) this.pool = undefined;
      throw error;
    }
    const client = await pool.connect();
    // a connection that breaks tells both its statement and this
    const ignore = (): void => undefined;
    client.on('error', ignore);
    let isFine = false;
    try {
      const result = await run(new PostgresSession(client, this.settings.timeoutMs));
      isFine = true;
      return result;
    } finally {
      client.off('error', ignore);
      if (!isFine) client.on('error', ignore);
      // what an error has left behind on a connection, an open transaction above all, goes with it
      client.release(!isFine);
    }
  }

  /** Opens a pool with the first kind of connection of the `sslmode` that the server takes. */
  async #open(database: string): Promise<Pool> {
    const { default: pg } = await import('pg');
    const kinds = this.#tlsKinds();
    for (const [at, ssl] of kinds.entries()) {
      const pool = new pg.Pool({
        ...this.#clientOptions(database),
        ssl,
        max: this.settings.connectionsMax,
        idleTimeoutMillis: IDLE_MS,
        connectionTimeoutMillis: this.settings.timeoutMs,
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
    throw new StoreUnavailableError(`${this.place()}: there is no way to connect.`);
  }

  /**
   * `prefer` and `allow` go on without TLS when the server has none, or somebody in between says so. Said once for each
   * server.
   */
  #warnOfPlainText(): void {
    const [host, mode] = [this.options.text('host') ?? 'localhost', this.options.text('sslmode') ?? 'prefer'];
    if (this.#hasWarned || mode === 'disable' || isLocal(host)) return;
    this.#hasWarned = true;
    this.settings.warn?.(
      `${this.place()} is reached without TLS: password and returns can be read on the way. Set ${this.#naming.prefix}.sslmode ` +
        `to verify-full (or require), or to disable if the network is trusted.`,
    );
  }

  #clientOptions(database: string): ClientConfig {
    return {
      host: this.options.text('host') ?? 'localhost',
      port: this.options.port() ?? 5432,
      user: this.options.text('user') ?? '',
      password: this.options.text(this.#naming.password) ?? '',
      database,
      application_name: 'salt',
      keepAlive: true,
      client_encoding: 'UTF8',
      // every value as the server writes it
      types: { getTypeParser: () => (text: string) => text },
    };
  }

  /** The kinds of connection of `sslmode`, in the order in which libpq tries them; `prefer` when nothing is said. */
  #tlsKinds(): readonly (false | ConnectionOptions)[] {
    const mode = this.options.text('sslmode') ?? 'prefer';
    if ((this.options.text('host') ?? '').startsWith('/')) return [false];
    switch (mode) {
      case 'disable':
        return [false];
      case 'allow':
        return [false, this.#tls(mode)];
      case 'prefer':
        return [this.#tls(mode), false];
      case 'require':
      case 'verify-ca':
      case 'verify-full':
        return [this.#tls(mode)];
      default:
        throw new CommandExecutionError(
          `${this.#naming.prefix}.sslmode: ${mode} is none of disable, allow, prefer, require, verify-ca, verify-full.`,
        );
    }
  }

  #tls(mode: string): ConnectionOptions {
    const crl = this.options.file('sslcrl');
    // libpq takes `require` for `verify-ca` where there are authorities
    const wantsRoots =
      mode.startsWith('verify-') || (mode === 'require' && this.options.text('sslrootcert') !== undefined);
    return {
      ...(wantsRoots ? this.#roots(mode) : { rejectUnauthorized: false }),
      ...this.options.shown('sslcert', 'sslkey'),
      ...(crl === undefined ? {} : { crl }),
    };
  }

  #roots(mode: string): ConnectionOptions {
    const host = this.options.text('host') ?? 'localhost';
    // left to itself, the driver takes an address for localhost
    const identity: ConnectionOptions = {
      checkServerIdentity: (_, certificate) =>
        mode === 'verify-full' ? checkServerIdentity(host, certificate) : undefined,
    };
    if (this.options.text('sslrootcert') === 'system') return { rejectUnauthorized: true, ...identity };
    const users = join(homedir(), ...USERS_ROOTS);
    const ca =
      this.options.authorities('sslrootcert') ?? (existsSync(users) ? readFileSync(users) : undefined);
    if (ca === undefined)
      throw new CommandExecutionError(
        `${this.#naming.prefix}.sslmode: ${mode} needs ${this.#naming.prefix}.sslrootcert, the certificates of the authorities.`,
      );
    return { ca, rejectUnauthorized: true, ...identity };
  }

  protected place(): string {
    const host = this.options.text('host') ?? 'localhost';
    return `The PostgreSQL database ${this.database} at ${host}:${String(this.options.value('port') ?? 5432)}`;
  }

  protected tlsWords(): Omit<TlsPeer, 'address'> {
    return this.options.tlsWords('sslrootcert', 'sslcert');
  }

  protected isPassing(error: unknown): boolean {
    return isLost(error) || COLLIDED.test(codeOf(error));
  }

  protected isRefused(code: string): boolean {
    return REFUSED.test(code);
  }

  protected hint(code: string, text: string): string {
    const { prefix, password, name, whenMissing } = this.#naming;
    if (code === '28P01' || code === '28000')
      return `; see the options ${prefix}.user and ${prefix}.${password}`;
    if (code === '3D000' || code === '42P01')
      return `; ${whenMissing ?? `create what is missing with: salt-run returner.create_schema ${name}`}`;
    if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'ENOENT')
      return `; is it running, and do ${prefix}.host and ${prefix}.port name it?`;
    if (/timeout/i.test(text)) return ` (no answer within ${this.settings.timeoutMs} ms)`;
    if (/does not support SSL/.test(text))
      return `; the option ${prefix}.sslmode asks for TLS, and nothing is sent without it`;
    return '';
  }
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

  #query(
    text: string,
    values: readonly unknown[] | undefined,
    timeoutMs: number,
  ): Promise<{ readonly rowCount: number | null; readonly rows: SqlRow[] }> {
    // the server gives up a little earlier where it was told to; this is for one that does not answer at all
    const query = { text, query_timeout: timeoutMs + 250 };
    return this.#client.query<Record<string, string | null>>(
      values === undefined ? query : { ...query, values: [...values] },
    );
  }
}

function isLost(error: unknown): boolean {
  return LOST.test(codeOf(error)) || LOST_TEXT.test(messageOf(error));
}

/** True for a server that has no TLS, or takes nothing else. */
function isAboutTls(error: unknown): boolean {
  return /does not support SSL|no pg_hba.conf entry|SSL/.test(messageOf(error));
}
