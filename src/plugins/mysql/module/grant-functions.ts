/** The functions of `mysql` about grants (3006.16 salt/modules/mysql.py). */
import { messageOf, SaltInvocationError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict } from '../../../python/values/value.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { connectionKeywords, noteTrouble, quoteName, withServer, type MysqlServer } from './connection.ts';
import {
  flagOf,
  everythingOf,
  grantStatement,
  isGranted,
  isListedSingly,
  revokeStatements,
  shownGrant,
  tokensOf,
  wantedGrant,
  type WantedGrant,
} from './grants.ts';
import { hasUser } from './users.ts';

/** The grants of a user as the server shows them, without his password; undefined where there is no such user. */
async function grantsOf(
  ctx: ModuleContext,
  server: MysqlServer,
  user: string,
  host: string,
): Promise<string[] | undefined> {
  if (!(await hasUser(ctx, server, user, host))) {
    ctx.log.info(`User '${user}'@'${host}' does not exist`);
    return undefined;
  }
  const { rows } = await server.run('SHOW GRANTS FOR ?@?', [user, host]);
  return rows.map(([line]) => {
    const text = pyStr(line ?? '');
    const [shown = ''] = text.split(' IDENTIFIED BY');
    return text.includes('WITH GRANT OPTION') && !shown.includes('WITH GRANT OPTION')
      ? `${shown} WITH GRANT OPTION`
      : shown;
  });
}

interface GrantArgs {
  readonly grant: string;
  readonly database: string;
  readonly user: string;
  readonly host: string;
  readonly grant_option: boolean;
  readonly escape: boolean;
}

const wantedOf = ({ grant, database, grant_option, escape }: GrantArgs): WantedGrant =>
  wantedGrant(grant, database, { mayGrant: grant_option, escape });

async function exists(
  ctx: ModuleContext,
  server: MysqlServer,
  wanted: WantedGrant,
  { user, host }: GrantArgs,
): Promise<boolean> {
  const lines = await grantsOf(ctx, server, user, host);
  if (lines === undefined) return false;
  const shown = lines.map(shownGrant).filter((grant) => grant !== undefined);
  const version = await server.version();
  const everything = isListedSingly(wanted, version) ? await allPrivileges(ctx, server) : undefined;
  return isGranted(shown, wanted, { version, everything });
}

/**
 * What `ALL` means on this server, which each release of MySQL makes another list.
 * Salt compat: 3006.16 has the list of MySQL 8.0, and fails on 8.4 after it has granted.
 */
async function allPrivileges(
  ctx: ModuleContext,
  server: MysqlServer,
): Promise<readonly string[] | undefined> {
  try {
    const { rows } = await server.run('SHOW PRIVILEGES');
    return everythingOf(rows.map(([name]) => pyStr(name ?? '')));
  } catch (error) {
    ctx.log.debug(`The server does not list its privileges: ${messageOf(error)}`);
    return undefined;
  }
}

/** Does something about a grant; what cannot be granted is an error in the log, and false. */
async function aboutGrant(
  ctx: ModuleContext,
  args: GrantArgs,
  kwargs: Dict,
  {
    run,
    isNoted,
  }: {
    readonly run: (server: MysqlServer, wanted: WantedGrant) => Promise<boolean>;
    readonly isNoted: boolean;
  },
): Promise<boolean> {
  try {
    const wanted = wantedOf(args);
    return await withServer(ctx, connectionKeywords(kwargs), false, (server) => run(server, wanted));
  } catch (error) {
    if (!(error instanceof SaltInvocationError)) throw error;
    if (isNoted) noteTrouble(ctx, error.message);
    else ctx.log.error(`Error during grant generation: ${error.message}`);
    return false;
  }
}

const GRANT = {
  grant: param.text({ doc: 'The privileges, with commas: SELECT, INSERT (a, b); ALL for all.' }),
  database: param.text({ doc: 'What they are for: database.table, database.*, *.*.' }),
  user: param.text({ doc: 'The user.' }),
  host: param.text({ default: 'localhost', doc: 'Where he comes from.' }),
  grant_option: param.by(flagOf, {
    default: false,
    type: 'bool',
    doc: 'With the right to grant them to others.',
  }),
  escape: param.flag({ default: true, doc: 'The names of database and table are names, and no patterns.' }),
} as const;

/** The functions about grants. */
export const grantFunctions = {
  user_grants: defineFunction({
    doc: 'Lists the grants of a user.',
    params: {
      user: param.text({ doc: 'The user.' }),
      host: param.text({ default: 'localhost', doc: 'Where he comes from.' }),
    },
    kwargs: 'connection_args',
    returns: 'list of statements; false where there is no such user',
    examples: ["salt '*' mysql.user_grants 'frank' 'localhost'"],
    run: (ctx, { user, host }, _rest, kwargs) =>
      withServer<Value>(
        ctx,
        connectionKeywords(kwargs),
        false,
        async (server) => (await grantsOf(ctx, server, user, host)) ?? false,
      ),
  }),
  grant_exists: defineFunction({
    doc: 'Returns whether a user has privileges.',
    params: GRANT,
    kwargs: 'connection_args',
    returns: 'true or false',
    examples: ["salt '*' mysql.grant_exists 'SELECT,INSERT' 'database.*' 'frank' 'localhost'"],
    run: (ctx, args, _rest, kwargs) =>
      aboutGrant(ctx, args, kwargs, {
        isNoted: false,
        run: (server, wanted) => exists(ctx, server, wanted, args),
      }),
  }),
  grant_add: defineFunction({
    doc: 'Grants privileges to a user.',
    params: {
      ...GRANT,
      ssl_option: param.listIfGiven({
        default: false,
        doc: 'What his connections must have: mappings of SSL, X509, CIPHER, ISSUER or SUBJECT to true or a text.',
      }),
    },
    kwargs: 'connection_args',
    returns: 'true or false',
    examples: ["salt '*' mysql.grant_add 'SELECT,INSERT' 'database.*' 'frank' 'localhost'"],
    run: (ctx, { ssl_option, ...args }, _rest, kwargs) =>
      aboutGrant(ctx, args, kwargs, {
        isNoted: true,
        run: async (server, wanted) => {
          await server.run(...grantStatement(wanted, { user: args.user, host: args.host, tls: ssl_option }));
          return exists(ctx, server, wanted, args);
        },
      }),
  }),
  grant_revoke: defineFunction({
    doc: 'Takes privileges from a user.',
    params: GRANT,
    kwargs: 'connection_args',
    returns: 'true or false',
    examples: ["salt '*' mysql.grant_revoke 'SELECT,INSERT' 'database.*' 'frank' 'localhost'"],
    run: (ctx, args, _rest, kwargs) =>
      aboutGrant(ctx, args, kwargs, {
        isNoted: true,
        run: async (server, wanted) => {
          for (const statement of revokeStatements(wanted, args)) await server.run(...statement);
          return !(await exists(ctx, server, wanted, args));
        },
      }),
  }),
  tokenize_grant: defineFunction({
    doc: 'Takes a statement apart that grants something.',
    params: { grant: param.text({ doc: 'GRANT … ON … TO …' }) },
    returns: 'mapping with user, host, grant (the list of privileges) and database',
    examples: [
      "salt '*' mysql.tokenize_grant \"GRANT SELECT, INSERT ON testdb.* TO 'testuser'@'localhost'\"",
    ],
    run: (_ctx, { grant }) => {
      const shown = shownGrant(grant);
      return dict({
        user: shown?.user ?? '',
        host: shown?.host ?? '',
        grant: shown === undefined ? [] : tokensOf(shown),
        database: shown?.target ?? '',
      });
    },
  }),
  quote_identifier: defineFunction({
    doc: "Returns a name as a statement has it. A percent sign is doubled, as Python's drivers have it.",
    params: {
      identifier: param.text({ doc: 'The name.' }),
      for_grants: param.flag({
        default: false,
        doc: 'The name of a database in a grant for all its tables.',
      }),
    },
    returns: 'the name in backticks',
    examples: ["salt '*' mysql.quote_identifier 'foo`bar'"],
    run: (_ctx, { identifier, for_grants }) => {
      const quoted = quoteName(identifier).replaceAll('%', '%%');
      return for_grants ? quoted.replaceAll('_', '\\_') : quoted;
    },
  }),
};
