/** `mysql_grants`: grants of MariaDB and MySQL (3006.16 salt/states/mysql_grants.py). */
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { tlsClause, wantedGrant } from './module/grants.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import {
  CONNECTION,
  errorInParentheses,
  failureByError,
  hostRefusal,
  mysql,
  takeError,
} from './state/parts.ts';
import { textIfSaid } from '../shared/optional-params.ts';

/** What a user is to be granted. */
interface WantedGrant {
  readonly name: string;
  readonly grant: string | undefined;
  readonly database: string | undefined;
  readonly user: string | undefined;
  readonly host: string;
  readonly grant_option: boolean;
  readonly escape: boolean;
}

/** The arguments of the execution functions; undefined where one is missing. */
function argumentsOf({
  grant,
  database,
  user,
  host,
  grant_option,
  escape,
}: WantedGrant): Value[] | undefined {
  if (grant === undefined || database === undefined || user === undefined) return undefined;
  return [grant, database, user, host, grant_option, escape];
}

const missing = (name: string): StateResult =>
  outcome(name, false, 'The arguments grant, database and user are all needed.');

const plain = (target: string): string => target.replace(/[\\`]/g, '');

/** Takes away what the user has been granted on the same database or table. */
async function revokeOthers(ctx: StateContext, wanted: WantedGrant, connection: Dict): Promise<void> {
  const { user = '', host, database = '', escape } = wanted;
  const lines = await mysql(ctx, 'user_grants', [user, host], connection);
  for (const line of Array.isArray(lines) ? lines : []) {
    const tokens = await ctx.functions.call('mysql.tokenize_grant', [line]);
    if (!isDict(tokens) || plain(pyStr(tokens.get('database') ?? '')) !== plain(database)) continue;
    const found = tokens.get('grant');
    const privileges = (Array.isArray(found) ? found.map(pyStr) : []).filter((word) => !word.includes('.'));
    const mayGrant = pyStr(line).includes('WITH GRANT OPTION');
    if (privileges.length > 0 && privileges[0] !== 'USAGE')
      await mysql(
        ctx,
        'grant_revoke',
        [privileges.join(','), database, user, host, mayGrant, escape],
        connection,
      );
  }
}

async function present(
  ctx: StateContext,
  {
    revoke_first,
    ssl_option,
    ...wanted
  }: WantedGrant & { readonly revoke_first: boolean; readonly ssl_option: Value },
  connection: Dict,
): Promise<StateResult> {
  const { name, grant, database, user, host } = wanted;
  const args = argumentsOf(wanted);
  if (args === undefined) return missing(name);
  takeError(ctx);
  const title = `Grant ${grant} on ${database} to ${user}@${host}`;
  if (truthy(await mysql(ctx, 'grant_exists', args, connection)))
    return outcome(name, true, `${title} is already present`);
  const failure = failureByError(ctx, name);
  if (failure !== undefined) return failure;
  if (ctx.state.test) return outcome(name, null, `MySQL grant ${name} is set to be created`);
  if (revoke_first) await revokeOthers(ctx, wanted, connection);
  if (truthy(await mysql(ctx, 'grant_add', [...args, ssl_option], connection)))
    return outcome(name, true, `${title} has been added`, dict({ [name]: 'Present' }));
  const failed = `Failed to execute: "GRANT ${grant} ON ${database} TO ${user}@${host}"`;
  return outcome(name, false, `${failed}${errorInParentheses(ctx)}`);
}

async function absent(ctx: StateContext, wanted: WantedGrant, connection: Dict): Promise<StateResult> {
  const { name, grant, database, user, host } = wanted;
  const args = argumentsOf(wanted);
  if (args === undefined) return missing(name);
  takeError(ctx);
  const what = `${grant} on ${database} for ${user}@${host}`;
  if (!truthy(await mysql(ctx, 'grant_exists', args, connection)))
    return (
      failureByError(ctx, name, (error) => `Unable to determine if grant ${what} exists (${error})`) ??
      outcome(
        name,
        true,
        `Grant ${grant} on ${database} to ${user}@${host} is not present, so it cannot be revoked`,
      )
    );
  if (ctx.state.test) return outcome(name, null, `MySQL grant ${name} is set to be revoked`);
  if (truthy(await mysql(ctx, 'grant_revoke', args, connection)))
    return outcome(name, true, `Grant ${what} has been revoked`, dict({ [name]: 'Absent' }));
  return (
    failureByError(ctx, name, (error) => `Unable to revoke grant ${what} (${error})`) ??
    outcome(name, false, `Unable to revoke grant ${what}`)
  );
}

/**
 * Why arguments can never be right.
 * Salt compat: each is promised in test mode; options of TLS that are no list are passed over, and whoever was to need
 * TLS does not.
 */
function refuses(
  { grant, database, escape }: Pick<WantedGrant, 'grant' | 'database' | 'escape'>,
  _kwargs: Dict,
  { host, ssl_option = null }: Readonly<Record<string, Value>>,
): string | undefined {
  const hostProblem = hostRefusal(host);
  if (hostProblem !== undefined) return hostProblem;
  if (grant !== undefined && database !== undefined) {
    if (!database.includes('.'))
      return `database must be a database and a table, such as '${database}.*' or '*.*', not ${pyRepr(database)}`;
    wantedGrant(grant, database, { mayGrant: false, escape });
  }
  if (truthy(ssl_option) && !Array.isArray(ssl_option))
    return `ssl_option must be a list, not ${pyRepr(ssl_option)}`;
  for (const item of Array.isArray(ssl_option) ? ssl_option : [])
    if (!isDict(item)) return `ssl_option has something that is no mapping: ${pyRepr(item)}`;
  if (Array.isArray(ssl_option)) tlsClause(ssl_option);
  return undefined;
}

const GRANT = {
  name: param.text({ doc: 'What the grant is called in results.' }),
  grant: textIfSaid('The privileges, with commas: select, insert; all privileges.'),
  database: textIfSaid('What they are for: database.table, database.*, *.*.'),
  user: textIfSaid('The user.'),
  host: param.text({ default: 'localhost', doc: 'Where he comes from.' }),
  grant_option: param.strictFlag({ default: false, doc: 'With the right to grant them to others.' }),
  escape: param.flag({ default: true, doc: 'The names of database and table are names, and no patterns.' }),
} as const;

/** The states of `mysql_grants`. */
export const mysqlGrantsStates = defineModule({
  name: 'mysql_grants',
  file: 'mysql_grants',
  doc: 'Grants of MariaDB and MySQL.',
  functions: {
    present: defineState({
      doc: 'Makes sure that a user has privileges.',
      params: {
        ...GRANT,
        revoke_first: param.flag({
          default: false,
          doc: 'Where privileges are missing, take away all that he has been granted there before.',
        }),
        ssl_option: param.value({
          default: false,
          type: 'list',
          doc: 'What his connections must have: mappings of SSL, X509, CIPHER, ISSUER or SUBJECT to true or a text.',
        }),
      },
      kwargs: CONNECTION,
      refuses,
      run: present,
    }),
    absent: defineState({
      doc: 'Makes sure that a user does not have privileges.',
      params: GRANT,
      kwargs: CONNECTION,
      refuses,
      run: absent,
    }),
  },
});
