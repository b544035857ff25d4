/** etcd over HTTP: the interface of version 2, and that of version 3, whose keys and values are bytes (3006.16 salt/utils/etcd_util.py). */
import { readFileSync } from 'node:fs';
import { CommandExecutionError, ConfigError, messageOf, UnreachableError } from '../../errors/errors.ts';
import { parseJson, toJson } from '../../formats/json/text.ts';
import type { Clock } from '../../host/clock.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { isAway, sendHttp, type HttpReply, type HttpRequest } from './client.ts';

const ANSWER_BYTES_MAX = 48 * 1024 * 1024;
const DEFAULT_PORT = 2379;
/** As python-etcd has it. */
const DEFAULT_TIMEOUT_SECONDS = 60;

/** A pair of version 3. */
export interface EtcdPair {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** The options `etcd.*`, of a profile or of the whole configuration, without their prefix. */
export function etcdOptions(given: Dict): ReadonlyMap<string, Value> {
  return new Map(
    [...given].flatMap(([name, value]) => {
      const text = pyStr(name);
      return text.startsWith('etcd.') ? [[text.slice('etcd.'.length), value]] : [];
    }),
  );
}

/** One server, asked over HTTP; nothing is held open. */
export class EtcdClient {
  readonly #options: ReadonlyMap<string, Value>;
  readonly #clock: Clock;
  readonly #base: URL;
  #token: string | undefined;

  /** @throws ConfigError for options that are no address */
  constructor(options: ReadonlyMap<string, Value>, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    const text = (name: string, otherwise: string): string => pyStr(options.get(name) ?? otherwise);
    const scheme = text('protocol', options.has('ca') ? 'https' : 'http');
    const address = `${scheme}://${text('host', '127.0.0.1')}:${text('port', String(DEFAULT_PORT))}/`;
    if (!/^https?$/.test(scheme) || !URL.canParse(address))
      throw new ConfigError('etcd.protocol, etcd.host and etcd.port are no address of a server.');
    this.#base = new URL(address);
  }

  /** True unless `etcd.require_v2` says otherwise, as in Salt. */
  get isSecondVersion(): boolean {
    return truthy(this.#options.get('require_v2') ?? true);
  }

  /** What to name in messages. */
  get host(): string {
    return this.#base.host;
  }

  /**
   * A node of version 2, in the server's form; undefined when there is none.
   * @param isDeep with all below it; else of a folder what is right below
   */
  async node(path: string, { isDeep = true }: { readonly isDeep?: boolean } = {}): Promise<Dict | undefined> {
    const { status, text } = await this.#second('GET', path, isDeep ? '?recursive=true' : '');
    if (status === 404) return undefined;
    const data = status === 200 ? parsed(text) : undefined;
    const node = isDict(data) ? data.get('node') : undefined;
    return isDict(node) ? node : this.#refused(status, 'GET', path);
  }

  /** The index of version 2, which grows with each change anywhere; undefined when the server tells none. */
  async index(path: string): Promise<string | undefined> {
    const { status, headers } = await this.#second('GET', path, '');
    if (status !== 200 && status !== 404) this.#refused(status, 'GET', path);
    const index = headers?.['x-etcd-index'];
    return typeof index === 'string' ? index : undefined;
  }

  /** Sets a key of version 2. */
  async setNode(path: string, value: string): Promise<void> {
    const body = new URLSearchParams({ value }).toString();
    const { status } = await this.#second('PUT', path, '', body);
    if (status !== 200 && status !== 201) this.#refused(status, 'PUT', path);
  }

  /** Removes a node of version 2 with all below it. @returns false when there was none */
  async removeNode(path: string): Promise<boolean> {
    const { status } = await this.#second('DELETE', path, '?recursive=true');
    if (status === 404) return false;
    return status === 200 || this.#refused(status, 'DELETE', path);
  }

  #second(method: HttpRequest['method'], path: string, query: string, body?: string): Promise<HttpReply> {
    const escaped = path.split('/').map(encodeURIComponent).join('/').replace(/^\/+/, '');
    const [user, password] = ['username', 'password'].map((name) => pyStr(this.#options.get(name) ?? ''));
    const headers = new Map<string, string>();
    if (user !== '')
      headers.set('authorization', `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`);
    if (body !== undefined) headers.set('content-type', 'application/x-www-form-urlencoded');
    return this.#send(method, `v2/keys/${escaped}${query}`, headers, body);
  }

  /** The pairs of version 3 whose key begins with these bytes. */
  async range(prefix: Buffer): Promise<readonly EtcdPair[]> {
    const data = await this.#third('kv/range', {
      key: (prefix.length === 0 ? Buffer.from([0]) : prefix).toString('base64'),
      range_end: endOf(prefix).toString('base64'),
    });
    const pairs = data.get('kvs');
    return (Array.isArray(pairs) ? pairs : []).filter(isDict).map((pair) => ({
      key: Buffer.from(pyStr(pair.get('key') ?? ''), 'base64'),
      value: Buffer.from(pyStr(pair.get('value') ?? ''), 'base64'),
    }));
  }

  async #third(call: string, body: Readonly<Record<string, string>>, isLogin = false): Promise<Dict> {
    const user = pyStr(this.#options.get('username') ?? '');
    if (user !== '' && !isLogin && this.#token === undefined) {
      const password = pyStr(this.#options.get('password') ?? '');
      const answer = await this.#third('auth/authenticate', { name: user, password }, true);
      this.#token = pyStr(answer.get('token') ?? '');
    }
    const headers = new Map([['content-type', 'application/json']]);
    if (this.#token !== undefined) headers.set('authorization', this.#token);
    const json = toJson(new Map<Value, Value>(Object.entries(body)));
    const { status, text } = await this.#send('POST', `v3/${call}`, headers, json);
    const data = status === 200 ? parsed(text) : undefined;
    return isDict(data) ? data : this.#refused(status, 'POST', `v3/${call}`);
  }

  #send(
    method: HttpRequest['method'],
    path: string,
    headers: ReadonlyMap<string, string>,
    body?: string,
  ): Promise<HttpReply> {
    const file = (name: string): string | undefined => {
      const path = this.#options.get(name);
      return typeof path === 'string' && path !== '' ? path : undefined;
    };
    const [cert, key, ca] = [file('client_cert'), file('client_key'), file('ca')];
    return sendHttp({
      method,
      url: new URL(path, this.#base),
      headers,
      ...(body === undefined ? {} : { body }),
      timeoutMs: (toNumber(this.#options.get('read_timeout') ?? null) ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
      clock: this.#clock,
      agent: 'salt',
      answerBytesMax: ANSWER_BYTES_MAX,
      ...(ca === undefined ? {} : { verify: ca }),
      ...(cert === undefined || key === undefined
        ? {}
        : { certificate: { cert: read(cert), key: read(key) } }),
    });
  }

  #refused(status: number, method: string, path: string): never {
    const text = `etcd at ${this.host} answered ${status} to ${method} ${path}`;
    throw isAway(status) ? new UnreachableError(text) : new CommandExecutionError(text);
  }
}

/** The first key behind all that begin with these bytes. */
function endOf(prefix: Buffer): Buffer {
  for (let at = prefix.length - 1; at >= 0; at--) {
    const byte = prefix[at] ?? 0;
    if (byte < 0xff) return Buffer.concat([prefix.subarray(0, at), Buffer.from([byte + 1])]);
  }
  return Buffer.from([0]);
}

function parsed(text: string): Value {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new ConfigError(`${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
}
