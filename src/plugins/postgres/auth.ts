/**
 * `postgres`: names and passwords in a table of PostgreSQL: the option `postgres_auth`, which is as `mysql_auth`. Not
 * in Salt.
 */
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { POSTGRES_TLS } from '../../network/databases/postgres-tls.ts';
import { postgresConnections, type PostgresConnections } from '../../network/databases/postgres.ts';
import {
  databaseFault,
  databaseOption,
  isOneUser,
  readAuthSql,
  textIn,
  valuesOf,
  withoutPassword,
} from '../shared/auth/auth-sql.ts';
import type { BackendContext, BackendSpec } from '../shared/auth/backend.ts';

const OPTION = 'postgres_auth';
const TIMEOUT_MS = 10_000;
const CONNECTIONS_MAX = 4;
/** The names of the option for those of the connections. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['host', 'hostname'],
  ['user', 'username'],
  ['db', 'database'],
]);

/** The backend. */
export const postgresBackend: BackendSpec = {
  name: 'postgres',
  doc: 'A table of PostgreSQL, by the statement `auth_sql` of the option `postgres_auth`.',
  fault: ({ opts }) => databaseFault(opts, OPTION, ['username', 'database'], 'number'),
  make: (context) => {
    const settings = databaseOption(context.opts, OPTION);
    const statement = readAuthSql(textIn(settings, 'auth_sql') ?? '', 'number');
    const connections = open(settings, context);
    return {
      authenticate: async (credentials) => {
        if (typeof statement === 'string') return false;
        try {
          const rows = await connections.use((session) =>
            session.rows(statement.sql, valuesOf(statement, credentials)),
          );
          return isOneUser(rows.map(Object.values), credentials);
        } catch (error) {
          throw new CommandExecutionError(withoutPassword(messageOf(error), credentials));
        }
      },
      close: () => connections.close(),
    };
  },
};

function open(settings: Dict, { log }: BackendContext): PostgresConnections {
  const options = new Map<string, Value>([
    ['host', settings.get('hostname') ?? 'localhost'],
    ['port', settings.get('port') ?? 5432],
    ['user', settings.get('username') ?? ''],
    ['password', settings.get('password') ?? ''],
    ['db', settings.get('database') ?? ''],
  ]);
  for (const name of POSTGRES_TLS) {
    const value = settings.get(name);
    if (value !== undefined) options.set(name, value);
  }
  return postgresConnections(
    {
      options,
      timeoutMs: TIMEOUT_MS,
      connectionsMax: CONNECTIONS_MAX,
      warn: (text) => log.warning(text),
    },
    {
      name: 'postgres',
      prefix: OPTION,
      password: 'password',
      settingOf: (name) => `${OPTION}: ${NAMES.get(name) ?? name}`,
      whenMissing: `create it, or see ${OPTION}`,
    },
  );
}
