/**
 * `cache: consul` (salt/cache/consul.py, 3006.16): keys of Consul's store, `<bank>/<key>`, and the time of each beside
 * it.
 */
import { decode, encode } from '../../formats/wire/msgpack.ts';
import { ConsulClient } from '../../network/http/consul-client.ts';
import { toNumber, type Value } from '../../python/values/value.ts';
import type { CachePlace, CacheServer } from '../../storage/cache/cache-server.ts';
import { inParts } from '../../storage/cache/in-parts.ts';
import { stampNow, suffixOf, type CacheDriver, type DriverUse } from '../shared/cache/driver.ts';

const NAMES = ['host', 'port', 'token', 'scheme', 'consistency', 'dc', 'verify'];

/** The driver. */
export const consulDriver: CacheDriver = { name: 'consul', open: (use) => new ConsulCache(use) };

class ConsulCache implements CacheServer {
  readonly #use: DriverUse;
  readonly #client: ConsulClient;
  readonly #suffix: string;

  constructor(use: DriverUse) {
    const { option, clock } = use;
    this.#use = use;
    const options = new Map<string, Value>();
    for (const name of NAMES) {
      const value = option(`consul.${name}`);
      if (value !== undefined && value !== null) options.set(name, value);
    }
    this.#client = new ConsulClient(options, clock);
    this.#suffix = suffixOf(option('consul.timestamp_suffix'));
  }

  get place(): string {
    return `The Consul at ${this.#client.host}`;
  }

  async store({ bank, key }: CachePlace, bytes: Buffer): Promise<number> {
    const stamp = stampNow(this.#use.clock);
    await this.#client.put(`${bank}/${key}`, bytes);
    await this.#client.put(`${bank}/${key}${this.#suffix}`, Buffer.from(encode(stamp, 'local')));
    return stamp;
  }

  fetch({ bank, key }: CachePlace): Promise<Buffer | undefined> {
    return this.#client.get(`${bank}/${key}`);
  }

  /**
   * Salt compat: Salt removes every key that begins with the bank's name, `minions/web10` with `minions/web1`; here
   * those below it.
   */
  async flush(bank: string, key?: string): Promise<Value> {
    if (key === undefined) return this.#client.remove(`${bank}/`, { isDeep: true });
    await this.#client.remove(`${bank}/${key}${this.#suffix}`);
    return this.#client.remove(`${bank}/${key}`);
  }

  async list(bank: string): Promise<string[]> {
    const { keys } = await this.#client.keys(`${bank}/`);
    const names = keys.map((key) => key.slice(bank.length + 1).replace(/\/+$/, ''));
    return [...new Set(names)].filter((name) => name !== '' && !name.endsWith(this.#suffix)).sort();
  }

  stamps(places: readonly CachePlace[]): Promise<(number | undefined)[]> {
    return inParts(places, (place) => this.#stamp(place));
  }

  /** The index of what is below, which grows with each change. */
  async mark(bank: string): Promise<string | undefined> {
    return (await this.#client.keys(`${bank}/`)).index;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #stamp({ bank, key }: CachePlace): Promise<number | undefined> {
    const bytes = await this.#client.get(`${bank}/${key}${this.#suffix}`);
    try {
      return bytes === undefined ? undefined : toNumber(decode(bytes, 'local'));
    } catch {
      return undefined; // somebody else's
    }
  }
}
