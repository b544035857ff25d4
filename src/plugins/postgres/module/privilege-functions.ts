/** The functions of `postgres` about privileges (3006.16 salt/modules/postgres.py). */
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { connectionOf, DATABASE, ELSEWHERE, execute, rowsOf, type Connection } from './connection.ts';
import {
  holds,
  isAll,
  isFunction,
  listPrivileges,
  privilegesOf,
  thingOf,
  type Grant,
  type Thing,
} from './privileges.ts';
import { identifier, literal } from './sql-words.ts';

const TYPE = {
  object_type: param.text({
    doc: 'table (also for views), sequence, schema, tablespace, language, database, group or function.',
  }),
} as const;
const SCHEMA = {
  prepend: param.text({ default: 'public', doc: 'The schema of a table, a sequence or a function.' }),
} as const;
const WHERE = { ...SCHEMA, ...DATABASE, ...ELSEWHERE } as const;
const OF_ROLE = {
  name: param.text({ doc: 'The role.' }),
  object_name: param.text({
    doc: 'What it is about; ALL for all tables, sequences or functions of a schema.',
  }),
  ...TYPE,
  privileges: param.textOrEmpty({
    default: null,
    doc: 'The privileges, with commas; ALL for all. Not for groups.',
  }),
} as const;
const GRANT_OPTION = {
  grant_option: param.flag({ default: null, doc: 'With the right to grant it to others.' }),
} as const;

interface GrantArgs {
  readonly name: string;
  readonly object_name: string;
  readonly object_type: string;
  readonly privileges: string;
  readonly prepend: string;
}

function grantOf(args: GrantArgs, mayGrant: boolean): Grant {
  const thing = thingOf(args.object_name, args.object_type, args.prepend);
  return { role: args.name, thing, privileges: privilegesOf(thing.kind, args.privileges), mayGrant };
}

/** A function as the server writes it; one that it does not know is named as it was given, and refused there. */
async function functionName(
  ctx: ModuleContext,
  connection: Connection,
  thing: Thing,
): Promise<string | undefined> {
  const query =
    'SELECT p.oid::regprocedure::text AS name FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ' +
    `ON n.oid = p.pronamespace WHERE nspname = ${literal(thing.schema)} AND ${isFunction(thing)}`;
  return (await rowsOf(ctx, connection, query))[0]?.get('name');
}

/** What follows `ON`; undefined for a function that is not there. */
async function target(ctx: ModuleContext, connection: Connection, thing: Thing): Promise<string | undefined> {
  const { kind, name, schema } = thing;
  if (isAll(thing)) return `ALL ${kind.toUpperCase()}S IN SCHEMA ${identifier(schema)}`;
  if (kind === 'function') {
    const known = await functionName(ctx, connection, thing);
    return known === undefined ? undefined : `FUNCTION ${known}`;
  }
  const inSchema = kind === 'table' || kind === 'sequence' ? `${identifier(schema)}.` : '';
  return `${kind.toUpperCase()} ${inSchema}${identifier(name)}`;
}

async function change(
  ctx: ModuleContext,
  connection: Connection,
  { thing, role, privileges, mayGrant }: Grant,
  verb: 'GRANT' | 'REVOKE',
): Promise<boolean> {
  const [preposition, isGroup] = [verb === 'GRANT' ? 'TO' : 'FROM', thing.kind === 'group'];
  const on = isGroup ? undefined : await target(ctx, connection, thing);
  if (!isGroup && on === undefined) {
    ctx.log.error(`There is no function ${thing.name} in the schema ${thing.schema}`);
    return false;
  }
  const what = isGroup ? identifier(thing.name) : `${privileges.join(',')} ON ${on ?? ''}`;
  const option = mayGrant ? ` WITH ${isGroup ? 'ADMIN' : 'GRANT'} OPTION` : '';
  return execute(ctx, connection, `${verb} ${what} ${preposition} ${identifier(role)}${option}`);
}

const described = ({ thing }: Grant, words: string, privileges: string): string =>
  `The object: ${thing.name} of type: ${thing.kind} ${words}: ${privileges} set`;

/** The functions about privileges. */
export const privilegeFunctions = {
  privileges_list: defineFunction({
    doc: 'Lists who has which privileges on a thing, and who is in a group.',
    params: { name: param.text({ doc: 'The thing.' }), ...TYPE, ...WHERE },
    returns:
      'mapping of role to mapping of privilege to whether it may be granted; for a group of member to that',
    examples: ["salt '*' postgres.privileges_list table_name table maintenance_db=db_name"],
    run: (ctx, { name, object_type, prepend, ...args }) =>
      listPrivileges(ctx, connectionOf(args), thingOf(name, object_type, prepend)),
  }),
  has_privileges: defineFunction({
    doc: 'Returns whether a role has privileges on a thing.',
    params: { ...OF_ROLE, ...GRANT_OPTION, ...WHERE },
    returns: 'true or false',
    examples: [
      "salt '*' postgres.has_privileges user_name table_name table SELECT,INSERT maintenance_db=db_name",
    ],
    run: (ctx, { grant_option, ...args }) => holds(ctx, connectionOf(args), grantOf(args, grant_option)),
  }),
  privileges_grant: defineFunction({
    doc: 'Grants privileges on a thing to a role.',
    params: { ...OF_ROLE, ...GRANT_OPTION, ...WHERE },
    returns: 'true; false when it has them, or it failed',
    examples: [
      "salt '*' postgres.privileges_grant user_name table_name table SELECT,UPDATE maintenance_db=db_name",
    ],
    run: async (ctx, { grant_option, ...args }) => {
      const [connection, grant] = [connectionOf(args), grantOf(args, grant_option)];
      if (await holds(ctx, connection, grant)) {
        ctx.log.info(described(grant, 'already has privileges', args.privileges));
        return false;
      }
      return change(ctx, connection, grant, 'GRANT');
    },
  }),
  privileges_revoke: defineFunction({
    doc: 'Takes privileges on a thing from a role.',
    params: { ...OF_ROLE, ...WHERE },
    returns: 'true; false when it has them not, or it failed',
    examples: [
      "salt '*' postgres.privileges_revoke user_name table_name table SELECT,UPDATE maintenance_db=db_name",
    ],
    run: async (ctx, args) => {
      const [connection, grant] = [connectionOf(args), grantOf(args, false)];
      if (!(await holds(ctx, connection, grant))) {
        ctx.log.info(described(grant, 'does not have privileges', args.privileges));
        return false;
      }
      return change(ctx, connection, grant, 'REVOKE');
    },
  }),
};
