/** Rows of a database as nested data (3006.16 salt/pillar/sql_base.py `process_results`). */
import { updateDict } from '../../../formats/data/dict-merge.ts';
import { isDict, valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';

/** How the rows of one query become data. */
export interface RowForm {
  /** Columns that are keys; 0 for all but the last. */
  readonly depth: number;
  /** Values of the same key become a list. */
  readonly asList: boolean;
  /** A single column holds mappings, which are joined. */
  readonly asJson: boolean;
  /** Numbers of columns, from 1, whose mappings become lists of their values. */
  readonly withLists: readonly number[];
  /** A null is left out. */
  readonly ignoreNull: boolean;
}

/** Mappings to turn into lists at the end, with the keys that it is about. */
type Listed = Map<Dict, Value[]>;

/** Adds rows to `data`. @param columns names of the columns @param rows their values, in the same order */
export function addRows(
  data: Dict,
  columns: readonly string[],
  rows: readonly Value[][],
  form: RowForm,
): void {
  const last = columns.length - 1;
  const depth = form.depth === 0 || form.depth >= columns.length ? last : form.depth;
  const listed: Listed = new Map();
  for (const row of rows) {
    if (form.asJson && columns.length === 1) {
      const [value] = row;
      if (isDict(value)) updateDict(data, value, { mergeLists: form.asList });
      continue;
    }
    const parent = descend(data, row, depth, form, listed);
    if (depth === last) addValue(parent, row.at(last - 1) ?? null, row[last] ?? null, last, form);
    else addNamed(parent, { columns, row, depth }, form, listed);
  }
  for (const [mapping, keys] of [...listed].reverse()) for (const key of keys) makeList(mapping, key);
}

/** The mapping that the first columns lead to, made where it is missing. */
function descend(data: Dict, row: readonly Value[], depth: number, form: RowForm, listed: Listed): Dict {
  let at = data;
  for (let i = 0; i < depth - 1; i++) {
    const key = row[i] ?? null;
    if (form.withLists.includes(i + 1)) noteListed(listed, at, key);
    const known = at.get(key);
    if (isDict(known)) {
      at = known;
      continue;
    }
    const made: Dict = new Map();
    if (Array.isArray(known)) known.push(made);
    else at.set(key, known !== undefined && form.asList ? [known, made] : made);
    at = made;
  }
  return at;
}

function noteListed(listed: Listed, mapping: Dict, key: Value): void {
  const keys = listed.get(mapping) ?? [];
  if (!keys.some((one) => valuesEqual(one, key))) keys.push(key);
  listed.set(mapping, keys);
}

/** The column before the last is the key. @param column its number, from 1 */
function addValue(parent: Dict, key: Value, value: Value, column: number, form: RowForm): void {
  const known = parent.get(key);
  if (form.withLists.includes(column) || (form.asList && known !== undefined)) {
    if (known === undefined) parent.set(key, [value]);
    else if (Array.isArray(known)) known.push(value);
    else parent.set(key, [known, value]);
  } else if (!form.ignoreNull || value !== null) parent.set(key, value);
}

/** The columns that are no keys are below their names. */
function addNamed(
  parent: Dict,
  { columns, row, depth }: { columns: readonly string[]; row: readonly Value[]; depth: number },
  form: RowForm,
  listed: Listed,
): void {
  const key = row[depth - 1] ?? null;
  const known = parent.get(key);
  const below = isDict(known) ? known : new Map<Value, Value>();
  if (below !== known) parent.set(key, below);
  if (form.withLists.includes(depth)) noteListed(listed, parent, key);
  for (let i = depth; i < columns.length; i++) {
    const name = columns[i] ?? '';
    const value = row[i] ?? null;
    if (form.withLists.includes(i + 1)) noteListed(listed, below, name);
    const before = below.get(name);
    if (form.asList && before !== undefined) {
      if (Array.isArray(before)) before.push(value);
      else below.set(name, [before, value]);
    } else if (!form.ignoreNull || value !== null) below.set(name, value);
  }
}

function makeList(mapping: Dict, key: Value): void {
  const value = mapping.get(key);
  if (isDict(value)) mapping.set(key, [...value.values()]);
  else if (Array.isArray(value)) mapping.set(key, [value]);
}
