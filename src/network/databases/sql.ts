/**
 * Connections to an SQL database, whichever it is: statements again after a lost connection, and errors that say what
 * to do.
 */
import type { TlsPeer } from '../tls/fault.ts';
import { codeOf, driverError, StoreUnavailableError } from './errors.ts';
import { DatabaseOptions } from './options.ts';
import type { DatabaseSettings } from './settings.ts';

const ATTEMPTS_MAX = 6;

/** A row, with every value as text or null. */
export type SqlRow = Readonly<Record<string, string | null>>;

/** One connection while it is used. */
export interface SqlSession {
  /** Runs a statement. @returns the number of rows that it has changed */
  run(sql: string, values?: readonly unknown[], timeoutMs?: number): Promise<number>;
  rows(sql: string, values?: readonly unknown[]): Promise<SqlRow[]>;
}

/** The connections of one store; how they are opened is the business of each kind of database. */
export abstract class SqlConnections<S extends SqlSession, P extends { end(): Promise<void> }> {
  protected readonly settings: DatabaseSettings;
  protected readonly options: DatabaseOptions;
  protected pool: Promise<P> | undefined;
  #isClosed = false;

  /** @param prefix what the names of its options begin with */
  protected constructor(settings: DatabaseSettings, prefix: string) {
    this.settings = settings;
    this.options = new DatabaseOptions(settings.options, prefix);
  }

  get database(): string {
    return this.options.text('db') ?? '';
  }

  get timeoutMs(): number {
    return this.settings.timeoutMs;
  }

  /** The code of the error that says that the database is missing. */
  protected abstract readonly missingCode: string;
  /** Runs statements on one connection, once; a connection that has seen an error is not used again. */
  protected abstract once<T>(run: (session: S) => Promise<T>): Promise<T>;
  protected abstract makeDatabase(): Promise<void>;
  /** The database and where it is, as a sentence begins with it. */
  protected abstract place(): string;
  /** What messages say of the options for TLS. */
  protected abstract tlsWords(): Omit<TlsPeer, 'address'>;
  /** True when the connection was lost, or two writers were in each other's way: the same may succeed at once. */
  protected abstract isPassing(error: unknown): boolean;
  /** True for an error that says that the server does not take what is written. */
  protected abstract isRefused(code: string): boolean;
  /** What to do about an error; begins with what divides it from the text before it, or is empty. */
  protected abstract hint(code: string, text: string): string;

  /**
   * Runs statements on one connection, again on another when that connection was lost: all that stores do is safe to
   * repeat.
   * @param attemptsMax 1 for what is not safe to repeat
   * @throws StoreUnavailableError when the server is away or cannot do it now, CommandExecutionError when it refuses
   *   what is written
   */
  async use<T>(run: (session: S) => Promise<T>, attemptsMax = ATTEMPTS_MAX): Promise<T> {
    if (this.#isClosed) throw new StoreUnavailableError(`${this.place()}: the connections are closed.`);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.once(run);
      } catch (error) {
        if (attempt < attemptsMax && this.isPassing(error)) continue;
        throw this.#told(error);
      }
    }
  }

  /** Creates the database, when it is missing. @returns true when it was made */
  async createDatabase(): Promise<boolean> {
    try {
      await this.once(async () => undefined);
      return false;
    } catch (error) {
      if (codeOf(error) !== this.missingCode) throw this.#told(error);
    }
    try {
      await this.makeDatabase();
    } catch (error) {
      throw this.#told(error);
    }
    return true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.forget();
  }

  /** Ends the pool that is open; the next statement opens another. */
  protected async forget(): Promise<void> {
    const pool = await this.pool?.catch(() => undefined);
    this.pool = undefined;
    // what did not connect cannot say goodbye
    await pool?.end().catch(() => undefined);
  }

  #told(error: unknown): unknown {
    return driverError(error, {
      place: this.place(),
      tls: this.tlsWords(),
      isRefused: (code) => this.isRefused(code),
      hint: (code, text) => this.hint(code, text),
    });
  }
}
