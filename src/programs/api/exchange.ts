/** One request and the answer to it, before it is known what it asks for. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { formFields, unquotePath } from './body.ts';
import type { Proxies } from './proxies.ts';

/** What an answer consists of. */
export interface HttpReply {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

/** A request. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  /** The address that the request comes from; a connection that has ended does not know it any more. */
  readonly address: string;
  /** Decoded but for `%2F`, which divides no names. */
  readonly wholePath: string;
  /** The part of it below the root of the application. */
  readonly path: string;
  /** Fields behind `?`; a name that is given twice has the last of its values in `query`. */
  readonly query: ReadonlyMap<string, string>;
  /** Names behind `?` that stand alone or with an empty value; as fields they are left out. */
  readonly flags: ReadonlySet<string>;
  /** Headers that every answer to this request has, by their names in lower case. */
  readonly headers = new Map<string, readonly [string, string]>();
  /** A session cookie to set with the answer. */
  cookie: string | undefined;
  /** Set when the browser has shown that it began here what the page of a provider has sent it back with. */
  isProvenBrowser = false;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    rootPrefix: string,
    proxies: Pick<Proxies, 'clientOf'>,
  ) {
    this.request = request;
    this.response = response;
    this.method = request.method ?? 'GET';
    const address = (request.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
    this.address = proxies.clientOf(address, request.headers);
    // a proxy is asked for a whole address, and so may be any server (RFC 9112 3.2.2)
    const target = (request.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '') || '/';
    const at = target.indexOf('?');
    this.wholePath = unquotePath(at < 0 ? target : target.slice(0, at), '%2F');
    this.path = rootPrefix === '' ? this.wholePath : this.wholePath.slice(rootPrefix.length) || '/';
    const fields = at < 0 ? '' : target.slice(at + 1);
    this.query = new Map(formFields(fields));
    this.flags = new Set(
      fields.split('&').flatMap((field) => (/^[^=]+=?$/.test(field) ? [field.replace('=', '')] : [])),
    );
  }

  /** The names of the path, without empty ones at the end. */
  get segments(): string[] {
    return this.path
      .split('/')
      .filter((name) => name !== '')
      .map((name) => name.replace(/%2F/gi, '/'));
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  set(name: string, value: string): void {
    this.headers.set(name.toLowerCase(), [name, value]);
  }

  /** Adds a cookie to the answer, beside the one of the session. */
  addCookie(text: string): void {
    const name = text.slice(0, text.indexOf('='));
    this.headers.set(`set-cookie ${name}`, ['Set-Cookie', text]);
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
