/**
 * Databases of SQLite as Python's `sqlite3` (3.10) opens them: one statement at a time, its rows, and its exceptions.
 */
import type { Clock } from '../../../host/clock.ts';
import { messageOf } from '../../../errors/errors.ts';
import { PythonError } from '../../../python/exceptions.ts';
import {
  float,
  isBytes,
  isDict,
  isFloat,
  pyTypeName,
  toNumber,
  type Dict,
  type Value,
} from '../../../python/values/value.ts';
import { exactRows, openForeignSqlite } from '../../../storage/jobs/exact-sqlite.ts';
import { blobBytes, type Blob, type SqliteDatabase, type SqlValue } from '../../../storage/jobs/sqlite.ts';
import { blockBriefly, patiently } from '../../../storage/jobs/sqlite-writing.ts';
import { piecesOf } from '../../../storage/jobs/sql-pieces.ts';

/** Python's `sqlite3` waits as long for other programs. */
const PATIENCE_MS = 5_000;
/** Python's class of an error, by the number of SQLite's; all others are operational. */
const OTHER_CLASSES: ReadonlyMap<number, string> = new Map([
  [11, 'DatabaseError'], // SQLITE_CORRUPT
  [18, 'DataError'], // SQLITE_TOOBIG
  [19, 'IntegrityError'], // SQLITE_CONSTRAINT
  [20, 'IntegrityError'], // SQLITE_MISMATCH
  [26, 'DatabaseError'], // SQLITE_NOTADB
]);

/** Rows by their columns, in the order of both. */
export interface Rows {
  readonly names: readonly string[];
  readonly rows: readonly (readonly Value[])[];
}

/** A database while it is used. */
export class PythonDatabase {
  readonly #database: SqliteDatabase;
  readonly #clock: Clock;

  constructor(database: SqliteDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * Executes a statement and gives its rows.
   * @param values in their order, or a mapping of them by name
   * @throws PythonError with the class that Python has for it
   */
  async execute(sql: string, values: readonly Value[] | Dict = []): Promise<Rows> {
    if (await this.#isNothing(sql)) return { names: [], rows: [] };
    const given = boundValues(sql, values);
    return this.#patiently(() => {
      const { names, rows } = exactRows(this.#database, sql, given);
      return { names, rows: rows.map((row) => row.map(valueOf)) };
    });
  }

  /** The same for a statement without rows. @returns how many rows it has changed */
  async change(sql: string, values: readonly Value[] | Dict = []): Promise<number> {
    if (await this.#isNothing(sql)) return 0;
    const given = boundValues(sql, values);
    return this.#patiently(() => {
      const statement = this.#database.prepare(sql);
      return Number((Array.isArray(given) ? statement.run(...given) : statement.run(given)).changes);
    });
  }

  /** Rows as mappings. */
  async mappings(sql: string, values: readonly Value[] | Dict = []): Promise<Dict[]> {
    const { names, rows } = await this.execute(sql, values);
    return rows.map((row) => new Map(names.map((name, i): [Value, Value] => [name, row[i] ?? null])));
  }

  /** Whether there is no statement in a text; what is wrong with one is said before what is wrong with its values. */
  async #isNothing(sql: string): Promise<boolean> {
    if (piecesOf(sql).isEmpty) return true;
    await this.#patiently(() => this.#database.prepare(sql));
    return false;
  }

  async #patiently<T>(run: () => T): Promise<T> {
    try {
      return await patiently(this.#clock, PATIENCE_MS, run);
    } catch (error) {
      throw pythonError(error);
    }
  }
}

/** Opens a database, which is made when it is not there, and closes it when `run` is done. @throws PythonError */
export async function withDatabase<T>(
  path: string,
  clock: Clock,
  run: (database: PythonDatabase) => Promise<T>,
): Promise<T> {
  let database: SqliteDatabase;
  try {
    database = openForeignSqlite(path);
  } catch {
    throw new PythonError('sqlite3.OperationalError', 'unable to open database file');
  }
  try {
    blockBriefly(database);
    return await run(new PythonDatabase(database, clock));
  } finally {
    database.close();
  }
}

/** What is bound: the drivers do not count, and one of them ends the process over what it does not know. */
function boundValues(sql: string, values: readonly Value[] | Dict): SqlValue[] | Record<string, SqlValue> {
  const { isOne, positions, names } = piecesOf(sql);
  if (!isOne) throw failure('ProgrammingError', 'You can only execute one statement at a time.');
  if (isDict(values as Value)) {
    const given = values as Dict;
    const missing = names.find((name) => !given.has(name));
    if (positions > 0 || missing !== undefined)
      throw failure('ProgrammingError', `You did not supply a value for binding parameter :${missing ?? 1}.`);
    return Object.fromEntries(names.map((name, i) => [name, boundValue(given.get(name) ?? null, i)]));
  }
  const list = values as readonly Value[];
  if (positions > 0 && names.length > 0)
    throw failure(
      'ProgrammingError',
      `A statement has question marks or names for its values, not both: ? and :${names[0] ?? ''}.`,
    );
  const wanted = Math.max(positions, names.length);
  if (wanted !== list.length)
    throw failure(
      'ProgrammingError',
      `Incorrect number of bindings supplied. The current statement uses ${wanted}, and there are ${list.length} supplied.`,
    );
  if (names.length > 0)
    return Object.fromEntries(names.map((name, i) => [name, boundValue(list[i] ?? null, i)]));
  return list.map(boundValue);
}

function boundValue(value: Value, index: number): SqlValue {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'bigint') return value;
  if (isBytes(value)) return value;
  if (isFloat(value)) return toNumber(value) ?? null;
  if (typeof value === 'number') return BigInt(value);
  throw failure(
    'ProgrammingError',
    `Error binding parameter ${index + 1}: type '${pyTypeName(value)}' is not supported`,
  );
}

function valueOf(cell: unknown): Value {
  if (cell === null || typeof cell === 'string') return cell;
  if (typeof cell === 'bigint') return Number.isSafeInteger(Number(cell)) ? Number(cell) : cell;
  if (typeof cell === 'number') return float(cell);
  return blobBytes(cell as Blob);
}

const failure = (kind: string, message: string): PythonError => new PythonError(`sqlite3.${kind}`, message);

function pythonError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof PythonError) return error;
  const number = sqliteNumber(error);
  if (number === undefined) return error;
  const kind = OTHER_CLASSES.get(number) ?? 'OperationalError';
  return failure(kind, messageOf(error));
}

/** SQLite's number of an error, without what extends it: `rawCode` in libsql, `errcode` in Node's own SQLite. */
function sqliteNumber(error: Error): number | undefined {
  const { code, rawCode, errcode } = error as Error & Readonly<Record<string, unknown>>;
  if (typeof code !== 'string' || !/^(?:ERR_)?SQLITE_/.test(code)) return undefined;
  const number = [rawCode, errcode].find((each): each is number => typeof each === 'number');
  return number === undefined ? 1 : number & 0xff;
}
