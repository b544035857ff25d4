/**
 * Databases of others, with what is in them exactly as it is: whole numbers of any size, columns of one name, modes of
 * files.
 */
import { loadSqliteDriver, type SqliteDatabase, type SqliteStatement, type SqlValue } from './sqlite.ts';

/** Rows, and the names of their columns. */
export interface ExactRows {
  readonly names: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** What either driver has of this; the one's words are not the other's. */
interface ExactStatement extends SqliteStatement {
  readonly reader?: boolean;
  raw?(isRaw: boolean): unknown;
  safeIntegers?(isSafe: boolean): unknown;
  setReturnArrays?(isArrays: boolean): unknown;
  setReadBigInts?(isBig: boolean): unknown;
  columns(): readonly { readonly name: string }[];
}

/** Opens a database of somebody else's, whose files keep their modes; one that is not there is made. */
export function openForeignSqlite(path: string): SqliteDatabase {
  return loadSqliteDriver().open(path, false);
}

/** Asks for rows; whole numbers come as bigint. @param values in their order, or one mapping of them by name */
export function exactRows(
  database: SqliteDatabase,
  sql: string,
  values: readonly SqlValue[] | Readonly<Record<string, SqlValue>>,
): ExactRows {
  const statement = database.prepare(sql) as ExactStatement;
  const given = Array.isArray(values)
    ? (values as readonly SqlValue[])
    : ([values] as readonly [Readonly<Record<string, SqlValue>>]);
  // a statement without rows is no question, and one of the drivers would not do it when it is asked
  const names = statement.columns().map(({ name }) => name);
  if (names.length === 0) {
    statement.run(...given);
    return { names, rows: [] };
  }
  (statement.safeIntegers ?? statement.setReadBigInts)?.call(statement, true);
  (statement.raw ?? statement.setReturnArrays)?.call(statement, true);
  const rows = statement.all(...given);
  return { names, rows: rows.map((row) => (Array.isArray(row) ? row : Object.values(row as object))) };
}
