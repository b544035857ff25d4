/**
 * etcd over HTTP: the interface of version 2, and that of version 3, whose keys and values are bytes (3006.16
 * salt/utils/etcd_util.py).
 */
import { CommandExecutionError, ConfigError, UnreachableError } from '../../errors/errors.ts';
import { parseJson, toJson } from '../../formats/json/text.ts';
import type { Clock } from '../../host/clock.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { readCertificate, readPrivateKey } from '../tls/files.ts';
import { firstLine, isAway, sendHttp, type HttpReply, type HttpRequest } from './client.ts';

const ANSWER_BYTES_MAX = 48 * 1024 * 1024;
const DEFAULT_PORT = 2379;
/** As python-etcd has it. */
const DEFAULT_TIMEOUT_SECONDS = 60;
/** As long as a timer can be set: what waits for a change waits until its job ends. */
const FOREVER_MS = 2 ** 31 - 1;
/** Most of a foreign server's words in a message. */
const WORDS_MAX = 200;

/** A pair of version 3. */
export interface EtcdPair {
  readonly key: Buffer;
  readonly value: Buffer;
  /** The revision in which it was changed last. */
  readonly revision: number;
}

/**
 * Why version 2 did not do what it was asked for: its own number (`100` for a key that is not there), and its words.
 */
export interface EtcdRefusal {
  readonly code: number | undefined;
  readonly text: string;
}

/** What version 2 answers: a node, or why not. */
export type EtcdAnswer =
  { readonly node: Dict; readonly refusal?: undefined } | { readonly refusal: EtcdRefusal };

/** How long to wait for a change. */
export interface EtcdWait {
  /** Nothing: until the job ends. */
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal;
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
    const words = new URLSearchParams(isDeep ? { recursive: 'true' } : {});
    const { status, text } = await sendHttp(this.#second('GET', path, words));
    if (status === 404) return undefined;
    const data = status === 200 ? parsed(text) : undefined;
    const node = isDict(data) ? data.get('node') : undefined;
    return isDict(node) ? node : this.#refused(status, 'GET', path);
  }

  /** The index of version 2, which grows with each change anywhere; undefined when the server tells none. */
  async index(path: string): Promise<string | undefined> {
    const { status, headers } = await sendHttp(this.#second('GET', path, new URLSearchParams()));
    if (status !== 200 && status !== 404) this.#refused(status, 'GET', path);
    const index = headers?.['x-etcd-index'];
    return typeof index === 'string' ? index : undefined;
  }

  /** Sets a key of version 2. */
  async setNode(path: string, value: string): Promise<void> {
    const { status } = await sendHttp(this.#second('PUT', path, new URLSearchParams({ value })));
    if (status !== 200 && status !== 201) this.#refused(status, 'PUT', path);
  }

  /** Removes a node of version 2 with all below it. @returns false when there was none */
  async removeNode(path: string): Promise<boolean> {
    const request = this.#second('DELETE', path, new URLSearchParams({ recursive: 'true' }));
    const { status } = await sendHttp(request);
    if (status === 404) return false;
    return status === 200 || this.#refused(status, 'DELETE', path);
  }

  /**
   * One request of version 2.
   * @param words its further words: of what is asked in the address, of what is set in the body
   * @throws UnreachableError
   */
  async askSecond(
    method: 'DELETE' | 'GET' | 'PUT',
    path: string,
    words: Readonly<Record<string, string>> = {},
    wait?: EtcdWait,
  ): Promise<EtcdAnswer> {
    const request = this.#second(method, path, new URLSearchParams(words));
    const { status, text } = await sendHttp(wait === undefined ? request : { ...request, ...limitsOf(wait) });
    const data = parsed(text);
    if (!isDict(data))
      return { refusal: { code: codeOf(status), text: `Bad response : ${text.slice(0, WORDS_MAX)}` } };
    const node = data.get('node');
    if ((status === 200 || status === 201) && isDict(node)) return { node };
    const said = [data.get('message'), data.get('cause')].map((word) => pyStr(word ?? null));
    return {
      refusal: { code: codeOf(status) ?? toNumber(data.get('errorCode') ?? null), text: said.join(' : ') },
    };
  }

  #second(method: HttpRequest['method'], path: string, words: URLSearchParams): HttpRequest {
    const escaped = path.split('/').map(encodeURIComponent).join('/').replace(/^\/+/, '');
    const [user, password] = ['username', 'password'].map((name) => pyStr(this.#options.get(name) ?? ''));
    const headers = new Map<string, string>();
    if (user !== '')
      headers.set('authorization', `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`);
    if (method === 'PUT') {
      headers.set('content-type', 'application/x-www-form-urlencoded');
      return this.#request(method, `v2/keys/${escaped}`, headers, words.toString());
    }
    const query = words.size === 0 ? '' : `?${words.toString()}`;
    return this.#request(method, `v2/keys/${escaped}${query}`, headers);
  }

  /** The pairs of version 3 whose key begins with these bytes. */
  range(prefix: Buffer): Promise<readonly EtcdPair[]> {
    return this.#pairs(rangeOf(prefix, true));
  }

  /** The pair of version 3 with this key. */
  async pair(key: Buffer): Promise<EtcdPair | undefined> {
    return (await this.#pairs(rangeOf(key, false)))[0];
  }

  async #pairs(range: JsonBody): Promise<readonly EtcdPair[]> {
    const pairs = (await this.#third('kv/range', range)).get('kvs');
    return (Array.isArray(pairs) ? pairs : []).filter(isDict).map(pairOf);
  }

  /** Sets a key of version 3. @param ttlSeconds after which it goes; 0 for never */
  async put(key: Buffer, value: Buffer, ttlSeconds: number): Promise<void> {
    const lease =
      ttlSeconds === 0 ? undefined : (await this.#third('lease/grant', { TTL: ttlSeconds })).get('ID');
    await this.#third('kv/put', {
      key: key.toString('base64'),
      value: value.toString('base64'),
      ...(lease === undefined ? {} : { lease: pyStr(lease) }),
    });
  }

  /** Removes a key of version 3, or all that begin with it. @returns how many there were */
  async remove(key: Buffer, isPrefix: boolean): Promise<number> {
    return Number(pyStr((await this.#third('kv/deleterange', rangeOf(key, isPrefix))).get('deleted') ?? 0));
  }

  /**
   * Waits for a change of a key of version 3, or of one that begins with it.
   * @returns undefined when none came in time
   */
  async watch(
    key: Buffer,
    isPrefix: boolean,
    revision: number | undefined,
    wait: EtcdWait,
  ): Promise<EtcdPair | undefined> {
    const start = revision === undefined ? {} : { start_revision: revision };
    const body = new Map<Value, Value>([
      ['create_request', new Map<Value, Value>(Object.entries({ ...rangeOf(key, isPrefix), ...start }))],
    ]);
    const request = this.#request('POST', 'v3/watch', await this.#headers(), toJson(body));
    return firstLine({ ...request, ...limitsOf(wait) }, (line) => {
      const data = parsed(line);
      const result = isDict(data) ? data.get('result') : undefined;
      if (isDict(result) && truthy(result.get('canceled')))
        throw new CommandExecutionError(
          `etcd at ${this.host} does not watch: ${pyStr(result.get('cancel_reason') ?? '').slice(0, WORDS_MAX)}`,
        );
      const events = isDict(result) ? result.get('events') : undefined;
      const event = Array.isArray(events) ? events[0] : undefined;
      const pair = isDict(event) ? event.get('kv') : undefined;
      return isDict(pair) ? pairOf(pair) : undefined;
    });
  }

  async #headers(): Promise<Map<string, string>> {
    const headers = new Map([['content-type', 'application/json']]);
    const user = pyStr(this.#options.get('username') ?? '');
    if (user !== '' && this.#token === undefined) {
      const login = new Map<Value, Value>([
        ['name', user],
        ['password', pyStr(this.#options.get('password') ?? '')],
      ]);
      const answer = await this.#sendThird('auth/authenticate', headers, toJson(login));
      this.#token = pyStr(answer.get('token') ?? '');
    }
    return this.#token === undefined ? headers : headers.set('authorization', this.#token);
  }

  async #third(call: string, body: JsonBody): Promise<Dict> {
    return this.#sendThird(call, await this.#headers(), toJson(new Map<Value, Value>(Object.entries(body))));
  }

  async #sendThird(call: string, headers: ReadonlyMap<string, string>, json: string): Promise<Dict> {
    const { status, text } = await this.#send('POST', `v3/${call}`, headers, json);
    const data = parsed(text);
    if (status === 200 && isDict(data)) return data;
    const said = isDict(data) ? pyStr(data.get('error') ?? '').slice(0, WORDS_MAX) : '';
    return this.#refused(status, 'POST', `v3/${call}`, said);
  }

  #send(
    method: HttpRequest['method'],
    path: string,
    headers: ReadonlyMap<string, string>,
    body?: string,
  ): Promise<HttpReply> {
    return sendHttp(this.#request(method, path, headers, body));
  }

  #request(
    method: HttpRequest['method'],
    path: string,
    headers: ReadonlyMap<string, string>,
    body?: string,
  ): HttpRequest {
    const file = (name: string): string | undefined => {
      const path = this.#options.get(name);
      return typeof path === 'string' && path !== '' ? path : undefined;
    };
    const [cert, key, ca] = [file('client_cert'), file('client_key'), file('ca')];
    return {
      method,
      url: new URL(path, this.#base),
      headers,
      ...(body === undefined ? {} : { body }),
      timeoutMs: (toNumber(this.#options.get('read_timeout') ?? null) ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
      clock: this.#clock,
      agent: 'salt',
      answerBytesMax: ANSWER_BYTES_MAX,
      ...(ca === undefined ? {} : { verify: ca }),
      tlsSettings: { ca: 'etcd.ca', own: 'etcd.client_cert' },
      ...(cert === undefined || key === undefined
        ? {}
        : {
            certificate: {
              cert: readCertificate(cert, 'etcd.client_cert'),
              key: readPrivateKey(key, 'etcd.client_key'),
            },
          }),
    };
  }

  #refused(status: number, method: string, path: string, said = ''): never {
    const words = said === '' ? '' : `: ${said}`;
    const text = `etcd at ${this.host} answered ${status} to ${method} ${path}${words}`;
    throw isAway(status) ? new UnreachableError(text) : new CommandExecutionError(text);
  }
}

type JsonBody = Readonly<Record<string, string | number>>;

const limitsOf = ({ timeoutMs, signal }: EtcdWait): Pick<HttpRequest, 'timeoutMs' | 'signal'> => ({
  timeoutMs: Math.min(timeoutMs ?? FOREVER_MS, FOREVER_MS),
  signal,
});

/** What a status says by itself, as python-etcd takes it. */
const codeOf = (status: number): number | undefined =>
  status === 404 ? 100 : status === 401 ? 110 : undefined;

const pairOf = (pair: Dict): EtcdPair => ({
  key: Buffer.from(pyStr(pair.get('key') ?? ''), 'base64'),
  value: Buffer.from(pyStr(pair.get('value') ?? ''), 'base64'),
  revision: Number(pyStr(pair.get('mod_revision') ?? 0)),
});

/** One key, or all that begin with it. */
function rangeOf(key: Buffer, isPrefix: boolean): JsonBody {
  if (!isPrefix) return { key: key.toString('base64') };
  return {
    key: (key.length === 0 ? Buffer.from([0]) : key).toString('base64'),
    range_end: endOf(key).toString('base64'),
  };
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
