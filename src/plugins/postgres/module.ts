/** `postgres`: PostgreSQL, by `psql`. Follows 3006.16 salt/modules/postgres.py and salt/modules/deb_postgres.py. */
import { findProgram } from '../../host/which.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { clusterFunctions, folderFunctions } from './module/clusters.ts';
import { connectionOf, CONNECTION, ELSEWHERE, postgresProgram, rowsOrFailure } from './module/connection.ts';
import { databaseFunctions } from './module/databases.ts';
import { extensionFunctions } from './module/extensions.ts';
import { ownerTo } from './module/owners.ts';
import { privilegeFunctions } from './module/privilege-functions.ts';
import { roleFunctions } from './module/role-functions.ts';
import { schemaFunctions } from './module/schemas.ts';

const GENERAL_FUNCTIONS = {
  psql_query: defineFunction({
    doc: 'Runs a query and returns its rows. Only what can stand in COPY: SELECT, VALUES, INSERT … RETURNING and its like.',
    params: {
      query: param.text({ doc: 'The query.' }),
      ...CONNECTION,
      write: param.flag({ default: false, doc: 'The query changes something.' }),
    },
    returns: 'list of mappings of column to text; no rows where it failed',
    examples: ["salt '*' postgres.psql_query 'select * from pg_stat_activity'"],
    run: async (ctx, { query, write, ...args }) =>
      ((await rowsOrFailure(ctx, connectionOf(args), query, write)) ?? []).map(
        (row) => new Map<Value, Value>(row),
      ),
  }),
  ...databaseFunctions,
  ...roleFunctions,
  ...extensionFunctions,
  owner_to: defineFunction({
    doc: 'Gives a database, its schemas, functions, tables, views and sequences to an owner.',
    params: {
      dbname: param.text({ doc: 'The database.' }),
      ownername: param.text({ doc: 'The new owner.' }),
      ...ELSEWHERE,
    },
    returns: 'mapping with pid, retcode, stdout and stderr',
    examples: ["salt '*' postgres.owner_to 'dbname' 'username'"],
    run: async (ctx, { dbname, ownername, ...args }): Promise<Dict> => {
      const { pid, retcode, stdout, stderr } = await ownerTo(ctx, { dbname, ownername }, connectionOf(args));
      return dict({ pid, retcode, stdout, stderr });
    },
  }),
  ...schemaFunctions,
  ...privilegeFunctions,
  ...folderFunctions,
} as const;

/** All of it is quoted in statements, or is the value of an option of `psql`. */
const QUOTED = { lines: 'any', dashes: 'any' } as const;

const withoutPsql = (opts: Dict): string | undefined =>
  postgresProgram(opts, 'psql') === undefined ? 'psql was not found' : undefined;

/** The module with Debian's tools for clusters. */
export const debianPostgresModule = defineModule({
  name: 'postgres',
  file: 'deb_postgres',
  doc: 'PostgreSQL, by `psql` and the tools of Debian.',
  words: QUOTED,
  unavailable: ({ opts }) =>
    findProgram('pg_createcluster') === undefined
      ? 'postgres execution module not loaded: pg_createcluster command not found.'
      : withoutPsql(opts),
  failsWith: {
    false: [
      'cluster_create',
      'create_extension',
      'datadir_init',
      'db_alter',
      'db_create',
      'db_remove',
      'drop_extension',
      'group_create',
      'group_remove',
      'group_update',
      'language_create',
      'language_remove',
      'owner_to',
      'privileges_grant',
      'privileges_revoke',
      'schema_create',
      'schema_remove',
      'tablespace_alter',
      'tablespace_create',
      'tablespace_remove',
      'user_create',
      'user_list',
      'user_remove',
      'user_update',
    ],
    none: ['version'],
  },
  functions: { ...GENERAL_FUNCTIONS, ...clusterFunctions },
});

/** The module elsewhere. */
export const postgresModule = defineModule({
  name: 'postgres',
  file: 'postgres',
  doc: 'PostgreSQL, by `psql`.',
  words: QUOTED,
  unavailable: ({ opts }) => withoutPsql(opts),
  failsWith: {
    false: [
      'create_extension',
      'datadir_init',
      'db_alter',
      'db_create',
      'db_remove',
      'drop_extension',
      'group_create',
      'group_remove',
      'group_update',
      'language_create',
      'language_remove',
      'owner_to',
      'privileges_grant',
      'privileges_revoke',
      'schema_create',
      'schema_remove',
      'tablespace_alter',
      'tablespace_create',
      'tablespace_remove',
      'user_create',
      'user_list',
      'user_remove',
      'user_update',
    ],
    none: ['version'],
  },
  functions: GENERAL_FUNCTIONS,
});
