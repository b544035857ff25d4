/** Connections to Redis: how one is opened, for a single use or to be kept, and which error says why it was not. */
import type { ConnectionOptions } from 'node:tls';
import type { Cluster, Redis, RedisOptions } from 'ioredis';
import { BrineError } from '../../errors/errors.ts';

/** One server, or a cluster. */
export type RedisClient = Redis | Cluster;

/** How a server is reached. */
export interface RedisAccess {
  readonly place: { readonly host: string; readonly port: number } | { readonly path: string };
  readonly db?: number | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly tls?: ConnectionOptions | undefined;
  /** What the server calls the connection. */
  readonly connectionName: string;
  /** How long connecting, and each command, may take. */
  readonly timeoutMs: number;
}

/**
 * The driver's options for a server, or for each of a cluster. Nothing is repeated: whoever asks keeps what is to be
 * written, and asks again.
 */
export function redisOptions(access: Omit<RedisAccess, 'place'>): Omit<RedisOptions, 'replyMapping'> {
  const { db, username, password, tls, connectionName, timeoutMs } = access;
  return {
    ...(db === undefined ? {} : { db }),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls === undefined ? {} : { tls }),
    connectionName,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  };
}

/**
 * Connects a client. The driver only tells its listeners why that failed, and prints it where there are none.
 * @param connect begins it; without it the client's own `connect`
 * @throws the reason; the client is then closed
 */
export async function connected<C extends RedisClient>(
  client: C,
  connect: () => Promise<unknown> = () => client.connect(),
): Promise<C> {
  const reason = lastErrorOf(client);
  try {
    await connect();
    return client;
  } catch (error) {
    client.disconnect();
    throw reason() ?? error;
  }
}

/**
 * Does something on a connection of its own.
 * @throws what `run` throws, or the reason why the server was not reached or broke off
 */
export async function withRedis<T>(access: RedisAccess, run: (redis: Redis) => Promise<T>): Promise<T> {
  const { Redis: Client } = await import('ioredis');
  const redis = new Client({ ...redisOptions(access), ...access.place, disableClientInfo: true });
  const reason = lastErrorOf(redis);
  try {
    await redis.connect();
    return await run(redis);
  } catch (error) {
    throw error instanceof BrineError ? error : (reason() ?? error);
  } finally {
    redis.disconnect();
  }
}

function lastErrorOf(client: RedisClient): () => unknown {
  let reason: unknown;
  client.on('error', (error) => (reason = error));
  client.on('node error', (error) => (reason = error));
  return () => reason;
}
