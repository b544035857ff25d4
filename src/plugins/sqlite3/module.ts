/** `sqlite3`: databases of SQLite. Follows 3006.16 salt/modules/sqlite3.py. */
import { ArgumentError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { pyTypeName, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { withDatabase, type Rows } from './module/database.ts';

const DB = {
  db: param.textOrNone({ default: null, doc: 'The file of the database; it is made when it is not there.' }),
} as const;
const SQL = { sql: param.value({ type: 'str', default: null, doc: 'The statement.' }) } as const;
/** The version that Python's own module says of itself. */
const PYSQLITE = '2.6.0';

/** Executes a statement; undefined without a database. */
async function execute(ctx: ModuleContext, db: string | undefined, sql: Value): Promise<Rows | undefined> {
  if (db === undefined) return undefined;
  if (typeof sql !== 'string')
    throw new ArgumentError(
      `execute() argument 1 must be str, not ${sql === null ? 'None' : pyTypeName(sql)}`,
    );
  return withDatabase(db, ctx.clock, (database) => database.execute(sql));
}

async function rowsOf(ctx: ModuleContext, db: string | undefined, sql: Value): Promise<Value> {
  const found = await execute(ctx, db, sql);
  return found === undefined ? false : found.rows.map((row) => [...row]);
}

const named = (kind: string): string => `SELECT name FROM sqlite_master WHERE type='${kind}' ORDER BY name;`;
const INDICES = {
  doc: 'Lists the indices of a database.',
  params: DB,
  returns: 'list of lists of one name; false without a database',
  run: (ctx: ModuleContext, { db }: { readonly db: string | undefined }): Promise<Value> =>
    rowsOf(ctx, db, named('index')),
} as const;

/** The module. */
export const sqlite3Module = defineModule({
  name: 'sqlite3',
  file: 'sqlite3',
  doc: 'Databases of SQLite.',
  failsWith: { false: ['fetch', 'indexes', 'indices', 'modify', 'tables'] },
  functions: {
    version: defineFunction({
      doc: "Returns the version of Python's module, whose answers these are.",
      returns: 'text',
      examples: ["salt '*' sqlite3.version"],
      run: () => PYSQLITE,
    }),
    sqlite_version: defineFunction({
      doc: 'Returns the version of SQLite.',
      returns: 'text',
      examples: ["salt '*' sqlite3.sqlite_version"],
      run: async (ctx) =>
        pyStr((await execute(ctx, ':memory:', 'SELECT sqlite_version()'))?.rows[0]?.[0] ?? null),
    }),
    modify: defineFunction({
      doc: 'Executes a statement without rows: INSERT, DELETE, CREATE.',
      params: { ...DB, ...SQL },
      returns: 'true; false without a database',
      isolation: 'process',
      examples: ["salt '*' sqlite3.modify /root/test.db 'CREATE TABLE test(id INT, testdata TEXT);'"],
      run: async (ctx, { db, sql }) => (await execute(ctx, db, sql)) !== undefined,
    }),
    fetch: defineFunction({
      doc: 'Returns all rows of a question.',
      params: { ...DB, ...SQL },
      returns: 'list of lists; false without a database',
      isolation: 'process',
      examples: ["salt '*' sqlite3.fetch /root/test.db 'SELECT * FROM test;'"],
      run: (ctx, { db, sql }) => rowsOf(ctx, db, sql),
    }),
    tables: defineFunction({
      doc: 'Lists the tables of a database.',
      params: DB,
      returns: 'list of lists of one name; false without a database',
      examples: ["salt '*' sqlite3.tables /root/test.db"],
      run: (ctx, { db }) => rowsOf(ctx, db, named('table')),
    }),
    indices: defineFunction({ ...INDICES, examples: ["salt '*' sqlite3.indices /root/test.db"] }),
    indexes: defineFunction({ ...INDICES, examples: ["salt '*' sqlite3.indexes /root/test.db"] }),
  },
});
