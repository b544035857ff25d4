/** Files that are served as they are: `static`, `app`, `favicon` (CherryPy's `staticdir` and `serve_file`). */
import { createReadStream, type Stats } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { messageOf } from '../../errors/errors.ts';
import { safeJoin } from '../../host/files.ts';
import { wantsGzip } from './accept.ts';
import type { Exchange } from './exchange.ts';
import { HttpFault } from './http-fault.ts';
import type { KeptFiles } from './kept-files.ts';
import { shownPath } from './logged-target.ts';

/** Types by the endings of names, as Python and CherryPy know them. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['.bz2', 'application/x-bzip2'],
  ['.css', 'text/css'],
  ['.csv', 'text/csv'],
  ['.gif', 'image/gif'],
  ['.gz', 'application/x-gzip'],
  ['.htm', 'text/html'],
  ['.html', 'text/html'],
  ['.ico', 'image/x-icon'],
  ['.jpeg', 'image/jpeg'],
  ['.jpg', 'image/jpeg'],
  ['.js', 'text/javascript'],
  ['.json', 'application/json'],
  ['.map', 'application/json'],
  ['.md', 'text/markdown'],
  ['.mjs', 'text/javascript'],
  ['.pdf', 'application/pdf'],
  ['.png', 'image/png'],
  ['.svg', 'image/svg+xml'],
  ['.txt', 'text/plain'],
  ['.wasm', 'application/wasm'],
  ['.webp', 'image/webp'],
  ['.woff', 'font/woff'],
  ['.woff2', 'font/woff2'],
  ['.xml', 'text/xml'],
]);

const ZIPPED_BYTES_MAX = 4 * 1024 * 1024;
const compress = promisify(gzip);

/** A file to be sent. */
export interface FoundFile {
  readonly path: string;
  readonly stats: Stats;
  readonly type: string;
}

/**
 * The file below a folder that a request names.
 * @throws HttpFault 403 for what is not below it, 404
 */
export async function fileBelow(
  folder: string,
  names: readonly string[],
  exchange: Exchange,
): Promise<FoundFile> {
  if (names.length === 0 || exchange.path.endsWith('/')) throw notFound(exchange);
  let path: string;
  try {
    path = safeJoin(folder, ...names);
  } catch {
    throw new HttpFault(403);
  }
  return file(path, exchange);
}

/** @throws HttpFault 404 when there is no such file */
export async function file(path: string, exchange: Exchange): Promise<FoundFile> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isFile() !== true) throw notFound(exchange);
  const real = await realpath(path);
  return { path: real, stats, type: TYPES.get(extname(path).toLowerCase()) ?? 'application/octet-stream' };
}

function notFound({ wholePath }: Exchange): HttpFault {
  return new HttpFault(404, `The path '${shownPath(wholePath)}' was not found.`);
}

/** Part of a file: the first byte and the last. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/** Sends a file, or the part of it that is asked for; only its headers when the client has it already. */
export async function sendFile(
  { path, stats, type }: FoundFile,
  exchange: Exchange,
  kept: KeptFiles,
): Promise<number> {
  const { response } = exchange;
  const since = Date.parse(exchange.header('if-modified-since') ?? '');
  exchange.set('Last-Modified', stats.mtime.toUTCString());
  // Salt compat: only the very time that was sent counts
  if (Math.floor(stats.mtimeMs / 1000) * 1000 === since) return finish(exchange, 304);
  const part = partOf(exchange.header('range'), stats.size);
  const isZipped = part === undefined && mayZip(type, stats.size, exchange);
  const zipped = isZipped ? await kept.bytes(path, async (of) => compress(await readFile(of))) : undefined;
  if (zipped !== undefined) exchange.set('Content-Encoding', 'gzip');
  exchange.set('Content-Type', type);
  exchange.set('Accept-Ranges', 'bytes');
  exchange.set('Vary', 'Accept-Encoding');
  exchange.set('Content-Length', String(lengthOf(stats.size, part, zipped)));
  if (part !== undefined) exchange.set('Content-Range', `bytes ${part.start}-${part.end}/${stats.size}`);
  // a file is not opened for somebody who has gone
  if (response.destroyed) return response.statusCode;
  response.writeHead(part === undefined ? 200 : 206, [...exchange.headers.values()].flat());
  if (exchange.method === 'HEAD' || stats.size === 0 || zipped !== undefined)
    return finishBody(
      exchange,
      part === undefined ? 200 : 206,
      exchange.method === 'HEAD' ? undefined : zipped,
    );
  return new Promise((resolve) => {
    const stream = createReadStream(path, part);
    stream.on('error', (error) => response.destroy(new Error(messageOf(error))));
    response.on('close', () => {
      stream.destroy();
      resolve(response.statusCode);
    });
    stream.pipe(response);
  });
}

function finish(exchange: Exchange, status: number): Promise<number> {
  exchange.response.writeHead(status, [...exchange.headers.values()].flat());
  return finishBody(exchange, status);
}

function finishBody({ response }: Exchange, status: number, body?: Buffer): Promise<number> {
  return new Promise((resolve) => response.end(body, () => resolve(status)));
}

function lengthOf(sizeBytes: number, part: Part | undefined, zipped: Buffer | undefined): number {
  if (zipped !== undefined) return zipped.length;
  return part === undefined ? sizeBytes : part.end - part.start + 1;
}

/** Salt compat: only pages and text, as `tools.gzip` has it; large files are sent as they are. */
function mayZip(type: string, sizeBytes: number, exchange: Exchange): boolean {
  return (
    /^text\/(html|plain)(;|$)/.test(type) &&
    sizeBytes <= ZIPPED_BYTES_MAX &&
    wantsGzip(exchange.header('accept-encoding'))
  );
}

/** The page of an application, which says how it is written. */
export function withCharset(found: FoundFile): FoundFile {
  return found.type.startsWith('text/') ? { ...found, type: `${found.type};charset=utf-8` } : found;
}

/** One range; several, and those that mean nothing, are passed over. @throws HttpFault 416 */
function partOf(header: string | undefined, size: number): Part | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (match === null) return undefined;
  const [first = '', last = ''] = match.slice(1);
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (end < start && first !== '' && last !== '' && Number(last) < start) return undefined;
  if (start >= size || end < start)
    throw new HttpFault(416, 'Invalid Range (first-byte-pos greater than Content-Length)', [
      ['Content-Range', `bytes */${size}`],
    ]);
  return { start, end };
}
