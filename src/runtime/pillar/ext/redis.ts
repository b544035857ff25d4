/** The external pillar redis: the key that is called like the minion (3006.16 salt/pillar/redismod.py). */
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { parseJson } from '../../../formats/json/text.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { namedSettings, type ExtPillar } from './ext-pillar.ts';
import type { Redis } from 'ioredis';

const TIMEOUT_MS = 10_000;
const DEFAULT_KEY = 'redis_pillar';

/** The external pillar. */
export const redisPillar: ExtPillar = async (settings, { minionId, opts }) => {
  const given = namedSettings(settings, ['function', 'pillar_key']);
  const fun = given.get('function');
  const key = given.get('pillar_key');
  if (fun === 'key_value')
    return withRedis(opts, async (redis) => named(key ?? DEFAULT_KEY, await valueAt(redis, minionId)));
  if (fun !== 'key_json')
    throw new CommandExecutionError(
      `there is no function ${pyStr(fun ?? null)}; there are key_value, key_json`,
    );
  return withRedis(opts, async (redis) => {
    const text = await redis.get(minionId);
    if (text === null || text === '') return new Map();
    const data = parseJson(text);
    return isDict(data) && !truthy(key) ? data : named(truthy(key) ? (key as Value) : DEFAULT_KEY, data);
  });
};

function named(key: Value, value: Value | undefined): Dict {
  return value === undefined ? new Map() : new Map<Value, Value>([[key, value]]);
}

/** A key by its type; nothing for a key that is not there, or of a type that Salt passes over. */
async function valueAt(redis: Redis, key: string): Promise<Value | undefined> {
  switch (await redis.type(key)) {
    case 'string':
      return redis.get(key);
    case 'hash':
      return new Map(Object.entries(await redis.hgetall(key)));
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return (await redis.smembers(key)).sort();
    case 'zset':
      return redis.zrange(key, 0, '-1');
    default:
      return undefined;
  }
}

async function withRedis<T>(opts: Dict, run: (redis: Redis) => Promise<T>): Promise<T> {
  const text = (name: string): string => pyStr(opts.get(`redis.${name}`) ?? '');
  const [host, port] = [text('host') || 'localhost', Number(text('port') || 6379)];
  const { Redis: Client } = await import('ioredis');
  const redis = new Client({
    host,
    port,
    db: Number(text('db') || 0),
    ...(text('password') === '' ? {} : { password: text('password') }),
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason: unknown;
  redis.on('error', (error) => (reason = error)); // without a listener ioredis prints it
  try {
    await redis.connect();
    return await run(redis);
  } catch (error) {
    throw new CommandExecutionError(`Redis at ${host}:${port}: ${messageOf(reason ?? error)}`, {
      cause: error,
    });
  } finally {
    redis.disconnect();
  }
}
