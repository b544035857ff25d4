/**
 * A proxy for apt that keeps what it has fetched: both sides of a comparison get the same packages, each fetched once.
 */
import { createHash } from 'node:crypto';
import { createWriteStream, existsSync, mkdirSync, renameSync, createReadStream, statSync } from 'node:fs';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The only host that is asked. */
const MIRROR = 'deb.debian.org';

/** A proxy that listens. */
export interface AptProxy {
  readonly close: () => void;
}

/**
 * Listens on a unix socket. Everything that is not of Debian's mirror is refused, so that both sides are told the same.
 */
export async function startAptProxy(socket: string, folder: string): Promise<AptProxy> {
  mkdirSync(folder, { recursive: true });
  const server = createServer((request, response) => {
    answer(request, response, folder).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(502);
      response.end(String(error));
    });
  });
  server.on('connect', (_request, connection) => {
    connection.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return { close: () => server.close() };
}

async function answer(request: IncomingMessage, response: ServerResponse, folder: string): Promise<void> {
  const url = new URL(request.url ?? '', 'http://none.invalid');
  if (url.hostname !== MIRROR) {
    response.writeHead(403).end();
    return;
  }
  const kept = join(folder, createHash('sha256').update(url.pathname).digest('hex'));
  if (!existsSync(kept)) {
    const status = await fetchTo(kept, url);
    if (status !== 200) {
      response.writeHead(status).end();
      return;
    }
  }
  // what is kept never changes, and apt need not read its lists anew
  if (request.headers['if-modified-since'] !== undefined) {
    response.writeHead(304).end();
    return;
  }
  response.writeHead(200, {
    'Last-Modified': statSync(kept).mtime.toUTCString(),
    'Content-Length': statSync(kept).size,
  });
  await pipeline(createReadStream(kept), response);
}

/** Fetches a file, which is there in whole or not at all. @returns the status of the mirror */
async function fetchTo(file: string, url: URL): Promise<number> {
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, resolve).on('error', reject);
  });
  if (reply.statusCode !== 200) {
    reply.resume();
    return reply.statusCode ?? 502;
  }
  const part = `${file}.${process.pid}`;
  await pipeline(reply, createWriteStream(part));
  renameSync(part, file);
  return 200;
}
