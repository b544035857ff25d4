/**
 * HTTP for what may be secret: one request, one bounded answer, one time limit over all of it. Redirects are not followed: what is sent
 * may be secret, and was meant for the host that was named. Messages name the host only, because a path may be a secret, too.
 */
import { readFileSync } from 'node:fs';
import {
  request as requestHttp,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { ConfigError, messageOf, UnreachableError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { isDict, pyTypeName, type Value } from '../../python/values/value.ts';

const ANSWER_BYTES_MAX = 1024 * 1024;

/** One request. */
export interface HttpRequest {
  readonly method: 'DELETE' | 'GET' | 'HEAD' | 'POST' | 'PUT';
  readonly url: URL;
  readonly headers?: ReadonlyMap<string, string>;
  readonly body?: string | Uint8Array;
  readonly timeoutMs: number;
  /** False takes any certificate; a text is the file of the certificates to trust. */
  readonly verify?: boolean | string;
  /** Who asks, for servers that want to see a certificate. */
  readonly certificate?: { readonly cert: Buffer; readonly key: Buffer };
  readonly clock: Clock;
  /** How the program names itself; default `salt-returner`. */
  readonly agent?: string;
  /** Most bytes of the answer; 1 MiB. */
  readonly answerBytesMax?: number;
}

/** What came back. */
export interface HttpReply {
  readonly status: number;
  readonly text: string;
  /** Undefined where nothing came. */
  readonly headers?: IncomingHttpHeaders;
}

/** Sends a request. @throws UnreachableError naming the host, when no whole answer comes in time */
export function sendHttp(wanted: HttpRequest): Promise<HttpReply> {
  const { clock, timeoutMs, url } = wanted;
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      timer.cancel();
      reject(new UnreachableError(`${url.host} cannot be reached: ${messageOf(error)}`, { cause: error }));
    };
    let request: ClientRequest;
    const timer = clock.after(timeoutMs, () =>
      request.destroy(new Error(`no whole answer within ${timeoutMs / 1000} s`)),
    );
    try {
      request = startRequest(wanted);
    } catch (error) {
      timer.cancel();
      return void reject(error);
    }
    request.once('error', fail);
    request.once('response', (answer) => {
      collect(answer, wanted.answerBytesMax ?? ANSWER_BYTES_MAX).then((text) => {
        timer.cancel();
        resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers });
      }, fail);
    });
    request.end(wanted.body);
  });
}

/** Whether an answer says that nothing can be done there now, whatever it is: no right, no leader, no time. */
export function isAway(status: number): boolean {
  return status === 401 || status === 403 || status === 429 || status >= 500;
}

/** The URL in an option. @param full the option as the configuration has it; the value is not told @throws ConfigError */
export function urlOption(value: Value | undefined, full: string, base?: string): URL {
  let url: URL | undefined;
  try {
    url = typeof value === 'string' && value !== '' ? new URL(value, base) : undefined;
  } catch {
    // said below, without the value
  }
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new ConfigError(`${full} must be set to a URL that begins with http:// or https://.`);
  return url;
}

/** Headers out of an option: a mapping of texts. @throws ConfigError naming the header */
export function headersOption(value: Value | undefined, full: string): Map<string, string> {
  const out = new Map<string, string>();
  if (value === undefined || value === null) return out;
  if (!isDict(value))
    throw new ConfigError(`${full} must be a mapping of headers, not ${pyTypeName(value)}.`);
  for (const [name, text] of value) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(String(name)) || /[^\t\x20-\x7e\x80-\xff]/.test(String(text)))
      throw new ConfigError(
        `${full}: the header ${JSON.stringify(String(name))} has characters that none may have.`,
      );
    out.set(String(name).toLowerCase(), String(text));
  }
  return out;
}

/** How certificates are checked: False not at all, a text is the file of those to trust. */
export function verifyOption(value: Value | undefined): boolean | string {
  return value === false ? false : typeof value === 'string' && value !== '' ? value : true;
}

/** Begins a request; the caller ends it. */
export function startRequest({
  method,
  url,
  headers,
  body,
  verify = true,
  certificate,
  agent = 'salt-returner',
}: HttpRequest): ClientRequest {
  const options = {
    method,
    headers: {
      'user-agent': agent,
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      ...Object.fromEntries(headers ?? []),
    },
    agent: false as const,
  };
  if (url.protocol === 'http:') return requestHttp(url, options);
  return requestHttps(url, {
    ...options,
    rejectUnauthorized: verify !== false,
    ...certificate,
    ...(typeof verify === 'string' ? { ca: certificates(verify) } : {}),
  });
}

function certificates(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new ConfigError(`The certificates in ${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

async function collect(answer: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      answer.destroy();
      throw new Error(`the answer is larger than ${bytesMax} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
