/**
 * Which Elasticsearch the functions of `elasticsearch` speak with, and one question to it (3006.16
 * salt/modules/elasticsearch.py, elasticsearch-py 7).
 */
import { CommandExecutionError, SaltInvocationError, UnreachableError } from '../../../errors/errors.ts';
import { JsonSyntaxError, parseJson, toJson } from '../../../formats/json/text.ts';
import { sendHttp, type HttpReply, type HttpRequest } from '../../../network/http/client.ts';
import { pathOf } from '../../../network/http/path-words.ts';
import { withoutCredentials } from '../../../python/values/masked.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { isDict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext, TypedArguments } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { optionDict } from '../../shared/settings.ts';

const DEFAULT_HOST = '127.0.0.1:9200';
const DEFAULT_PORT = 9200;
const TIMEOUT_SECONDS = 10;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const NOT_FOUND = 404;
/** Most of a server's words in a message. */
const WORDS_MAX = 1000;

/** Where Elasticsearch is, as parameters. */
export const PLACE = {
  hosts: param.by(hostsIn, {
    default: null,
    type: 'list or str',
    doc: 'Hosts, host:port or addresses, tried in turn.',
  }),
  profile: param.by(profileIn, {
    default: null,
    type: 'str or dict',
    doc: 'The option with hosts, username, password, use_ssl, ca_certs, verify_certs and timeout, or such a mapping; default: elasticsearch.',
  }),
} as const;

/** Where Elasticsearch is. */
export type Place = TypedArguments<typeof PLACE>;

/** One host or a list of them; undefined where none is named. */
function hostsIn(value: Value): readonly Value[] | undefined {
  if (!truthy(value)) return undefined;
  return Array.isArray(value) ? value : [value];
}

/** The name of an option, or what would stand in it. */
function profileIn(value: Value): string | Dict {
  if (typeof value === 'string') return value;
  return value === null ? 'elasticsearch' : isDict(value) ? value : new Map();
}

/** A question. Words of the path that are empty are left out. */
export interface Question {
  readonly method: 'DELETE' | 'GET' | 'HEAD' | 'POST' | 'PUT';
  readonly path: readonly Value[];
  readonly params?: Readonly<Record<string, Value>>;
  readonly body?: Value;
}

/** What the server has against it. */
export interface Refusal {
  readonly status: number | 'N/A';
  readonly error: string;
  /** For people, as elasticsearch-py writes it. */
  readonly text: string;
}

/** What comes back: the data (true for a HEAD), or a refusal. */
export type Answer = { readonly data: Value; readonly refusal?: undefined } | { readonly refusal: Refusal };

/** Asks a server that has answered before. */
export type Ask = (question: Question) => Promise<Answer>;

interface Server {
  readonly hosts: readonly URL[];
  /** As Salt shows them. */
  readonly shown: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly verify: boolean | string;
  readonly timeoutMs: number;
}

async function serverOf(ctx: ModuleContext, { hosts: given, profile }: Place): Promise<Server> {
  const found = typeof profile === 'string' ? await optionDict(ctx, [profile, null]) : profile;
  const options: Dict = isDict(found) ? found : new Map();
  const option = (name: string): Value => options.get(name) ?? null;
  const first = options.has('host') ? hostsIn(option('host')) : given;
  const list = first ?? (option('hosts') === null ? given : hostsIn(option('hosts'))) ?? [DEFAULT_HOST];
  if (truthy(option('proxies')))
    throw new SaltInvocationError(
      'The option proxies of elasticsearch is not served: name the hosts themselves',
    );
  const [user, password] = [option('username'), option('password')];
  const headers = new Map([['accept', 'application/json']]);
  if (truthy(user) && truthy(password)) headers.set('authorization', basic(pyStr(user), pyStr(password)));
  const ca = option('ca_certs');
  return {
    hosts: list.map((host) => addressOf(host, truthy(option('use_ssl')))),
    shown: withoutCredentials(pyRepr([...list])),
    headers,
    verify: options.get('verify_certs') === false ? false : truthy(ca) ? pyStr(ca) : true,
    timeoutMs: (toNumber(option('timeout')) ?? TIMEOUT_SECONDS) * 1000,
  };
}

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** @throws SaltInvocationError without the host, which may have a password in it */
function addressOf(host: Value, isSsl: boolean): URL {
  const scheme = isSsl ? 'https' : 'http';
  const text = isDict(host)
    ? `${truthy(host.get('use_ssl')) ? 'https' : scheme}://${pyStr(host.get('host') ?? '')}:${pyStr(host.get('port') ?? DEFAULT_PORT)}`
    : pyStr(host);
  const full = /^https?:\/\//.test(text) ? text : `${scheme}://${text}`;
  if (!URL.canParse(full))
    throw new SaltInvocationError('A host of elasticsearch is no address; it looks like 127.0.0.1:9200');
  const url = new URL(full);
  if (url.port === '' && !/:\d+(\/|$)/.test(full.replace(/^https?:\/\//, '')))
    url.port = url.protocol === 'https:' ? '443' : String(DEFAULT_PORT);
  return url;
}

/**
 * Connects, which is a question for what the server is.
 * @throws CommandExecutionError when that is not answered
 */
export async function connect(ctx: ModuleContext, place: Place): Promise<Ask> {
  const server = await serverOf(ctx, place);
  const ask: Ask = (question) => send(ctx, server, question);
  const { refusal } = await ask({ method: 'GET', path: [] });
  if (refusal === undefined) return ask;
  throw new CommandExecutionError(
    `Could not connect to Elasticsearch host/ cluster ${server.shown} due to ${refusal.text}`,
  );
}

async function send(ctx: ModuleContext, server: Server, question: Question): Promise<Answer> {
  const { method, params = {}, body = null } = question;
  const path = pathOf(
    question.path.map(wordOf).filter((word) => word !== ''),
    ',*',
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) if (value !== null) query.set(name, wordOf(value));
  const text = body === null ? undefined : typeof body === 'string' ? body : toJson(body);
  let failed: UnreachableError | undefined;
  for (const host of server.hosts) {
    const url = new URL(`${host.pathname.replace(/\/$/, '')}/${path}`, host);
    url.search = query.toString();
    const headers = new Map(server.headers);
    if (host.username !== '')
      headers.set(
        'authorization',
        basic(decodeURIComponent(host.username), decodeURIComponent(host.password)),
      );
    if (text !== undefined) headers.set('content-type', 'application/json');
    url.username = '';
    url.password = '';
    const request: HttpRequest = {
      method,
      url,
      headers,
      ...(text === undefined ? {} : { body: text }),
      timeoutMs: server.timeoutMs,
      verify: server.verify,
      tlsSettings: { ca: 'ca_certs of the option elasticsearch' },
      clock: ctx.clock,
      signal: ctx.signal,
      agent: 'salt-minion',
      answerBytesMax: ANSWER_BYTES_MAX,
    };
    try {
      return answerOf(method, await sendHttp(request));
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      failed = error;
    }
  }
  const error = failed?.message ?? 'there is no host';
  return { refusal: { status: 'N/A', error, text: `ConnectionError(${error})` } };
}

/** A word of a path or of an address: of several, with commas between them. */
function wordOf(value: Value): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? value.map(pyStr).join(',') : pyStr(value);
}

function answerOf(method: string, { status, text }: HttpReply): Answer {
  if (status >= 200 && status < 300) return { data: method === 'HEAD' ? true : bodyOf(text) };
  if (method === 'HEAD' && status === NOT_FOUND) return { data: false };
  return { refusal: refusalOf(status, text) };
}

/** @throws CommandExecutionError for what is no JSON */
function bodyOf(text: string): Value {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new CommandExecutionError('The answer is no JSON; is it Elasticsearch that listens there?', {
      cause: error,
    });
  }
}

/** The names that elasticsearch-py has for statuses. */
const KINDS: ReadonlyMap<number, string> = new Map([
  [400, 'RequestError'],
  [401, 'AuthenticationException'],
  [403, 'AuthorizationException'],
  [NOT_FOUND, 'NotFoundError'],
  [409, 'ConflictError'],
]);

function refusalOf(status: number, text: string): Refusal {
  let said: Value = null;
  try {
    said = parseJson(text);
  } catch {
    // no JSON: the text itself is what is said
  }
  const given = isDict(said) ? (said.get('error') ?? text) : text;
  const error = pyStr(isDict(given) ? (given.get('type') ?? given) : given).slice(0, WORDS_MAX);
  const words = [String(status), pyRepr(error), causeOf(given, isDict(said) && said.has('error'))];
  return {
    status,
    error,
    text: `${KINDS.get(status) ?? 'TransportError'}(${words.filter((word) => word !== '').join(', ')})`,
  };
}

function causeOf(error: Value, isSaid: boolean): string {
  if (!isSaid) return '';
  if (!isDict(error)) return pyRepr(error).slice(0, WORDS_MAX);
  const causes = error.get('root_cause');
  const [root] = Array.isArray(causes) ? causes : [];
  if (!isDict(root) || !root.has('reason')) return '';
  const more = ['resource.id', 'resource.type'].map((name) => root.get(name) ?? null).filter(truthy);
  return [pyRepr(root.get('reason') ?? null), ...more.map(pyStr)].join(', ').slice(0, WORDS_MAX);
}

/** One thing to do. */
export interface Act {
  readonly question: Question;
  /** What is said when it is refused: `Cannot delete index x`. */
  readonly failed: string;
  /** What comes back when there is no such thing; without it that is a refusal like others. */
  readonly missing?: Value;
  /** What comes back of the answer; default all of it. */
  readonly take?: (data: Value) => Value;
  /** Whether a refusal counts as done. */
  readonly isDone?: (refusal: Refusal) => boolean;
}

/** Connects and does it. @throws CommandExecutionError */
export async function act(ctx: ModuleContext, place: Place, wanted: Act): Promise<Value> {
  const ask = await connect(ctx, place);
  const answer = await ask(wanted.question);
  const { refusal } = answer;
  if (refusal === undefined) return (wanted.take ?? ((data) => data))(answer.data);
  if (refusal.status === NOT_FOUND && wanted.missing !== undefined) return wanted.missing;
  if (wanted.isDone?.(refusal) === true) return true;
  throw new CommandExecutionError(
    `${wanted.failed}, server returned code ${refusal.status} with message ${refusal.error}`,
  );
}

/** Whether the server says that it has taken something. */
export const acknowledged = (data: Value): Value =>
  isDict(data) ? (data.get('acknowledged') ?? false) : false;

/** The same for snapshots. */
export const accepted = (data: Value): Value => (isDict(data) ? (data.get('accepted') ?? false) : false);
