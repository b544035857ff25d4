/** A web server on this host that answers in ways which tests ask for by the path. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = readonly [status: number, headers: Record<string, string>, body: string | Buffer];

const TEXT = { 'Content-Type': 'text/plain; charset=utf-8' };
const ANSWERS: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ['/hello', [200, { ...TEXT, 'X-Two-words': 'a' }, 'hello ü\n']],
  ['/latin', [200, { 'Content-Type': 'text/plain; charset=iso-8859-1' }, Buffer.from('gr\u00fcn', 'latin1')]],
  ['/binary', [200, { 'Content-Type': 'application/octet-stream' }, Buffer.from([0, 255, 254, 1])]],
  ['/json', [200, { 'Content-Type': 'application/json' }, '{"a": [1, 2.0, null], "b": "x"}']],
  ['/badjson', [200, { 'Content-Type': 'application/json' }, '{nothing']],
  ['/yaml', [200, { 'Content-Type': 'text/yaml' }, 'a: [1, 2]\nb: x\n']],
  [
    '/xml',
    [
      200,
      { 'Content-Type': 'text/xml' },
      '<?xml version="1.0"?>\n<r a="1"><!-- c --><b>x &amp; y</b><c><d>1</d><d>2</d><e/></c><n:f xmlns:n="u">z</n:f></r>',
    ],
  ],
  ['/empty', [204, {}, '']],
  ['/missing', [404, TEXT, 'there is none']],
  ['/broken', [500, { 'Content-Type': 'application/json' }, '{"error": 5}']],
  ['/moved', [302, { Location: '/echo' }, '']],
  ['/kept', [307, { Location: '/echo' }, '']],
  ['/round', [301, { Location: '/round' }, 'round']],
]);

function reply(request: IncomingMessage, response: ServerResponse, body: string): void {
  const path = (request.url ?? '').split('?')[0] ?? '';
  const found = ANSWERS.get(path);
  if (found !== undefined) {
    response.writeHead(found[0], { Date: 'Thu, 01 Jan 2026 00:00:00 GMT', ...found[1] });
    response.end(found[2]);
    return;
  }
  const { headers } = request;
  const names = [
    'user-agent',
    'content-type',
    'content-length',
    'authorization',
    'x-own',
    'x-list',
    'connection',
  ];
  const seen = Object.fromEntries(names.map((name) => [name, headers[name] ?? null]));
  response.writeHead(200, { 'Content-Type': 'application/json', Date: 'Thu, 01 Jan 2026 00:00:00 GMT' });
  response.end(JSON.stringify({ method: request.method, url: request.url, body, ...seen }));
}

/** Starts the server. @returns its address, without a slash at the end, and what ends it */
export async function startEchoServer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server: Server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => reply(request, response, Buffer.concat(pieces).toString()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
