/** One request and the answer to it, before it is known what it asks for. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { formFields, unquotePath } from './body.ts';

/** What an answer consists of. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

/** A request. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  /** Decoded, below the root of the application. */
  readonly path: string;
  /** Fields behind `?`; a name that is given twice has the last of its values in `query`. */
  readonly query: ReadonlyMap<string, string>;
  /** Headers that every answer to this request has, by their names in lower case. */
  readonly headers = new Map<string, readonly [string, string]>();
  /** A session cookie to set with the answer. */
  cookie: string | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, rootPrefix: string) {
    this.request = request;
    this.response = response;
    this.method = request.method ?? 'GET';
    const target = request.url ?? '/';
    const at = target.indexOf('?');
    const path = unquotePath(at < 0 ? target : target.slice(0, at));
    this.path = rootPrefix === '' ? path : path.slice(rootPrefix.length) || '/';
    this.query = new Map(at < 0 ? [] : formFields(target.slice(at + 1)));
  }

  /** The names of the path, without empty ones at the end. */
  get segments(): string[] {
    return this.path.split('/').filter((name) => name !== '');
  }

  /** The address that the request comes from. */
  get address(): string {
    return (this.request.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  set(name: string, value: string): void {
    this.headers.set(name.toLowerCase(), [name, value]);
  }

  /** The value of a cookie. */
  cookieOf(name: string): string | undefined {
    for (const pair of (this.header('cookie') ?? '').split(';')) {
      const at = pair.indexOf('=');
      if (at > 0 && pair.slice(0, at).trim() === name)
        return pair
          .slice(at + 1)
          .trim()
          .replace(/^"(.*)"$/, '$1');
    }
    return undefined;
  }
}
