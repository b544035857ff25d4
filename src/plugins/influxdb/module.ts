/**
 * `influxdb`: databases, users, retention policies and continuous queries of InfluxDB 1.x. Follows 3006.16
 * salt/modules/influxdbmod.py.
 */
import { toJson } from '../../formats/json/text.ts';
import { pyStr } from '../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import {
  ask,
  change,
  CLIENT,
  durationWord,
  pointsOf,
  privilegeWord,
  quoteName,
  quoteNameOnce,
  quoteText,
  resultsDict,
} from './module/server.ts';

const DB_NAME = { name: param.text({ doc: 'The database.' }) } as const;
const USER_NAME = { name: param.text({ doc: 'The user.' }) } as const;
const DATABASE = { database: param.text({ doc: 'The database.' }) } as const;
const POLICY = { name: param.text({ doc: 'The retention policy.' }) } as const;
const CQ = { name: param.text({ doc: 'The continuous query.' }) } as const;
const PASSWD = { passwd: param.text({ doc: 'The password.' }) } as const;
const POLICY_SETTINGS = {
  duration: param.by(durationWord, { type: 'str', doc: 'How long data are kept: 90m, 12h, 7d, 4w, INF.' }),
  replication: param.text({ type: 'int', doc: 'How many copies a cluster has.' }),
  default: param.flag({ default: false, doc: 'It is the default of the database.' }),
} as const;
const GRANT = {
  ...DATABASE,
  privilege: param.by(privilegeWord, { type: 'str', doc: 'read, write or all.' }),
  username: param.text({ doc: 'The user.' }),
} as const;

/** A call on one thing: its name, and where. */
interface At {
  readonly name: string;
  readonly client: Dict;
}

const databases = (ctx: ModuleContext, client: Dict): Promise<readonly Dict[]> =>
  pointsOf(ctx, client, 'SHOW DATABASES');

const users = (ctx: ModuleContext, client: Dict): Promise<readonly Dict[]> =>
  pointsOf(ctx, client, 'SHOW USERS');

const hasDatabase = async (ctx: ModuleContext, { name, client }: At): Promise<boolean> =>
  (await databases(ctx, client)).some((each) => each.get('name') === name);

const userNamed = async (ctx: ModuleContext, { name, client }: At): Promise<Dict | undefined> =>
  (await users(ctx, client)).find((each) => each.get('user') === name);

async function policyNamed(ctx: ModuleContext, database: string, { name, client }: At): Promise<Dict> {
  const found = await pointsOf(ctx, client, `SHOW RETENTION POLICIES ON ${quoteName(database)}`);
  return found.find((each) => each.get('name') === name) ?? new Map();
}

async function queryNamed(ctx: ModuleContext, database: string, { name, client }: At): Promise<Dict> {
  const [series = []] = await ask(ctx, client, 'SHOW CONTINUOUS QUERIES');
  const ofDatabase = series.find((each) => each.name === database);
  return ofDatabase?.points.find((each) => each.get('name') === name) ?? new Map();
}

async function privileges(ctx: ModuleContext, { name, client }: At): Promise<Dict> {
  const found = await pointsOf(ctx, client, `SHOW GRANTS FOR ${quoteName(name)}`);
  return new Map(
    found.map((each) => [
      each.get('database') ?? null,
      pyStr(each.get('privilege') ?? '')
        .split(/\s+/)[0]
        ?.toLowerCase() ?? '',
    ]),
  );
}

/** The words of a retention policy behind its name. */
function policyWords(
  { duration, replication, isDefault }: { duration: string; replication: string; isDefault: boolean },
  shards = '',
): string {
  return ` DURATION ${duration} REPLICATION ${String(BigInt(replication))}${shards}${isDefault ? ' DEFAULT' : ''}`;
}

function continuousQuery(
  database: string,
  name: string,
  query: string,
  { every, over }: { readonly every: Value; readonly over: Value },
): string {
  const resample = truthy(every) ? ` RESAMPLE EVERY ${durationWord(every)}` : '';
  const coverage = truthy(over) ? ` FOR ${durationWord(over)}` : '';
  return `CREATE CONTINUOUS QUERY ${quoteNameOnce(name)} ON ${quoteNameOnce(database)}${resample}${coverage} BEGIN ${query} END`;
}

/** The module. */
export const influxdbModule = defineModule({
  name: 'influxdb',
  file: 'influxdbmod',
  doc: 'Databases, users, retention policies and continuous queries of InfluxDB 1.x. Further keywords (influxdb_user, influxdb_password, influxdb_host, influxdb_port, ssl, verify_ssl, timeout, path) say where.',
  failsWith: {
    false: [
      'alter_retention_policy',
      'create_continuous_query',
      'create_db',
      'create_retention_policy',
      'create_user',
      'drop_continuous_query',
      'drop_db',
      'drop_retention_policy',
      'grant_admin_privileges',
      'grant_privilege',
      'remove_user',
      'revoke_admin_privileges',
      'revoke_privilege',
      'set_user_password',
    ],
  },
  functions: {
    list_dbs: defineFunction({
      doc: 'Lists the databases.',
      kwargs: CLIENT,
      returns: 'list of mappings with name',
      examples: ["salt '*' influxdb.list_dbs"],
      run: async (ctx, _args, _rest, client) => [...(await databases(ctx, client))],
    }),
    db_exists: defineFunction({
      doc: 'Returns whether there is a database.',
      params: DB_NAME,
      kwargs: CLIENT,
      returns: 'true or false',
      examples: ["salt '*' influxdb.db_exists <name>"],
      run: (ctx, { name }, _rest, client) => hasDatabase(ctx, { name, client }),
    }),
    create_db: defineFunction({
      doc: 'Makes a database.',
      params: DB_NAME,
      kwargs: CLIENT,
      returns: 'true; false where it is there already',
      examples: ["salt '*' influxdb.create_db <name>"],
      run: async (ctx, { name }, _rest, client) => {
        if (!(await hasDatabase(ctx, { name, client })))
          return change(ctx, client, `CREATE DATABASE ${quoteName(name)}`);
        ctx.log.info(`DB '${name}' already exists`);
        return false;
      },
    }),
    drop_db: defineFunction({
      doc: 'Removes a database with all it has.',
      params: DB_NAME,
      kwargs: CLIENT,
      returns: 'true; false where it is not there',
      examples: ["salt '*' influxdb.drop_db <name>"],
      run: async (ctx, { name }, _rest, client) => {
        if (await hasDatabase(ctx, { name, client }))
          return change(ctx, client, `DROP DATABASE ${quoteName(name)}`);
        ctx.log.info(`DB '${name}' does not exist`);
        return false;
      },
    }),
    list_users: defineFunction({
      doc: 'Lists the users.',
      kwargs: CLIENT,
      returns: 'list of mappings with user and admin',
      examples: ["salt '*' influxdb.list_users"],
      run: async (ctx, _args, _rest, client) => [...(await users(ctx, client))],
    }),
    user_exists: defineFunction({
      doc: 'Returns whether there is a user.',
      params: USER_NAME,
      kwargs: CLIENT,
      returns: 'true or false',
      examples: ["salt '*' influxdb.user_exists <name>"],
      run: async (ctx, { name }, _rest, client) => (await userNamed(ctx, { name, client })) !== undefined,
    }),
    user_info: defineFunction({
      doc: 'Returns what is known of a user.',
      params: USER_NAME,
      kwargs: CLIENT,
      returns: 'mapping with user and admin; None where there is no such user',
      examples: ["salt '*' influxdb.user_info <name>"],
      run: async (ctx, { name }, _rest, client) => (await userNamed(ctx, { name, client })) ?? null,
    }),
    create_user: defineFunction({
      doc: 'Adds a user.',
      params: {
        ...USER_NAME,
        ...PASSWD,
        admin: param.flag({ default: false, doc: 'He may do everything.' }),
      },
      kwargs: CLIENT,
      returns: 'true; false where he is there already',
      examples: ["salt '*' influxdb.create_user <name> <password> admin=True"],
      run: async (ctx, { name, passwd, admin }, _rest, client) => {
        if ((await userNamed(ctx, { name, client })) === undefined) {
          const rights = admin ? ' WITH ALL PRIVILEGES' : '';
          return change(
            ctx,
            client,
            `CREATE USER ${quoteName(name)} WITH PASSWORD ${quoteText(passwd)}${rights}`,
          );
        }
        ctx.log.info(`User '${name}' already exists`);
        return false;
      },
    }),
    set_user_password: defineFunction({
      doc: 'Changes the password of a user.',
      params: { ...USER_NAME, ...PASSWD },
      kwargs: CLIENT,
      returns: 'true; false where there is no such user',
      examples: ["salt '*' influxdb.set_user_password <name> <password>"],
      run: async (ctx, { name, passwd }, _rest, client) => {
        if ((await userNamed(ctx, { name, client })) !== undefined)
          return change(ctx, client, `SET PASSWORD FOR ${quoteName(name)} = ${quoteText(passwd)}`);
        ctx.log.info(`User '${name}' does not exist`);
        return false;
      },
    }),
    grant_admin_privileges: defineFunction({
      doc: 'Lets a user do everything.',
      params: USER_NAME,
      kwargs: CLIENT,
      returns: 'true',
      examples: ["salt '*' influxdb.grant_admin_privileges <name>"],
      run: (ctx, { name }, _rest, client) =>
        change(ctx, client, `GRANT ALL PRIVILEGES TO ${quoteName(name)}`),
    }),
    revoke_admin_privileges: defineFunction({
      doc: 'Lets a user do no longer everything.',
      params: USER_NAME,
      kwargs: CLIENT,
      returns: 'true',
      examples: ["salt '*' influxdb.revoke_admin_privileges <name>"],
      run: (ctx, { name }, _rest, client) =>
        change(ctx, client, `REVOKE ALL PRIVILEGES FROM ${quoteName(name)}`),
    }),
    remove_user: defineFunction({
      doc: 'Removes a user.',
      params: USER_NAME,
      kwargs: CLIENT,
      returns: 'true; false where there is no such user',
      examples: ["salt '*' influxdb.remove_user <name>"],
      run: async (ctx, { name }, _rest, client) => {
        if ((await userNamed(ctx, { name, client })) !== undefined)
          return change(ctx, client, `DROP USER ${quoteName(name)}`);
        ctx.log.info(`User '${name}' does not exist`);
        return false;
      },
    }),
    get_retention_policy: defineFunction({
      doc: 'Returns a retention policy.',
      params: { ...DATABASE, ...POLICY },
      kwargs: CLIENT,
      returns: 'mapping with name, duration, replicaN and default; empty where there is none',
      examples: ["salt '*' influxdb.get_retention_policy metrics default"],
      run: (ctx, { database, name }, _rest, client) => policyNamed(ctx, database, { name, client }),
    }),
    retention_policy_exists: defineFunction({
      doc: 'Returns whether there is a retention policy.',
      params: { ...DATABASE, ...POLICY },
      kwargs: CLIENT,
      returns: 'true or false',
      examples: ["salt '*' influxdb.retention_policy_exists metrics default"],
      run: async (ctx, { database, name }, _rest, client) =>
        (await policyNamed(ctx, database, { name, client })).size > 0,
    }),
    drop_retention_policy: defineFunction({
      doc: 'Removes a retention policy, with the data that it keeps.',
      params: { ...DATABASE, ...POLICY },
      kwargs: CLIENT,
      returns: 'true',
      examples: ["salt '*' influxdb.drop_retention_policy mydb mypr"],
      run: (ctx, { database, name }, _rest, client) =>
        change(ctx, client, `DROP RETENTION POLICY ${quoteName(name)} ON ${quoteName(database)}`),
    }),
    create_retention_policy: defineFunction({
      doc: 'Makes a retention policy.',
      params: { ...DATABASE, ...POLICY, ...POLICY_SETTINGS },
      kwargs: CLIENT,
      returns: 'true',
      examples: ["salt '*' influxdb.create_retention_policy metrics default 1d 1"],
      run: (ctx, { database, name, duration, replication, default: isDefault }, _rest, client) => {
        const words = policyWords({ duration, replication, isDefault }, ' SHARD DURATION 0s');
        return change(
          ctx,
          client,
          `CREATE RETENTION POLICY ${quoteName(name)} ON ${quoteName(database)}${words}`,
        );
      },
    }),
    alter_retention_policy: defineFunction({
      doc: 'Changes a retention policy.',
      params: { ...DATABASE, ...POLICY, ...POLICY_SETTINGS },
      kwargs: CLIENT,
      returns: 'true',
      examples: ["salt '*' influxdb.alter_retention_policy metrics default 1d 1"],
      run: (ctx, { database, name, duration, replication, default: isDefault }, _rest, client) =>
        change(
          ctx,
          client,
          `ALTER RETENTION POLICY ${quoteName(name)} ON ${quoteName(database)}${policyWords({ duration, replication, isDefault })}`,
        ),
    }),
    list_privileges: defineFunction({
      doc: 'Lists what a user may do.',
      params: USER_NAME,
      kwargs: CLIENT,
      returns: 'mapping of database to read, write, all or no',
      examples: ["salt '*' influxdb.list_privileges <name>"],
      run: (ctx, { name }, _rest, client) => privileges(ctx, { name, client }),
    }),
    grant_privilege: defineFunction({
      doc: 'Lets a user read or write a database.',
      params: GRANT,
      kwargs: CLIENT,
      returns: 'true',
      examples: ["salt '*' influxdb.grant_privilege metrics read joe"],
      run: (ctx, { database, privilege, username }, _rest, client) =>
        change(ctx, client, `GRANT ${privilege} ON ${quoteName(database)} TO ${quoteName(username)}`),
    }),
    revoke_privilege: defineFunction({
      doc: 'Lets a user read or write a database no longer.',
      params: GRANT,
      kwargs: CLIENT,
      returns: 'true',
      examples: ["salt '*' influxdb.revoke_privilege metrics read joe"],
      run: (ctx, { database, privilege, username }, _rest, client) =>
        change(ctx, client, `REVOKE ${privilege} ON ${quoteName(database)} FROM ${quoteName(username)}`),
    }),
    continuous_query_exists: defineFunction({
      doc: 'Returns whether a database has a continuous query.',
      params: { ...DATABASE, ...CQ },
      kwargs: CLIENT,
      returns: 'true or false',
      examples: ["salt '*' influxdb.continuous_query_exists metrics default"],
      run: async (ctx, { database, name }, _rest, client) =>
        (await queryNamed(ctx, database, { name, client })).size > 0,
    }),
    get_continuous_query: defineFunction({
      doc: 'Returns a continuous query.',
      params: { ...DATABASE, ...CQ },
      kwargs: CLIENT,
      returns: 'mapping with name and query; empty where there is none',
      examples: ["salt '*' influxdb.get_continuous_query mydb cq_month"],
      run: (ctx, { database, name }, _rest, client) => queryNamed(ctx, database, { name, client }),
    }),
    create_continuous_query: defineFunction({
      doc: 'Makes a continuous query.',
      params: {
        ...DATABASE,
        ...CQ,
        query: param.text({ doc: 'What is asked, in InfluxQL.' }),
        resample_time: param.value({ default: null, type: 'str', doc: 'How often it is asked.' }),
        coverage_period: param.value({ default: null, type: 'str', doc: 'The time that it covers.' }),
      },
      kwargs: CLIENT,
      returns: 'true',
      examples: [
        "salt '*' influxdb.create_continuous_query mydb cq_month 'SELECT mean(*) INTO mydb.a_month.:MEASUREMENT FROM mydb.a_week./.*/ GROUP BY time(5m), *'",
      ],
      run: (ctx, { database, name, query, resample_time: every, coverage_period: over }, _rest, client) =>
        change(ctx, client, continuousQuery(database, name, query, { every, over })),
    }),
    drop_continuous_query: defineFunction({
      doc: 'Removes a continuous query.',
      params: { ...DATABASE, ...CQ },
      kwargs: CLIENT,
      returns: 'true',
      examples: ["salt '*' influxdb.drop_continuous_query mydb my_cq"],
      run: (ctx, { database, name }, _rest, client) =>
        change(ctx, client, `DROP CONTINUOUS QUERY ${quoteNameOnce(name)} ON ${quoteNameOnce(database)}`),
    }),
    query: defineFunction({
      doc: 'Asks a query.',
      params: { ...DATABASE, query: param.text({ doc: 'What is asked, in InfluxQL.' }) },
      kwargs: CLIENT,
      returns: 'list with a mapping of series to points for each statement',
      examples: ["salt '*' influxdb.query mydb 'SELECT * FROM cpu LIMIT 5'"],
      run: async (ctx, { database, query }, _rest, client) => {
        const isChange = !/^\s*(?:show|explain)\b|^\s*select\b(?![\s\S]*\binto\b)/i.test(query);
        const results = await ask(ctx, client, query, { database, isChange });
        const made = results.map((series) => resultsDict(series, toJson));
        return results.length === 1 ? made : made.filter(({ size }) => size > 0);
      },
    }),
  },
});
