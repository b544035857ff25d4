/** `http.query`: one request and what came of it (3006.16 salt/utils/http.py). */
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync, inflateRawSync } from 'node:zlib';
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { heldInMemory, httpSettings } from '../../../storage/fileclient/get-url.ts';
import { systemAuthorities } from '../../../network/tls/system-authorities.ts';
import { writeInPlace } from '../../../host/file-operations.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { parseJson } from '../../../formats/json/parse.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { decodeUtf8, splitLines } from '../../../python/values/text.ts';
import { dict, isBytes, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { decode, encode } from '../../../formats/wire/msgpack.ts';
import { loadYaml } from '../../../formats/yaml/load.ts';
import { safeJoin, writeFileAtomic } from '../../../host/files.ts';
import { templateContext } from '../../shared/render-file.ts';
import { ConnectionError, exchange, tooLarge, type HttpRequest, type HttpResponse } from './exchange.ts';
import { xmlItems } from './xml.ts';

const AGENT = 'Salt/3006.16';
const DECODES = ['json', 'xml', 'yaml', 'plain'];

/** A query as given: the keywords by their names. */
class Given {
  readonly #kwargs: Dict;

  constructor(kwargs: Dict) {
    this.#kwargs = kwargs;
  }

  value(name: string): Value {
    return this.#kwargs.get(name) ?? null;
  }

  text(name: string): string | undefined {
    const value = this.value(name);
    return value === null ? undefined : pyStr(value);
  }

  /** Salt compat: these are compared with True itself. */
  isTrue(name: string): boolean {
    return this.value(name) === true;
  }

  isSet(name: string, fallback: boolean): boolean {
    const value = this.#kwargs.get(name);
    return value === undefined ? fallback : truthy(value);
  }
}

/**
 * Asks a web server.
 * @param opts the minion's options, with those of the call
 * @returns `{body, status, headers, dict, text, error}` as far as asked for
 * @throws CommandExecutionError for what Salt fails at
 */
export async function query(ctx: ModuleContext, url: string, opts: Dict, kwargs: Dict): Promise<Dict> {
  const given = new Given(kwargs);
  const out: Dict = new Map();
  let address = withParams(url, given.value('params'));
  if (given.isTrue('test')) {
    const other = given.text('test_url');
    if (other === undefined) return out;
    address = other;
    out.set('test', true);
  }
  const request = await buildRequest(ctx, address, opts, given);
  const bytesMax = request.settings.bodyBytesMax;
  let response: HttpResponse;
  try {
    response = await exchange(request);
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    if (/^Timeout/.test(error.message))
      throw new CommandExecutionError(`HTTP 599: ${error.message}`, { cause: error });
    if (given.isTrue('status')) out.set('status', 0);
    return out.set('error', error.message);
  }
  return fill(out, response, { opts, given, bytesMax });
}

/** `salt.ext.tornado.httputil.url_concat`: added to what stands behind the question mark. */
function withParams(url: string, params: Value): string {
  if (!truthy(params)) return url;
  const query = isDict(params) ? formText(params) : pyStr(params);
  const [head = '', fragment] = url.split(/#(.*)/s);
  const joint = !head.includes('?') ? '?' : /[?&]$/.test(head) ? '' : '&';
  return `${head}${joint}${query}${fragment === undefined ? '' : `#${fragment}`}`;
}

/** `urllib.parse.urlencode` */
function formText(fields: Dict): string {
  const encode = (value: Value): string =>
    encodeURIComponent(pyStr(value))
      .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
      .replace(/%20/g, '+');
  return [...fields].map(([key, value]) => `${encode(key)}=${encode(value)}`).join('&');
}

async function buildRequest(
  ctx: ModuleContext,
  address: string,
  opts: Dict,
  given: Given,
): Promise<HttpRequest> {
  const method = given.text('method') ?? 'GET';
  const settings = heldInMemory(httpSettings(opts));
  const roots = opts.get('file_roots');
  const base = isDict(roots) ? roots.get('base') : undefined;
  const bundle =
    given.text('ca_bundle') ??
    settings.caBundle ??
    systemAuthorities(Array.isArray(base) ? base.map(pyStr) : []);
  const [user, password] = [given.value('username'), given.value('password')];
  const verify = given.value('verify_ssl');
  const url = parseUrl(address);
  return {
    url,
    method,
    headers: await headersFor(ctx, opts, given, url),
    body: await bodyFor(ctx, opts, given),
    auth:
      user === null ? undefined : { user: pyStr(user), password: password === null ? '' : pyStr(password) },
    verifySsl: verify === null ? truthy(opts.get('verify_ssl') ?? true) : truthy(verify),
    cert: clientCertificate(given.value('cert') ?? opts.get('cert') ?? null, ctx),
    settings: { ...settings, caBundle: bundle },
    clock: ctx.clock,
    signal: ctx.signal,
  };
}

function parseUrl(text: string): URL {
  const scheme = /^([A-Za-z][\w+.-]*):/.exec(text)?.[1];
  if (scheme === undefined || !/^https?$/i.test(scheme))
    throw new CommandExecutionError(`Unsupported url scheme: ${text}`);
  try {
    return new URL(text);
  } catch (cause) {
    throw new CommandExecutionError(`The URL ${JSON.stringify(text)} cannot be read.`, { cause });
  }
}

function clientCertificate(cert: Value, ctx: ModuleContext): HttpRequest['cert'] {
  if (cert === null) return undefined;
  const paths = Array.isArray(cert) ? cert.map(pyStr) : typeof cert === 'string' ? [cert, cert] : [];
  const [certificate, key] = paths;
  if (certificate === undefined || key === undefined) {
    ctx.log.error('The client-side certificate path that was passed is not valid');
    return undefined;
  }
  return existsSync(certificate) && existsSync(key) ? { certificate, key } : undefined;
}

async function headersFor(
  ctx: ModuleContext,
  opts: Dict,
  given: Given,
  url: URL,
): Promise<Map<string, string>> {
  let fields = given.value('header_dict');
  let lines = given.value('header_list');
  const file = given.text('header_file');
  if (file !== undefined) {
    const content = await fileContent(ctx, opts, { file, given, kind: 'header' });
    if (isDict(content)) fields = content;
    else lines = splitLines(pyStr(content));
  }
  const headers = new Map<string, string>();
  if (isDict(fields)) for (const [name, value] of fields) headers.set(pyStr(name), pyStr(value));
  if (given.isTrue('persist_session'))
    for (const cookie of sessionCookies(opts, given, url)) headers.set('Cookie', cookie);
  for (const line of Array.isArray(lines) ? lines.map(pyStr) : []) {
    const [name = '', value] = line.split(':');
    // Salt compat: what stands behind a second colon is lost in Salt
    if (value !== undefined) headers.set(name.trim(), line.slice(line.indexOf(':') + 1).trim());
  }
  const agent = given.text('agent');
  headers.set('User-agent', agent === undefined ? `${AGENT} http.query()` : agent);
  return headers;
}

async function bodyFor(ctx: ModuleContext, opts: Dict, given: Given): Promise<Uint8Array | undefined> {
  const file = given.text('data_file');
  const data =
    file === undefined ? given.value('data') : await fileContent(ctx, opts, { file, given, kind: 'data' });
  if (data === null) return undefined;
  if (isBytes(data)) return data;
  return Buffer.from(isDict(data) ? formText(data) : pyStr(data));
}

interface ContentFile {
  readonly file: string;
  readonly given: Given;
  readonly kind: 'data' | 'header';
}

/** A file's text, or what it renders to (`data_render`, `header_render`). */
async function fileContent(
  ctx: ModuleContext,
  opts: Dict,
  { file, given, kind }: ContentFile,
): Promise<Value> {
  const text = readFileSync(file, 'utf8');
  if (!truthy(given.value(`${kind}_render`))) return text;
  const renderer = given.text(`${kind}_renderer`) ?? pyStr(opts.get('renderer') ?? 'jinja|yaml');
  const { RenderPipe, rendererRules } = await import('../../../runtime/renderers/pipe.ts');
  const { clock, random, log } = ctx;
  const variables = given.value('template_dict');
  const context = templateContext(ctx, {
    saltenv: 'base',
    path: file,
    variables: isDict(variables) ? variables : new Map(),
  });
  const pipe = new RenderPipe({ clock, random, log });
  return pipe.render(
    text,
    renderer,
    rendererRules((name) => opts.get(name)),
    context,
  );
}

interface Asked {
  readonly opts: Dict;
  readonly given: Given;
  /** What the body may be, also once it is unpacked. */
  readonly bytesMax: number;
}

function fill(out: Dict, response: HttpResponse, { opts, given, bytesMax }: Asked): Dict {
  const body = textOf(response, given.isSet('decode_body', true));
  const { status, headers } = response;
  const isBad = (status < 200 || status >= 300) && status !== 304;
  if (isBad && given.isSet('raise_error', true)) {
    out.set('status', status);
    out.set('error', `HTTP ${status}: ${response.reason}`);
    return out.set('body', body);
  }
  out.set('body', body);
  const text = unpacked(body, headers.get('Content-Encoding') ?? 'identity', bytesMax);
  const textOut = given.text('text_out');
  if (textOut !== undefined) writeInPlace(textOut, isBytes(text) ? text : pyStr(text));
  if (given.isTrue('persist_session')) keepSession(opts, given, response);
  if (given.isTrue('status')) out.set('status', status);
  if (given.isTrue('headers')) out.set('headers', new Map<Value, Value>(headers));
  let wantsText = given.isTrue('text');
  if (given.isTrue('decode')) {
    const type = decodeType(given.text('decode_type') ?? 'auto', headers.get('Content-Type'));
    if (!DECODES.includes(type))
      return out.set(
        'error',
        `Invalid decode_type specified. Valid decode types are: ('json', 'xml', 'yaml', 'plain')`,
      );
    if (type === 'plain') wantsText = true;
    else out.set('dict', decoded(pyStr(text), type));
    const decodeOut = given.text('decode_out');
    if (decodeOut !== undefined && decodeOut !== '') writeInPlace(decodeOut, pyStr(text));
  }
  if (wantsText) out.set('text', text);
  return out;
}

/** The body as text: by the charset of a text type, else as UTF-8. */
function textOf({ body, headers }: HttpResponse, decodes: boolean): Value {
  const type = headers.get('Content-Type') ?? '';
  const charset = /^text\/[^;]*;.*charset\s*=\s*"?([\w.:-]+)/i.exec(type)?.[1];
  if (charset !== undefined) {
    try {
      return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(body);
    } catch (error) {
      throw new CommandExecutionError(`The answer is no text in ${charset}: ${messageOf(error)}`);
    }
  }
  if (!decodes) return new Uint8Array(body);
  const text = decodeUtf8(body);
  if (text === undefined)
    throw new CommandExecutionError('The answer is no text in UTF-8; decode_body=False takes it as bytes.');
  return text;
}

function unpacked(body: Value, coding: string, bytesMax: number): Value {
  if (!truthy(body) || !isBytes(body)) return body;
  const limit = { maxOutputLength: bytesMax };
  try {
    if (coding === 'deflate') return new Uint8Array(inflateRawSync(body, limit));
    if (coding === 'gzip') return new Uint8Array(gunzipSync(body, limit));
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    const reason = isLarge ? tooLarge(bytesMax) : `The answer cannot be unpacked: ${messageOf(error)}`;
    throw new CommandExecutionError(reason, { cause: error });
  }
  const names: Record<string, string> = { sdch: 'SDCH', br: 'Brotli', compress: 'LZW' };
  const name = Object.hasOwn(names, coding) ? names[coding] : undefined;
  if (name !== undefined) throw new CommandExecutionError(`${name} compression is not currently supported`);
  return body;
}

function decodeType(given: string, contentType = 'application/json'): string {
  if (given !== 'auto') return given;
  return ['xml', 'json', 'yaml'].find((name) => contentType.includes(name)) ?? 'plain';
}

function decoded(text: string, type: string): Value {
  if (type === 'xml') return xmlItems(text);
  return type === 'yaml' ? loadYaml(text) : parseJson(text);
}

function jarPath(opts: Dict, given: Given): string {
  return (
    given.text('session_cookie_jar') ?? safeJoin(pyStr(opts.get('cachedir') ?? '/'), 'cookies.session.p')
  );
}

/** What is kept of sessions: the cookies of each place, which no other one is to see. */
function keptSessions(path: string): Dict {
  if (!existsSync(path)) return dict();
  const kept = decode(readFileSync(path), 'local');
  const places = isDict(kept) ? kept.get('places') : undefined;
  return isDict(places) ? places : dict();
}

/**
 * The cookies that the last answer of this place to a persistent session has set.
 *
 * Salt compat: Salt sends what the last place has set to whatever it asks next.
 */
function sessionCookies(opts: Dict, given: Given, { origin }: URL): string[] {
  const cookies = keptSessions(jarPath(opts, given)).get(origin);
  return cookies === undefined ? [] : [pyStr(cookies)];
}

/** How many places a file keeps the cookies of; of more the oldest are forgotten. */
const KEPT_PLACES = 100;

function keepSession(opts: Dict, given: Given, { headers, url }: HttpResponse): void {
  const cookies = headers.get('Set-Cookie');
  if (cookies === undefined) return;
  const path = jarPath(opts, given);
  const places = keptSessions(path);
  places.delete(url.origin);
  places.set(url.origin, cookies);
  const kept = new Map([...places].slice(-KEPT_PLACES));
  writeFileAtomic(path, encode(dict({ places: kept }), 'local'), { mode: 0o600 });
}
