/** Keys of etcd's version 3, which has no directories (3006.16 salt/utils/etcd_util.py `EtcdClientV3`). */
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { AUTHENTICATED } from '../../../formats/wire/budget.ts';
import { decode, encode } from '../../../formats/wire/msgpack.ts';
import type { EtcdPair } from '../../../network/http/etcd-client.ts';
import { flattened, treeOfPairs } from '../../../network/http/etcd-tree.ts';
import { pyCount } from '../../../python/conversions.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { decodeUtf8 } from '../../../python/values/text.ts';
import {
  dict,
  isBytes,
  isDict,
  toNumber,
  truthy,
  valuesEqual,
  type Dict,
  type Value,
} from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import type { EtcdConnection, EtcdKeys, Watched } from './keys.ts';

/** A pair as the caller sees it. */
interface Pair {
  readonly key: string;
  readonly value: Value;
  readonly revision: number;
}

/** Version 3. */
export class ThirdEtcd implements EtcdKeys {
  readonly #ctx: ModuleContext;
  readonly #etcd: EtcdConnection;

  /** @throws CommandExecutionError for options that are not served */
  constructor(ctx: ModuleContext, etcd: EtcdConnection) {
    this.#ctx = ctx;
    this.#etcd = etcd;
    if (this.#is('raw_keys', false))
      throw new CommandExecutionError('etcd.raw_keys is not served; keys are texts');
  }

  #is(option: string, otherwise: boolean): boolean {
    return truthy(this.#etcd.options.get(option) ?? otherwise);
  }

  #keyBytes(key: string): Buffer {
    return this.#is('encode_keys', false) ? encode(key, 'local') : Buffer.from(key);
  }

  #valueBytes(value: Value): Buffer {
    if (this.#is('encode_values', true)) return encode(value, 'local');
    return isBytes(value) ? Buffer.from(value) : Buffer.from(pyStr(value));
  }

  /** @throws MsgpackError, BudgetError */
  #pair({ key, value, revision }: EtcdPair): Pair {
    const name = this.#is('encode_keys', false) ? decode(key, 'local', AUTHENTICATED) : key.toString('utf8');
    return { key: pyStr(name), value: this.#value(value), revision };
  }

  #value(bytes: Buffer): Value {
    const isRaw = this.#is('raw_values', false);
    if (!this.#is('encode_values', true)) return isRaw ? new Uint8Array(bytes) : textOf(bytes);
    const value = decode(bytes, 'local', AUTHENTICATED);
    return isRaw && typeof value === 'string' ? new Uint8Array(Buffer.from(value)) : value;
  }

  /** Pairs; undefined where there are none, or they cannot be had, which the log says. */
  async #read(key: string, isPrefix: boolean): Promise<readonly Pair[] | undefined> {
    const bytes = this.#keyBytes(key);
    try {
      const one = isPrefix ? undefined : await this.#etcd.client.pair(bytes);
      const found = isPrefix ? await this.#etcd.client.range(bytes) : one === undefined ? [] : [one];
      if (found.length > 0) return found.map((pair) => this.#pair(pair));
      this.#ctx.log.error(`etcd3 read: No values found for key ${key}`);
    } catch (error) {
      if (this.#etcd.isStrict) throw error;
      this.#ctx.log.error(`etcd3 read: ${messageOf(error)}`);
    }
    return undefined;
  }

  isOther(current: Value, wanted: Value): boolean {
    const isPacked = this.#is('encode_values', true);
    return !valuesEqual(current, isPacked || isBytes(wanted) ? wanted : pyStr(wanted));
  }

  async get(key: string, isRecursive: boolean): Promise<Value> {
    if (isRecursive) return this.tree(key);
    return (await this.#read(key, false))?.at(-1)?.value ?? null;
  }

  async set(key: string, value: Value, ttl: Value, isDirectory: boolean): Promise<Value> {
    if (isDirectory) throw new CommandExecutionError('etcd3 does not have directories');
    await this.#etcd.client.put(this.#keyBytes(key), this.#valueBytes(value), truthy(ttl) ? pyCount(ttl) : 0);
    return this.get(key, false);
  }

  async update(fields: Dict, path: string): Promise<Value> {
    const done: Dict = new Map();
    for (const [key, value] of flattened(fields, path)) {
      if (isDict(value))
        this.#ctx.log.warning(`etcd3 has no concept of directories, skipping key ${pyStr(key)}`);
      else done.set(key, await this.set(pyStr(key), value, null, false));
    }
    return done;
  }

  async watch({ key, isRecursive, timeoutSeconds, index }: Watched): Promise<Value> {
    const wait = {
      timeoutMs: timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000,
      signal: this.#ctx.signal,
    };
    try {
      const pair = await this.#etcd.client.watch(this.#keyBytes(key), isRecursive, toNumber(index), wait);
      if (pair === undefined) return null;
      const { key: changed, value, revision } = this.#pair(pair);
      return dict({ key: changed, value, changed: true, mIndex: revision, dir: false });
    } catch (error) {
      this.#ctx.log.error(`etcd3 watch: ${messageOf(error)}`);
      return null;
    }
  }

  async ls(path: string): Promise<Value> {
    const tree = await this.tree(path);
    if (!isDict(tree)) return dict();
    const prefix = path.endsWith('/') ? path : `${path}/`;
    const found = [...tree].map(([name, value]): [Value, Value] =>
      isDict(value) ? [`${prefix}${pyStr(name)}/`, dict()] : [`${prefix}${pyStr(name)}`, value],
    );
    return new Map<Value, Value>([[path, new Map(found)]]);
  }

  async rm(key: string, isRecursive: boolean): Promise<Value> {
    return (await this.#etcd.client.remove(this.#keyBytes(key), isRecursive)) > 0 ? true : null;
  }

  async tree(path: string): Promise<Value> {
    const pairs = await this.#read(path, true);
    if (pairs === undefined) return null;
    return treeOfPairs(
      path,
      pairs.map(({ key, value }) => [key, value]),
    );
  }
}

/** A text; bytes that are no UTF-8 stay bytes. */
const textOf = (bytes: Buffer): Value => decodeUtf8(bytes) ?? new Uint8Array(bytes);
