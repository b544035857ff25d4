/**
 * Fetching from any URL: `salt://`, `http(s)://`, `file://` and plain paths (salt/fileclient.py `get_url`, 3006.16).
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandExecutionError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { hashOfFile } from '../../host/file-hash.ts';
import { FileReplacement } from '../../host/file-replacement.ts';
import { readTextIfExists, writeFileAtomic } from '../../host/files.ts';
import { makeFolders } from '../../host/make-folders.ts';
import { decodeUtf8 } from '../../python/values/text.ts';
import { toNumber, type Dict } from '../../python/values/value.ts';
import { cacheRoot, externalFilePath } from './cache-paths.ts';
import type { FileClient } from './client.ts';
import { FileClientError } from './errors.ts';
import { fetchHttp, type HttpSettings } from './http.ts';
import { isSaltUrl, redactUrl, schemeOf } from './salt-url.ts';
import { isDir } from '../../python/paths.ts';

/** How it is fetched. */
export interface GetUrlOptions {
  readonly saltenv: string;
  readonly makedirs: boolean;
  readonly cachedir?: string | undefined;
  /** A sum, or `type=sum`: a cached file that has it is not fetched again. */
  readonly sourceHash?: string | undefined;
  readonly verifySsl: boolean;
  readonly useEtag: boolean;
  readonly settings: HttpSettings;
  readonly clock: Clock;
}

/** What was fetched: the path it is at, or its content; nothing when the server does not have it. */
export type Fetched = { readonly path: string } | { readonly content: string | Uint8Array } | undefined;

/** Algorithms by the length of their sums in digits. */
const SUM_TYPES: ReadonlyMap<number, string> = new Map([
  [128, 'sha512'],
  [96, 'sha384'],
  [64, 'sha256'],
  [56, 'sha224'],
  [40, 'sha1'],
  [32, 'md5'],
]);

/**
 * Fetches a URL.
 * @param dest a path, a folder, empty for the cache, or undefined for the content itself
 * @throws FileClientError, CommandExecutionError `Path 'x' is not absolute`
 */
export async function getUrl(
  client: FileClient,
  url: string,
  dest: string | undefined,
  options: GetUrlOptions,
): Promise<Fetched> {
  const scheme = schemeOf(url);
  if (scheme === '' || scheme === 'file') return fromThisMachine(url, dest);
  if (isSaltUrl(url)) return fromServer(client, url, dest, options);
  if (scheme !== 'http' && scheme !== 'https')
    throw new FileClientError(
      `URLs of the kind ${scheme}:// cannot be fetched by this minion: ${redactUrl(url)}`,
    );
  if (dest === undefined) return { content: await contentOf(url, options) };
  const target = dest === '' ? await cachePlace(client, url, options) : destination(url, dest);
  if (target.isDone) return { path: target.path };
  if (!isDir(dirname(target.path))) {
    if (dest !== '' && !options.makedirs) return undefined;
    makeFolders(dirname(target.path));
  }
  await toFile(url, target.path, options);
  return { path: target.path };
}

function fromThisMachine(url: string, dest: string | undefined): Fetched {
  // Python's urlparse leaves these out
  const path = url
    .replace(/[\t\r\n]/g, '')
    .replace(/^file:(\/\/)?/i, '')
    .replace(/(?<=.)\/+$/, '');
  if (!path.startsWith('/')) throw new CommandExecutionError(`Path '${path}' is not absolute`);
  return dest === undefined ? { content: readFileSync(path) } : { path };
}

async function fromServer(
  client: FileClient,
  url: string,
  dest: string | undefined,
  { saltenv, makedirs, cachedir }: GetUrlOptions,
): Promise<Fetched> {
  const path = await client.getFile(url, dest ?? '', { saltenv, makedirs, cachedir });
  if (path === false) return undefined;
  return dest === undefined ? { content: readFileSync(path) } : { path };
}

interface Target {
  readonly path: string;
  readonly isDone: boolean;
}

function destination(url: string, dest: string): Target {
  if (!dest.endsWith('/') && !isDir(dest)) return { path: dest, isDone: false };
  const { pathname, search } = new URL(url);
  const hasName = search !== '' || (pathname.length > 1 && !pathname.endsWith('/'));
  const name = hasName ? url.slice(url.lastIndexOf('/') + 1) : 'index.html';
  return { path: join(dest, name), isDone: false };
}

async function cachePlace(client: FileClient, url: string, options: GetUrlOptions): Promise<Target> {
  const path = externalFilePath(cacheRoot(client.deps.cachedir, options.cachedir), options.saltenv, url);
  const sum = options.sourceHash?.split('=').at(-1) ?? '';
  const type = SUM_TYPES.get(sum.length);
  const isDone =
    type !== undefined && existsSync(path) && (await hashOfFile(path, type)) === sum.toLowerCase();
  return { path, isDone };
}

async function toFile(url: string, path: string, options: GetUrlOptions): Promise<void> {
  const etagPath = `${path}.etag`;
  const known = options.useEtag && existsSync(path) ? readTextIfExists(etagPath)?.trim() : undefined;
  const headers = known === undefined || known === '' ? {} : { 'if-none-match': known };
  const file = await FileReplacement.begin(path);
  try {
    const { verifySsl, settings, clock } = options;
    const answer = await fetchHttp({ url, verifySsl, headers, settings, clock }, (bytes) =>
      file.write(bytes),
    );
    if (answer.status === 304) return await file.abandon();
    await file.commit();
    if (options.useEtag && answer.etag !== undefined) writeFileAtomic(etagPath, answer.etag, { mode: 0o644 });
    else rmSync(etagPath, { force: true });
  } catch (error) {
    await file.abandon();
    throw error;
  }
}

/** Salt compat: an answer of a text type is text, any other is bytes. */
async function contentOf(
  url: string,
  { verifySsl, settings, clock }: GetUrlOptions,
): Promise<string | Uint8Array> {
  const chunks: Buffer[] = [];
  const held = { url, verifySsl, headers: {}, settings: heldInMemory(settings), clock };
  const answer = await fetchHttp(held, async (bytes) => {
    chunks.push(bytes);
  });
  const all = Buffer.concat(chunks);
  return answer.contentType.startsWith('text') ? (decodeUtf8(all) ?? all) : all;
}

/** What `http_max_body` is unless it is set: Salt's, which is as good as no bound. */
const UNSET_BYTES = 107_374_182_400;
/** What an answer may be that is held in memory, unless `http_max_body` is set. */
const HELD_BYTES = 100 * 1024 * 1024;

/** The same settings for an answer that is held in memory and not written to a file. */
export function heldInMemory(settings: HttpSettings): HttpSettings {
  return settings.bodyBytesMax === UNSET_BYTES ? { ...settings, bodyBytesMax: HELD_BYTES } : settings;
}

/** Reads the options that decide how files are fetched. */
export function httpSettings(opts: Dict): HttpSettings {
  const seconds = (name: string, fallback: number): number => (toNumber(opts.get(name)) ?? fallback) * 1000;
  const text = (name: string): string => {
    const value = opts.get(name);
    return typeof value === 'string' ? value : '';
  };
  const host = text('proxy_host');
  const port = toNumber(opts.get('proxy_port')) ?? 0;
  const user = text('proxy_username');
  const noProxy = opts.get('no_proxy');
  return {
    connectTimeoutMs: seconds('http_connect_timeout', 20),
    requestTimeoutMs: seconds('http_request_timeout', 3600),
    bodyBytesMax: toNumber(opts.get('http_max_body')) ?? UNSET_BYTES,
    caBundle: text('ca_bundle') === '' ? undefined : text('ca_bundle'),
    proxy:
      host !== '' && port > 0
        ? { host, port, auth: user === '' ? undefined : `${user}:${text('proxy_password')}` }
        : undefined,
    noProxy: Array.isArray(noProxy) ? noProxy.map(String) : [],
  };
}
