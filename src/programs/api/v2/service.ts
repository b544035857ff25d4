/**
 * The second version of the interface: from a request below `/api/v2` to its answer. Every answer is JSON, errors as
 * well.
 */
import { messageOf, SaltInvocationError } from '../../../errors/errors.ts';
import { isDict, type Value } from '../../../python/values/value.ts';
import {
  ClientError,
  MasterDownError,
  NoMinionsError,
  NotAuthorisedError,
} from '../../../runtime/client/errors.ts';
import { TargetError } from '../../../runtime/targeting/target.ts';
import { mayAsk } from '../api-acl.ts';
import { signalOfEnd } from '../at-end.ts';
import type { EventReaders } from '../event-readers.ts';
import type { BodyBudget, Sender } from '../body-budget.ts';
import { readBody } from '../body.ts';
import type { Exchange } from '../exchange.ts';
import { requireHttp } from '../head-rules.ts';
import { HttpFault } from '../http-fault.ts';
import { BadCallError } from '../low.ts';
import { loggedTarget, shownPath } from '../logged-target.ts';
import type { Origins } from '../origin.ts';
import type { TurnPool } from '../turns.ts';
import { callerOf, type Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { EventStream, type StreamCounters } from './event-stream.ts';
import { ApiFault, faultOfHttp } from './fault.ts';
import { JSON_TYPE, jsonOf } from './json.ts';
import { Special, type Method, type RawCall, type Route } from './route.ts';
import { readText, SchemaFault } from './schema.ts';

/** Below which everything is. */
const BASE = ['api', 'v2'] as const;
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE']);

/** What serving needs. */
export interface ServiceDeps extends Deps {
  readonly routes: readonly Route[];
  readonly origins: Origins;
  readonly turns: TurnPool;
  readonly budget: BodyBudget;
  readonly readers: EventReaders;
}

/** An address that was found, and what stands in its place for the names in it. */
interface Found {
  readonly routes: readonly Route[];
  readonly params: ReadonlyMap<string, string>;
}

/** Serves. */
export class Service {
  readonly streams: StreamCounters = { opened: 0, open: 0, cutOff: 0 };
  readonly #deps: ServiceDeps;
  readonly #addresses: readonly { readonly names: readonly string[]; readonly routes: Route[] }[];

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
    const byPath = new Map<string, Route[]>();
    for (const each of deps.routes) byPath.set(each.path, [...(byPath.get(each.path) ?? []), each]);
    // names that stand for themselves come before those that stand for anything
    this.#addresses = [...byPath]
      .map(([path, routes]) => ({ names: path.split('/').slice(1), routes }))
      .sort((a, b) => count(a.names) - count(b.names));
  }

  /** Answers a request; never throws. */
  async serve(exchange: Exchange): Promise<void> {
    try {
      await this.#serve(exchange);
    } catch (error) {
      this.#sendFault(exchange, this.#faultOf(error, exchange));
    }
  }

  async #serve(exchange: Exchange): Promise<void> {
    const { settings, sessions, origins } = this.#deps;
    requireHttp(exchange.request);
    origins.describe(exchange);
    if (exchange.method === 'OPTIONS') return sendOptions(exchange);
    if (!mayAsk(settings.values.authorized_ips, exchange.address))
      throw new ApiFault('bad-address', `The address ${exchange.address} is not one of authorized_ips.`);
    const found = this.#find(exchange);
    const method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
    const route = found.routes.find((each) => each.method === method);
    if (route === undefined) throw methodFault(exchange, found.routes);
    const signal = signalOfEnd(exchange.response);
    // whoever comes from a provider's page brings the cookie of a session that does not count
    const caller = route.redirects ? undefined : callerOf(exchange, sessions, origins);
    if (route.auth && caller === undefined)
      throw new ApiFault(
        'not-logged-in',
        'Nobody is logged in: send a token in Authorization, or log in with POST /api/v2/session.',
        {
          headers: [['WWW-Authenticate', 'Bearer']],
        },
      );
    const read = await this.#read(route, exchange, found, caller);
    const call = { ...read, exchange, signal, caller, deps: this.#deps };
    if (route.events !== undefined) return this.#stream(route, call);
    const run = (): Promise<unknown> => this.#run(route, call);
    // log-ins wait at the master: those of strangers leave the turns to whoever is known
    const answer = await (route.auth ? this.#deps.turns.take(run, signal) : run());
    this.#send(exchange, route, answer);
  }

  async #run(route: Route, call: Omit<RawCall, 'stream'>): Promise<unknown> {
    if (route.needs !== undefined && call.caller !== undefined)
      await this.#deps.rights.require(call.caller, route.needs);
    return route.run({ ...call, stream: undefined });
  }

  async #stream(route: Route, call: Omit<RawCall, 'stream'>): Promise<void> {
    const { rights, clock, log } = this.#deps;
    const { exchange, signal } = call;
    const caller = call.caller as Caller;
    const { user } =
      route.needs === undefined ? await rights.ask(caller) : await rights.require(caller, route.needs);
    const leave = this.#deps.readers.enter({
      name: `The reader of ${route.path} at ${exchange.address}`,
      user,
      waitingBytes: () => exchange.response.writableLength,
      cutOff: () => exchange.response.destroy(),
    });
    if (leave === undefined)
      throw new ApiFault('too-busy', 'Too many are listening. Try again later.', {
        headers: [['Retry-After', '5']],
      });
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    const stream = new EventStream({
      exchange,
      clock,
      signal,
      counters: this.streams,
      isLoggedIn: () => caller.session?.isOver !== true,
      mayListen: async () => {
        const { decisions } = await rights.ask(caller, route.needs === undefined ? [] : [route.needs]);
        return decisions.every(({ allowed }) => allowed);
      },
      tooSlow: (bytes) =>
        log.warning(
          `The reader of ${route.path} at ${exchange.address} was cut off: it has not read ${bytes} bytes (${this.streams.cutOff} cut off so far).`,
        ),
    });
    try {
      if (exchange.method === 'HEAD') {
        stream.open();
        return stream.close();
      }
      await route.run({ ...call, stream });
    } catch (error) {
      if (!stream.isOpen) throw error;
      const { body } = this.#faultOf(error, exchange);
      stream.send('error', body);
      stream.close();
    }
  }

  #find(exchange: Exchange): Found {
    const given = exchange.segments.slice(BASE.length);
    for (const { names, routes } of this.#addresses) {
      const params = matched(names, given);
      if (params !== undefined) return { routes, params };
    }
    throw new ApiFault(
      'not-found',
      `There is no ${shownPath(exchange.path)}; /api/v2/openapi.json names what there is.`,
    );
  }

  async #read(
    route: Route,
    exchange: Exchange,
    found: Found,
    caller: Caller | undefined,
  ): Promise<Pick<RawCall, 'params' | 'query' | 'body'>> {
    return {
      params: readFields(route.params.shape, [...found.params], ''),
      query: readFields(
        route.query.shape,
        queryOf(exchange).filter(
          ([name]) => !route.takesFurtherFields || Object.hasOwn(route.query.shape, name),
        ),
        'is not known here',
      ),
      body: await this.#body(route, exchange, caller),
    };
  }

  async #body(route: Route, exchange: Exchange, caller: Caller | undefined): Promise<unknown> {
    if (route.method !== 'POST') return undefined;
    const { request } = exchange;
    const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
    const hasBody =
      request.headers['content-length'] !== undefined && request.headers['content-length'] !== '0';
    if (type !== 'application/json' && (hasBody || request.headers['transfer-encoding'] !== undefined))
      throw new ApiFault('unsupported-media-type', 'Bodies are JSON: say Content-Type: application/json.');
    const { settings, budget } = this.#deps;
    const { data } = await readBody(exchange, {
      bytesMax: settings.values.max_request_body_size,
      budget,
      senderOf: () => this.#senderOf(caller),
    });
    if (route.body === undefined) {
      if (data !== null && !(isDict(data) && data.size === 0))
        throw new ApiFault('bad-request', 'This address takes no body.');
      return undefined;
    }
    return route.body.read(data === null ? new Map<Value, Value>() : data, '');
  }

  /** A token that was only shown is asked about at the master, before more is read than strangers may send. */
  async #senderOf(caller: Caller | undefined): Promise<Sender> {
    if (caller === undefined) return 'stranger';
    if (caller.session === undefined) await this.#deps.rights.ask(caller);
    return 'known';
  }

  #send(exchange: Exchange, route: Route, answer: unknown): void {
    if (!(answer instanceof Special)) {
      if (route.answer === undefined) return this.#sendEmpty(exchange, route.status);
      return this.#sendJson(exchange, route.status, answer);
    }
    const special = answer.answer;
    if ('redirect' in special) {
      exchange.set('Location', special.redirect);
      return this.#sendEmpty(exchange, 302);
    }
    if ('text' in special) return this.#sendBytes(exchange, 200, Buffer.from(special.text), special.type);
    if ('bytes' in special) return this.#sendBytes(exchange, 200, special.bytes, special.type);
    this.#sendJson(exchange, special.status, special.value);
  }

  #sendJson(exchange: Exchange, status: number, value: unknown): void {
    this.#sendBytes(exchange, status, Buffer.from(jsonOf(value)), JSON_TYPE);
  }

  #sendBytes(exchange: Exchange, status: number, body: Buffer, type: string): void {
    exchange.set('Content-Type', type);
    exchange.set('Content-Length', String(body.length));
    this.#sendHead(exchange, status);
    exchange.response.end(exchange.method === 'HEAD' ? undefined : body);
  }

  #sendEmpty(exchange: Exchange, status: number): void {
    if (status !== 204) exchange.set('Content-Length', '0');
    this.#sendHead(exchange, status);
    exchange.response.end();
  }

  #sendHead(exchange: Exchange, status: number): void {
    const { cookie, response, request, method } = exchange;
    exchange.set('Cache-Control', 'no-store');
    if (cookie !== undefined && this.#deps.origins.mayKeepSession(exchange))
      exchange.set('Set-Cookie', this.#cookieText(cookie));
    // what the client still sends is not read, and the connection does not carry another request
    if (!request.complete && method !== 'GET') exchange.set('Connection', 'close');
    response.writeHead(status, [...exchange.headers.values()].flat());
  }

  /** `over`, or the id of a session; as the first version sets it. */
  #cookieText(cookie: string): string {
    const isSecure = !this.#deps.settings.values.disable_ssl;
    const life = cookie === 'over' ? 'session_id=; Max-Age=0' : `session_id=${cookie}`;
    return `${life}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  }

  #sendFault(exchange: Exchange, fault: ApiFault): void {
    const { response } = exchange;
    if (response.headersSent || response.destroyed) return void response.destroy();
    for (const [name, value] of fault.more.headers ?? []) exchange.set(name, value);
    this.#sendJson(exchange, fault.status, fault.body);
  }

  #faultOf(error: unknown, exchange: Exchange): ApiFault {
    const known = knownFault(error);
    if (known !== undefined) return known;
    const id = Buffer.from(this.#deps.random.bytes(6)).toString('hex');
    this.#deps.log.error(
      `${exchange.method} ${loggedTarget(exchange.path)} has failed (${id}): ${messageOf(error)}`,
      error,
    );
    return new ApiFault('internal', `Something went wrong here. The log of salt-api says what, at ${id}.`, {
      details: { id },
    });
  }
}

/** What is known to go wrong. */
function knownFault(error: unknown): ApiFault | undefined {
  if (error instanceof ApiFault) return error;
  if (error instanceof SchemaFault)
    return new ApiFault('bad-request', `${error.at === '' ? 'The body' : error.at} ${error.message}.`, {
      field: error.at,
    });
  if (error instanceof HttpFault) return faultOfHttp(error);
  if (error instanceof NoMinionsError) return new ApiFault('no-minions', error.message);
  if (error instanceof MasterDownError)
    return new ApiFault('master-down', error.message, { headers: [['Retry-After', '5']] });
  if (error instanceof NotAuthorisedError) return new ApiFault('not-allowed', error.message);
  if (error instanceof SaltInvocationError || error instanceof BadCallError)
    return new ApiFault('bad-call', error.message);
  // after the classes of which this is the base
  if (error instanceof ClientError) return new ApiFault('master-failed', error.message);
  if (error instanceof TargetError) return new ApiFault('bad-target', error.message);
  return undefined;
}

function count(names: readonly string[]): number {
  return names.filter((name) => name.startsWith('{')).length;
}

function matched(
  names: readonly string[],
  given: readonly string[],
): ReadonlyMap<string, string> | undefined {
  if (names.length !== given.length) return undefined;
  const params = new Map<string, string>();
  for (const [index, name] of names.entries()) {
    const value = given[index] as string;
    if (name.startsWith('{')) params.set(name.slice(1, -1), value);
    else if (name !== value) return undefined;
  }
  return params;
}

function methodFault(exchange: Exchange, routes: readonly Route[]): ApiFault {
  const methods = routes.flatMap(({ method }): (Method | 'HEAD')[] =>
    method === 'GET' ? ['GET', 'HEAD'] : [method],
  );
  const told = METHODS.has(exchange.method) ? exchange.method : 'this method';
  return new ApiFault(
    'method-not-allowed',
    `${shownPath(exchange.path)} does not take ${told}; it takes ${methods.join(', ')}.`,
    {
      headers: [['Allow', methods.join(', ')]],
    },
  );
}

/** Every field behind `?`, one that comes several times with all of its values. */
function queryOf(exchange: Exchange): readonly (readonly [string, string])[] {
  const target = exchange.request.url ?? '';
  const at = target.indexOf('?');
  return at < 0 ? [] : [...new URLSearchParams(target.slice(at + 1))];
}

function readFields(
  shape: Route['query']['shape'],
  given: readonly (readonly [string, string])[],
  unknown: string,
): unknown {
  const fields = new Map(Object.entries(shape));
  const out = new Map<string, unknown>();
  for (const [name, value] of given) {
    const schema = fields.get(name);
    if (schema === undefined) {
      // browsers cannot set a header for a stream
      if (name === 'last_event_id') continue;
      throw new SchemaFault(name.slice(0, 100), unknown);
    }
    const known = out.get(name);
    const read = readText(schema, value, name);
    if (known === undefined) out.set(name, read);
    else if (Array.isArray(known) && Array.isArray(read) && known.length < 100) known.push(...read);
    else throw new SchemaFault(name, 'is given too often');
  }
  for (const [name, schema] of fields)
    if (!out.has(name) && !('isOptional' in schema)) throw new SchemaFault(name, 'is missing');
  return Object.fromEntries(out);
}

/** What a browser asks before it sends a request of a page of another origin. */
function sendOptions(exchange: Exchange): void {
  if (exchange.headers.has('access-control-allow-origin')) {
    exchange.set('Access-Control-Allow-Methods', [...METHODS].join(', '));
    exchange.set('Access-Control-Allow-Headers', 'Authorization, Content-Type, X-Auth-Token, Last-Event-ID');
    exchange.set('Access-Control-Max-Age', '600');
  }
  exchange.response.writeHead(204, [...exchange.headers.values()].flat());
  exchange.response.end();
}
