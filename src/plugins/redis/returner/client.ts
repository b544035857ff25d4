/**
 * Connections to Redis, or to a cluster of it, by the options of whoever uses it: `redis.host`, `cache.redis.host` and
 * so on.
 */
import type { ConnectionOptions } from 'node:tls';
import { BrineError, ConfigError, messageOf } from '../../../errors/errors.ts';
import { systemClock } from '../../../host/clock.ts';
import { connected, redisOptions, type RedisClient } from '../../../network/databases/redis.ts';
import { tlsFault } from '../../../network/tls/fault.ts';
import { storeError, StoreUnavailableError } from '../../../network/databases/errors.ts';
import { DatabaseOptions } from '../../../network/databases/options.ts';
import { OneConnection } from '../../shared/returner/one-connection.ts';
import type { StoreSettings } from '../../shared/returner/return-store.ts';
import {
  dictsOption,
  flagOption,
  intOption,
  textOption,
  type StoreOptions,
} from '../../shared/returner/store-options.ts';
import { within } from '../../shared/returner/time-limit.ts';

/** How Redis is reached. */
export interface RedisSettings extends Pick<StoreSettings, 'options' | 'timeoutMs' | 'clock'> {
  /** What the options begin with in the configuration. */
  readonly prefix: string;
  /** What the server calls the connection. */
  readonly connectionName: string;
}

/** One connection, made on first use. */
export class RedisConnection {
  readonly #settings: RedisSettings;
  readonly #connection: OneConnection<RedisClient>;

  constructor(settings: RedisSettings) {
    this.#settings = settings;
    this.#connection = new OneConnection({
      open: () => this.#connect(),
      close: (redis) => redis.disconnect(),
      isOpen: ({ status }) => status === 'ready',
      isAnswer: (error) => error instanceof ConfigError || (error as Error).name === 'ReplyError',
    });
  }

  /** Where it is, for messages. */
  get address(): string {
    return addressOf(this.#settings.options, this.#settings.prefix);
  }

  /**
   * @throws StoreUnavailableError when it is away or takes nothing now, CommandExecutionError when it refuses what it
   *   is told
   */
  async use<T>(run: (redis: RedisClient) => Promise<T>): Promise<T> {
    try {
      return await this.#connection.use(run);
    } catch (error) {
      if (error instanceof BrineError) throw error;
      const text =
        this.#tlsFault(error) ??
        `The Redis at ${this.address} did not do it: ${withoutStop(messageOf(error))}`;
      // the others are no room, no right, read only, no cluster: no return is at fault
      throw storeError(text, /^(ERR|WRONGTYPE)\b/.test(messageOf(error)), error);
    }
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #tlsFault(error: unknown): string | undefined {
    const { options, prefix } = this.#settings;
    const words = new DatabaseOptions(options, prefix).tlsWords('ssl_ca', 'ssl_cert');
    return tlsFault(error, { address: `Redis at ${this.address}`, ...words });
  }

  async #connect(): Promise<RedisClient> {
    const { clock = systemClock, timeoutMs, prefix } = this.#settings;
    const client = await newClient(this.#settings);
    try {
      // a cluster of which no node can be used leaves this without an end
      return await connected(client, () => within(clock, timeoutMs * 2, 'It', client.connect()));
    } catch (error) {
      throw new StoreUnavailableError(
        this.#tlsFault(error) ??
          `Redis cannot be reached at ${this.address}: ${withoutStop(messageOf(error))}` +
            `. Check ${prefix}.host, ${prefix}.port, ${prefix}.ssl and that the server runs`,
        { cause: error },
      );
    }
  }
}

async function newClient({
  options,
  timeoutMs,
  prefix,
  connectionName,
}: RedisSettings): Promise<RedisClient> {
  const { Redis, Cluster } = await import('ioredis');
  const path = textOption(options, 'unix_socket_path');
  const [username, password] = [textOption(options, 'username'), textOption(options, 'password')];
  const own = redisOptions({
    ...{ username, password, connectionName, timeoutMs },
    tls: tlsOf(options, prefix),
  });
  const once = { lazyConnect: true, enableAutoPipelining: true, enableOfflineQueue: true };
  if (flagOption(options, 'cluster_mode'))
    return new Cluster(clusterNodes(options, prefix), {
      ...once,
      redisOptions: own,
      clusterRetryStrategy: () => null,
      slotsRefreshTimeout: timeoutMs,
    });
  return new Redis({
    ...own,
    ...once,
    ...(path === undefined
      ? {
          host: textOption(options, 'host') ?? 'salt',
          port: intOption(options, 'port', `${prefix}.port`) ?? 6379,
        }
      : { path }),
    db: intOption(options, 'db', `${prefix}.db`) ?? 0,
    autoResendUnfulfilledCommands: false,
  });
}

/** Undefined without TLS; any of the options asks for it. */
function tlsOf(options: StoreOptions, prefix: string): ConnectionOptions | undefined {
  const files = new DatabaseOptions(options, prefix);
  const ca = files.authorities('ssl_ca');
  const { cert, key } = files.shown('ssl_cert', 'ssl_key');
  if (!flagOption(options, 'ssl') && ca === undefined && cert === undefined && key === undefined)
    return undefined;
  if (textOption(options, 'unix_socket_path') !== undefined)
    throw new ConfigError(
      `${prefix}.ssl needs ${prefix}.host: nothing is encrypted on ${prefix}.unix_socket_path.`,
    );
  return {
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(flagOption(options, 'ssl_any_host') ? { checkServerIdentity: () => undefined } : {}),
  };
}

function clusterNodes(options: StoreOptions, prefix: string): { host: string; port: number }[] {
  // --return_kwargs names it without the prefix, as Salt does
  const name = options.has('startup_nodes') ? 'startup_nodes' : 'cluster.startup_nodes';
  const nodes = dictsOption(options, name).map((node) => ({
    host: textOption(node as StoreOptions, 'host') ?? '127.0.0.1',
    port: intOption(node as StoreOptions, 'port', `port in ${prefix}.cluster.startup_nodes`) ?? 6379,
  }));
  if (nodes.length === 0)
    throw new ConfigError(
      `${prefix}.cluster_mode needs ${prefix}.cluster.startup_nodes: a list of at least one {host, port}.`,
    );
  return nodes;
}

function addressOf(options: StoreOptions, prefix: string): string {
  if (flagOption(options, 'cluster_mode'))
    return clusterNodes(options, prefix)
      .map(({ host, port }) => `${host}:${port}`)
      .join(', ');
  const path = textOption(options, 'unix_socket_path');
  return path ?? `${textOption(options, 'host') ?? 'salt'}:${textOption(options, 'port') ?? 6379}`;
}

const withoutStop = (text: string): string => text.replace(/[.\s]+$/, '');
