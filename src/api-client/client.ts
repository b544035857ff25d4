/**
 * A client of the API's second version, for programs in Node and in browsers: calls, lists over all their pages, and
 * streams, with the types of `operations.ts`. It needs nothing but `fetch`.
 */
import { ADDRESSES, type ErrorCode, type Operations, type Streams } from './operations.ts';

export type * from './operations.ts';

/** Characters of one event of a stream. */
const EVENT_MAX = 64 * 1024 * 1024;

/** How a client reaches the API. */
export interface ApiClientOptions {
  /** The root of salt-api, such as `https://salt.example.com:8000`. */
  readonly url: string;
  /** An API token, or the token of a session; `logIn` gets one. */
  readonly token?: string;
  /** Sends requests in the place of the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** What may be said of one call. */
export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal;
}

/** What a stream may be told. */
export interface StreamOptions extends CallOptions {
  /** The `id` of the last event that was seen: the stream goes on after it. */
  readonly lastEventId?: string;
}

/** One event of a stream. */
export type StreamEvent<E> = {
  [K in keyof E]: { readonly event: K; readonly data: E[K]; readonly id: string | undefined };
}[keyof E];

type Given<T> = Omit<T, 'answer' | 'events'>;
/** Nothing need be given where nothing is required. */
type Arguments<T, O> =
  Record<never, never> extends Given<T> ? [given?: Given<T>, options?: O] : [given: Given<T>, options?: O];
type ListNames = {
  [K in keyof Operations]: Operations[K]['answer'] extends {
    readonly items: readonly unknown[];
    readonly next: string | null;
  }
    ? K
    : never;
}[keyof Operations];
type ItemOf<K extends ListNames> = Operations[K]['answer']['items'][number];

interface Request {
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

/** A request that was not served. `code` stays the same from version to version, the message is for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** `no-answer` where what came is not of the API. */
  readonly code: ErrorCode | 'no-answer';
  readonly status: number;
  /** The field of the request that is at fault. */
  readonly field: string | undefined;
  /** Offset in a target, in UTF-16 units. */
  readonly position: number | undefined;
  readonly details: unknown;
  /** Seconds after which it is worth trying again. */
  readonly retryAfter: number | undefined;

  constructor(response: Response, text: string) {
    const error = errorIn(text);
    super(error?.message ?? `${new URL(response.url).host} has answered ${response.status} and no API.`);
    this.code = error?.code ?? 'no-answer';
    this.status = response.status;
    this.field = error?.field;
    this.position = error?.position;
    this.details = error?.details;
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    this.retryAfter = Number.isFinite(seconds) ? seconds : undefined;
  }
}

/** Calls the API. */
export class ApiClient {
  readonly #base: string;
  readonly #fetch: typeof fetch;
  #token: string | undefined;

  constructor({ url, token, fetch: own }: ApiClientOptions) {
    this.#base = `${url.replace(/\/+$/, '')}/api/v2`;
    this.#token = token;
    this.#fetch = own ?? ((...given) => fetch(...given));
  }

  /** Begins a session, in whose name further calls are made. @throws ApiError `login-failed` */
  async logIn(
    credentials: Operations['session.login']['body'],
  ): Promise<Operations['session.login']['answer']['me']> {
    const { token, me } = await this.call('session.login', { body: credentials });
    this.#token = token;
    return me;
  }

  /** Ends the session. @throws ApiError */
  async logOut(): Promise<void> {
    await this.call('session.logout');
    this.#token = undefined;
  }

  /** Makes a call. @returns its answer @throws ApiError, and what `fetch` throws where nothing answers */
  async call<K extends keyof Operations>(
    name: K,
    ...given: Arguments<Operations[K], CallOptions>
  ): Promise<Operations[K]['answer']> {
    const [request, options] = requestOf<CallOptions>(given);
    const response = await this.#send(name, request, options.signal, {});
    const text = await response.text();
    return (text === '' ? undefined : JSON.parse(text)) as Operations[K]['answer'];
  }

  /** The items of a list, page after page, as long as they are asked for. @throws as `call` */
  async *items<K extends ListNames>(
    name: K,
    ...given: Arguments<Operations[K], CallOptions>
  ): AsyncGenerator<ItemOf<K>, void, undefined> {
    const [request, options] = requestOf<CallOptions>(given);
    let cursor: string | null = null;
    do {
      const query: Request['query'] = { ...request.query, ...(cursor === null ? {} : { cursor }) };
      const response = await this.#send(name, { ...request, query }, options.signal, {});
      const page = (await response.json()) as { items: readonly ItemOf<K>[]; next: string | null };
      yield* page.items;
      cursor = page.next;
    } while (cursor !== null);
  }

  /**
   * The events of a stream, to its end; leaving the loop ends it.
   * @throws ApiError, also for an error within it; the reason of the signal, once that is aborted
   */
  async *stream<K extends keyof Streams>(
    name: K,
    ...given: Arguments<Streams[K], StreamOptions>
  ): AsyncGenerator<StreamEvent<Streams[K]['events']>, void, undefined> {
    const [request, options] = requestOf<StreamOptions>(given);
    const { signal, lastEventId } = options;
    const headers = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
    const response = await this.#send(name, request, signal, headers);
    for await (const block of blocksOf(response, signal)) {
      const event = fieldOf(block, 'event');
      const data = fieldOf(block, 'data');
      if (event === undefined || data === undefined) continue;
      if (event === 'error') throw new ApiError(response, data);
      yield { event, data: JSON.parse(data) as unknown, id: fieldOf(block, 'id') } as StreamEvent<
        Streams[K]['events']
      >;
    }
  }

  async #send(
    name: keyof typeof ADDRESSES,
    { params = {}, query = {}, body }: Request,
    signal: AbortSignal | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const [method, path] = ADDRESSES[name];
    const url = new URL(
      this.#base +
        path.replace(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(textOf(params[field]))),
    );
    for (const [field, value] of Object.entries(query))
      for (const each of Array.isArray(value) ? value : [value])
        if (each !== undefined) url.searchParams.append(field, textOf(each));
    const response = await this.#fetch(url.href, {
      method,
      headers: {
        ...headers,
        ...(this.#token === undefined ? {} : { Authorization: `Bearer ${this.#token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      // a token is for the host that was named
      redirect: 'error',
    });
    if (response.ok) return response;
    throw new ApiError(response, await response.text());
  }
}

/** What is left out is empty. */
function requestOf<O extends object>(given: readonly unknown[]): [Request, Partial<O>] {
  const [request = {}, options = {}] = given;
  return [request as Request, options as Partial<O>];
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TypeError('What stands in an address is a text, a number or a truth value.');
}

function errorIn(
  text: string,
): { code: ErrorCode; message: string; field?: string; position?: number; details?: unknown } | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: { code: ErrorCode; message: string } };
    return typeof error?.code === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The blocks of a stream of events.
 * @throws the signal's reason as soon as it is aborted, whatever has arrived by then: what reading a broken-off body
 *   gives differs by the moment (the reason, a `TypeError`, or just an end)
 */
async function* blocksOf(
  { body }: Response,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        signal?.throwIfAborted();
        throw error;
      });
      signal?.throwIfAborted();
      if (done) return;
      text += decoder.decode(value as Uint8Array, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      if (text.length > EVENT_MAX)
        throw new Error(`An event of the stream is longer than ${EVENT_MAX} characters.`);
      for (const block of blocks) {
        signal?.throwIfAborted();
        yield block;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function fieldOf(block: string, name: string): string | undefined {
  return new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
}
