/** What a store on an SQL database is composed of: how the database does it, and what the tables hold. */
import type { SqlConnections, SqlRow, SqlSession } from '../../../network/databases/sql.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import type { SavedEvent, SavedLoad } from './return-store.ts';
import type { SqlFacts, SqlValues } from './sql-columns.ts';

/** How many old rows one statement deletes. */
export const DELETED_AT_ONCE = 5000;

/** A statement, and the values of its placeholders. */
export interface SqlStatement {
  readonly sql: string;
  readonly values?: readonly unknown[];
}

/** The statements that read. */
export interface SqlReads {
  /** `jid` and `id` of the returns that are there. */
  knownReturns(jids: readonly string[], ids: readonly string[]): SqlStatement;
  /** `id` and the return of each minion for a job. */
  returns(jid: string): SqlStatement;
  /** The same of the last return of each minion for a function. */
  lastReturns(fun: string): SqlStatement;
  /** Each `id`, sorted. */
  readonly minions: string;
  /** The row of a job. */
  load(jid: string): SqlStatement;
  /** The same of every job, with its `jid`. */
  readonly loads: SqlStatement;
  /** What the return is called in the rows of these statements. */
  readonly returnColumn: string;
}

/** A row that is to be written. */
export interface NewRow {
  /** What it is, as a sentence begins with it. */
  readonly what: string;
  readonly values: SqlValues;
}

/** Events that are about to be written. */
export interface EventBatch {
  readonly events: readonly SavedEvent[];
  /** The data of each, as JSON. */
  readonly texts: readonly string[];
  /** The positions of those that may have a row. */
  readonly suspects: readonly number[];
  /** Before this time none of the suspects was written, milliseconds since 1970. */
  readonly sinceMs: number;
  readonly masterId: string;
}

/** Conditions of old rows; the first placeholder is a time in seconds, and the second of `jobs` a jid. */
export interface OldRows {
  readonly jobs: string;
  readonly returns: string;
  readonly events: string;
}

/** Which rows of a table are forgotten. */
export interface OldRule {
  readonly table: string;
  readonly condition: string;
  readonly values: readonly unknown[];
}

/** What no other writer may do meanwhile: create tables, or write returns of these numbers. */
export type SqlLocks = 'tables' | readonly number[];

/** Old rows that are to go. */
export interface Cleaning {
  readonly rules: readonly OldRule[];
  /** Moves them into tables beside theirs. */
  readonly isArchived: boolean;
  readonly timeoutMs: number;
}

/** How a kind of database does what stores need, whatever its tables hold. */
export interface SqlDialect<S extends SqlSession, F extends SqlFacts> {
  /** The server, as its makers call it. */
  readonly server: string;
  readFacts(session: S, tables: readonly string[]): Promise<F>;
  /** Runs statements that write, all or none where the database has such, while nobody else has these locks. */
  write(connections: SqlConnections<S>, locks: SqlLocks, run: (session: S) => Promise<void>): Promise<void>;
  /**
   * Writes rows that have the same columns, as many at once as a statement may hold; a jid that is there stays as it
   * is.
   */
  insert(session: S, facts: F, table: string, rows: readonly NewRow[]): Promise<void>;
  /** @returns the positions of the suspects that have a row */
  eventsThatAreThere(session: S, facts: F, batch: EventBatch): Promise<ReadonlySet<number>>;
  /** Deletes old rows while nobody else does. */
  clean(connections: SqlConnections<S>, cleaning: Cleaning): Promise<void>;
}

/** The tables of a returner: how they are made and read, and what their rows hold. */
export interface SqlTables<F extends SqlFacts> {
  /** The statements that create each, by its name. */
  readonly schema: ReadonlyMap<string, readonly string[]>;
  readonly reads: SqlReads;
  readonly oldRows: OldRows;
  readonly returnRow: (ret: Dict, facts: F) => SqlValues;
  readonly loadRow: (load: SavedLoad, facts: F) => SqlValues;
  readonly readLoad: (row: SqlRow) => Dict;
  readonly readReturn: (json: string) => Dict;
  /** A return as a list of the last ones has it; undefined for one of another function, whose name was cut. */
  readonly readLastReturn: (json: string, fun: string) => Value | undefined;
}
