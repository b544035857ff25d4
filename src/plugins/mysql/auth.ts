/**
 * `mysql`: names and passwords in a table of MySQL or MariaDB: the option `mysql_auth` (salt/auth/mysql.py, 3006.16).
 */
import { readFileSync } from 'node:fs';
import type { RowDataPacket } from 'mysql2/promise';
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import type { Dict } from '../../python/values/value.ts';
import {
  databaseFault,
  databaseOption,
  isOneUser,
  readAuthSql,
  textIn,
  valuesOf,
  withoutPassword,
  type AuthStatement,
} from '../shared/auth/auth-sql.ts';
import type { BackendSpec, Credentials } from '../shared/auth/backend.ts';

const OPTION = 'mysql_auth';
const TIMEOUT_MS = 10_000;

/** The backend. */
export const mysqlBackend: BackendSpec = {
  name: 'mysql',
  doc: 'A table of MySQL or MariaDB, by the statement `auth_sql` of the option `mysql_auth`.',
  fault: ({ opts }) =>
    databaseFault(opts, OPTION, ['hostname', 'username', 'password', 'database'], 'question'),
  make: ({ opts }) => {
    const settings = databaseOption(opts, OPTION);
    const statement = readAuthSql(textIn(settings, 'auth_sql') ?? '', 'question');
    return {
      authenticate: async (credentials) =>
        typeof statement !== 'string' &&
        isOneUser(await rowsOf(settings, statement, credentials), credentials),
    };
  },
};

/** @throws CommandExecutionError for whatever keeps the database from answering; it does not name the password */
async function rowsOf(
  settings: Dict,
  statement: AuthStatement,
  credentials: Credentials,
): Promise<unknown[][]> {
  const { createConnection } = await import('mysql2/promise');
  const host = textIn(settings, 'hostname') ?? 'localhost';
  const port = Number(textIn(settings, 'port') ?? 3306);
  const ca = textIn(settings, 'ssl_ca');
  try {
    const connection = await createConnection({
      ...(host.startsWith('/') ? { socketPath: host } : { host, port }),
      user: textIn(settings, 'username') ?? '',
      password: textIn(settings, 'password') ?? '',
      database: textIn(settings, 'database') ?? '',
      connectTimeout: TIMEOUT_MS,
      rowsAsArray: true,
      ...(ca === undefined ? {} : { ssl: { ca: readFileSync(ca), verifyIdentity: true } }),
    });
    connection.on('error', () => undefined); // what breaks tells the statement, too
    try {
      const [rows] = await connection.execute<RowDataPacket[][]>({
        sql: statement.sql,
        values: valuesOf(statement, credentials),
        timeout: TIMEOUT_MS,
        rowsAsArray: true,
      });
      return rows;
    } finally {
      connection.destroy();
    }
  } catch (error) {
    const reason = withoutPassword(messageOf(error), credentials);
    throw new CommandExecutionError(`the database of ${OPTION} at ${host}: ${reason}`);
  }
}
