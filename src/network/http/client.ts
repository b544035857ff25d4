/**
 * HTTP for what may be secret: one request, one bounded answer, one time limit over all of it. Redirects are not
 * followed: what is sent may be secret, and was meant for the host that was named. Messages name the host only, because
 * a path may be a secret, too.
 */
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { SecureContext } from 'node:tls';
import { StringDecoder } from 'node:string_decoder';
import { BrineError, ConfigError, messageOf, UnreachableError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { tlsFault, addressOf } from '../tls/fault.ts';
import { readAuthorities } from '../tls/files.ts';
import { noteShown, type ShownNote } from '../tls/shown.ts';
import { isDict, pyTypeName, type Value } from '../../python/values/value.ts';

const ANSWER_BYTES_MAX = 1024 * 1024;

/** One request. */
export interface HttpRequest {
  readonly method: 'DELETE' | 'GET' | 'HEAD' | 'PATCH' | 'POST' | 'PUT';
  readonly url: URL;
  readonly headers?: ReadonlyMap<string, string>;
  readonly body?: string | Uint8Array;
  readonly timeoutMs: number;
  /** False takes any certificate; a text is the file of the certificates to trust. */
  readonly verify?: boolean | string;
  /** What is made of that file already, in its place. */
  readonly secureContext?: SecureContext;
  /** The setting with `verify`, and the one with `certificate`, as they stand in the configuration: for messages. */
  readonly tlsSettings?: { readonly ca?: string; readonly own?: string };
  /** Who asks, for servers that want to see a certificate. */
  readonly certificate?: { readonly cert: Buffer; readonly key: Buffer };
  readonly clock: Clock;
  /** How the program names itself; default `salt-returner`. */
  readonly agent?: string;
  /** Most bytes of the answer; 1 MiB. */
  readonly answerBytesMax?: number;
  /** Ends the exchange. */
  readonly signal?: AbortSignal;
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
  return exchanged(wanted, async (answer) => ({
    status: answer.statusCode ?? 0,
    text: await collect(answer, wanted.answerBytesMax ?? ANSWER_BYTES_MAX),
    headers: answer.headers,
  }));
}

/**
 * Sends a request whose answer comes line by line and does not end, and reads it until a line is what is looked for.
 * @param find gives what is looked for, or undefined for the next line; what it throws ends the exchange
 * @returns undefined when the time is over, or the answer has ended
 * @throws UnreachableError naming the host
 */
export async function firstLine<T>(
  wanted: HttpRequest,
  find: (line: string) => T | undefined,
): Promise<T | undefined> {
  let isLate = false;
  const noteLate = (): void => {
    isLate = true;
  };
  try {
    return await exchanged(
      wanted,
      async (answer) => {
        for await (const line of linesOf(answer, wanted.answerBytesMax ?? ANSWER_BYTES_MAX)) {
          const found = find(line);
          if (found !== undefined) return found;
        }
        return undefined;
      },
      noteLate,
    );
  } catch (error) {
    if (isLate) return undefined;
    throw error;
  }
}

/** One exchange with its limits; the connection is closed behind it. */
function exchanged<T>(
  wanted: HttpRequest,
  take: (answer: IncomingMessage) => Promise<T>,
  noteLate: () => void = () => undefined,
): Promise<T> {
  const { clock, timeoutMs, signal } = wanted;
  return new Promise((resolve, reject) => {
    const stop = (): void => void request.destroy(new Error('the job was ended'));
    const end = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', stop);
    };
    const fail = (error: unknown): void => {
      end();
      reject(error instanceof BrineError ? error : unreachable(error, wanted, note));
    };
    let note: ShownNote = {};
    let request: ClientRequest;
    const timer = clock.after(timeoutMs, () => {
      noteLate();
      request.destroy(new Error(`no whole answer within ${timeoutMs / 1000} s`));
    });
    try {
      request = startRequest(wanted);
      note = noteShown(request);
    } catch (error) {
      end();
      return void reject(error);
    }
    request.on('error', fail);
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop);
    request.once('response', (answer) => {
      void take(answer)
        .then((taken) => {
          end();
          resolve(taken);
        }, fail)
        .finally(() => request.destroy());
    });
    request.end(wanted.body);
  });
}

/** No whole answer came: which host, and why; of TLS also which certificate, and what to do. */
export function unreachable(
  error: unknown,
  { url, verify, tlsSettings }: Pick<HttpRequest, 'url' | 'verify' | 'tlsSettings'>,
  { shown }: ShownNote,
): UnreachableError {
  const fault = tlsFault(error, {
    address: addressOf(url),
    caSetting: tlsSettings?.ca,
    caFile: typeof verify === 'string' ? verify : undefined,
    ownSetting: tlsSettings?.own,
    shown,
    isPlain: url.protocol === 'http:',
  });
  return new UnreachableError(fault ?? `${url.host} cannot be reached: ${messageOf(error)}`, {
    cause: error,
  });
}

/** Whether an answer says that nothing can be done there now, whatever it is: no right, no leader, no time. */
export function isAway(status: number): boolean {
  return status === 401 || status === 403 || status === 429 || status >= 500;
}

/**
 * The URL in an option.
 * @param full the option as the configuration has it; the value is not told
 * @throws ConfigError
 */
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

function authorities(
  verify: boolean | string,
  tlsSettings: HttpRequest['tlsSettings'],
): { readonly ca?: Buffer } {
  return typeof verify === 'string' ? { ca: readAuthorities(verify, tlsSettings?.ca ?? 'verify') } : {};
}

/** Begins a request; the caller ends it. */
export function startRequest({
  method,
  url,
  headers,
  body,
  verify = true,
  certificate,
  secureContext,
  tlsSettings,
  agent = 'salt-returner',
}: Omit<HttpRequest, 'timeoutMs' | 'clock'>): ClientRequest {
  const options = {
    method,
    headers: {
      'user-agent': agent,
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      ...Object.fromEntries(headers ?? []),
    },
    agent: false as const,
  };
  // each process of a master knows this file, few ever send a request, and what these two bring takes a third of a
  // megabyte
  if (url.protocol === 'http:') return process.getBuiltinModule('node:http').request(url, options);
  return process.getBuiltinModule('node:https').request(url, {
    ...options,
    rejectUnauthorized: verify !== false,
    ...certificate,
    ...(secureContext === undefined ? authorities(verify, tlsSettings) : { secureContext }),
  });
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

async function* linesOf(answer: IncomingMessage, bytesMax: number): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let pending = '';
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    const lines = (pending + decoder.write(chunk)).split('\n');
    pending = lines.pop() ?? '';
    yield* lines;
    if (pending.length > bytesMax) throw new Error(`a line of the answer is longer than ${bytesMax} bytes`);
  }
  if (pending !== '') yield pending;
}
