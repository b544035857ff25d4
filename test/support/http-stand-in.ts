/** A server of HTTP for tests: keeps what it gets and answers what it is told. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it came. */
export interface HttpTaken {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** What to answer. */
export interface HttpGiven {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Says nothing, ever. */
  readonly hang?: boolean;
}

/** The server while it runs. */
export interface HttpStandIn {
  readonly url: string;
  readonly port: number;
  readonly taken: HttpTaken[];
}

/** Starts one on a port of the system's; it ends with the test. */
export async function startHttpStandIn(
  t: { after(run: () => void): void },
  answer: (request: HttpTaken) => HttpGiven,
): Promise<HttpStandIn> {
  const taken: HttpTaken[] = [];
  const server = createServer((request, response) => {
    void read(request).then((one) => {
      taken.push(one);
      const { status = 200, body = '', headers = {}, hang = false } = answer(one);
      if (!hang) response.writeHead(status, headers).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, taken };
}

async function read(request: IncomingMessage): Promise<HttpTaken> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: new Map(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    body: Buffer.concat(chunks).toString('utf8'),
  };
}
