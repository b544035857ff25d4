/** The external pillar redis: the key that is called like the minion (3006.16 salt/pillar/redismod.py). */
import { BrineError, CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { parseJson } from '../../../formats/json/text.ts';
import type { Redis } from 'ioredis';
import { withRedis } from '../../../network/databases/redis.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { namedSettings, type ExtPillar } from './ext-pillar.ts';

const TIMEOUT_MS = 10_000;
const DEFAULT_KEY = 'redis_pillar';

/** The external pillar. */
export const redisPillar: ExtPillar = async (settings, { minionId, opts }) => {
  const given = namedSettings(settings, ['function', 'pillar_key']);
  const fun = given.get('function');
  const key = given.get('pillar_key');
  if (fun === 'key_value')
    return withServer(opts, async (redis) => named(key ?? DEFAULT_KEY, await valueAt(redis, minionId)));
  if (fun !== 'key_json')
    throw new CommandExecutionError(
      `there is no function ${pyStr(fun ?? null)}; there are key_value, key_json`,
    );
  return withServer(opts, async (redis) => {
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

async function withServer<T>(opts: Dict, run: (redis: Redis) => Promise<T>): Promise<T> {
  const text = (name: string): string => pyStr(opts.get(`redis.${name}`) ?? '');
  const place = { host: text('host') || 'localhost', port: Number(text('port') || 6379) };
  const password = text('password') === '' ? undefined : text('password');
  try {
    const db = Number(text('db') || 0);
    return await withRedis(
      { place, db, password, connectionName: 'salt-pillar', timeoutMs: TIMEOUT_MS },
      run,
    );
  } catch (error) {
    if (error instanceof BrineError) throw error;
    throw new CommandExecutionError(`Redis at ${place.host}:${place.port}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
