/**
 * `cache: etcd`, by version 2 of its interface (salt/cache/etcd_cache.py, 3006.16): values in base64 below
 * `etcd.path_prefix`.
 */
import { EtcdClient } from '../../network/http/etcd-client.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import type { CachePlace, CacheServer } from '../../storage/cache/cache-server.ts';
import { inParts } from '../../storage/cache/in-parts.ts';
import { stampNow, suffixOf, type CacheDriver, type DriverUse } from '../shared/cache/driver.ts';

/** Options under the names of Salt's driver, and of the client. */
const NAMES = [
  ['host', 'host'],
  ['port', 'port'],
  ['protocol', 'protocol'],
  ['read_timeout', 'read_timeout'],
  ['username', 'username'],
  ['password', 'password'],
  ['cert', 'client_cert'],
  ['key', 'client_key'],
  ['ca_cert', 'ca'],
] as const;

/** The driver. */
export const etcdDriver: CacheDriver = { name: 'etcd', open: (use) => new EtcdCache(use) };

class EtcdCache implements CacheServer {
  readonly #use: DriverUse;
  readonly #client: EtcdClient;
  readonly #root: string;
  readonly #suffix: string;

  constructor(use: DriverUse) {
    const { option, clock } = use;
    this.#use = use;
    const options = new Map<string, Value>();
    for (const [salts, ours] of NAMES) {
      const value = option(`etcd.${salts}`);
      if (value === undefined || value === null) continue;
      // python-etcd takes a certificate and its key as a pair, too
      if (salts === 'cert' && Array.isArray(value)) {
        options.set('client_cert', value[0] ?? null);
        options.set('client_key', value[1] ?? null);
      } else options.set(ours, value);
    }
    if (options.has('client_cert') && !options.has('client_key'))
      options.set('client_key', options.get('client_cert') ?? null);
    this.#client = new EtcdClient(options, clock);
    const prefix = pyStr(option('etcd.path_prefix') ?? '/salt_cache').replace(/^\/+|\/+$/g, '');
    this.#root = prefix === '' ? '' : `/${prefix}`;
    this.#suffix = suffixOf(option('etcd.timestamp_suffix'));
  }

  get place(): string {
    return `The etcd at ${this.#client.host}`;
  }

  async store({ bank, key }: CachePlace, bytes: Buffer): Promise<number> {
    const stamp = stampNow(this.#use.clock);
    await this.#client.setNode(this.#path(bank, key), bytes.toString('base64'));
    await this.#client.setNode(this.#path(bank, `${key}${this.#suffix}`), String(stamp));
    return stamp;
  }

  async fetch({ bank, key }: CachePlace): Promise<Buffer | undefined> {
    const value = valueOf(await this.#client.node(this.#path(bank, key), { isDeep: false }));
    return value === undefined ? undefined : Buffer.from(value, 'base64');
  }

  async flush(bank: string, key?: string): Promise<Value> {
    if (key !== undefined) await this.#client.removeNode(this.#path(bank, `${key}${this.#suffix}`));
    await this.#client.removeNode(key === undefined ? this.#path(bank) : this.#path(bank, key));
    return null;
  }

  /** Salt compat: with the keys of banks in this one, by their last name. */
  async list(bank: string): Promise<string[]> {
    const node = await this.#client.node(this.#path(bank));
    return node === undefined ? [] : leavesOf(node).filter((name) => !name.endsWith(this.#suffix));
  }

  stamps(places: readonly CachePlace[]): Promise<(number | undefined)[]> {
    return inParts(places, (place) => this.#stamp(place));
  }

  /** The index of the whole store, which grows with each change of it. */
  mark(): Promise<string | undefined> {
    return this.#client.index(this.#root);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #stamp({ bank, key }: CachePlace): Promise<number | undefined> {
    const value = valueOf(
      await this.#client.node(this.#path(bank, `${key}${this.#suffix}`), { isDeep: false }),
    );
    return value === undefined || !/^\d+$/.test(value) ? undefined : Number(value);
  }

  #path(bank: string, key?: string): string {
    return [this.#root, bank, ...(key === undefined ? [] : [key])].join('/');
  }
}

function valueOf(node: Dict | undefined): string | undefined {
  const value = node?.get('value');
  return node === undefined || truthy(node.get('dir') ?? null) || value === undefined
    ? undefined
    : pyStr(value);
}

/** The last names of all keys below a node. */
function leavesOf(node: Dict): string[] {
  if (!truthy(node.get('dir') ?? null)) return [pyStr(node.get('key') ?? '').replace(/^.*\//, '')];
  const below = node.get('nodes');
  return (Array.isArray(below) ? below : []).filter(isDict).flatMap(leavesOf);
}
