/**
 * One HTTP request with all that `http.query` lets one say of it, as Tornado's client does it (3006.16
 * salt/ext/tornado): five redirects, a POST that becomes a GET. Stricter: what may be secret stays with the place that
 * it was given for (`redirect.ts`), no certificate is shown to another one, and the body does not leave TLS.
 */
import type { ErrorCode } from '../../../errors/codes.ts';
import {
  request as requestHttp,
  STATUS_CODES,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { describeSystemError } from '../../../storage/fileclient/system-error.ts';
import type { HttpSettings } from '../../../storage/fileclient/http.ts';
import { BrineError, messageOf } from '../../../errors/errors.ts';
import { addressOf, tlsFault } from '../../../network/tls/fault.ts';
import { readAuthorities, readCertificate, readPrivateKey } from '../../../network/tls/files.ts';
import { systemAuthorities } from '../../../network/tls/system-authorities.ts';
import { noteShown, type ShownNote } from '../../../network/tls/shown.ts';
import {
  leadsElsewhere,
  mayGoElsewhere,
  REDIRECTS,
  REDIRECTS_MAX,
  redirectTarget,
} from '../../../network/http/redirect.ts';
import type { Clock } from '../../../host/clock.ts';

const BODY_HEADERS: ReadonlySet<string> = new Set([
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
]);

/** A request. */
export interface HttpRequest {
  readonly url: URL;
  readonly method: string;
  /** Names as they are to be written. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array | undefined;
  readonly auth: { readonly user: string; readonly password: string } | undefined;
  readonly verifySsl: boolean;
  /** Files of the certificate and the key that the client shows. */
  readonly cert: { readonly certificate: string; readonly key: string } | undefined;
  readonly settings: HttpSettings;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** An answer, whatever its status. */
export interface HttpResponse {
  readonly status: number;
  readonly reason: string;
  /** Names in Tornado's spelling (`Content-Type`). */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** The address that gave it, behind all redirects. */
  readonly url: URL;
}

/** No answer came; the message is the system's reason in Python's words. */
export class ConnectionError extends BrineError {
  static override readonly errorCode: ErrorCode = 'http-failed';
  override readonly name = 'ConnectionError';
}

/** Sends a request and takes the answer. @throws ConnectionError */
export async function exchange(first: HttpRequest): Promise<HttpResponse> {
  let request = first;
  for (let redirects = 0; ; redirects++) {
    const answer = await send(request);
    const status = answer.statusCode ?? 0;
    const { location } = answer.headers;
    if (!REDIRECTS.has(status) || location === undefined || redirects >= REDIRECTS_MAX) {
      const body = await takeBody(answer, request.settings.bodyBytesMax);
      const reason = answer.statusMessage ?? '';
      return {
        status,
        reason: reason === '' ? (STATUS_CODES[status] ?? 'Unknown') : reason,
        headers: headersOf(answer),
        body,
        url: request.url,
      };
    }
    answer.destroy();
    request = redirected(request, location, status);
  }
}

function redirected(request: HttpRequest, location: string, status: number): HttpRequest {
  const url = redirectTarget(request.url, location);
  if (url === undefined)
    throw new ConnectionError('The answer leads to what is no address of http or https, and is not followed');
  const isElsewhere = leadsElsewhere(request.url, url);
  const becomesGet = status === 302 || status === 303;
  if (
    request.body !== undefined &&
    !becomesGet &&
    request.url.protocol === 'https:' &&
    url.protocol === 'http:'
  )
    throw new ConnectionError(
      `The redirect from https to http://${url.host} is not followed: what is sent would be readable on its way`,
    );
  const headers = [...request.headers].filter(
    ([name]) =>
      !(isElsewhere && !mayGoElsewhere(name)) && !(becomesGet && BODY_HEADERS.has(name.toLowerCase())),
  );
  return {
    ...request,
    url,
    headers: new Map(headers),
    auth: isElsewhere ? undefined : request.auth,
    cert: isElsewhere ? undefined : request.cert,
    ...(becomesGet ? { method: 'GET', body: undefined } : {}),
  };
}

async function send(wanted: HttpRequest): Promise<IncomingMessage> {
  const { settings, clock, signal } = wanted;
  const tunnel = needsTunnel(wanted) ? await openTunnel(wanted) : undefined;
  return new Promise((resolve, reject) => {
    let request: ClientRequest;
    try {
      request = start(wanted, tunnel);
    } catch (error) {
      reject(new ConnectionError(messageOf(error)));
      return;
    }
    const note = noteShown(request);
    const giveUp = (text: string): void => void request.destroy(new Error(text));
    const connecting = clock.after(settings.connectTimeoutMs, () => giveUp('Timeout while connecting'));
    const whole = clock.after(settings.requestTimeoutMs, () => giveUp('Timeout during request'));
    const stop = (): void => giveUp('The job was ended');
    signal.addEventListener('abort', stop, { once: true });
    request.once('socket', (socket) => {
      if (!socket.connecting) connecting.cancel();
      else socket.once('connect', () => connecting.cancel());
    });
    request.once('close', () => {
      connecting.cancel();
      whole.cancel();
      signal.removeEventListener('abort', stop);
    });
    request.once('response', resolve);
    request.once('error', (error) => reject(new ConnectionError(reasonOf(error, wanted, note))));
    request.end(wanted.body);
  });
}

/**
 * Why no answer came. Of TLS it says which address, which certificate and what to do.
 * Salt compat: for the rest Salt says as little, `[Errno 111] Connection refused`, and templates look for that.
 */
function reasonOf(error: Error, { url, settings }: HttpRequest, { shown }: ShownNote): string {
  // what the system trusts is not edited by hand
  const caFile = settings.caBundle === systemAuthorities() ? undefined : settings.caBundle;
  const peer = {
    address: addressOf(url),
    caSetting: 'ca_bundle',
    caFile,
    ownSetting: 'cert',
    shown,
    isPlain: url.protocol === 'http:',
  };
  return tlsFault(error, peer) ?? describeSystemError(error);
}

function proxyOf({ settings, url }: HttpRequest): HttpSettings['proxy'] {
  return settings.noProxy.includes(url.hostname) ? undefined : settings.proxy;
}

function needsTunnel(request: HttpRequest): boolean {
  return request.url.protocol === 'https:' && proxyOf(request) !== undefined;
}

function proxyHeaders(proxy: NonNullable<HttpSettings['proxy']>): Record<string, string> {
  if (proxy.auth === undefined) return {};
  return { 'Proxy-Authorization': `Basic ${Buffer.from(proxy.auth).toString('base64')}` };
}

/** Through a proxy to a host that is spoken to in TLS. */
function openTunnel(request: HttpRequest): Promise<Duplex> {
  const { url, settings, clock } = request;
  const proxy = proxyOf(request) as NonNullable<HttpSettings['proxy']>;
  const target = `${url.hostname}:${url.port === '' ? 443 : url.port}`;
  return new Promise((resolve, reject) => {
    const asking = requestHttp({
      host: proxy.host,
      port: proxy.port,
      method: 'CONNECT',
      path: target,
      agent: false,
      headers: { Host: target, ...proxyHeaders(proxy) },
    });
    const timer = clock.after(settings.connectTimeoutMs, () =>
      asking.destroy(new Error('Timeout while connecting')),
    );
    asking.once('close', () => timer.cancel());
    asking.once('connect', (answer, socket) => {
      timer.cancel();
      if (answer.statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new ConnectionError(`The proxy ${proxy.host} answered ${answer.statusCode ?? 0}`));
    });
    asking.once('error', (error) => reject(new ConnectionError(describeSystemError(error))));
    asking.end();
  });
}

function start(wanted: HttpRequest, tunnel: Duplex | undefined): ClientRequest {
  const { url, method, settings, body } = wanted;
  const headers: [string, string][] = [...wanted.headers];
  const has = (name: string): boolean => headers.some(([key]) => key.toLowerCase() === name);
  const auth = wanted.auth ?? userInfo(url);
  if (auth !== undefined && !has('authorization')) {
    const pair = Buffer.from(`${auth.user}:${auth.password}`).toString('base64');
    headers.push(['Authorization', `Basic ${pair}`]);
  }
  if (body !== undefined && !has('content-length')) headers.push(['Content-Length', String(body.length)]);
  if (method === 'POST' && !has('content-type'))
    headers.push(['Content-Type', 'application/x-www-form-urlencoded']);
  const fields: RequestOptions = {
    method,
    agent: false,
    headers: { Connection: 'close', ...Object.fromEntries(headers) },
  };
  if (url.protocol === 'https:') {
    const { cert, verifySsl } = wanted;
    const ca =
      settings.caBundle === undefined || !verifySsl
        ? {}
        : { ca: readAuthorities(settings.caBundle, 'ca_bundle') };
    const own =
      cert === undefined
        ? {}
        : { cert: readCertificate(cert.certificate, 'cert'), key: readPrivateKey(cert.key, 'cert') };
    const through = tunnel === undefined ? {} : { createConnection: undefined, socket: tunnel };
    return requestHttps(plain(url), {
      ...fields,
      rejectUnauthorized: verifySsl,
      ...ca,
      ...own,
      ...through,
    });
  }
  const proxy = proxyOf(wanted);
  if (proxy === undefined) return requestHttp(plain(url), fields);
  return requestHttp({
    ...fields,
    host: proxy.host,
    port: proxy.port,
    path: plain(url).href,
    headers: { Host: url.host, ...(fields.headers as Record<string, string>), ...proxyHeaders(proxy) },
  });
}

function userInfo(url: URL): HttpRequest['auth'] {
  if (url.username === '') return undefined;
  return { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
}

/** The address without a name and a password, which go into a header. */
function plain(url: URL): URL {
  const copy = new URL(url);
  [copy.username, copy.password, copy.hash] = ['', '', ''];
  return copy;
}

/** What is said of an answer that memory does not take. */
export function tooLarge(bytesMax: number): string {
  return `The answer is larger than http_max_body allows (${bytesMax} bytes); fetch it to a file with cp.get_url, or set the option higher`;
}

async function takeBody(answer: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let total = 0;
  try {
    for await (const piece of answer) {
      total += (piece as Buffer).length;
      if (total > bytesMax) throw new ConnectionError(tooLarge(bytesMax));
      pieces.push(piece as Buffer);
    }
  } catch (error) {
    if (error instanceof ConnectionError) throw error;
    throw new ConnectionError(describeSystemError(error as Error));
  }
  return Buffer.concat(pieces);
}

/** `Content-Type`; values of one name with commas between. */
function headersOf(answer: IncomingMessage): Map<string, string> {
  const out = new Map<string, string>();
  for (let i = 0; i + 1 < answer.rawHeaders.length; i += 2) {
    const name = (answer.rawHeaders[i] as string)
      .split('-')
      .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1).toLowerCase()}`)
      .join('-');
    const value = answer.rawHeaders[i + 1] as string;
    const before = out.get(name);
    out.set(name, before === undefined ? value : `${before},${value}`);
  }
  return out;
}
