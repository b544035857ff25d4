/**
 * `eauth_tokens: rediscluster`: tokens in Redis, the token for the key, as Salt reads and writes them
 * (salt/tokens/rediscluster.py, 3006.16). The options `eauth_redis_host` and `eauth_redis_port` name any node.
 *
 * Salt compat: Salt takes clusters only; here a Redis by itself is served as well. A token ends in Redis by itself when
 * its time is over, which in Salt it does not.
 */
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';
import { connected, redisOptions, type RedisClient } from '../../network/databases/redis.ts';
import { isDict, toNumber, type Dict } from '../../python/values/value.ts';
import { isToken, type TokenStore } from './token-store.ts';

/** Where Redis is. */
export interface RedisTokenSettings {
  readonly host: string;
  readonly port: number;
}

const TIMEOUT_MS = 5000;
/** What ioredis says of a server that is part of no cluster. */
const NO_CLUSTER = /cluster support disabled/i;
const SCAN_COUNT = 1000;

/** Tokens in Redis. It connects when it is first asked, and anew after the connection was lost. */
export class RedisTokens implements TokenStore {
  readonly #settings: RedisTokenSettings;
  #client: Promise<RedisClient> | undefined;

  constructor(settings: RedisTokenSettings) {
    this.#settings = settings;
  }

  async write(token: string, data: Dict): Promise<void> {
    const bytes = Buffer.from(encode(data, 'local'));
    const expire = toNumber(data.get('expire') ?? null);
    await this.#use((client) =>
      expire === undefined
        ? client.set(token, bytes)
        : client.set(token, bytes, 'PXAT', Math.max(1, Math.ceil(expire * 1000))),
    );
  }

  async read(token: string): Promise<Dict | undefined> {
    if (!isToken(token)) return undefined;
    const bytes = await this.#use((client) => client.getBuffer(token));
    if (bytes === null) return undefined;
    try {
      const data = decode(bytes, 'local');
      return isDict(data) ? data : undefined;
    } catch {
      return undefined; // something else's
    }
  }

  async remove(token: string): Promise<boolean> {
    return isToken(token) && (await this.#use((client) => client.del(token))) > 0;
  }

  list(): Promise<string[]> {
    return this.#use(async (client) => {
      const nodes = 'nodes' in client ? client.nodes('master') : [client];
      const found: string[] = [];
      for (const node of nodes)
        for await (const keys of node.scanStream({ count: SCAN_COUNT }) as AsyncIterable<string[]>)
          found.push(...keys.filter(isToken));
      return found;
    });
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    client?.disconnect();
  }

  async #use<T>(run: (client: RedisClient) => Promise<T>): Promise<T> {
    const opening = (this.#client ??= connect(this.#settings));
    try {
      return await run(await opening);
    } catch (error) {
      if (this.#client === opening) await this.close();
      throw new CommandExecutionError(
        `Redis at ${this.#settings.host}:${this.#settings.port} did not do it: ${messageOf(error).replace(/[.]$/, '')}. See eauth_redis_host and eauth_redis_port.`,
        { cause: error },
      );
    }
  }
}

/** A client of the cluster, or of the server where it is in none. */
async function connect({ host, port }: RedisTokenSettings): Promise<RedisClient> {
  const { Cluster, Redis } = await import('ioredis');
  const options = redisOptions({ connectionName: 'salt-tokens', timeoutMs: TIMEOUT_MS });
  const one = await connected(new Redis({ ...options, host, port }));
  try {
    await one.call('CLUSTER', 'SLOTS');
  } catch (error) {
    if (NO_CLUSTER.test(messageOf(error))) return one;
    one.disconnect();
    throw error;
  }
  one.disconnect();
  return connected(
    new Cluster([{ host, port }], {
      lazyConnect: true,
      redisOptions: options,
      clusterRetryStrategy: () => null,
      slotsRefreshTimeout: TIMEOUT_MS,
    }),
  );
}
