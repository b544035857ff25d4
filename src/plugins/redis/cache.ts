/** `cache: redis` (salt/cache/redis_cache.py, 3006.16). Salt's keys and their values, byte by byte. */
import { decode, encode } from '../../formats/wire/msgpack.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { toNumber, type Value } from '../../python/values/value.ts';
import type { CachePlace, CacheServer } from '../../storage/cache/cache-server.ts';
import { RedisConnection } from './returner/client.ts';
import { ANSWER_MS, stampNow, type CacheDriver, type DriverUse } from '../shared/cache/driver.ts';

/** Options of the connection, with what holds where nothing sets them. */
const CONNECTION = new Map<string, Value | undefined>([
  ['host', 'localhost'],
  ['port', 6379],
  ['unix_socket_path', undefined],
  ['db', '0'],
  ['password', undefined],
  ['cluster_mode', undefined],
  ['cluster.startup_nodes', undefined],
  // ours: Salt's driver speaks no TLS and names no user
  ['username', undefined],
  ['ssl', undefined],
  ['ssl_ca', undefined],
  ['ssl_cert', undefined],
  ['ssl_key', undefined],
  ['ssl_any_host', undefined],
]);

/** The member that stands in a bank's own set, so that there is a set. */
const HERE = '.';

/** The driver. */
export const redisDriver: CacheDriver = { name: 'redis', open: (use) => new RedisCache(use) };

class RedisCache implements CacheServer {
  readonly #use: DriverUse;
  readonly #redis: RedisConnection;
  readonly #names: KeyNames;

  constructor(use: DriverUse) {
    this.#use = use;
    this.#names = keyNames(use);
    const options = new Map<string, Value>();
    for (const [name, fallback] of CONNECTION) {
      const value = use.option(`cache.redis.${name}`) ?? fallback;
      if (value !== undefined) options.set(name, value);
    }
    this.#redis = new RedisConnection({
      options,
      timeoutMs: ANSWER_MS,
      clock: use.clock,
      prefix: 'cache.redis',
      connectionName: 'salt-cache',
    });
  }

  get place(): string {
    return `The Redis at ${this.#redis.address}`;
  }

  async store({ bank, key }: CachePlace, bytes: Buffer): Promise<number> {
    const names = this.#names;
    const stamp = stampNow(this.#use.clock);
    await this.#redis.use((redis) =>
      // sent in this order, in one go
      Promise.all([
        ...banksAbove(bank).map((above) => redis.sadd(names.bank(above), HERE)),
        redis.set(names.value(bank, key), bytes),
        redis.sadd(names.bankKeys(bank), key),
        redis.set(names.stamp(bank, key), Buffer.from(encode(stamp, 'local'))),
      ]),
    );
    return stamp;
  }

  fetch({ bank, key }: CachePlace): Promise<Buffer | undefined> {
    return this.#redis.use(
      async (redis) => (await redis.getBuffer(this.#names.value(bank, key))) ?? undefined,
    );
  }

  async flush(bank: string, key?: string): Promise<Value> {
    const names = this.#names;
    await this.#redis.use(async (redis) => {
      const keys = key === undefined ? await redis.smembers(names.bankKeys(bank)) : [key];
      const gone = keys.flatMap((name) => [names.value(bank, name), names.stamp(bank, name)]);
      await Promise.all([
        ...gone.map((name) => redis.del(name)),
        ...(key === undefined
          ? [redis.del(names.bankKeys(bank)), redis.del(names.bank(bank))]
          : [redis.srem(names.bankKeys(bank), key)]),
      ]);
    });
    return true;
  }

  list(bank: string): Promise<string[]> {
    return this.#redis.use(async (redis) =>
      (await redis.smembers(this.#names.bankKeys(bank))).filter((name) => name !== HERE).sort(),
    );
  }

  stamps(places: readonly CachePlace[]): Promise<(number | undefined)[]> {
    return this.#redis.use(async (redis) => {
      const found = await Promise.all(
        places.map(({ bank, key }) => redis.getBuffer(this.#names.stamp(bank, key))),
      );
      return found.map(readStamp);
    });
  }

  close(): Promise<void> {
    return this.#redis.close();
  }
}

/** The names of Redis' keys. */
interface KeyNames {
  bank(bank: string): string;
  bankKeys(bank: string): string;
  value(bank: string, key: string): string;
  stamp(bank: string, key: string): string;
}

function keyNames({ option }: DriverUse): KeyNames {
  const text = (name: string, fallback: string): string => pyStr(option(`cache.redis.${name}`) ?? fallback);
  const separator = text('separator', '_');
  const begin = (name: string, fallback: string): string => `${text(name, fallback)}${separator}`;
  const [bank, bankKeys] = [begin('bank_prefix', '$BANK'), begin('bank_keys_prefix', '$BANKEYS')];
  const [value, stamp] = [begin('key_prefix', '$KEY'), begin('timestamp_prefix', '$TSTAMP')];
  return {
    bank: (name) => `${bank}${name}`,
    bankKeys: (name) => `${bankKeys}${name}`,
    value: (name, key) => `${value}${name}/${key}`,
    // Salt writes sets of one name here, as Python prints them
    stamp: (name, key) => `${stamp}{${pyRepr(name)}}/{${pyRepr(key)}}`,
  };
}

/** `a`, `a/b` and `a/b/c` of `a/b/c`. */
function banksAbove(bank: string): string[] {
  const parts = bank.split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function readStamp(bytes: Buffer | null): number | undefined {
  if (bytes === null) return undefined;
  try {
    return toNumber(decode(bytes, 'local'));
  } catch {
    return undefined; // somebody else's
  }
}
