/**
 * Connections to an SQL database, whichever it is: statements again after a lost connection, and errors that say what
 * to do.
 */
import { codeOf, driverError, StoreUnavailableError, type ErrorWords } from './errors.ts';

const ATTEMPTS_MAX = 6;

/** A row, with every value as text or null. */
export type SqlRow = Readonly<Record<string, string | null>>;

/** Rows whose values are what they mean, and the names of their columns. */
export interface SqlAnswer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** One connection while it is used. */
export interface SqlSession {
  /** Runs a statement. @returns the number of rows that it has changed */
  run(sql: string, values?: readonly unknown[], timeoutMs?: number): Promise<number>;
  rows(sql: string, values?: readonly unknown[]): Promise<SqlRow[]>;
}

/** What one kind of database says of its errors. */
export interface SqlErrorWords extends ErrorWords {
  /** The code of the error that says that the database is missing. */
  readonly missingCode: string;
  /** True when the connection was lost, or two writers were in each other's way: the same may succeed at once. */
  isPassing(error: unknown): boolean;
}

/** How one kind of database is reached. */
export interface SqlDriver<S extends SqlSession> {
  readonly words: SqlErrorWords;
  /** Runs statements on one connection, once; a connection that has seen an error is not used again. */
  once<T>(run: (session: S) => Promise<T>): Promise<T>;
  makeDatabase(): Promise<void>;
  /** Ends every connection; the next statement opens others. */
  end(): Promise<void>;
}

/** The connections to one database. */
export class SqlConnections<S extends SqlSession> {
  readonly database: string;
  readonly timeoutMs: number;
  readonly #driver: SqlDriver<S>;
  #isClosed = false;

  constructor(
    { database, timeoutMs }: { readonly database: string; readonly timeoutMs: number },
    driver: SqlDriver<S>,
  ) {
    this.database = database;
    this.timeoutMs = timeoutMs;
    this.#driver = driver;
  }

  /**
   * Runs statements on one connection, again on another when that connection was lost: all that stores do is safe to
   * repeat.
   * @param attemptsMax 1 for what is not safe to repeat
   * @throws StoreUnavailableError when the server is away or cannot do it now, CommandExecutionError when it refuses
   *   what is written
   */
  async use<T>(run: (session: S) => Promise<T>, attemptsMax = ATTEMPTS_MAX): Promise<T> {
    const { words } = this.#driver;
    if (this.#isClosed) throw new StoreUnavailableError(`${words.place}: the connections are closed.`);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#driver.once(run);
      } catch (error) {
        if (attempt < attemptsMax && words.isPassing(error)) continue;
        throw driverError(error, words);
      }
    }
  }

  /** Creates the database, when it is missing. @returns true when it was made */
  async createDatabase(): Promise<boolean> {
    const { words } = this.#driver;
    try {
      await this.#driver.once(async () => undefined);
      return false;
    } catch (error) {
      if (codeOf(error) !== words.missingCode) throw driverError(error, words);
    }
    try {
      await this.#driver.makeDatabase();
    } catch (error) {
      throw driverError(error, words);
    }
    return true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#driver.end();
  }
}

/** Ends a pool. */
export async function endPool(pool: Promise<{ end(): Promise<void> }> | undefined): Promise<void> {
  const opened = await pool?.catch(() => undefined);
  // what did not connect cannot say goodbye
  await opened?.end().catch(() => undefined);
}
