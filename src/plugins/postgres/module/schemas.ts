/** The functions of `postgres` about schemas and languages (3006.16 salt/modules/postgres.py). */
import { pyStr } from '../../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { ELSEWHERE, execute, rowsOf, type Connection } from './connection.ts';
import { identifier } from './sql-words.ts';

const SCHEMAS =
  'SELECT pg_namespace.nspname as "name",pg_namespace.nspacl as "acl", pg_roles.rolname as "owner" ' +
  'FROM pg_namespace LEFT JOIN pg_roles ON pg_roles.oid = pg_namespace.nspowner';

const DBNAME = { dbname: param.text({ doc: 'The database.' }) } as const;
const NAME = { name: param.text({ doc: 'The schema.' }) } as const;
/** The connection under the names that the functions of schemas have for its parts. */
const SCHEMA_CONNECTION = {
  user: param.textIfGiven({ default: null, doc: 'The user of the system who runs psql.' }),
  db_user: param.textIfGiven({ default: null, doc: 'The user of the database.' }),
  db_password: param.textOrNone({ default: null, doc: 'His password.' }),
  db_host: param.textIfGiven({ default: null, doc: 'The host.' }),
  db_port: param.textIfGiven({ default: null, type: 'int', doc: 'The port.' }),
} as const;

interface SchemaConnection {
  readonly dbname: string;
  readonly user: string | undefined;
  readonly db_user: string | undefined;
  readonly db_password: string | undefined;
  readonly db_host: string | undefined;
  readonly db_port: string | undefined;
}

const connectionTo = (args: SchemaConnection): Connection => ({
  user: args.db_user,
  host: args.db_host,
  port: args.db_port,
  maintenance_db: args.dbname,
  password: args.db_password,
  runas: args.user,
});

async function schemas(ctx: ModuleContext, connection: Connection): Promise<Dict> {
  const rows = await rowsOf(ctx, connection, SCHEMAS);
  return new Map(
    rows.map((row): [Value, Value] => [
      row.get('name') ?? '',
      dict({ owner: row.get('owner') ?? '', acl: row.get('acl') ?? '' }),
    ]),
  );
}

const hasSchema = async (ctx: ModuleContext, connection: Connection, name: string): Promise<boolean> =>
  (await schemas(ctx, connection)).has(name);

async function removeSchema(
  ctx: ModuleContext,
  connection: Connection,
  args: { dbname: string; name: string },
): Promise<boolean> {
  const { dbname, name } = args;
  if (!(await hasSchema(ctx, connection, name))) {
    ctx.log.info(`Schema '${name}' does not exist in '${dbname}'`);
    return false;
  }
  await execute(ctx, connection, `DROP SCHEMA ${identifier(name)}`);
  if (!(await hasSchema(ctx, connection, name))) return true;
  ctx.log.info(`Failed to delete schema '${name}'.`);
  return false;
}

const LANGUAGE = {
  name: param.text({ doc: 'The language: plpgsql.' }),
  maintenance_db: param.text({ doc: 'The database.' }),
} as const;

async function languages(ctx: ModuleContext, connection: Connection): Promise<Dict> {
  const rows = await rowsOf(ctx, connection, 'SELECT lanname AS "Name" FROM pg_language');
  return new Map(rows.map((row): [Value, Value] => [row.get('Name') ?? '', row.get('Name') ?? '']));
}

/** Adds or removes a language, unless that is so already. */
async function switchLanguage(
  ctx: ModuleContext,
  connection: Connection,
  name: string,
  isWanted: boolean,
): Promise<boolean> {
  if ((await languages(ctx, connection)).has(name) === isWanted) {
    const text = isWanted ? 'already exists' : 'does not exist';
    ctx.log.info(`Language ${name} ${text} in ${pyStr(connection.maintenance_db ?? '')}`);
    return false;
  }
  return execute(ctx, connection, `${isWanted ? 'CREATE' : 'DROP'} LANGUAGE ${identifier(name)}`);
}

/** The functions about schemas. */
export const schemaFunctions = {
  schema_create: defineFunction({
    doc: 'Makes a schema.',
    params: {
      ...DBNAME,
      ...NAME,
      owner: param.textOrNone({ default: null, doc: 'The owner.' }),
      ...SCHEMA_CONNECTION,
    },
    returns: 'true; false when there is one, or it failed',
    examples: ["salt '*' postgres.schema_create dbname name owner='owner'"],
    run: async (ctx, { name, owner, ...args }) => {
      const connection = connectionTo(args);
      if (await hasSchema(ctx, connection, name)) {
        ctx.log.info(`'${name}' already exists in '${args.dbname}'`);
        return false;
      }
      const ofOwner = owner === undefined ? '' : ` AUTHORIZATION ${identifier(owner)}`;
      return execute(ctx, connection, `CREATE SCHEMA ${identifier(name)}${ofOwner}`);
    },
  }),
  schema_remove: defineFunction({
    doc: 'Removes an empty schema.',
    params: { ...DBNAME, ...NAME, ...SCHEMA_CONNECTION },
    returns: 'true or false',
    examples: ["salt '*' postgres.schema_remove dbname schemaname"],
    run: (ctx, { name, ...args }) => removeSchema(ctx, connectionTo(args), { dbname: args.dbname, name }),
  }),
  schema_exists: defineFunction({
    doc: 'Returns whether there is a schema.',
    params: { ...DBNAME, ...NAME, ...SCHEMA_CONNECTION },
    returns: 'true or false',
    examples: ["salt '*' postgres.schema_exists dbname schemaname"],
    run: (ctx, { name, ...args }) => hasSchema(ctx, connectionTo(args), name),
  }),
  schema_get: defineFunction({
    doc: 'Returns the owner and the privileges of a schema.',
    params: { ...DBNAME, ...NAME, ...SCHEMA_CONNECTION },
    returns: 'mapping; None when there is no such schema',
    examples: ["salt '*' postgres.schema_get dbname name"],
    run: async (ctx, { name, ...args }) => (await schemas(ctx, connectionTo(args))).get(name) ?? null,
  }),
  schema_list: defineFunction({
    doc: 'Lists the schemas of a database.',
    params: { ...DBNAME, ...SCHEMA_CONNECTION },
    returns: 'mapping of name to owner and privileges',
    examples: ["salt '*' postgres.schema_list dbname"],
    run: (ctx, args) => schemas(ctx, connectionTo(args)),
  }),
  language_list: defineFunction({
    doc: 'Lists the languages of a database.',
    params: { maintenance_db: LANGUAGE.maintenance_db, ...ELSEWHERE },
    returns: 'mapping of name to name',
    examples: ["salt '*' postgres.language_list dbname"],
    run: (ctx, args) => languages(ctx, args),
  }),
  language_exists: defineFunction({
    doc: 'Returns whether a database has a language.',
    params: { ...LANGUAGE, ...ELSEWHERE },
    returns: 'true or false',
    examples: ["salt '*' postgres.language_exists plpgsql dbname"],
    run: async (ctx, { name, ...args }) => (await languages(ctx, args)).has(name),
  }),
  language_create: defineFunction({
    doc: 'Installs a language into a database.',
    params: { ...LANGUAGE, ...ELSEWHERE },
    returns: 'true; false when it is there, or it failed',
    examples: ["salt '*' postgres.language_create plpgsql dbname"],
    run: (ctx, { name, ...args }) => switchLanguage(ctx, args, name, true),
  }),
  language_remove: defineFunction({
    doc: 'Removes a language from a database.',
    params: { ...LANGUAGE, ...ELSEWHERE },
    returns: 'true; false when it is not there, or it failed',
    examples: ["salt '*' postgres.language_remove plpgsql dbname"],
    run: (ctx, { name, ...args }) => switchLanguage(ctx, args, name, false),
  }),
};
