/** What the tables of an SQL database can hold, and rows that fit into them. */
import type { Dict, Value } from '../../../python/values/value.ts';
import type { SavedLoad } from './return-store.ts';
import { cut, fitJson, plainText, textField, type TextRange, type Width } from './sql-fields.ts';
import { storeJson } from './store-json.ts';

/** A column as the database describes it. */
export interface SqlColumn {
  readonly range: TextRange;
  readonly width: Width;
  /** True where the database itself reads the JSON. */
  readonly isJson: boolean;
}

/** What the tables are made of, which others may have made. */
export interface SqlFacts<C extends SqlColumn = SqlColumn> {
  readonly tables: ReadonlySet<string>;
  /** By `table.column`. */
  readonly columns: ReadonlyMap<string, C>;
  /** What holds for a column of which nothing is known. */
  readonly otherwise: C;
}

/** A row's values by column; null is NULL. */
export type SqlValues = ReadonlyMap<string, string | null>;

/** What is known of a column. */
export function columnOf<C extends SqlColumn>(
  { columns, otherwise }: SqlFacts<C>,
  table: string,
  name: string,
): C {
  return columns.get(`${table}.${name}`) ?? otherwise;
}

/** A value as JSON that a column takes. */
export function jsonFor(facts: SqlFacts, table: string, name: string, value: Value): string {
  const { isJson, range } = columnOf(facts, table, name);
  return fitJson(storeJson(value, { strict: isJson }), range);
}

/** A field of a return as its column in `salt_returns` takes it. */
export function textFor(facts: SqlFacts, name: string, ret: Dict): string {
  return textField(ret, name, columnOf(facts, 'salt_returns', name).range);
}

/**
 * A row of `salt_returns` as Salt's returners for several databases make it.
 * @param success as Salt's driver for this database writes it
 */
export function returnValues(ret: Dict, facts: SqlFacts, success: string): SqlValues {
  const width = (name: string): Width => columnOf(facts, 'salt_returns', name).width;
  return new Map([
    ['fun', cut(textFor(facts, 'fun', ret), width('fun'))],
    ['jid', textFor(facts, 'jid', ret)],
    ['return', jsonFor(facts, 'salt_returns', 'return', ret.get('return') ?? null)],
    ['id', textFor(facts, 'id', ret)],
    ['success', cut(success, width('success'))],
    ['full_ret', jsonFor(facts, 'salt_returns', 'full_ret', ret)],
  ]);
}

/** A row of `jids` as the same returners make it. */
export function loadValues({ jid, load }: SavedLoad, facts: SqlFacts): SqlValues {
  return new Map([
    ['jid', plainText(jid)],
    ['load', jsonFor(facts, 'jids', 'load', load)],
  ]);
}
