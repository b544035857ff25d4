/** One request and its answer, with errors that say what happened and what to do. */

/** What the API, or the way to it, has said instead of an answer. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** Status of HTTP; 0 when nothing came back. */
  readonly status: number;
  /** The API's own code: `not-allowed`, `bad-target` … */
  readonly code: string;
  /** The field or the position that is wrong. */
  readonly field: string | undefined;
  readonly position: number | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    where: { field?: string | undefined; position?: number | undefined } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = where.field;
    this.position = where.position;
  }
}

/** Told of every answer: `lost` when none comes, `expired` when the session is over. */
export interface RequestWatcher {
  readonly answered: () => void;
  readonly lost: () => void;
  readonly masterLost: () => void;
  readonly expired: () => void;
}

/** What a request may have. */
export interface RequestOptions {
  readonly query?: Query;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Fields behind `?`; those without a value are left out. */
export type Query = Readonly<Record<string, string | undefined>>;

/** Asks the API. */
export class Http {
  readonly #base: URL;
  readonly #watcher: RequestWatcher;

  /** @param base where the API is: beside the page, below whatever prefix that has */
  constructor(base: URL, watcher: RequestWatcher) {
    this.#base = base;
    this.#watcher = watcher;
  }

  /** @returns what the API answers @throws ApiError */
  async ask<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    const response = await this.#send(method, this.#addressOf(path, options.query), options);
    this.#watcher.answered();
    if (response.ok) return (response.status === 204 ? undefined : await response.json()) as T;
    throw await this.#failure(response);
  }

  /** Opens a stream of events. @param lastId the last one that was seen @throws ApiError */
  async stream(
    path: string,
    query: Query,
    signal: AbortSignal,
    lastId: string | undefined,
  ): Promise<Response> {
    const response = await fetch(this.#addressOf(path, query), {
      credentials: 'same-origin',
      redirect: 'error',
      cache: 'no-store',
      headers: {
        Accept: 'text/event-stream',
        ...(lastId === undefined ? {} : { 'Last-Event-ID': lastId }),
      },
      signal,
    });
    if (!response.ok) throw await this.#failure(response);
    return response;
  }

  #addressOf(path: string, query: Query = {}): URL {
    const url = new URL(path.replace(/^\//, ''), this.#base);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined && value !== '') url.searchParams.set(name, value);
    return url;
  }

  async #send(method: string, url: URL, { body, signal }: RequestOptions): Promise<Response> {
    try {
      return await fetch(url, {
        method,
        credentials: 'same-origin',
        redirect: 'error',
        headers: {
          Accept: 'application/json',
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: signal ?? null,
      });
    } catch (error) {
      if (signal?.aborted === true) throw error;
      this.#watcher.lost();
      throw new ApiError(
        0,
        'unreachable',
        'salt-api cannot be reached. The console keeps trying; if that does not help, see whether salt-api is running.',
      );
    }
  }

  /** Tells the watcher of what concerns more than one request. */
  async #failure(response: Response): Promise<ApiError> {
    const error = await errorOf(response);
    if (error.status === 401 && error.code !== 'login-failed') this.#watcher.expired();
    if (error.code === 'master-down') this.#watcher.masterLost();
    return error;
  }
}

/** What an answer that is no success says. */
async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  const given = errorIn(text);
  if (given !== undefined)
    return new ApiError(response.status, given.code ?? 'error', given.message ?? `HTTP ${response.status}`, {
      field: given.field,
      position: given.position,
    });
  if (response.status === 503)
    return new ApiError(503, 'master-down', 'The master does not answer salt-api. Is salt-master running?');
  return new ApiError(response.status, 'error', `salt-api has answered with status ${response.status}.`);
}

interface GivenError {
  readonly code?: string;
  readonly message?: string;
  readonly field?: string;
  readonly position?: number;
}

function errorIn(text: string): GivenError | undefined {
  try {
    return (JSON.parse(text) as { error?: GivenError }).error;
  } catch {
    return undefined;
  }
}
