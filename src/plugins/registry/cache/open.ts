/** The server that the option `cache` names, and named values in banks wherever that option has them. */
import { ConfigError } from '../../../errors/errors.ts';
import { decode, encode } from '../../../formats/wire/msgpack.ts';
import type { Clock } from '../../../host/clock.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import type { Banks, CacheServer } from '../../../storage/cache/cache-server.ts';
import { ValueBanks } from '../../../storage/cache/value-banks.ts';
import { CACHE_DRIVERS } from './table.generated.ts';

/** Where the cache is. */
export interface CacheUse {
  /** The master's options by Salt's names. */
  readonly opts: Dict;
  readonly clock: Clock;
}

/**
 * Opens the server; nothing is connected yet.
 * @returns undefined for `localfs`
 * @throws ConfigError for another name, or options that are no address
 */
export function openCacheServer({ opts, clock }: CacheUse): CacheServer | undefined {
  const name = pyStr(opts.get('cache') ?? 'localfs');
  if (name === 'localfs') return undefined;
  const driver = CACHE_DRIVERS.get(name);
  if (driver === undefined)
    throw new ConfigError(
      `There is no driver ${name} for the option cache; there are localfs, ${[...CACHE_DRIVERS.keys()].join(', ')}.`,
    );
  return driver.open({
    option: (wanted) => {
      const value = opts.get(wanted);
      return value === null ? undefined : value;
    },
    clock,
  });
}

/**
 * Does something with the banks, and lets go of them.
 * @param cachedir the folder of a cache in files
 */
export async function withBanks<T>(
  use: CacheUse,
  cachedir: string,
  run: (banks: Banks) => T | Promise<T>,
): Promise<T> {
  const server = openCacheServer(use);
  if (server === undefined) return run(new ValueBanks(cachedir));
  try {
    return await run(new ServerBanks(server));
  } finally {
    await server.close();
  }
}

class ServerBanks implements Banks {
  readonly #server: CacheServer;

  constructor(server: CacheServer) {
    this.#server = server;
  }

  async store(bank: string, key: string, value: Value): Promise<void> {
    await this.#server.store({ bank, key }, Buffer.from(encode(value, 'local')));
  }

  async fetch(bank: string, key: string): Promise<Value> {
    const bytes = await this.#server.fetch({ bank, key });
    return bytes === undefined ? new Map() : decode(bytes, 'local');
  }

  list(bank: string): Promise<string[]> {
    return this.#server.list(bank);
  }

  flush(bank: string, key?: string): Promise<Value> {
    return this.#server.flush(bank, key);
  }
}
