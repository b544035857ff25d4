/**
 * Fetching a file over HTTP or HTTPS with Node's own client: redirects, names and passwords, a proxy, time-outs, etags.
 */
import { request as requestHttp, STATUS_CODES, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { leadsElsewhere, REDIRECTS, REDIRECTS_MAX, redirectTarget } from '../../network/http/redirect.ts';
import { addressOf, tlsFault } from '../../network/tls/fault.ts';
import { readAuthorities } from '../../network/tls/files.ts';
import { systemAuthorities } from '../../network/tls/system-authorities.ts';
import { noteShown, type ShownNote } from '../../network/tls/shown.ts';
import { describeSystemError } from './system-error.ts';
import { FileClientError } from './errors.ts';

/** The options that decide how files are fetched (`http_*`, `proxy_*`, `ca_bundle`). */
export interface HttpSettings {
  readonly connectTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly bodyBytesMax: number;
  /** File of the certificates to trust; undefined for Node's own. */
  readonly caBundle: string | undefined;
  readonly proxy:
    { readonly host: string; readonly port: number; readonly auth: string | undefined } | undefined;
  /** Hosts that are reached without the proxy. */
  readonly noProxy: readonly string[];
}

/** One request. */
export interface HttpFetch {
  readonly url: string;
  readonly verifySsl: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly settings: HttpSettings;
  readonly clock: Clock;
}

/** The end of a request whose body was taken. */
export interface HttpAnswer {
  readonly status: number;
  readonly etag: string | undefined;
  readonly contentType: string;
}

/**
 * Fetches a URL, following redirects.
 * @param take gets the body of a successful answer, in pieces
 * @throws FileClientError `Error: HTTP 404: Not Found reading /path`
 */
export async function fetchHttp(
  wanted: HttpFetch,
  take: (bytes: Buffer) => Promise<void>,
): Promise<HttpAnswer> {
  const first = parseUrl(wanted.url);
  const reading = first.pathname;
  let url = first;
  let headers = withAuthorization(wanted.headers, first);
  for (let redirects = 0; ; redirects++) {
    const answer = await exchange({ ...wanted, headers }, url, reading);
    const status = answer.statusCode ?? 0;
    const { location } = answer.headers;
    if (REDIRECTS.has(status) && location !== undefined) {
      answer.destroy();
      if (redirects >= REDIRECTS_MAX) throw failed('Too many redirects', reading);
      const next = redirectTarget(url, location);
      if (next === undefined)
        throw failed('The answer leads to what is no address of http or https: not followed', reading);
      // a name and a password are for the host they were given for
      if (leadsElsewhere(url, next)) headers = wanted.headers;
      url = next;
      continue;
    }
    const etag = answer.headers.etag;
    const contentType = answer.headers['content-type'] ?? '';
    if (status === 304) {
      answer.destroy();
      return { status, etag, contentType };
    }
    if (status < 200 || status > 299) {
      answer.destroy();
      throw failed(`HTTP ${status}: ${answer.statusMessage || STATUS_CODES[status] || 'Unknown'}`, reading);
    }
    await takeBody(answer, take, { wanted, url, reading, note: {} });
    return { status, etag, contentType };
  }
}

function parseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch (cause) {
    throw new FileClientError(`The URL ${JSON.stringify(text)} cannot be read.`, { cause });
  }
}

function failed(what: string, reading: string, cause?: unknown): FileClientError {
  return new FileClientError(`Error: ${what} reading ${reading}`, { cause });
}

/** No answer came, or it broke off: no status of HTTP, so that what is named is the other end. */
function lost(error: Error, { wanted, url, reading, note }: Exchange): FileClientError {
  const address = addressOf(url);
  const fault = tlsFault(error, {
    address,
    caSetting: 'ca_bundle',
    caFile: wanted.settings.caBundle,
    shown: note.shown,
    isPlain: url.protocol === 'http:',
  });
  const text = fault ?? `${address} cannot be reached: ${describeSystemError(error)} reading ${reading}`;
  return new FileClientError(text, { cause: error });
}

interface Exchange {
  readonly wanted: Pick<HttpFetch, 'settings'>;
  readonly url: URL;
  readonly reading: string;
  readonly note: ShownNote;
}

function withAuthorization(headers: Readonly<Record<string, string>>, url: URL): Record<string, string> {
  if (url.username === '') return { ...headers };
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { ...headers, authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function exchange(wanted: HttpFetch, url: URL, reading: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { settings, clock } = wanted;
    const request = startRequest(wanted, url);
    const note = noteShown(request);
    const giveUp = (text: string): void => void request.destroy(new Error(text));
    const connecting = clock.after(settings.connectTimeoutMs, () =>
      giveUp('HTTP 599: Timeout while connecting'),
    );
    request.once('socket', (socket) => {
      if (!socket.connecting) connecting.cancel();
      else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => connecting.cancel());
    });
    request.once('close', () => connecting.cancel());
    request.once('timeout', () => giveUp('HTTP 599: Timeout'));
    request.once('response', resolve);
    request.once('error', (error) => reject(lost(error, { wanted, url, reading, note })));
    request.end();
  });
}

/** As Salt: those of the option, else those that the system trusts, else Node's own. */
function authorities(caBundle: string | undefined): { ca?: Buffer } {
  const path = caBundle ?? systemAuthorities();
  if (path === undefined) return {};
  try {
    return { ca: readAuthorities(path, 'ca_bundle') };
  } catch (cause) {
    throw new FileClientError(messageOf(cause), { cause });
  }
}

function startRequest({ verifySsl, headers, settings }: HttpFetch, url: URL): ClientRequest {
  const common = {
    headers: { 'user-agent': 'Salt/3006.16 http.query()', ...headers },
    agent: false as const,
    timeout: settings.requestTimeoutMs,
  };
  if (url.protocol === 'https:')
    return requestHttps(url, {
      ...common,
      rejectUnauthorized: verifySsl,
      ...(verifySsl ? authorities(settings.caBundle) : {}),
    });
  const { proxy } = settings;
  if (proxy === undefined || settings.noProxy.includes(url.hostname)) return requestHttp(url, common);
  const forProxy =
    proxy.auth === undefined
      ? {}
      : { 'proxy-authorization': `Basic ${Buffer.from(proxy.auth).toString('base64')}` };
  return requestHttp({
    host: proxy.host,
    port: proxy.port,
    path: `${url.protocol}//${url.host}${url.pathname}${url.search}`,
    agent: false,
    timeout: settings.requestTimeoutMs,
    headers: { host: url.host, ...common.headers, ...forProxy },
  });
}

async function takeBody(
  answer: IncomingMessage,
  take: (bytes: Buffer) => Promise<void>,
  exchange: Exchange,
): Promise<void> {
  const { bodyBytesMax: bytesMax } = exchange.wanted.settings;
  const { reading } = exchange;
  let total = 0;
  try {
    for await (const chunk of answer) {
      const bytes = chunk as Buffer;
      total += bytes.length;
      if (total > bytesMax)
        throw failed(`The answer is larger than http_max_body allows (${bytesMax} bytes)`, reading);
      await take(bytes);
    }
  } catch (error) {
    if (error instanceof FileClientError) throw error;
    throw lost(error as Error, exchange);
  }
}
