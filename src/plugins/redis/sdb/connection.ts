/** One connection to Redis for one use. The options are those of Python's client. */
import type { ConnectionOptions } from 'node:tls';
import type { Redis } from 'ioredis';
import { BrineError, CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { withRedis as onServer, type RedisAccess } from '../../../network/databases/redis.ts';
import { tlsFault } from '../../../network/tls/fault.ts';
import { readAuthorities } from '../../../network/tls/files.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { toNumber, truthy, type Dict } from '../../../python/values/value.ts';

const TIMEOUT_MS = 10_000;
const ADVICE = 'is it running, and do host and port (or unix_socket_path) name it?';

/**
 * Does something on a connection of its own.
 * @param options host, port, db, username, password, unix_socket_path, socket_timeout, ssl, ssl_ca_certs, ssl_cert_reqs
 * @param connectionName what the server calls the connection
 * @throws CommandExecutionError naming the server, for what it refuses and where it is not reached; whatever `run`
 *   throws itself
 */
export async function withRedis<T>(
  options: Dict,
  connectionName: string,
  run: (redis: Redis) => Promise<T>,
): Promise<T> {
  try {
    return await onServer(accessOf(options, connectionName), run);
  } catch (error) {
    if (error instanceof BrineError) throw error;
    const address = `Redis at ${addressOf(options)}`;
    const ca = options.get('ssl_ca_certs');
    const peer = { address, caSetting: 'ssl_ca_certs', caFile: typeof ca === 'string' ? ca : undefined };
    throw new CommandExecutionError(
      tlsFault(error, peer) ??
        `${address} did not do it: ${messageOf(error).replace(/^ERR /, '')}${isUnreached(error) ? `; ${ADVICE}` : ''}`,
      { cause: error },
    );
  }
}

/** Nobody took the connection. */
function isUnreached(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'ENOENT' || code === 'EAI_AGAIN';
}

function accessOf(options: Dict, connectionName: string): RedisAccess {
  const text = (name: string): string | undefined => {
    const value = options.get(name);
    return value === undefined || value === null ? undefined : pyStr(value);
  };
  const [path, ca] = [text('unix_socket_path'), text('ssl_ca_certs')];
  const seconds = toNumber(options.get('socket_timeout') ?? null);
  const tls: ConnectionOptions = {
    rejectUnauthorized: text('ssl_cert_reqs') !== 'none',
    ...(ca === undefined ? {} : { ca: readAuthorities(ca, 'ssl_ca_certs') }),
  };
  return {
    place:
      path === undefined
        ? { host: text('host') ?? 'localhost', port: Number(text('port') ?? 6379) }
        : { path },
    db: Number(text('db') ?? 0),
    username: text('username'),
    password: text('password'),
    tls: truthy(options.get('ssl') ?? null) ? tls : undefined,
    connectionName,
    timeoutMs: seconds === undefined || seconds <= 0 ? TIMEOUT_MS : seconds * 1000,
  };
}

function addressOf(options: Dict): string {
  const path = options.get('unix_socket_path');
  if (typeof path === 'string') return path;
  return `${pyStr(options.get('host') ?? 'localhost')}:${pyStr(options.get('port') ?? 6379)}`;
}
