/** Sends a case to a server, and makes what comes back comparable: what differs from run to run becomes a word. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type { ApiServers } from './servers.ts';
import type { ApiCase, SessionName } from './cases.ts';

/** An answer, as it is recorded. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON as data, anything else as text. */
  readonly body: unknown;
}

/** Headers that a client may look at. */
const HEADERS = [
  ...['content-type', 'allow', 'www-authenticate', 'set-cookie', 'cache-control', 'location', 'vary'],
  ...['x-auth-token', 'access-control-allow-origin', 'access-control-allow-credentials'],
  ...['access-control-allow-methods', 'access-control-allow-headers', 'access-control-max-age'],
  ...['access-control-expose-headers', 'content-disposition', 'content-encoding', 'content-range'],
  ...['accept-ranges', 'last-modified', 'content-length', 'retry-after', 'upgrade', 'etag'],
] as const;

/** Sends cases to the servers of one fleet. */
export class ApiSender {
  readonly #servers: ApiServers;
  readonly #kept = new Map<string, Promise<string>>();

  constructor(servers: ApiServers) {
    this.#servers = servers;
  }

  async send(one: ApiCase): Promise<ApiAnswer> {
    const path = await this.#filled(one.path, one);
    const headers: Record<string, string> = { ...one.headers };
    for (const [name, value] of Object.entries(headers)) headers[name] = await this.#filled(value, one);
    if (one.session !== undefined) headers['X-Auth-Token'] ??= await this.#session(one.session, one);
    const body = one.body === undefined ? undefined : await this.#filled(one.body, one);
    const port = this.#port(one);
    if (one.raw !== undefined)
      return this.#normalised(one, await sendRaw(port, await this.#filled(one.raw, one)));
    return this.#normalised(one, await sendRequest(port, { ...one, path, headers, body }));
  }

  #port({ server = 'plain' }: ApiCase): number {
    return this.#servers.ports.get(server) as number;
  }

  /** Puts in what only a running server knows: `{session}`, `{token}`, `{jid}`, `{expired}`, `{over}`. */
  async #filled(text: string, one: ApiCase): Promise<string> {
    let out = text;
    for (const name of ['session', 'token', 'jid', 'expired', 'over', 'limited'] as const)
      if (out.includes(`{${name}}`)) out = out.replaceAll(`{${name}}`, await this.#value(name, one));
    return out;
  }

  #value(name: SessionName | 'session' | 'token' | 'jid', one: ApiCase): Promise<string> {
    if (name === 'token') return this.#once('token', () => this.#token());
    if (name === 'jid') return this.#once('jid', () => this.#job());
    return this.#session(name === 'session' ? 'alice' : name, one);
  }

  #session(name: SessionName, { server = 'plain' }: ApiCase): Promise<string> {
    const port = this.#servers.ports.get(server) as number;
    const prefix = server === 'prefix' ? '/salt/api' : '';
    const logIn = async (username: string, more: object = {}): Promise<string> => {
      const body = JSON.stringify({ username, password: 'pw', eauth: 'file', ...more });
      const { text } = await sendRequest(port, {
        method: 'POST',
        path: `${prefix}/login`,
        headers: JSON_HEADERS,
        body,
      });
      return (JSON.parse(text) as { return: { token: string }[] }).return[0]?.token ?? '';
    };
    if (name === 'fresh') return logIn('alice');
    if (name === 'expired')
      return this.#once(`expired ${server}`, () => logIn('alice', { token_expire: 0.001 }));
    if (name === 'over')
      return this.#once(`over ${server}`, async () => {
        const id = await logIn('alice');
        const headers = { 'X-Auth-Token': id };
        await sendRequest(port, { method: 'POST', path: `${prefix}/logout`, headers });
        return id;
      });
    return this.#once(`${name} ${server}`, () => logIn(name));
  }

  async #token(): Promise<string> {
    const body = JSON.stringify([{ username: 'alice', password: 'pw', eauth: 'file' }]);
    const port = this.#servers.ports.get('plain') as number;
    const { text } = await sendRequest(port, { method: 'POST', path: '/token', headers: JSON_HEADERS, body });
    return (JSON.parse(text) as { token: string }[])[0]?.token ?? '';
  }

  /** A job that both minions have returned for. */
  async #job(): Promise<string> {
    const low = { client: 'local', tgt: '*', fun: 'test.ping', full_return: true };
    const headers = {
      ...JSON_HEADERS,
      'X-Auth-Token': await this.#session('alice', { name: '', method: '', path: '' }),
    };
    const port = this.#servers.ports.get('plain') as number;
    const { text } = await sendRequest(port, {
      method: 'POST',
      path: '/',
      headers,
      body: JSON.stringify(low),
    });
    const [minions] = (JSON.parse(text) as { return: Record<string, { jid: string }>[] }).return;
    return minions?.['min1']?.jid ?? '';
  }

  #once(key: string, make: () => Promise<string>): Promise<string> {
    const known = this.#kept.get(key) ?? make();
    this.#kept.set(key, known);
    return known;
  }

  #normalised(one: ApiCase, { status, headers, text }: Received): ApiAnswer {
    const kept: Record<string, string> = {};
    for (const name of HEADERS) {
      const value = headers.get(name);
      if (value !== undefined) kept[name] = headerWord(name, value, text, one, this.#servers.fleet.folder);
    }
    const type = headers.get('content-type') ?? '';
    return { status, headers: kept, body: bodyOf(one, type, text, this.#servers.fleet.folder) };
  }
}

const JSON_HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json' };

interface Received {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

type Sent = Pick<ApiCase, 'method' | 'path' | 'headers' | 'isStream'> & {
  readonly body?: string | undefined;
};

function sendRequest(port: number, { method, path, headers = {}, body, isStream }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const length =
      body === undefined || 'Transfer-Encoding' in headers
        ? {}
        : { 'Content-Length': Buffer.byteLength(body) };
    const sent = httpRequest(
      {
        port,
        host: '127.0.0.1',
        method,
        path,
        headers: { ...length, ...headers, Connection: 'close' },
        agent: false,
      },
      (response) => {
        receive(response, isStream === true).then(resolve, reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

async function receive(response: IncomingMessage, isStream: boolean): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
    if (isStream && response.statusCode === 200) break;
  }
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(response.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join('; ') : value);
  const bytes = Buffer.concat(chunks);
  const isZipped = headers.get('content-encoding') === 'gzip' && bytes.length > 0;
  if (isZipped && headers.get('content-length') === String(bytes.length))
    headers.set('content-length', 'of gzip');
  return {
    status: response.statusCode ?? 0,
    headers,
    text: (isZipped ? gunzipSync(bytes) : bytes).toString('utf8'),
  };
}

/** Sends bytes as they are, and reads to the end of the connection. */
function sendRaw(port: number, bytes: string): Promise<Received> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(bytes, 'latin1')));
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('utf8')));
    socket.on('error', reject);
    socket.on('close', () => resolve(parsed(answer)));
  });
}

function parsed(answer: string): Received {
  const [head = '', ...rest] = answer.replace(/^HTTP\/1.1 100 [^]*?\r\n\r\n/, '').split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Map(
    lines.map((line): [string, string] => {
      const at = line.indexOf(':');
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
  return { status: Number(first.split(' ')[1] ?? 0), headers, text: rest.join('\r\n\r\n') };
}

function headerWord(name: string, value: string, text: string, one: ApiCase, folder: string): string {
  if (name === 'last-modified') return 'DATE';
  if (name === 'content-length') {
    if (one.method === 'HEAD') return 'of the body of GET';
    if (value === 'of gzip') return value;
    return Number(value) === Buffer.byteLength(text) ? 'of the body' : 'another';
  }
  if (name === 'set-cookie')
    return value.replace(/[0-9a-f]{40}/g, 'SESSION').replace(/expires=[^;]*/g, 'expires=DATE');
  return withWords(value, folder);
}

/** Words for what differs from run to run. */
export function withWords(text: string, folder: string): string {
  return text
    .replaceAll(folder, 'DIR')
    .replace(/\b20\d{18}\b/g, 'JID')
    .replace(/\b[0-9a-f]{64}\b/g, 'TOKEN')
    .replace(/\b[0-9a-f]{40}\b/g, 'SESSION')
    .replace(/\b17\d{8}\.\d+\b/g, 'TIME')
    .replace(/\b(?:[0-9a-f]{2}:){15,31}[0-9a-f]{2}\b/g, 'FINGERPRINT')
    .replace(/\b20\d\d, [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d\.\d{6}\b/g, 'DATE')
    .replace(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\b/g, 'DATE')
    .replace(/127\.0\.0\.1:\d+/g, 'HOST')
    .replace(/Traceback \(most recent call last\):(?:\\n|\n)(?: .*?(?:\\n|\n))*/g, 'Traceback: ')
    .replace(/Cheroot HTTPServer \d+/g, 'Cheroot HTTPServer');
}

function bodyOf(one: ApiCase, type: string, text: string, folder: string): unknown {
  if (one.isStream === true && type.startsWith('text/event-stream'))
    return text.slice(0, 'retry: 400\n'.length);
  if (type.startsWith('application/x-tar')) return tarWords(text);
  const words = withWords(text, folder);
  if (type.startsWith('text/html')) return pageWords(words);
  if (type === 'application/json' && text !== '') return shaped(one, JSON.parse(quoted(words)) as unknown);
  if (type === 'application/x-yaml' && one.shape !== undefined) return words.slice(0, one.shape);
  return words.length > 2000 ? `${words.length} characters` : words;
}

/** Numbers that have become words need quotes. */
function quoted(words: string): string {
  return words.replace(/(?<=[[,:] ?)(TIME|JID)(?=[\],}])/g, '"$1"');
}

/** The names of an archive and the kinds of its files. */
function tarWords(text: string): string[] {
  return [...text.matchAll(/(minion\.\w+)\0|-----BEGIN ([A-Z ]+)-----/g)].map(
    ([, name, kind]) => name ?? kind ?? '',
  );
}

/** A page of an error: its title and its sentences, without what CherryPy adds. */
function pageWords(html: string): string {
  if (!/<title>\d/.test(html)) return html.length > 100 ? 'a page' : html;
  const part = (pattern: RegExp): string => pattern.exec(html)?.[1]?.trim() ?? '';
  return `${part(/<title>([^]*?)<\/title>/)} | ${part(/<p>([^]*?)<\/p>/)}`;
}

/** What has other values on each machine is compared by its form, down to a depth. */
function shaped({ shape }: ApiCase, value: unknown): unknown {
  return shape === undefined ? comparable(value) : cut(value, shape);
}

function cut(value: unknown, depth: number): unknown {
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  if (depth <= 0) return Array.isArray(value) ? 'list' : 'mapping';
  if (Array.isArray(value)) return value.map((each) => cut(each, depth - 1));
  return Object.fromEntries(
    Object.entries(value)
      .sort(byKey)
      .map(([key, each]) => [key, cut(each, depth - 1)]),
  );
}

/** A body in one form: names in order, and what no two runs have in the same order sorted. */
export function comparable(value: unknown): unknown {
  if (typeof value === 'string') return textWords(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return sortedList(value.map(comparable));
  return Object.fromEntries(
    Object.entries(value)
      .sort(byKey)
      .map(([key, each]) => [key, comparable(each)]),
  );
}

/** Documentation is not compared, and large values only by their size. */
function textWords(text: string): string {
  const documented = /^\n?Passed invalid arguments[^\n]*\n/.exec(text)?.[0];
  if (documented !== undefined) return documented;
  return text.length > 2000 ? `${text.length} characters` : text;
}

/** Minions return in any order; the ids that other cases add are left out. */
function sortedList(values: readonly unknown[]): unknown[] {
  if (values.includes('min1') && values.includes('min2')) return ['min1', 'min2'];
  const isOfMinion = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && /^min[12]$/.test(Object.keys(value).join());
  if (!values.some(isOfMinion)) return [...values];
  return [...values].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
