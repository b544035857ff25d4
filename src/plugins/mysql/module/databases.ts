/** The functions of `mysql` about databases and their tables (3006.16 salt/modules/mysql.py). */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { connectionKeywords, quoteName, rowDict, withServer, type MysqlServer } from './connection.ts';

/** The server's own, which nobody means to remove. */
const OWN_DATABASES = new Set(['mysql', 'information_schema', 'performance_schema', 'sys']);

/** What a database is made with: a plain word. @throws SaltInvocationError for anything else */
function plainWord(what: string, value: string): string {
  if (/^\w+$/.test(value)) return value;
  throw new SaltInvocationError(`The ${what} '${value}' is no name of one.`);
}

function settings(characterSet: string | undefined, collate: string | undefined): string {
  return (
    (characterSet === undefined ? '' : ` CHARACTER SET ${plainWord('character set', characterSet)}`) +
    (collate === undefined ? '' : ` COLLATE ${plainWord('collation', collate)}`)
  );
}

/** Character set and collation of a database; undefined where there is none. */
async function databaseOf(server: MysqlServer, name: string): Promise<Dict | undefined> {
  const { rows } = await server.run(
    'SELECT DEFAULT_CHARACTER_SET_NAME, DEFAULT_COLLATION_NAME FROM INFORMATION_SCHEMA.SCHEMATA WHERE BINARY SCHEMA_NAME=?',
    [name],
  );
  const [row] = rows;
  return row === undefined ? undefined : dict({ character_set: row[0] ?? null, collate: row[1] ?? null });
}

async function tables(server: MysqlServer, name: string): Promise<string[]> {
  const { rows } = await server.run(`SHOW TABLES IN ${quoteName(name)}`);
  return rows.map(([table]) => pyStr(table ?? ''));
}

async function removeDatabase(ctx: ModuleContext, server: MysqlServer, name: string): Promise<boolean> {
  if ((await databaseOf(server, name)) === undefined) {
    ctx.log.info(`DB '${name}' does not exist`);
    return false;
  }
  if (OWN_DATABASES.has(name.toLowerCase())) {
    ctx.log.info(`DB '${name}' may not be removed`);
    return false;
  }
  await server.run(`DROP DATABASE ${quoteName(name)}`);
  return (await databaseOf(server, name)) === undefined;
}

const NAME = { name: param.text({ doc: 'The database.' }) } as const;
const TABLE = {
  table: param.textOrNone({ default: null, doc: 'The table; default: each of them.' }),
} as const;
const SETTINGS = {
  character_set: param.textIfGiven({ default: null, doc: 'The character set; default: that of the server.' }),
  collate: param.textIfGiven({ default: null, doc: 'The collation; default: that of the character set.' }),
} as const;

/** A function that has the server look after tables. */
const maintenance = (verb: 'CHECK' | 'REPAIR' | 'OPTIMIZE', doc: string): ReturnType<typeof defineFunction> =>
  defineFunction({
    doc,
    params: { ...NAME, ...TABLE },
    kwargs: 'connection_args',
    returns: 'the rows of the server for the table; a list of those of each table',
    examples: [`salt '*' mysql.db_${verb.toLowerCase()} dbname`],
    run: (ctx, { name, table }, _rest, kwargs) =>
      withServer<Value>(
        ctx,
        connectionKeywords(kwargs),
        [],
        async (server) => {
          const rowsFor = async (each: string): Promise<Value[]> =>
            (await server.rows(`${verb} TABLE ${quoteName(name)}.${quoteName(each)}`)).map(rowDict);
          if (table !== undefined) return rowsFor(table);
          const all: Value[] = [];
          for (const each of await tables(server, name)) all.push(await rowsFor(each));
          return all;
        },
        table === undefined ? [] : dict(),
      ),
  });

/** The functions about databases. */
export const databaseFunctions = {
  db_list: defineFunction({
    doc: 'Lists the databases.',
    kwargs: 'connection_args',
    returns: 'list of names',
    examples: ["salt '*' mysql.db_list"],
    run: (ctx, _args, _rest, kwargs) =>
      withServer(ctx, connectionKeywords(kwargs), [] as Value[], async (server) =>
        (await server.run('SHOW DATABASES')).rows.map(([name]) => name ?? null),
      ),
  }),
  db_get: defineFunction({
    doc: 'Returns the character set and the collation of a database.',
    params: NAME,
    kwargs: 'connection_args',
    returns: 'mapping, empty where there is no such database; an empty list where it failed',
    examples: ["salt '*' mysql.db_get test"],
    run: (ctx, { name }, _rest, kwargs) =>
      withServer<Value>(
        ctx,
        connectionKeywords(kwargs),
        [],
        async (server) => (await databaseOf(server, name)) ?? dict(),
      ),
  }),
  db_tables: defineFunction({
    doc: 'Lists the tables of a database.',
    params: NAME,
    kwargs: 'connection_args',
    returns: 'list of names; false where there is no such database',
    examples: ["salt '*' mysql.db_tables 'database'"],
    run: (ctx, { name }, _rest, kwargs) =>
      withServer<Value>(ctx, connectionKeywords(kwargs), false, async (server) =>
        (await databaseOf(server, name)) === undefined ? false : tables(server, name),
      ),
  }),
  db_exists: defineFunction({
    doc: 'Returns whether there is a database.',
    params: NAME,
    kwargs: 'connection_args',
    returns: 'true or false',
    examples: ["salt '*' mysql.db_exists 'dbname'"],
    run: (ctx, { name }, _rest, kwargs) =>
      withServer(
        ctx,
        connectionKeywords(kwargs),
        false,
        async (server) => (await databaseOf(server, name)) !== undefined,
      ),
  }),
  db_create: defineFunction({
    doc: 'Makes a database.',
    params: { ...NAME, ...SETTINGS },
    kwargs: 'connection_args',
    returns: 'true; false where there is one, or it failed',
    examples: ["salt '*' mysql.db_create 'dbname' 'utf8' 'utf8_general_ci'"],
    run: (ctx, { name, character_set, collate }, _rest, kwargs) => {
      const sql = `CREATE DATABASE ${quoteName(name)}${settings(character_set, collate)}`;
      return withServer(ctx, connectionKeywords(kwargs), false, async (server) => {
        if ((await databaseOf(server, name)) !== undefined) {
          ctx.log.info(`DB '${name}' already exists`);
          return false;
        }
        await server.run(sql);
        return true;
      });
    },
  }),
  alter_db: defineFunction({
    doc: 'Changes the character set and the collation of a database.',
    params: { ...NAME, ...SETTINGS },
    kwargs: 'connection_args',
    returns: 'true or false; an empty list where nothing could be asked',
    examples: ["salt '*' mysql.alter_db testdb character_set=latin1"],
    run: (ctx, { name, character_set, collate }, _rest, kwargs) => {
      const words = settings(character_set, collate);
      if (words === '') return true;
      return withServer<Value>(
        ctx,
        connectionKeywords(kwargs),
        false,
        async (server) => {
          await server.run(`ALTER DATABASE ${quoteName(name)}${words}`);
          return true;
        },
        [],
      );
    },
  }),
  db_remove: defineFunction({
    doc: 'Removes a database; not those of the server itself.',
    params: NAME,
    kwargs: 'connection_args',
    returns: 'true; false where there is none, or it failed',
    examples: ["salt '*' mysql.db_remove 'dbname'"],
    run: (ctx, { name }, _rest, kwargs) =>
      withServer(ctx, connectionKeywords(kwargs), false, (server) => removeDatabase(ctx, server, name)),
  }),
  db_check: maintenance('CHECK', 'Looks whether tables are whole.'),
  db_repair: maintenance('REPAIR', 'Repairs tables.'),
  db_optimize: maintenance('OPTIMIZE', 'Has tables take less room.'),
};
