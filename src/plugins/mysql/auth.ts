/**
 * `mysql`: names and passwords in a table of MySQL or MariaDB: the option `mysql_auth` (salt/auth/mysql.py, 3006.16).
 */
import type { RowDataPacket } from 'mysql2/promise';
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import { mysqlAddress, mysqlTlsFault, openMysql, type MysqlAccess } from '../../network/databases/mysql.ts';
import { readAuthorities } from '../../network/tls/files.ts';
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
  const caFile = textIn(settings, 'ssl_ca');
  const ca = caFile === undefined ? undefined : readAuthorities(caFile, `${OPTION}: ssl_ca`);
  const access: MysqlAccess = {
    host: textIn(settings, 'hostname') ?? 'localhost',
    port: Number(textIn(settings, 'port') ?? 3306),
    user: textIn(settings, 'username') ?? '',
    password: textIn(settings, 'password') ?? '',
    database: textIn(settings, 'database') ?? '',
    tls: ca === undefined ? undefined : { ca, verifyIdentity: true },
    timeoutMs: TIMEOUT_MS,
  };
  try {
    const connection = await openMysql(access, { rowsAsArray: true });
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
    const tls = mysqlTlsFault(error, access, { caSetting: `${OPTION}: ssl_ca`, caFile });
    const reason = withoutPassword(tls ?? messageOf(error), credentials);
    throw new CommandExecutionError(`the database of ${OPTION} at ${mysqlAddress(access)}: ${reason}`);
  }
}
