/** The functions of `mysql` about users (3006.16 salt/modules/mysql.py). */
import { createHash } from 'node:crypto';
import { isTrue } from '../../../python/conversions.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { compareLoose } from '../../shared/loose-versions.ts';
import {
  connectionKeywords,
  MysqlTrouble,
  noteTrouble,
  openServer,
  quoteName,
  rowDict,
  withServer,
  type MysqlServer,
} from './connection.ts';

const NATIVE = 'mysql_native_password';
/** From here on MySQL has no function PASSWORD. */
const MYSQL_WITHOUT_PASSWORD = '8.0.11';
/** From here on the table of users is a view in MariaDB. */
const MARIADB_WITH_VIEW = '10.4';
/** Plugins that ask the system who it is, and the one of each kind of server. */
const SOCKET_PLUGINS = { mariadb: 'unix_socket', mysql: 'auth_socket' } as const;

/** A kind of server, and its version. */
interface Dialect {
  readonly kind: 'mariadb' | 'mysql';
  readonly version: string;
}

/** A user and what is asked or to be set about his password. */
export interface WantedUser {
  readonly user: string;
  readonly host: string;
  readonly password: string | undefined;
  readonly password_hash: string | undefined;
  readonly isPasswordless: boolean;
  readonly unix_socket: boolean;
  readonly password_column: string | undefined;
}

async function dialectOf(server: MysqlServer): Promise<Dialect> {
  const version = await server.version();
  return { kind: version.includes('MariaDB') ? 'mariadb' : 'mysql', version };
}

const isAtLeast = ({ version }: Dialect, wanted: string): boolean =>
  compareLoose(version.replace(/-.*$/, ''), wanted) >= 0;
const isOldMysql = (dialect: Dialect): boolean =>
  dialect.kind === 'mysql' && !isAtLeast(dialect, MYSQL_WITHOUT_PASSWORD);

async function passwordColumn(server: MysqlServer): Promise<string> {
  const rows = await server.rows(
    "SELECT column_name FROM information_schema.COLUMNS WHERE table_schema='mysql' AND table_name='user' AND column_name='Password'",
  );
  return rows.length > 0 ? 'Password' : 'authentication_string';
}

/** The plugin by which a user logs in; the usual one where there is no such user. */
async function pluginOf(server: MysqlServer, user: string, host: string): Promise<string> {
  const [row] = await server.rows(
    'SELECT plugin AS plugin FROM mysql.user WHERE User=? AND LOWER(Host)=LOWER(?)',
    [user, host],
  );
  const plugin = pyStr(row?.get('plugin') ?? '');
  return plugin === '' ? NATIVE : plugin;
}

function nativeHash(password: string): string {
  const sha1 = (bytes: string | Buffer): Buffer => createHash('sha1').update(bytes).digest();
  return `*${sha1(sha1(password)).toString('hex').toUpperCase()}`;
}

/** The condition that a user has this password. */
async function passwordCondition(
  ctx: ModuleContext,
  server: MysqlServer,
  wanted: WantedUser,
): Promise<[sql: string, values: string[]]> {
  const dialect = await dialectOf(server);
  if (wanted.isPasswordless && wanted.unix_socket) return [' AND plugin=?', [SOCKET_PLUGINS[dialect.kind]]];
  if (!wanted.isPasswordless && wanted.password === undefined && wanted.password_hash === undefined)
    return ['', []];
  const column = quoteName(wanted.password_column ?? (await passwordColumn(server)));
  if (wanted.isPasswordless) return [` AND ${column} = ''`, []];
  if (wanted.password === undefined) return [` AND ${column} = ?`, [wanted.password_hash ?? '']];
  const plugin = dialect.kind === 'mysql' ? await pluginOf(server, wanted.user, wanted.host) : NATIVE;
  if (plugin !== NATIVE && !isOldMysql(dialect)) {
    noteTrouble(ctx, 'Unable to verify password.');
    return ['', []];
  }
  return [` AND ${column} = ?`, [nativeHash(wanted.password)]];
}

/** Salt compat: a host with capital letters, which servers keep in small ones, is there never. */
async function isThere(ctx: ModuleContext, server: MysqlServer, wanted: WantedUser): Promise<boolean> {
  const [condition, values] = await passwordCondition(ctx, server, wanted);
  const sql = `SELECT User,Host FROM mysql.user WHERE User = ? AND LOWER(Host) = LOWER(?)${condition}`;
  return (await server.rows(sql, [wanted.user, wanted.host, ...values])).length === 1;
}

const unasked = (user: string, host: string): WantedUser => ({
  user,
  host,
  password: undefined,
  password_hash: undefined,
  isPasswordless: false,
  unix_socket: false,
  password_column: undefined,
});

/** True when there is a user, whatever his password. */
export const hasUser = (
  ctx: ModuleContext,
  server: MysqlServer,
  user: string,
  host: string,
): Promise<boolean> => isThere(ctx, server, unasked(user, host));

/**
 * Does something about a user. Where the log-in fails, it is tried with the password that is asked for: the user may be
 * the one who logs in, whose password the same run has changed.
 */
async function aboutUser(
  ctx: ModuleContext,
  keywords: Dict,
  password: string | undefined,
  run: (server: MysqlServer) => Promise<boolean>,
): Promise<boolean> {
  let used = keywords;
  if (password !== undefined) {
    try {
      (await openServer(ctx, keywords)).close();
    } catch (error) {
      if (!(error instanceof MysqlTrouble)) throw error;
      used = new Map([...keywords, ['connection_pass', password]]);
    }
  }
  return withServer(ctx, used, false, run);
}

/** Salt compat: whoever may do without a password is made without the one that is given beside it. */
const hasPassword = ({ password, password_hash }: Pick<WantedUser, 'password' | 'password_hash'>): boolean =>
  password !== undefined || password_hash !== undefined;

function refused(ctx: ModuleContext, text: string): undefined {
  noteTrouble(ctx, text);
  return undefined;
}

/** How a user proves who he is, as `CREATE USER` has it; undefined where it cannot be. */
async function identification(
  ctx: ModuleContext,
  server: MysqlServer,
  wanted: WantedUser,
  plugin: string,
): Promise<[sql: string, values: string[]] | undefined> {
  const dialect = await dialectOf(server);
  if (wanted.unix_socket) {
    const name = SOCKET_PLUGINS[dialect.kind];
    if ((await pluginStatus(server, name)) === '') return refused(ctx, `The ${name} plugin is not enabled.`);
    if (wanted.host !== 'localhost')
      return refused(ctx, 'Auth via unix_socket can be set only for host=localhost');
    return [` IDENTIFIED ${dialect.kind === 'mariadb' ? 'VIA' : 'WITH'} ${name}`, []];
  }
  if (wanted.isPasswordless) return ['', []];
  const isNew = dialect.kind === 'mysql' && !isOldMysql(dialect);
  const [first, how] = isNew ? [' IDENTIFIED WITH ?', [plugin]] : [' IDENTIFIED', []];
  if (wanted.password !== undefined) return [`${first} BY ?`, [...how, wanted.password]];
  if (wanted.password_hash !== undefined)
    return [`${first} ${isNew ? 'AS' : 'BY PASSWORD'} ?`, [...how, wanted.password_hash]];
  ctx.log.error('password or password_hash must be specified, unless allow_passwordless=True');
  return undefined;
}

async function create(
  ctx: ModuleContext,
  server: MysqlServer,
  wanted: WantedUser,
  plugin: string,
): Promise<boolean> {
  const { user, host } = wanted;
  if (await hasUser(ctx, server, user, host)) {
    ctx.log.info(`User '${user}'@'${host}' already exists`);
    return false;
  }
  const identified = await identification(ctx, server, wanted, plugin);
  if (identified === undefined) return false;
  await server.run(`CREATE USER ?@?${identified[0]}`, [user, host, ...identified[1]]);
  return hasUser(ctx, server, user, host);
}

/** The statement that gives a user another password; undefined where that cannot be. */
async function passwordChange(
  ctx: ModuleContext,
  server: MysqlServer,
  wanted: WantedUser,
): Promise<[sql: string, values: string[]] | undefined> {
  const dialect = await dialectOf(server);
  const { user, host, password, password_hash } = wanted;
  if (wanted.isPasswordless && wanted.unix_socket) {
    const how = await identification(ctx, server, wanted, NATIVE);
    return how === undefined ? undefined : [`ALTER USER ?@?${how[0]}`, [user, host]];
  }
  if (password === undefined && password_hash === undefined && !wanted.isPasswordless) {
    ctx.log.error('password or password_hash must be specified, unless allow_passwordless=True');
    return undefined;
  }
  const kept = password_hash ?? '';
  const isOld = dialect.kind === 'mysql' ? isOldMysql(dialect) : !isAtLeast(dialect, MARIADB_WITH_VIEW);
  if (isOld) {
    const column = quoteName(wanted.password_column ?? (await passwordColumn(server)));
    const sql = `UPDATE mysql.user SET ${column}=? WHERE User=? AND Host=?`;
    return [sql, [password === undefined ? kept : nativeHash(password), user, host]];
  }
  const found = await pluginOf(server, user, host);
  // Salt compat: Salt keeps a plugin that asks the system, which then never looks at the password.
  const plugin = Object.values<string>(SOCKET_PLUGINS).includes(found) ? NATIVE : found;
  if (dialect.kind === 'mariadb')
    return password === undefined
      ? ['ALTER USER ?@? IDENTIFIED VIA ? USING ?', [user, host, plugin, kept]]
      : ['ALTER USER ?@? IDENTIFIED VIA ? USING PASSWORD(?)', [user, host, plugin, password]];
  return password === undefined
    ? ['ALTER USER ?@? IDENTIFIED WITH ? AS ?', [user, host, plugin, kept]]
    : ['ALTER USER ?@? IDENTIFIED WITH ? BY ?', [user, host, plugin, password]];
}

async function changePassword(ctx: ModuleContext, server: MysqlServer, wanted: WantedUser): Promise<boolean> {
  const { user, host } = wanted;
  if (!(await hasUser(ctx, server, user, host))) {
    ctx.log.info(`User '${user}'@'${host}' does not exists`);
    return false;
  }
  const change = await passwordChange(ctx, server, wanted);
  if (change === undefined) return false;
  await server.run(...change);
  await server.run('FLUSH PRIVILEGES');
  return true;
}

async function remove(ctx: ModuleContext, server: MysqlServer, user: string, host: string): Promise<boolean> {
  if (!(await hasUser(ctx, server, user, host))) {
    noteTrouble(ctx, `User '${user}'@'${host}' does not exists`);
    return false;
  }
  await server.run('DROP USER ?@?', [user, host]);
  return !(await hasUser(ctx, server, user, host));
}

/** What a plugin is: ACTIVE, or empty where there is none of that name. */
export async function pluginStatus(server: MysqlServer, name: string): Promise<string> {
  const sql = 'SELECT PLUGIN_STATUS FROM INFORMATION_SCHEMA.PLUGINS WHERE PLUGIN_NAME = ?';
  const { rows } = await server.run(sql, [name]);
  return pyStr(rows[0]?.[0] ?? '');
}

const USER = {
  user: param.text({ doc: 'The user.' }),
  host: param.text({ default: 'localhost', doc: 'Where he comes from.' }),
} as const;
const PASSWORDS = {
  password: param.textIfGiven({ default: null, doc: 'The password; goes before its hash.' }),
  password_hash: param.textIfGiven({
    default: null,
    doc: 'The password as the server keeps it: *6C8989366EAF….',
  }),
} as const;
const readTrue = (value: Value): boolean => truthy(isTrue(value));
const ALLOW_PASSWORDLESS = {
  allow_passwordless: param.by(readTrue, { default: false, type: 'bool', doc: 'He needs no password.' }),
} as const;
const UNIX_SOCKET = {
  unix_socket: param.by(readTrue, { default: false, type: 'bool', doc: 'The system says who he is.' }),
} as const;
const PASSWORD_COLUMN = {
  password_column: param.textIfGiven({
    default: null,
    doc: 'The column of passwords in the table of users.',
  }),
} as const;

/** The functions about users. */
export const userFunctions = {
  user_list: defineFunction({
    doc: 'Lists the users.',
    kwargs: 'connection_args',
    returns: 'list of mappings with User and Host',
    examples: ["salt '*' mysql.user_list"],
    run: (ctx, _args, _rest, kwargs) =>
      withServer(ctx, connectionKeywords(kwargs), [] as Value[], async (server) =>
        (await server.rows('SELECT User,Host FROM mysql.user')).map(rowDict),
      ),
  }),
  user_exists: defineFunction({
    doc: 'Returns whether there is a user, with a password or without one.',
    params: {
      ...USER,
      ...PASSWORDS,
      passwordless: param.by(readTrue, { default: false, type: 'bool', doc: 'He has none.' }),
      ...UNIX_SOCKET,
      ...PASSWORD_COLUMN,
    },
    kwargs: 'connection_args',
    returns: 'true or false',
    examples: ["salt '*' mysql.user_exists 'username' 'hostname' 'password'"],
    run: (ctx, { passwordless, ...wanted }, _rest, kwargs) =>
      aboutUser(ctx, connectionKeywords(kwargs), wanted.password, (server) =>
        isThere(ctx, server, { ...wanted, isPasswordless: passwordless }),
      ),
  }),
  user_info: defineFunction({
    doc: 'Returns the row of a user.',
    params: USER,
    kwargs: 'connection_args',
    returns: 'mapping of column to value; None where there is no such user; false where it failed',
    examples: ["salt '*' mysql.user_info root localhost"],
    run: (ctx, { user, host }, _rest, kwargs) =>
      withServer<Value>(ctx, connectionKeywords(kwargs), false, async (server) => {
        const [row] = await server.rows('SELECT * FROM mysql.user WHERE User = ? AND Host = ?', [user, host]);
        return row === undefined ? null : rowDict(row);
      }),
  }),
  user_create: defineFunction({
    doc: 'Makes a user.',
    params: {
      ...USER,
      ...PASSWORDS,
      ...ALLOW_PASSWORDLESS,
      ...UNIX_SOCKET,
      ...PASSWORD_COLUMN,
      auth_plugin: param.text({ default: NATIVE, doc: 'How he logs in (MySQL 8).' }),
    },
    kwargs: 'connection_args',
    returns: 'true; false where there is one, or it failed',
    examples: ["salt '*' mysql.user_create 'username' 'hostname' 'password'"],
    run: (ctx, { allow_passwordless, auth_plugin, ...wanted }, _rest, kwargs) =>
      aboutUser(ctx, connectionKeywords(kwargs), wanted.password, (server) =>
        create(
          ctx,
          server,
          { ...wanted, isPasswordless: allow_passwordless && !hasPassword(wanted) },
          auth_plugin,
        ),
      ),
  }),
  user_chpass: defineFunction({
    doc: 'Changes the password of a user.',
    params: { ...USER, ...PASSWORDS, ...ALLOW_PASSWORDLESS, ...UNIX_SOCKET, ...PASSWORD_COLUMN },
    kwargs: 'connection_args',
    returns: 'true; false where there is no such user, or it failed',
    examples: ["salt '*' mysql.user_chpass frank localhost newpassword"],
    run: (ctx, { allow_passwordless, ...wanted }, _rest, kwargs) =>
      aboutUser(ctx, connectionKeywords(kwargs), wanted.password, (server) =>
        changePassword(ctx, server, { ...wanted, isPasswordless: allow_passwordless }),
      ),
  }),
  user_remove: defineFunction({
    doc: 'Removes a user.',
    params: USER,
    kwargs: 'connection_args',
    returns: 'true; false where there is none, or it failed',
    examples: ["salt '*' mysql.user_remove frank localhost"],
    run: (ctx, { user, host }, _rest, kwargs) =>
      withServer(ctx, connectionKeywords(kwargs), false, (server) => remove(ctx, server, user, host)),
  }),
  verify_login: defineFunction({
    doc: 'Returns whether somebody can log in.',
    params: {
      user: param.text({ doc: 'The user.' }),
      password: param.textOrNone({ default: null, doc: 'His password.' }),
    },
    kwargs: 'connection_args',
    returns: 'true or false',
    examples: ["salt '*' mysql.verify_login root password"],
    run: async (ctx, { user, password }, _rest, kwargs) => {
      const login = new Map<Value, Value>([
        ...connectionKeywords(kwargs),
        ['connection_user', user],
        ['connection_pass', password ?? null],
      ]);
      try {
        (await openServer(ctx, login)).close();
        return true;
      } catch (error) {
        if (error instanceof MysqlTrouble) return false;
        throw error;
      }
    },
  }),
};
