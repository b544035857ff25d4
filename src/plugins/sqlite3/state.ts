/** `sqlite3`: tables and rows in databases of SQLite (3006.16 salt/states/sqlite3.py). */
import { dirname } from 'node:path';
import { messageOf } from '../../errors/errors.ts';
import { isDir, pathExists } from '../../python/paths.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { withDatabase, type PythonDatabase } from './module/database.ts';
import { emptyRefusal } from '../shared/name-check.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const DB = { db: param.text({ doc: 'The file of the database.' }) } as const;
const ROW = {
  name: param.text({ doc: 'A name of the state.' }),
  ...DB,
  table: param.text({ doc: 'The table.' }),
} as const;
const WHERE = {
  where_sql: param.text({ doc: 'What is true of the row, in SQL.' }),
  where_args: param.value({ type: 'list', default: null, doc: 'The values of its question marks.' }),
} as const;
const TABLE = { name: param.text({ doc: 'The table.' }), ...DB } as const;
const MANY = 'More than one row matched the specified query';

/**
 * Runs a state's work on its database; what fails is its comment. In test mode a database that is not there is an empty
 * one.
 */
async function onDatabase(
  ctx: StateContext,
  name: string,
  db: string,
  run: (database: PythonDatabase) => Promise<StateResult>,
): Promise<StateResult> {
  const isMissing = !pathExists(db) && isDir(dirname(db));
  const path = ctx.state.test && isMissing ? ':memory:' : db;
  try {
    return await withDatabase(path, ctx.clock, run);
  } catch (error) {
    return failure(name, messageOf(error));
  }
}

/** A row that is asked for. */
interface Wanted {
  readonly name: string;
  readonly table: string;
  readonly where_sql: string;
  readonly where_args: Value;
}

const argsOf = (value: Value): readonly Value[] | Dict =>
  Array.isArray(value) || isDict(value) ? value : [];

const matching = (database: PythonDatabase, { table, where_sql, where_args }: Wanted): Promise<Dict[]> =>
  database.mappings(`SELECT * FROM \`${table}\` WHERE ${where_sql}`, argsOf(where_args));

async function removeRow(ctx: StateContext, database: PythonDatabase, wanted: Wanted): Promise<StateResult> {
  const { name, table, where_sql, where_args } = wanted;
  const [row, another] = await matching(database, wanted);
  if (another !== undefined) return failure(name, MANY);
  if (row === undefined) return outcome(name, true, 'Row is absent');
  if (ctx.state.test) return outcome(name, null, `Row will be removed in ${table}`, dict({ old: row }));
  const count = await database.change(`DELETE FROM \`${table}\` WHERE ${where_sql}`, argsOf(where_args));
  if (count !== 1) return failure(name, 'Unable to remove row');
  return outcome(name, true, 'Row removed', dict({ old: row }));
}

async function writeRow(
  ctx: StateContext,
  database: PythonDatabase,
  wanted: Wanted & { readonly data: Dict; readonly update: boolean },
): Promise<StateResult> {
  const { name, table, update } = wanted;
  const [row, another] = await matching(database, wanted);
  if (another !== undefined) return failure(name, MANY);
  if (row === undefined) return insertRow(ctx, database, wanted);
  // Salt compat: Salt compares the values as they are written, and leaves out columns that the table does not have
  if (await holds(database, wanted)) return outcome(name, true, 'Row exists');
  if (!update) return failure(name, 'Existing data doesnot match desired state');
  // Salt compat: Salt's result in test mode is True, and of some it tells no change, as if nothing were to be done
  const changes = dict({ old: row, new: wanted.data });
  if (ctx.state.test) return outcome(name, null, `Row will be update in ${table}`, changes);
  return updateRow(database, wanted, changes);
}

/** Marks for the values of columns before those of the condition, and what is bound to all of them. */
function marked(
  data: Dict,
  where_args: Value,
): { readonly marks: string[]; readonly values: Value[] | Dict } {
  const values = [...data.values()];
  if (!isDict(where_args))
    return {
      marks: values.map(() => '?'),
      values: [...values, ...(Array.isArray(where_args) ? where_args : [])],
    };
  let prefix = 'value';
  while ([...where_args.keys()].some((key) => pyStr(key).startsWith(prefix))) prefix += '_';
  const own = values.map((value, i): [Value, Value] => [`${prefix}${i}`, value]);
  return { marks: own.map(([key]) => `:${pyStr(key)}`), values: new Map([...where_args, ...own]) };
}

/** Whether a row has values, as SQLite takes them: a column of numbers has the number of a text. */
async function holds(database: PythonDatabase, wanted: Wanted & { readonly data: Dict }): Promise<boolean> {
  const { table, data, where_sql, where_args } = wanted;
  if (data.size === 0) return true;
  const { marks, values } = marked(data, where_args);
  const alike = [...data.keys()].map((key, i) => `\`${pyStr(key)}\` IS ${marks[i] ?? ''} COLLATE BINARY`);
  const asked = `SELECT (${alike.join(') AND (')}) FROM \`${table}\` WHERE ${where_sql}`;
  return (await database.execute(asked, values)).rows[0]?.[0] === 1;
}

async function updateRow(
  database: PythonDatabase,
  { name, table, data, where_sql, where_args }: Wanted & { readonly data: Dict },
  changes: Dict,
): Promise<StateResult> {
  const { marks, values } = marked(data, where_args);
  const columns = [...data.keys()].map((key, i) => `\`${pyStr(key)}\`=${marks[i] ?? ''}`).join(',');
  const count = await database.change(`UPDATE \`${table}\` SET ${columns} WHERE ${where_sql}`, values);
  if (count !== 1) return failure(name, 'Row update failed');
  return outcome(name, true, 'Row updated', changes);
}

async function insertRow(
  ctx: StateContext,
  database: PythonDatabase,
  { name, table, data }: Wanted & { readonly data: Dict },
): Promise<StateResult> {
  const changes = dict({ new: data });
  if (data.size === 0) return failure(name, 'data must name a column of the row');
  if (ctx.state.test) return outcome(name, null, `Row will be inserted into ${table}`, changes);
  const columns = [...data.keys()].map((key) => `\`${pyStr(key)}\``).join(',');
  const marks = [...data.keys()].map(() => '?').join(',');
  const values = [...data.values()];
  const count = await database.change(`INSERT INTO \`${table}\` (${columns}) VALUES (${marks})`, values);
  return count === 1 ? outcome(name, true, 'Inserted row', changes) : failure(name, 'Unable to insert data');
}

/** What a table was made by; undefined without it. */
async function madeBy(database: PythonDatabase, name: string): Promise<Value | undefined> {
  const asked = "SELECT sql FROM sqlite_master WHERE type='table' AND name=?";
  return (await database.execute(asked, [name])).rows[0]?.[0];
}

/** A statement as SQLite keeps it: without what it does not need. One that needs other tables is as it is written. */
async function asKept(ctx: StateContext, name: string, sql: string): Promise<Value> {
  try {
    return await withDatabase(':memory:', ctx.clock, async (database) => {
      await database.change(sql);
      return (await madeBy(database, name)) ?? sql;
    });
  } catch {
    return sql;
  }
}

/** Why a statement is none of SQL. Salt compat: there, test mode promises what it says. */
async function syntaxError(ctx: StateContext, sql: string): Promise<string | undefined> {
  try {
    await withDatabase(':memory:', ctx.clock, (database) => database.change(sql));
  } catch (error) {
    const text = messageOf(error);
    return /syntax error|incomplete input|unrecognized token/.test(text) ? text : undefined;
  }
  return undefined;
}

async function dropTable(ctx: StateContext, database: PythonDatabase, name: string): Promise<StateResult> {
  const old = await madeBy(database, name);
  if (old === undefined) return outcome(name, true, `'${name}' is already absent`);
  if (ctx.state.test) return outcome(name, null, `'${name}' will be dropped`, dict({ old }));
  await database.change(`DROP TABLE ${name}`);
  return outcome(name, true, `'${name}' was dropped`, dict({ old }));
}

async function makeTable(
  ctx: StateContext,
  database: PythonDatabase,
  { name, schema, force }: { readonly name: string; readonly schema: Value; readonly force: boolean },
): Promise<StateResult> {
  const columns = Array.isArray(schema)
    ? schema.map(pyStr)
    : isDict(schema)
      ? [...schema.keys()].map(pyStr)
      : [];
  const sql = typeof schema === 'string' ? schema : `CREATE TABLE \`${name}\` (${columns.join(',')})`;
  const old = await madeBy(database, name);
  if (old === undefined) {
    const changes = dict({ new: sql });
    if (ctx.state.test) {
      const wrong = await syntaxError(ctx, sql);
      if (wrong !== undefined) return failure(name, wrong);
      return outcome(name, null, `'${name}' will be created`, changes);
    }
    await database.change(sql);
    return outcome(name, true, `Created table '${name}'`, changes);
  }
  const wanted = sql.trim();
  // Salt compat: Salt compares what is written, and so with `force` makes a table anew at each run whose statement says
  // IF NOT EXISTS
  if (wanted === old || (await asKept(ctx, name, wanted)) === old)
    return outcome(name, true, `'${name}' exists with matching schema`);
  if (!force) return failure(name, `Expected schema=${wanted}\nactual schema=${pyStr(old)}`);
  const changes = dict({ old, new: wanted });
  if (ctx.state.test) return outcome(name, null, `'${name}' will be replaced`, changes);
  await database.change(`DROP TABLE \`${name}\``);
  await database.change(wanted);
  return outcome(name, true, `Replaced '${name}'`, changes);
}

/** The states of `sqlite3`. */
export const sqlite3States = defineModule({
  name: 'sqlite3',
  file: 'sqlite3',
  doc: 'Tables and rows in databases of SQLite.',
  functions: {
    row_absent: defineState({
      doc: 'Makes sure that there is no such row.',
      params: { ...ROW, ...WHERE },
      run: (ctx, { db, ...wanted }) =>
        onDatabase(ctx, wanted.name, db, (database) => removeRow(ctx, database, wanted)),
    }),
    row_present: defineState({
      doc: 'Makes sure that there is a row.',
      params: {
        ...ROW,
        data: param.mapping({ doc: 'Its columns and their values.' }),
        ...WHERE,
        update: param.flag({
          default: false,
          doc: 'Change a row that is there; else one that differs is a failure.',
        }),
      },
      run: (ctx, { db, ...wanted }) =>
        onDatabase(ctx, wanted.name, db, (database) => writeRow(ctx, database, wanted)),
    }),
    table_absent: defineState({
      doc: 'Makes sure that there is no such table.',
      params: TABLE,
      run: (ctx, { name, db }) => onDatabase(ctx, name, db, (database) => dropTable(ctx, database, name)),
    }),
    table_present: defineState({
      doc: 'Makes sure that there is a table.',
      params: {
        ...TABLE,
        schema: param.value({
          type: 'str or list',
          doc: 'The statement that makes it, or the columns with their types.',
        }),
        force: param.flag({
          default: false,
          doc: 'Make one anew that was made in another way; its rows are lost.',
        }),
      },
      refuses: ({ name, schema }) =>
        emptyRefusal('A table', name) ??
        (truthy(schema) && (typeof schema === 'string' || Array.isArray(schema) || isDict(schema))
          ? undefined
          : `schema must be a statement, or a list of columns, not ${pyRepr(schema)}`),
      run: (ctx, { db, ...wanted }) =>
        onDatabase(ctx, wanted.name, db, (database) => makeTable(ctx, database, wanted)),
    }),
  },
});
