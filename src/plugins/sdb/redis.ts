/** `redis`: values in Redis (salt/sdb/redis_sdb.py, 3006.16). The options of a profile are those of Python's client. */
import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { messageOf } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { decodeUtf8 } from '../../python/values/text.ts';
import { isBytes, pyTypeName, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { SdbError, type SdbDriver, type SdbUse } from './sdb-driver.ts';

const TIMEOUT_MS = 10_000;

/** The driver. Salt compat: Salt returns bytes, which templates show as `b'…'`; here a text is a text. */
export const redisDriver: SdbDriver = {
  name: 'redis',
  get: (use) =>
    withRedis(use, async (redis) => {
      const bytes = await redis.getBuffer(use.key);
      return bytes === null ? null : (decodeUtf8(bytes) ?? new Uint8Array(bytes));
    }),
  set: (use, value) =>
    withRedis(use, async (redis) => {
      await redis.set(use.key, stored(value));
      return true;
    }),
  delete: (use) => withRedis(use, (redis) => redis.del(use.key)),
};

/** @throws SdbError for what Python's client does not take either */
function stored(value: Value): string | Buffer {
  if (isBytes(value)) return Buffer.from(value);
  if (typeof value === 'string') return value;
  if (toNumber(value) !== undefined || typeof value === 'bigint') return pyStr(value);
  throw new SdbError(`Redis keeps texts and numbers, and the value is of type ${pyTypeName(value)}.`);
}

async function withRedis<T>({ profile }: SdbUse, run: (redis: Redis) => Promise<T>): Promise<T> {
  const { Redis } = await import('ioredis');
  const redis = new Redis({ ...connection(profile), ...once(profile) });
  let reason: unknown;
  redis.on('error', (error) => (reason = error)); // without a listener ioredis prints it
  try {
    await redis.connect();
    return await run(redis);
  } catch (error) {
    if (error instanceof SdbError) throw error;
    throw new SdbError(`Redis at ${addressOf(profile)} did not do it: ${messageOf(reason ?? error)}`, {
      cause: error,
    });
  } finally {
    redis.disconnect();
  }
}

function once(profile: Dict): object {
  const seconds = toNumber(profile.get('socket_timeout') ?? null);
  const timeoutMs = seconds === undefined || seconds <= 0 ? TIMEOUT_MS : seconds * 1000;
  return {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectionName: 'salt-sdb',
  };
}

function connection(profile: Dict): object {
  const text = (name: string): string | undefined => {
    const value = profile.get(name);
    return value === undefined || value === null ? undefined : pyStr(value);
  };
  const [path, username, password, ca] = ['unix_socket_path', 'username', 'password', 'ssl_ca_certs'].map(
    text,
  );
  return {
    ...(path === undefined
      ? { host: text('host') ?? 'localhost', port: Number(text('port') ?? 6379) }
      : { path }),
    db: Number(text('db') ?? 0),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(truthy(profile.get('ssl') ?? null)
      ? {
          tls: {
            rejectUnauthorized: text('ssl_cert_reqs') !== 'none',
            ...(ca === undefined ? {} : { ca: readFileSync(ca) }),
          },
        }
      : {}),
  };
}

function addressOf(profile: Dict): string {
  const path = profile.get('unix_socket_path');
  if (typeof path === 'string') return path;
  return `${pyStr(profile.get('host') ?? 'localhost')}:${pyStr(profile.get('port') ?? 6379)}`;
}
