/**
 * What a request is answered when it cannot be served: a status and a sentence, as a page (CherryPy's `HTTPError`, as
 * Salt uses it).
 */
import { STATUS_CODES } from 'node:http';

/** The sentences that Python's library of HTTP has for a status, and that CherryPy shows. */
const SENTENCES: ReadonlyMap<number, string> = new Map([
  [400, 'Bad request syntax or unsupported method'],
  [401, 'No permission -- see authorization schemes'],
  [403, 'Request forbidden -- authorization will not help'],
  [404, 'Nothing matches the given URI'],
  [405, 'Specified method is invalid for this resource'],
  [406, 'URI not available in preferred format'],
  [408, 'Request timed out; try again later'],
  [411, 'Client must specify Content-Length'],
  [413, 'Entity is too large'],
  [414, 'URI is too long'],
  [416, 'Cannot satisfy request range'],
  [417, 'Expect condition could not be satisfied'],
  [429, 'The user has sent too many requests in a given amount of time ("rate limiting")'],
  [431, 'The server is unwilling to process the request because its header fields are too large'],
  [500, 'The server encountered an unexpected condition which prevented it from fulfilling the request.'],
  [503, 'The server cannot process the request due to a high load'],
  [504, 'The gateway server did not receive a timely response'],
]);

/** Python's names of a status, where Node's are others. */
const PHRASES: ReadonlyMap<number, string> = new Map([
  [413, 'Request Entity Too Large'],
  [414, 'Request-URI Too Long'],
  [416, 'Requested Range Not Satisfiable'],
]);

/** A request that ends with a page. */
export class HttpFault extends Error {
  override readonly name = 'HttpFault';
  readonly status: number;
  /** Further headers of the answer. */
  readonly headers: readonly (readonly [string, string])[];

  /** @param message shown in the page; the usual sentence of the status when it is left out */
  constructor(status: number, message?: string, headers: readonly (readonly [string, string])[] = []) {
    super(message ?? SENTENCES.get(status) ?? '');
    this.status = status;
    this.headers = headers;
  }
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

/** The page of a fault. */
export function faultPage({ status, message }: Pick<HttpFault, 'status' | 'message'>): string {
  const title = `${status} ${PHRASES.get(status) ?? STATUS_CODES[status] ?? ''}`;
  const text = message.replace(/[&<>]/g, (char) => ENTITIES.get(char) ?? char);
  return [
    '<!DOCTYPE html>',
    '<html>',
    '<head>',
    '    <meta http-equiv="Content-Type" content="text/html; charset=utf-8"></meta>',
    `    <title>${title}</title>`,
    '</head>',
    '    <body>',
    `        <h2>${title}</h2>`,
    `        <p>${text}</p>`,
    '    </body>',
    '</html>',
    '',
  ].join('\n');
}
