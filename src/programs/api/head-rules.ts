/** What the head of every request must be, whatever it asks for. */
import type { IncomingMessage } from 'node:http';
import { HttpFault } from './http-fault.ts';

/** Fields that it may have. */
const FIELDS_MAX = 100;

/** @throws HttpFault for another version of HTTP, for more fields than are read, and for an address that is none */
export function requireHttp(request: IncomingMessage): void {
  if (request.rawHeaders.length > 2 * FIELDS_MAX)
    throw new HttpFault(431, `The head has more than ${FIELDS_MAX} fields.`);
  if (!/^(100-continue)?$/i.test(request.headers.expect ?? ''))
    throw new HttpFault(417, 'Nothing else is expected here than 100-continue.');
  if (request.httpVersionMajor === 0) throw new HttpFault(400, 'Malformed Request-Line');
  if (request.httpVersionMajor !== 1) throw new HttpFault(505, 'Cannot fulfill request');
  if (request.httpVersionMinor > 0 && request.headers.host === undefined)
    throw new HttpFault(400, "HTTP/1.1 requires a 'Host' request header.");
  if ((request.url ?? '').includes('#')) throw new HttpFault(400, 'Illegal #fragment in Request-URI.');
}
