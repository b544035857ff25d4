/** The functions of `postgres` about databases and tablespaces (3006.16 salt/modules/postgres.py). */
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import {
  connectionOf,
  CONNECTION,
  execute,
  psql,
  RUNAS,
  rowsBy,
  rowsOf,
  serverVersion,
  SERVER_AND_PASSWORD,
  type Connection,
} from './connection.ts';
import { ownerTo } from './owners.ts';
import { identifier, literal } from './sql-words.ts';

const DATABASES =
  'SELECT datname as "Name", pga.rolname as "Owner", pg_encoding_to_char(encoding) as "Encoding", ' +
  'datcollate as "Collate", datctype as "Ctype", datacl as "Access privileges", spcname as "Tablespace" ' +
  'FROM pg_database pgd, pg_roles pga, pg_tablespace pgts ' +
  'WHERE pga.oid = pgd.datdba AND pgts.oid = pgd.dattablespace';
const TABLESPACES =
  'SELECT spcname as "Name", pga.rolname as "Owner", spcacl as "ACL", spcoptions as "Opts", ' +
  'pg_tablespace_location(pgts.oid) as "Location" FROM pg_tablespace pgts, pg_roles pga WHERE pga.oid = pgts.spcowner';

const databases = async (ctx: ModuleContext, connection: Connection): Promise<Dict> =>
  rowsBy(await rowsOf(ctx, connection, DATABASES), 'Name');

const tablespaces = async (ctx: ModuleContext, connection: Connection): Promise<Dict> =>
  rowsBy(await rowsOf(ctx, connection, TABLESPACES), 'Name');

/** What a new database is to be like. */
interface NewDatabase {
  readonly tablespace: string | undefined;
  readonly encoding: string | undefined;
  readonly lc_collate: string | undefined;
  readonly lc_ctype: string | undefined;
  readonly owner: string | undefined;
  readonly template: string | undefined;
}

function databaseOptions(wanted: NewDatabase): string {
  const clauses: [string, string | undefined, (text: string) => string][] = [
    ['TABLESPACE', wanted.tablespace, identifier],
    ['OWNER', wanted.owner, identifier],
    ['TEMPLATE', wanted.template, identifier],
    ['ENCODING', wanted.encoding, literal],
    ['LC_COLLATE', wanted.lc_collate, literal],
    ['LC_CTYPE', wanted.lc_ctype, literal],
  ];
  const words = clauses.flatMap(([word, value, quote]) =>
    value === undefined ? [] : [`${word} = ${quote(value)}`],
  );
  return words.length === 0 ? '' : ` WITH ${words.join(' ')}`;
}

async function removeDatabase(ctx: ModuleContext, connection: Connection, name: string): Promise<true> {
  for (const sql of [
    `REVOKE CONNECT ON DATABASE ${identifier(name)} FROM public;`,
    `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${literal(name)} AND pid <> pg_backend_pid();`,
    `DROP DATABASE ${identifier(name)};`,
  ]) {
    const { retcode, stdout, stderr } = await psql(ctx, connection, ['-c', sql]);
    if (retcode !== 0)
      throw new CommandExecutionError(
        `The database ${name} was not removed: ${(stderr || stdout).trim() || `psql ended with ${retcode}`}`,
      );
  }
  return true;
}

async function alterDatabase(
  ctx: ModuleContext,
  name: string,
  wanted: { readonly owner: string | undefined; readonly tablespace: string | undefined },
  { connection, isRecursive }: { readonly connection: Connection; readonly isRecursive: boolean },
): Promise<boolean> {
  const { owner, tablespace } = wanted;
  if (owner !== undefined && isRecursive) {
    const { retcode } = await ownerTo(ctx, { dbname: name, ownername: owner }, connection);
    if (retcode !== 0) return false;
  } else if (owner !== undefined) {
    const sql = `ALTER DATABASE ${identifier(name)} OWNER TO ${identifier(owner)}`;
    if (!(await execute(ctx, connection, sql))) return false;
  }
  if (tablespace === undefined) return true;
  return execute(
    ctx,
    connection,
    `ALTER DATABASE ${identifier(name)} SET TABLESPACE ${identifier(tablespace)}`,
  );
}

/** The value of a tablespace's setting: a number as it was given, so that the server keeps it so. */
function settingValue(value: Value): string {
  const text = pyStr(value);
  return /^-?\d+(?:\.\d+)?$/.test(text) ? text : literal(text);
}

function settings(options: Dict): string {
  return [...options]
    .map(([name, value]) => `${identifier(pyStr(name))} = ${settingValue(value)}`)
    .join(', ');
}

/** A mapping of settings; undefined where there is none. @throws SaltInvocationError for anything else */
export function settingsOf(value: Value): Dict | undefined {
  if (!truthy(value)) return undefined;
  if (isDict(value)) return value;
  throw new SaltInvocationError('The settings of a tablespace are a mapping of name to value.');
}

async function eachSucceeds(
  ctx: ModuleContext,
  connection: Connection,
  statements: readonly string[],
): Promise<boolean> {
  for (const sql of statements) if (!(await execute(ctx, connection, sql))) return false;
  return true;
}

const DATABASE_NAME = { name: param.text({ doc: 'The database.' }) } as const;
const TABLESPACE_NAME = { name: param.text({ doc: 'The tablespace.' }) } as const;

/** The functions about databases. */
export const databaseFunctions = {
  version: defineFunction({
    doc: 'Returns the version of the server.',
    params: CONNECTION,
    returns: 'the version; None when the server does not answer',
    examples: ["salt '*' postgres.version"],
    run: async (ctx, args) => (await serverVersion(ctx, connectionOf(args))) ?? null,
  }),
  db_list: defineFunction({
    doc: 'Lists the databases.',
    params: CONNECTION,
    returns: 'mapping of name to owner, encoding, locale, privileges and tablespace',
    examples: ["salt '*' postgres.db_list"],
    run: (ctx, args) => databases(ctx, connectionOf(args)),
  }),
  db_exists: defineFunction({
    doc: 'Returns whether there is a database.',
    params: { ...DATABASE_NAME, ...CONNECTION },
    returns: 'true or false',
    examples: ["salt '*' postgres.db_exists 'dbname'"],
    run: async (ctx, { name, ...args }) => (await databases(ctx, connectionOf(args))).has(name),
  }),
  db_create: defineFunction({
    doc: 'Makes a database.',
    params: {
      ...DATABASE_NAME,
      ...SERVER_AND_PASSWORD,
      tablespace: param.textOrNone({ default: null, doc: 'The tablespace.' }),
      encoding: param.textOrNone({ default: null, doc: 'The encoding: UTF8.' }),
      lc_collate: param.textOrNone({ default: null, doc: 'The locale of its order.' }),
      lc_ctype: param.textOrNone({ default: null, doc: 'The locale of its classes of characters.' }),
      owner: param.textOrNone({ default: null, doc: 'The owner.' }),
      template: param.textOrNone({ default: null, doc: 'The database that it becomes a copy of.' }),
      ...RUNAS,
    },
    returns: 'true or false',
    examples: ["salt '*' postgres.db_create 'dbname' template=template_postgis"],
    run: (ctx, { name, ...args }) =>
      execute(ctx, connectionOf(args), `CREATE DATABASE ${identifier(name)}${databaseOptions(args)}`),
  }),
  db_alter: defineFunction({
    doc: 'Changes the tablespace or the owner of a database.',
    params: {
      ...DATABASE_NAME,
      ...SERVER_AND_PASSWORD,
      tablespace: param.textIfGiven({ default: null, doc: 'The new tablespace.' }),
      owner: param.textIfGiven({ default: null, doc: 'The new owner.' }),
      owner_recurse: param.flag({ default: false, doc: 'Give the owner all that is in it as well.' }),
      ...RUNAS,
    },
    returns: 'true or false',
    examples: ["salt '*' postgres.db_alter dbname owner=otheruser"],
    run: (ctx, { name, owner, tablespace, owner_recurse, ...args }) =>
      alterDatabase(
        ctx,
        name,
        { owner, tablespace },
        { connection: connectionOf(args), isRecursive: owner_recurse },
      ),
  }),
  db_remove: defineFunction({
    doc: 'Removes a database, and ends the sessions in it.',
    params: { ...DATABASE_NAME, ...CONNECTION },
    returns: 'true',
    examples: ["salt '*' postgres.db_remove 'dbname'"],
    run: (ctx, { name, ...args }) => removeDatabase(ctx, connectionOf(args), name),
  }),
  tablespace_list: defineFunction({
    doc: 'Lists the tablespaces.',
    params: CONNECTION,
    returns: 'mapping of name to owner, privileges, settings and folder',
    examples: ["salt '*' postgres.tablespace_list"],
    run: (ctx, args) => tablespaces(ctx, connectionOf(args)),
  }),
  tablespace_exists: defineFunction({
    doc: 'Returns whether there is a tablespace.',
    params: { ...TABLESPACE_NAME, ...CONNECTION },
    returns: 'true or false',
    examples: ["salt '*' postgres.tablespace_exists 'tsname'"],
    run: async (ctx, { name, ...args }) => (await tablespaces(ctx, connectionOf(args))).has(name),
  }),
  tablespace_create: defineFunction({
    doc: 'Makes a tablespace.',
    params: {
      ...TABLESPACE_NAME,
      location: param.text({ doc: 'Its folder, which must be there.' }),
      options: param.by(settingsOf, { default: null, type: 'dict', doc: 'Its settings.' }),
      owner: param.textIfGiven({ default: null, doc: 'The owner.' }),
      ...CONNECTION,
    },
    returns: 'true or false',
    examples: ["salt '*' postgres.tablespace_create tablespacename '/path/datadir'"],
    run: (ctx, { name, location, options, owner, ...args }) => {
      const ofOwner = owner === undefined ? '' : ` OWNER ${identifier(owner)}`;
      const withSettings = options === undefined ? '' : ` WITH ( ${settings(options)} )`;
      const sql = `CREATE TABLESPACE ${identifier(name)}${ofOwner} LOCATION ${literal(location)}${withSettings}`;
      return execute(ctx, connectionOf(args), sql);
    },
  }),
  tablespace_alter: defineFunction({
    doc: 'Changes the name, the owner or the settings of a tablespace.',
    params: {
      ...TABLESPACE_NAME,
      ...SERVER_AND_PASSWORD,
      new_name: param.textIfGiven({ default: null, doc: 'The new name.' }),
      new_owner: param.textIfGiven({ default: null, doc: 'The new owner.' }),
      set_option: param.by(settingsOf, { default: null, type: 'dict', doc: 'Settings to set.' }),
      reset_option: param.textIfGiven({ default: null, doc: 'A setting that gets its default back.' }),
      ...RUNAS,
    },
    returns: 'true or false',
    examples: [
      "salt '*' postgres.tablespace_alter tsname new_owner=otheruser",
      "salt '*' postgres.tablespace_alter test set_option=\"{'seq_page_cost': '1.1'}\"",
    ],
    run: (ctx, { name, new_name, new_owner, set_option, reset_option, ...args }) => {
      const now = identifier(new_name ?? name);
      const statements = [
        ...(new_name === undefined
          ? []
          : [`ALTER TABLESPACE ${identifier(name)} RENAME TO ${identifier(new_name)}`]),
        ...(new_owner === undefined ? [] : [`ALTER TABLESPACE ${now} OWNER TO ${identifier(new_owner)}`]),
        ...(set_option === undefined ? [] : [`ALTER TABLESPACE ${now} SET (${settings(set_option)})`]),
        ...(reset_option === undefined
          ? []
          : [`ALTER TABLESPACE ${now} RESET (${identifier(reset_option)})`]),
      ];
      return eachSucceeds(ctx, connectionOf(args), statements);
    },
  }),
  tablespace_remove: defineFunction({
    doc: 'Removes a tablespace.',
    params: { ...TABLESPACE_NAME, ...CONNECTION },
    returns: 'true or false',
    examples: ["salt '*' postgres.tablespace_remove tsname"],
    run: (ctx, { name, ...args }) => execute(ctx, connectionOf(args), `DROP TABLESPACE ${identifier(name)}`),
  }),
};
