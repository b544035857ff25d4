/** `redis`: values in Redis (salt/sdb/redis_sdb.py, 3006.16). The options of a profile are those of Python's client. */
import { CommandExecutionError } from '../../errors/errors.ts';
import type { Redis } from 'ioredis';
import { pyStr } from '../../python/values/repr.ts';
import { decodeUtf8 } from '../../python/values/text.ts';
import { isBytes, pyTypeName, toNumber, type Value } from '../../python/values/value.ts';
import { withRedis as withServer } from './sdb/connection.ts';
import { SdbError, type SdbDriver, type SdbUse } from '../shared/sdb/sdb-driver.ts';

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
  try {
    return await withServer(profile, 'salt-sdb', run);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    throw new SdbError(error.message, { cause: error });
  }
}
