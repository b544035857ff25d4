/**
 * From a request to its answer, in the order in which CherryPy and Salt's tools look at it: what browsers get, files,
 * the resource, the session, other origins, who asks, the body, the parameters, the answer and its media type
 * (salt/netapi/rest_cherrypy/app.py, 3006.16).
 */
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ApiSettings } from '../../config/api-options.ts';
import { messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { toJson } from '../../formats/json/text.ts';
import { dumpYaml } from '../../formats/yaml/dump.ts';
import { isDict, type Value } from '../../python/values/value.ts';
import { bestOf, wantsGzip } from './accept.ts';
import type { AccessLog } from './access-log.ts';
import { mayAsk } from './api-acl.ts';
import { atEnd, signalOfEnd } from './at-end.ts';
import type { BodyBudget } from './body-budget.ts';
import { readBody, requireType, type RequestBody } from './body.ts';
import type { ConsoleFile, ConsoleFiles } from './console-files.ts';
import { Exchange } from './exchange.ts';
import { faultOf, unexpected } from './failures.ts';
import { requireHttp } from './head-rules.ts';
import { faultPage, HttpFault } from './http-fault.ts';
import { loggedTarget, shownPath } from './logged-target.ts';
import type { KeptFiles } from './kept-files.ts';
import type { Origins } from './origin.ts';
import { Proxies } from './proxies.ts';
import {
  actionFor,
  allowed,
  bindParams,
  type Action,
  type Call,
  type ActionAnswer,
  type Resource,
} from './resource.ts';
import { senderOf } from './sender.ts';
import { SESSION_SECONDS, type Session, type Sessions } from './sessions.ts';
import { file, fileBelow, sendFile, withCharset } from './static-files.ts';
import type { Statistics } from './statistics.ts';
import type { TokenChecks } from './token-checks.ts';
import type { WebSockets } from './web-sockets.ts';

const MEDIA = ['application/json', 'application/x-yaml'] as const;
const COMPRESSED = /^text\/(html|plain)(;|$)/;
const compress = promisify(gzip);
/** Methods whose body CherryPy reads. */
const WITH_BODIES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);
const NO_BODY: RequestBody = { data: null, raw: '' };
const YEAR_MS = 365 * 86_400_000;

/** What an application consists of. */
export interface ApplicationDeps {
  readonly settings: ApiSettings;
  /** Resources by the first name of their address; '' for the root. */
  readonly resources: ReadonlyMap<string, Resource>;
  /** The page for browsers that Salt brings along, where `app` names none. */
  readonly appPage: () => Promise<Buffer>;
  /** The console, which browsers get where no `app` is named; undefined where one is. */
  readonly console: ConsoleFiles | undefined;
  /** Files that strangers may ask for. */
  readonly kept: KeptFiles;
  readonly sessions: Sessions;
  readonly origins: Origins;
  readonly webSockets: WebSockets;
  readonly budget: BodyBudget;
  readonly checks: TokenChecks;
  readonly statistics: Statistics;
  readonly accessLog: AccessLog;
  /** Answers what stands below `/api/v2`. */
  readonly secondVersion: (exchange: Exchange) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Answers requests. */
export class Application {
  readonly #deps: ApplicationDeps;
  readonly #rootPrefix: string;
  readonly #proxies: Proxies;

  constructor(deps: ApplicationDeps) {
    this.#deps = deps;
    this.#proxies = new Proxies(deps.settings.values.trusted_proxies, (warning) => deps.log.warning(warning));
    this.#rootPrefix = deps.settings.values.root_prefix.replace(/\/+$/, '');
  }

  /** Answers one request; never throws. */
  async serve(request: Exchange['request'], response: Exchange['response']): Promise<void> {
    const { statistics, accessLog, log } = this.#deps;
    const exchange = new Exchange(request, response, this.#rootPrefix, this.#proxies);
    const ended = statistics.begin();
    atEnd(response, log, () => {
      const bytes = Number(exchange.headers.get('content-length')?.[1] ?? 0);
      ended(response.statusCode, Number(request.headers['content-length'] ?? 0), bytes);
      accessLog.answered(exchange, response.statusCode, bytes);
    });
    try {
      await this.#answer(exchange);
    } catch (error) {
      const fault = faultOf(error);
      if (fault === undefined) {
        log.error(
          `A request for ${exchange.method} ${loggedTarget(exchange.path)} has failed: ${messageOf(error)}`,
          error,
        );
        accessLog.failed(exchange, error);
      }
      await this.#sendFault(exchange, fault ?? new HttpFault(500)).catch(() => response.destroy());
    }
  }

  /** Turns a request into a web socket, or answers why not. */
  async upgrade(request: Exchange['request'], socket: Duplex, head: Buffer): Promise<void> {
    const exchange = new Exchange(request, undefined as never, this.#rootPrefix, this.#proxies);
    socket.on('error', () => socket.destroy());
    try {
      requireHttp(request);
      const [first, token, ...more] = exchange.segments;
      if (first !== 'ws' || more.length > 0) throw new HttpFault(404);
      const { authorized_ips: addresses } = this.#deps.settings.values;
      if (!mayAsk(addresses, exchange.address)) throw new HttpFault(403, 'Bad IP');
      const { session, sessionId } = this.#sessionOf(exchange);
      await this.#deps.webSockets.accept(
        exchange,
        token ?? (session === undefined ? undefined : sessionId),
        socket,
        head,
      );
    } catch (error) {
      const fault = faultOf(error) ?? new HttpFault(500);
      const page = faultPage(fault);
      socket.end(
        `HTTP/1.1 ${fault.status} ${fault.message.replace(/[^\x20-\x7e]/g, ' ')}\r\nConnection: close\r\n` +
          `Content-Type: text/html;charset=utf-8\r\nContent-Length: ${Buffer.byteLength(page)}\r\n\r\n${page}`,
      );
    }
  }

  async #answer(exchange: Exchange): Promise<void> {
    const { settings, origins } = this.#deps;
    exchange.set('X-Content-Type-Options', 'nosniff');
    if (this.#isBelowRoot(exchange) && isSecondVersion(exchange)) return this.#deps.secondVersion(exchange);
    requireHttp(exchange.request);
    if (!this.#isBelowRoot(exchange)) return this.#sendNothing(exchange);
    const ofConsole = await this.#deps.console?.find(exchange);
    if (ofConsole !== undefined)
      return this.#lacksSlash(exchange) ? this.#sendMoved(exchange) : this.#sendConsole(exchange, ofConsole);
    origins.describe(exchange);
    if (exchange.method !== 'OPTIONS' && this.#wantsPage(exchange)) return this.#sendApp(exchange);
    if (await this.#sentFile(exchange)) return;
    const { app_path: appPath } = settings.values;
    const names = exchange.segments;
    if (names[0] === appPath.replace(/^\/+/, '')) return this.#serveApp(exchange);
    const resource = this.#deps.resources.get(names[0] ?? '');
    if (resource === undefined) {
      if (exchange.method === 'OPTIONS') return this.#sendOptions(exchange);
      throw new HttpFault(404, `The path '${shownPath(exchange.wholePath)}' was not found.`);
    }
    exchange.set('Allow', allowed(resource));
    await this.#serveResource(exchange, resource, names.slice(1));
  }

  #isBelowRoot(exchange: Exchange): boolean {
    const { wholePath } = exchange;
    return (
      this.#rootPrefix === '' ||
      wholePath === this.#rootPrefix ||
      wholePath.startsWith(`${this.#rootPrefix}/`)
    );
  }

  async #serveResource(exchange: Exchange, resource: Resource, path: readonly string[]): Promise<void> {
    const action = actionFor(resource, exchange.method);
    const found = this.#sessionOf(exchange);
    const hasSessions = action?.sessions ?? resource.sessions;
    if (hasSessions) exchange.cookie = found.sessionId;
    if (exchange.method === 'OPTIONS') return this.#sendOptions(exchange);
    if (action?.auth ?? resource.auth) {
      if (found.session === undefined) throw new HttpFault(401);
      exchange.set('Cache-Control', 'private');
    }
    requireLength(exchange);
    const body = resource.readsBody ? await this.#body(exchange, resource, found.session) : NO_BODY;
    if (resource.checksAddress && !mayAsk(this.#deps.settings.values.authorized_ips, exchange.address))
      throw new HttpFault(403, 'Bad IP');
    if (action === undefined) throw new HttpFault(405);
    if (this.#lacksSlash(exchange)) return this.#sendMoved(exchange);
    const bound = bindParams(action, path, exchange.query);
    const media = (): string => requireMedia(exchange);
    const call: Call = {
      exchange,
      ...bound,
      body,
      lowstate: lowstateOf(body.data),
      ...found,
      signal: signalOfEnd(exchange.response),
      requireAcceptable: () => void media(),
    };
    const outcome = await this.#run(action, call);
    await this.#sendOutcome(exchange, outcome, media);
  }

  /** Salt compat: a `POST` without a body needs no content type, while `PUT` and `PATCH` do. */
  #body(
    exchange: Exchange,
    { bodies }: Resource,
    session: Session | undefined,
  ): Promise<RequestBody> | RequestBody {
    const { method, request } = exchange;
    if (!WITH_BODIES.has(method)) return NO_BODY;
    if (method !== 'POST') requireType(request.headers['content-type']);
    const { settings, budget, checks } = this.#deps;
    return readBody(exchange, {
      bytesMax: settings.values.max_request_body_size,
      budget,
      senderOf: senderOf(bodies, session, checks),
      looksAtWhole: bodies === 'with a token',
    });
  }

  /** Salt compat: what nobody has foreseen is answered as data, with status 500. */
  async #run(action: Action, call: Call): Promise<ActionAnswer> {
    try {
      return await action.run(call);
    } catch (error) {
      if (faultOf(error) !== undefined) throw error;
      this.#deps.log.warning(
        `${call.exchange.method} ${loggedTarget(call.exchange.path)} could not be served: ${String(error)}`,
        error,
      );
      this.#deps.accessLog.failed(call.exchange, error);
      return { status: 500, value: unexpected(error, this.#deps.settings.values.debug) };
    }
  }

  #sessionOf(exchange: Exchange): { session: Session | undefined; sessionId: string } {
    const { origins, sessions } = this.#deps;
    const header = exchange.header('x-auth-token') ?? '';
    const id =
      header !== '' ? header : origins.mayUseCookie(exchange) ? exchange.cookieOf('session_id') : undefined;
    const session = sessions.find(id);
    return { session, sessionId: session === undefined ? sessions.newId() : (id as string).toLowerCase() };
  }

  async #sendOutcome(exchange: Exchange, outcome: ActionAnswer, acceptable: () => string): Promise<void> {
    if ('stream' in outcome) {
      for (const [name, value] of outcome.headers) exchange.set(name, value);
      exchange.set('Vary', 'Accept-Encoding');
      this.#setCookie(exchange);
      exchange.response.writeHead(200, [...exchange.headers.values()].flat());
      if (exchange.method === 'HEAD') exchange.response.end();
      else exchange.response.write(outcome.stream);
      return;
    }
    if ('bytes' in outcome) {
      for (const [name, value] of outcome.headers ?? []) exchange.set(name, value);
      exchange.set('Content-Type', outcome.type);
      return this.#send(exchange, 200, outcome.bytes);
    }
    const media = acceptable();
    exchange.set('Content-Type', media);
    await this.#send(exchange, outcome.status ?? 200, Buffer.from(written(outcome.value, media)));
  }

  async #send(exchange: Exchange, status: number, body: Buffer): Promise<void> {
    const { response } = exchange;
    if (response.headersSent || response.destroyed) return void response.destroy();
    const type = exchange.headers.get('content-type')?.[1] ?? '';
    const zipped =
      COMPRESSED.test(type) && wantsGzip(exchange.header('accept-encoding'))
        ? await compress(body)
        : undefined;
    exchange.set('Vary', 'Accept-Encoding');
    if (zipped !== undefined) exchange.set('Content-Encoding', 'gzip');
    exchange.set('Content-Length', String((zipped ?? body).length));
    this.#setCookie(exchange);
    // what the client still sends is not read, and the connection does not carry another request
    if (!exchange.request.complete && exchange.method !== 'GET') exchange.set('Connection', 'close');
    response.writeHead(status, [...exchange.headers.values()].flat());
    response.end(exchange.method === 'HEAD' ? undefined : (zipped ?? body));
  }

  #sendFault(exchange: Exchange, fault: HttpFault): Promise<void> {
    for (const name of [
      'cache-control',
      'content-disposition',
      'content-range',
      'accept-ranges',
      'last-modified',
    ])
      if (name !== 'cache-control') exchange.headers.delete(name);
    for (const [name, value] of fault.headers) exchange.set(name, value);
    exchange.set('Content-Type', 'text/html;charset=utf-8');
    return this.#send(exchange, fault.status, Buffer.from(faultPage(fault)));
  }

  #setCookie(exchange: Exchange): void {
    const { cookie } = exchange;
    // a page of another origin begins no session in somebody's browser
    if (cookie === undefined || !this.#deps.origins.mayKeepSession(exchange)) return;
    const isOver = cookie === 'over';
    const nowMs = this.#deps.clock.nowMs();
    const expires = new Date(isOver ? nowMs - YEAR_MS : nowMs + SESSION_SECONDS * 1000).toUTCString();
    const parts = [
      `session_id=${isOver ? this.#deps.sessions.newId() : cookie}`,
      `expires=${expires}`,
      ...(isOver ? [] : [`Max-Age=${SESSION_SECONDS}`]),
      'Path=/',
      'HttpOnly',
      'SameSite=Strict',
      ...(this.#deps.settings.values.disable_ssl ? [] : ['Secure']),
    ];
    exchange.set('Set-Cookie', parts.join('; '));
  }

  /**
   * `app`: browsers get a page, whatever address they ask for. Salt compat: whoever takes HTML is a browser, unless he
   * takes just anything.
   */
  #wantsPage(exchange: Exchange): boolean {
    const { app, app_path: appPath, static_path: staticPath } = this.#deps.settings.values;
    if (app === null || exchange.path.startsWith(appPath) || exchange.path.startsWith(staticPath))
      return false;
    const accept = exchange.header('accept');
    return accept !== '*/*' && bestOf(accept, ['text/html']) === 'text/html';
  }

  /** What browsers ask before they send a token. */
  #sendOptions(exchange: Exchange): Promise<void> {
    exchange.cookie = undefined;
    exchange.set('Content-Type', 'text/html');
    return this.#send(exchange, 200, Buffer.alloc(0));
  }

  /** What is not below `root_prefix` belongs to nobody; CherryPy answers without a page. */
  #sendNothing({ response, request }: Exchange): void {
    response.writeHead(404, request.complete ? {} : { Connection: 'close' });
    response.end();
  }

  #lacksSlash({ wholePath }: Exchange): boolean {
    return this.#rootPrefix !== '' && wholePath === this.#rootPrefix;
  }

  /**
   * The root without its slash, below which relative addresses would be others. Without the host, which a proxy may
   * have changed.
   */
  #sendMoved(exchange: Exchange): Promise<void> {
    const place = `${this.#rootPrefix}/${/\?.*$/.exec(exchange.request.url ?? '')?.[0] ?? ''}`;
    exchange.set('Location', place);
    exchange.set('Content-Type', 'text/html;charset=utf-8');
    return this.#send(
      exchange,
      301,
      Buffer.from('This resource has permanently moved: a slash is missing at its end.'),
    );
  }

  /** The address of the page itself, which takes whatever stands behind it in the path, and nothing behind `?`. */
  async #serveApp(exchange: Exchange): Promise<void> {
    const { method, query } = exchange;
    exchange.set('Allow', 'GET, HEAD');
    if (method === 'OPTIONS') return this.#sendOptions(exchange);
    if (method !== 'GET' && method !== 'HEAD') throw new HttpFault(405);
    if (query.size > 0) throw new HttpFault(404);
    return this.#sendApp(exchange);
  }

  async #sendApp(exchange: Exchange): Promise<void> {
    exchange.set('Allow', 'GET, HEAD');
    const { app } = this.#deps.settings.values;
    if (app !== null)
      return void (await sendFile(withCharset(await file(app, exchange)), exchange, this.#deps.kept));
    exchange.set('Content-Type', 'text/html;charset=utf-8');
    await this.#send(exchange, 200, await this.#deps.appPage());
  }

  #sendConsole(exchange: Exchange, { headers, body }: ConsoleFile): void {
    for (const [name, value] of [...headers, ['Content-Length', String(body.length)] as const])
      exchange.set(name, value);
    exchange.response.writeHead(200, [...exchange.headers.values()].flat());
    exchange.response.end(exchange.method === 'HEAD' ? undefined : body);
  }

  /** @returns false when the address is of no file */
  async #sentFile(exchange: Exchange): Promise<boolean> {
    const { static: folder, static_path: staticPath, favicon } = this.#deps.settings.values;
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return false;
    if (favicon !== null && exchange.path === '/favicon.ico') {
      await sendFile(await file(favicon, exchange), exchange, this.#deps.kept);
      return true;
    }
    const below = `/${staticPath.replace(/^\/+|\/+$/g, '')}`;
    if (folder === null || !(exchange.path === below || exchange.path.startsWith(`${below}/`))) return false;
    const names = exchange.path
      .slice(below.length)
      .replace(/%2F/g, '/')
      .split('/')
      .filter((name) => name !== '' && name !== '.');
    await sendFile(await fileBelow(folder, names, exchange), exchange, this.#deps.kept);
    return true;
  }
}

function isSecondVersion({ segments: [first, second] }: Exchange): boolean {
  return first === 'api' && second === 'v2';
}

function written(value: Value, media: string): string {
  try {
    return media === MEDIA[0] ? toJson(value) : dumpYaml(value, { defaultFlowStyle: false });
  } catch {
    throw new HttpFault(500, 'Could not serialize the return data from Salt.');
  }
}

/** @throws HttpFault 406 */
function requireMedia(exchange: Exchange): string {
  const header = exchange.header('accept') ?? '';
  const media = bestOf(header, MEDIA);
  if (media !== undefined) return media;
  throw new HttpFault(
    406,
    `Your client sent this Accept header: ${header}. But this resource only emits these media types: ${MEDIA.join(', ')}.`,
  );
}

/** Methods that bring a body say how long it is. */
function requireLength({ method, request }: Exchange): void {
  if (method !== 'PUT' && method !== 'PATCH') return;
  if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined)
    throw new HttpFault(411);
}

/** One mapping is a list of one. */
function lowstateOf(data: Value): Value {
  return isDict(data) && data.size > 0 ? [data] : data;
}
