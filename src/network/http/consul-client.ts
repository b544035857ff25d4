/** The store of keys and values of Consul, over its HTTP interface. */
import { CommandExecutionError, ConfigError, UnreachableError } from '../../errors/errors.ts';
import { parseJson } from '../../formats/json/text.ts';
import type { Clock } from '../../host/clock.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Value } from '../../python/values/value.ts';
import { isAway, sendHttp, verifyOption, type HttpReply, type HttpRequest } from './client.ts';

const TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 128 * 1024 * 1024;

/** A client. Nothing is kept open. */
export class ConsulClient {
  readonly #options: ReadonlyMap<string, Value>;
  readonly #clock: Clock;
  readonly #base: URL;
  readonly #answerBytesMax: number;

  /** @param options those of the configuration without `consul.` @throws ConfigError for options that are no address */
  constructor(options: ReadonlyMap<string, Value>, clock: Clock, answerBytesMax = ANSWER_BYTES_MAX) {
    this.#options = options;
    this.#answerBytesMax = answerBytesMax;
    this.#clock = clock;
    const text = (name: string, otherwise: string): string => pyStr(options.get(name) ?? otherwise);
    const scheme = text('scheme', 'http');
    const address = `${scheme}://${text('host', '127.0.0.1')}:${text('port', '8500')}/v1/kv/`;
    if (!/^https?$/.test(scheme) || !URL.canParse(address))
      throw new ConfigError('consul.scheme, consul.host and consul.port are no address of a server.');
    this.#base = new URL(address);
  }

  /** What to name in messages. */
  get host(): string {
    return this.#base.host;
  }

  /** The value of a key; undefined when there is none. */
  async get(key: string): Promise<Buffer | undefined> {
    const reply = await this.#send('GET', key, this.#consistency());
    if (reply.status === 404) return undefined;
    const rows = reply.status === 200 ? parseJson(reply.text) : undefined;
    const row: Value | undefined = Array.isArray(rows) ? rows[0] : undefined;
    if (!isDict(row)) return this.#refused(reply, 'GET', key);
    return Buffer.from(pyStr(row.get('Value') ?? ''), 'base64');
  }

  /** Every key below a folder with its value, as the server says it: mappings with `Key` and `Value`. */
  async below(folder: string): Promise<readonly Value[]> {
    const reply = await this.#send('GET', folder, new Map([['recurse', '1'], ...this.#consistency()]));
    if (reply.status === 404) return [];
    const rows = reply.status === 200 ? parseJson(reply.text) : undefined;
    return Array.isArray(rows) ? rows : this.#refused(reply, 'GET', folder);
  }

  /** The keys and folders right below a folder, whole, and the index of what is below it. */
  async keys(folder: string): Promise<{ readonly keys: string[]; readonly index: string | undefined }> {
    const query = new Map([['keys', 'true'], ['separator', '/'], ...this.#consistency()]);
    const reply = await this.#send('GET', folder, query);
    const index = indexOf(reply);
    if (reply.status === 404) return { keys: [], index };
    const rows = reply.status === 200 ? parseJson(reply.text) : undefined;
    return Array.isArray(rows) ? { keys: rows.map(pyStr), index } : this.#refused(reply, 'GET', folder);
  }

  async put(key: string, bytes: Buffer): Promise<void> {
    const reply = await this.#send('PUT', key, new Map(), bytes);
    if (reply.status !== 200 || reply.text.trim() !== 'true') this.#refused(reply, 'PUT', key);
  }

  /** @returns what the server says: True, also when there was nothing */
  async remove(key: string, { isDeep = false }: { readonly isDeep?: boolean } = {}): Promise<boolean> {
    const reply = await this.#send('DELETE', key, new Map(isDeep ? [['recurse', '1']] : []));
    return reply.status === 200 ? reply.text.trim() === 'true' : this.#refused(reply, 'DELETE', key);
  }

  #consistency(): [string, string][] {
    const asked = pyStr(this.#options.get('consistency') ?? 'default');
    return asked === 'consistent' || asked === 'stale' ? [[asked, '1']] : [];
  }

  #send(
    method: HttpRequest['method'],
    key: string,
    query: Iterable<readonly [string, string]>,
    body?: Buffer,
  ): Promise<HttpReply> {
    const url = new URL(key.split('/').map(encodeURIComponent).join('/'), this.#base);
    for (const [name, value] of query) url.searchParams.set(name, value);
    const centre = this.#options.get('dc');
    if (centre !== undefined && centre !== null) url.searchParams.set('dc', pyStr(centre));
    const token = this.#options.get('token');
    return sendHttp({
      method,
      url,
      timeoutMs: TIMEOUT_MS,
      clock: this.#clock,
      agent: 'salt',
      answerBytesMax: this.#answerBytesMax,
      headers: new Map(typeof token === 'string' ? [['x-consul-token', token]] : []),
      verify: verifyOption(this.#options.get('verify')),
      tlsSettings: { ca: 'verify of the options for Consul' },
      ...(body === undefined ? {} : { body }),
    });
  }

  #refused({ status }: HttpReply, method: string, key: string): never {
    const text = `Consul at ${this.host} answered ${status} to ${method} ${key}`;
    throw isAway(status) ? new UnreachableError(text) : new CommandExecutionError(text);
  }
}

function indexOf({ headers }: HttpReply): string | undefined {
  const index = headers?.['x-consul-index'];
  return typeof index === 'string' ? index : undefined;
}
