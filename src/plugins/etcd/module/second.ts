/** Keys and directories of etcd's version 2 (3006.16 salt/utils/etcd_util.py `EtcdClient`). */
import { CommandExecutionError, UnreachableError } from '../../../errors/errors.ts';
import type { EtcdAnswer, EtcdWait } from '../../../network/http/etcd-client.ts';
import { flattened } from '../../../network/http/etcd-tree.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import type { EtcdConnection, EtcdKeys, Watched } from './keys.ts';

const MISSING = 100;
const NOT_FILE = 102;
const NOT_DIRECTORY = 104;
const ROOT_READ_ONLY = 107;
const NOT_EMPTY = 108;
/**
 * What python-etcd takes for an error of a value: a comparison that failed, a directory that is not empty, a wrong
 * word.
 */
const isOfValue = (code: number): boolean =>
  code === 101 || code === NOT_EMPTY || (code >= 200 && code <= 210);

/** Version 2. */
export class SecondEtcd implements EtcdKeys {
  readonly #ctx: ModuleContext;
  readonly #etcd: EtcdConnection;

  constructor(ctx: ModuleContext, etcd: EtcdConnection) {
    this.#ctx = ctx;
    this.#etcd = etcd;
  }

  isOther(current: Value, wanted: Value): boolean {
    return current !== (wanted === null ? '' : pyStr(wanted));
  }

  async get(key: string, isRecursive: boolean): Promise<Value> {
    if (isRecursive) return this.tree(key);
    const node = await this.#read(key);
    return isDict(node) ? (node.get('value') ?? null) : null;
  }

  async set(key: string, value: Value, ttl: Value, isDirectory: boolean): Promise<Value> {
    const lasts = ttl === null ? {} : { ttl: pyStr(ttl) };
    if (isDirectory) {
      const made = await this.#ask('PUT', key, { ...lasts, dir: 'true' });
      if (isDict(made)) return made.get('dir') ?? false;
      return isRefusal(made, NOT_FILE) ? true : this.#nothing(made, [NOT_DIRECTORY, ROOT_READ_ONLY]);
    }
    const made = await this.#ask('PUT', key, {
      ...(value === null ? {} : { value: pyStr(value) }),
      ...lasts,
    });
    return isDict(made) ? (made.get('value') ?? null) : this.#nothing(made, [NOT_FILE, ROOT_READ_ONLY]);
  }

  async update(fields: Dict, path: string): Promise<Value> {
    const done: Dict = new Map();
    for (const [key, value] of flattened(fields, path)) {
      const made = await this.set(pyStr(key), value, null, isDict(value));
      if (made === null) return null;
      done.set(key, made);
    }
    return done;
  }

  async watch({ key, isRecursive, timeoutSeconds, index }: Watched): Promise<Value> {
    const words = {
      wait: 'true',
      recursive: String(isRecursive),
      ...(index !== undefined ? { waitIndex: pyStr(index) } : {}),
    };
    const node = await this.#ask('GET', key, words, {
      timeoutMs: timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000,
      signal: this.#ctx.signal,
    });
    if (node === 'unreached') return null;
    if (!isDict(node)) return isOfValue(node.code ?? 0) ? dict() : this.#failed(node);
    const field = (name: string): Value => node.get(name) ?? null;
    return dict({
      key: isRecursive ? field('key') : key,
      value: field('value'),
      changed: true,
      mIndex: field('modifiedIndex'),
      dir: node.get('dir') ?? false,
    });
  }

  async ls(path: string): Promise<Value> {
    const node = await this.#read(path);
    if (!isDict(node)) return node === 'unreached' ? null : dict();
    const found: Dict = new Map();
    for (const item of childrenOf(node)) {
      const key = item.get('key') ?? null;
      if (item.get('dir') !== true) found.set(key, item.get('value') ?? null);
      else if (key !== path && key !== null) found.set(`${pyStr(key)}/`, dict());
    }
    return new Map<Value, Value>([[path, found]]);
  }

  async rm(key: string, isRecursive: boolean): Promise<Value> {
    const gone = await this.#ask('DELETE', key, { recursive: String(isRecursive) });
    return isDict(gone) ? true : this.#nothing(gone, [MISSING, NOT_FILE, ROOT_READ_ONLY]);
  }

  async tree(path: string): Promise<Value> {
    const node = await this.#read(path, true);
    return isDict(node) ? treeOf(node, path) : null;
  }

  /** A node; nothing where there is none or the server is not reached, which the log says. */
  async #read(key: string, isRecursive = false): Promise<Dict | 'missing' | 'unreached'> {
    const node = await this.#ask('GET', key, isRecursive ? { recursive: 'true' } : {});
    if (isDict(node) || node === 'unreached') return node;
    this.#nothing(node, [MISSING]);
    return 'missing';
  }

  async #ask(
    method: 'DELETE' | 'GET' | 'PUT',
    key: string,
    words: Readonly<Record<string, string>>,
    wait?: EtcdWait,
  ): Promise<Dict | Refusal | 'unreached'> {
    let answer: EtcdAnswer;
    try {
      answer = await this.#etcd.client.askSecond(method, key, words, wait);
    } catch (error) {
      if (!(error instanceof UnreachableError) || this.#etcd.isStrict) throw error;
      this.#ctx.log.error(`etcd: ${error.message}`);
      return 'unreached';
    }
    if (answer.refusal === undefined) return answer.node;
    this.#ctx.log.error(`etcd: ${answer.refusal.text}`);
    return answer.refusal;
  }

  /** None for refusals that Salt takes so. @throws CommandExecutionError for others */
  #nothing(made: Refusal | 'unreached', codes: readonly number[]): null {
    if (made === 'unreached') return null;
    const code = made.code ?? 0;
    const isMissing = code === MISSING && codes.includes(MISSING);
    if (isMissing || (!this.#etcd.isStrict && (codes.includes(code) || isOfValue(code)))) return null;
    return this.#failed(made);
  }

  #failed({ text }: Refusal): never {
    throw new CommandExecutionError(`etcd at ${this.#etcd.client.host}: ${text}`);
  }
}

type Refusal = NonNullable<EtcdAnswer['refusal']>;

/** What python-etcd calls children: those of a directory, or the node itself where it has none. */
function childrenOf(node: Dict): readonly Dict[] {
  const below = node.get('nodes');
  return node.get('dir') === true && Array.isArray(below) && below.length > 0 ? below.filter(isDict) : [node];
}

function treeOf(node: Dict, path: string): Dict {
  const found: Dict = new Map();
  for (const item of childrenOf(node)) {
    const key = pyStr(item.get('key') ?? '');
    const name = key.split('/').at(-1) ?? '';
    if (item.get('dir') !== true) found.set(name, item.get('value') ?? null);
    else if (key !== path && key !== '') found.set(name, treeOf(item, key));
  }
  return found;
}

const isRefusal = (made: Refusal | 'unreached', code: number): boolean =>
  made !== 'unreached' && made.code === code;
