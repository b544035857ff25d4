/**
 * A stand-in of a Docker daemon: the Engine API over a unix socket, with what it has in memory. Tests start it in their
 * process; `node scripts/run-ts.mjs test/support/docker-daemon.ts SOCKET` runs it until it is ended.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { chmodSync } from 'node:fs';
import { answerCall, type DaemonAnswer } from './docker/routes.ts';
import { DockerStore, Refused, type JsonDict } from './docker/store.ts';

/** A stand-in that runs. */
export interface DockerDaemon {
  readonly store: DockerStore;
  stop(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<JsonDict> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const isJson = request.headers['content-type']?.includes('json') === true;
  const text = Buffer.concat(chunks).toString('utf8');
  return isJson && text !== '' ? (JSON.parse(text) as JsonDict) : {};
}

async function answered(store: DockerStore, request: IncomingMessage): Promise<DaemonAnswer> {
  const url = new URL(request.url ?? '/', 'http://docker');
  const path = url.pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  if (/^v\d+\.\d+$/.test(path[0] ?? '')) path.shift();
  const body = await bodyOf(request);
  try {
    return answerCall(store, { method: request.method ?? 'GET', path, query: url.searchParams, body });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { status: error.status, json: { message: error.message } };
  }
}

function send(response: ServerResponse, { status, json, lines, text }: DaemonAnswer): void {
  const isRaw = text !== undefined;
  response.writeHead(status, {
    'content-type': isRaw ? 'application/vnd.docker.raw-stream' : 'application/json',
  });
  // each message in a chunk of its own, as the daemon sends them
  for (const line of lines ?? []) response.write(`${JSON.stringify(line)}\r\n`);
  if (isRaw) response.end(Buffer.from(text, 'latin1'));
  else response.end(json === undefined ? undefined : JSON.stringify(json));
}

/**
 * Starts a stand-in.
 * @param socketPath where it listens
 * @param told hears of each request that is to change something, as method and path
 */
export async function startDockerDaemon(
  socketPath: string,
  told: (request: string) => void = () => undefined,
): Promise<DockerDaemon> {
  const store = new DockerStore();
  const server: Server = createServer((request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      told(`docker ${request.method} ${request.url}`);
    answered(store, request).then(
      (answer) => send(response, answer),
      (error: unknown) => send(response, { status: 500, json: { message: String(error) } }),
    );
  });
  await new Promise<void>((started) => server.listen(socketPath, started));
  chmodSync(socketPath, 0o666);
  return {
    store,
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
}

const [, program = '', socket] = process.argv;
if (/\/docker-daemon\.\w+$/.test(program) && socket !== undefined) await startDockerDaemon(socket);
