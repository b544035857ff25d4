/** Asking for roles, making, changing and removing them (3006.16 salt/modules/postgres.py). */
import { PyDatetime, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import {
  execute,
  psql,
  rowsOf,
  serverVersion,
  versionNumber,
  type Connection,
  type Row,
} from './connection.ts';
import { roleStatements, type RoleStatements, type WantedRole } from './role-clauses.ts';
import { arrayElements, identifier } from './sql-words.ts';

const HAS_REPLICATION = 901;
const LACKS_CATALOG_UPDATE = 905;
/** Columns with `t` and `f`. Salt compat: the number of connections is taken for one of them, and so is always None. */
const FLAGS = [
  'superuser',
  'inherits privileges',
  'can create roles',
  'can create databases',
  'can update system catalogs',
  'can login',
  'replication',
  'connections',
];

function roleQuery(version: number, withPassword: boolean): string {
  const catalog = version >= LACKS_CATALOG_UPDATE ? 'NULL' : 'pg_roles.rolcatupdate';
  const replication = version >= HAS_REPLICATION ? 'pg_roles.rolreplication' : 'NULL';
  const columns = [
    'pg_roles.rolname as "name"',
    'pg_roles.rolsuper as "superuser"',
    'pg_roles.rolinherit as "inherits privileges"',
    'pg_roles.rolcreaterole as "can create roles"',
    'pg_roles.rolcreatedb as "can create databases"',
    `${catalog} as "can update system catalogs"`,
    'pg_roles.rolcanlogin as "can login"',
    `${replication} as "replication"`,
    'pg_roles.rolconnlimit as "connections"',
    '(SELECT array_agg(pg_roles2.rolname) FROM pg_catalog.pg_auth_members JOIN pg_catalog.pg_roles pg_roles2 ' +
      'ON (pg_auth_members.roleid = pg_roles2.oid) WHERE pg_auth_members.member = pg_roles.oid) as "groups"',
    'pg_roles.rolvaliduntil::timestamp(0) as "expiry time"',
    'pg_roles.rolconfig as "defaults variables"',
    ...(withPassword ? ['COALESCE(pg_shadow.passwd, pg_authid.rolpassword) as "password"'] : []),
  ];
  const tables = withPassword
    ? 'pg_roles LEFT JOIN pg_authid ON pg_roles.oid = pg_authid.oid LEFT JOIN pg_shadow ON pg_roles.oid = pg_shadow.usesysid'
    : 'pg_roles';
  return `SELECT ${columns.join(', ')} FROM ${tables}`;
}

/** A date and time as the server prints it; None for none and for infinity. */
export function timestamp(text: string): PyDatetime | null {
  const [, date, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)$/.exec(text) ?? [];
  return date === undefined || time === undefined
    ? null
    : new PyDatetime(`${date.replaceAll('-', '')}T${time}.000000`);
}

function roleOf(row: Row, withPassword: boolean): Dict {
  const text = (column: string): string => row.get(column) ?? '';
  const flagOf = (value: string): Value => (value === 't' ? true : value === 'f' ? false : null);
  return new Map<Value, Value>([
    ...FLAGS.map((column): [Value, Value] => [column, flagOf(text(column))]),
    ['expiry time', timestamp(text('expiry time'))],
    ['defaults variables', text('defaults variables')],
    ...(withPassword ? [['password', text('password')] as [Value, Value]] : []),
    ['groups', arrayElements(text('groups'))],
  ]);
}

/** All roles by name; undefined when the server does not answer. */
export async function roles(
  ctx: ModuleContext,
  connection: Connection,
  withPassword = false,
): Promise<Dict | undefined> {
  const version = await serverVersion(ctx, connection);
  if (version === undefined) {
    ctx.log.error('Could not retrieve Postgres version. Is Postgresql server running?');
    return undefined;
  }
  const rows = await rowsOf(ctx, connection, roleQuery(versionNumber(version), withPassword));
  return new Map(rows.map((row): [Value, Value] => [row.get('name') ?? '', roleOf(row, withPassword)]));
}

/** True when there is such a role. */
export async function roleExists(ctx: ModuleContext, connection: Connection, name: string): Promise<boolean> {
  return truthy((await roles(ctx, connection))?.get(name));
}

async function run(ctx: ModuleContext, connection: Connection, made: RoleStatements): Promise<boolean> {
  if (!made.isSecret) return execute(ctx, connection, made.sql);
  return (await psql(ctx, connection, [], { script: `${made.sql};\n`, isSecret: true })).retcode === 0;
}

/** Makes a role. @returns false when it is there already, or cannot be made */
export async function createRole(
  ctx: ModuleContext,
  connection: Connection,
  name: string,
  wanted: WantedRole,
): Promise<boolean> {
  if (await roleExists(ctx, connection, name)) {
    ctx.log.info(`Role '${name}' already exists`);
    return false;
  }
  return run(ctx, connection, roleStatements('CREATE ROLE', name, { wanted, random: ctx.random }));
}

/** Changes a role. @returns false when it is not there, or cannot be changed */
export async function updateRole(
  ctx: ModuleContext,
  connection: Connection,
  name: string,
  given: WantedRole,
): Promise<boolean> {
  const role = (await roles(ctx, connection))?.get(name);
  if (!(role instanceof Map)) {
    ctx.log.info(`Role '${name}' could not be found`);
    return false;
  }
  // only a superuser may say SUPERUSER or NOSUPERUSER, also of a role that is so already
  const isSame = (given.superuser ?? false) === (role.get('superuser') ?? false);
  const wanted = isSame ? { ...given, superuser: undefined } : given;
  return run(ctx, connection, roleStatements('ALTER ROLE', name, { wanted, random: ctx.random }));
}

/** Removes a role. @returns false when it was not there, or still is */
export async function removeRole(ctx: ModuleContext, connection: Connection, name: string): Promise<boolean> {
  if (!(await roleExists(ctx, connection, name))) {
    ctx.log.info(`User '${name}' does not exist`);
    return false;
  }
  await execute(ctx, connection, `DROP ROLE ${identifier(name)}`);
  if (!(await roleExists(ctx, connection, name))) return true;
  ctx.log.info(`Failed to delete user '${name}'.`);
  return false;
}
