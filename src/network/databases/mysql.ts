/** Connections to MySQL and MariaDB: how a server is reached, for a pool as for one connection. */
import type { Connection, ConnectionOptions, SslOptions } from 'mysql2/promise';
import { tlsFault, type TlsPeer } from '../tls/fault.ts';

/** How a server is reached. */
export interface MysqlAccess {
  /** A name or an address, or the path of a socket. */
  readonly host: string;
  /** 3306 where it is undefined. */
  readonly port?: number | undefined;
  readonly user: string;
  readonly password: string;
  readonly database?: string | undefined;
  readonly tls?: SslOptions | undefined;
  /** How long connecting may take. */
  readonly timeoutMs: number;
}

const PORT = 3306;

/** The driver's options; a pool adds its own. */
export function mysqlOptions(access: MysqlAccess): ConnectionOptions {
  const { host, port = PORT, user, password, database, tls, timeoutMs } = access;
  return {
    ...(host.startsWith('/') ? { socketPath: host } : { host, port }),
    user,
    password,
    ...(database === undefined ? {} : { database }),
    ...(tls === undefined ? {} : { ssl: tls }),
    connectTimeout: timeoutMs,
    multipleStatements: false,
  };
}

/**
 * Opens one connection; whoever opens it destroys it.
 * @param more what the driver makes of values
 */
export async function openMysql(access: MysqlAccess, more: ConnectionOptions = {}): Promise<Connection> {
  const { createConnection } = await import('mysql2/promise');
  const connection = await createConnection({ ...mysqlOptions(access), ...more });
  connection.on('error', () => undefined); // what breaks tells the statement, too
  return connection;
}

/** The server for messages: `db1:3306`, or the path of a socket. */
export function mysqlAddress({ host, port = PORT }: Pick<MysqlAccess, 'host' | 'port'>): string {
  return host.startsWith('/') ? host : `${host}:${port}`;
}

/** What went wrong with TLS, in a sentence; undefined for another error. */
export function mysqlTlsFault(
  error: unknown,
  access: MysqlAccess,
  words: Omit<TlsPeer, 'address'>,
): string | undefined {
  return tlsFault(error, { address: `MySQL at ${mysqlAddress(access)}`, ...words });
}
