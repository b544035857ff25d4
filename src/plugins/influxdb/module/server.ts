/** Asking InfluxDB 1.x, as Python's client does (salt/modules/influxdbmod.py 3006 `_client`). */
import { CommandExecutionError, SaltInvocationError, UnreachableError } from '../../../errors/errors.ts';
import { JsonSyntaxError, parseJson } from '../../../formats/json/text.ts';
import { sendHttp, type HttpReply, type HttpRequest } from '../../../network/http/client.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';

const TIMEOUT_MS = 60_000;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const DURATION = /^(?:inf|(?:\d+(?:ns|us?|\u00b5s?|ms|s|m|h|d|w))+)$/i;
const PRIVILEGES = new Set(['read', 'write', 'all', 'all privileges']);
/** Settings of Python's client that mean nothing here; each is warned about. */
const WITHOUT_EFFECT = new Set(
  'retries use_udp udp_port proxies pool_size cert gzip session headers'.split(' '),
);
const SERVED = new Set(
  'influxdb_user influxdb_password influxdb_host influxdb_port database ssl verify_ssl timeout path'.split(
    ' ',
  ),
);

/** The name of the keywords that say where. */
export const CLIENT = 'client_args';

/** One series of an answer. */
export interface Series {
  readonly name: Value;
  readonly tags: Dict | undefined;
  readonly points: readonly Dict[];
}

/** A name within a statement. */
export const quoteName = (name: Value): string =>
  `"${pyStr(name).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

/** The same, of what a site may have quoted itself. */
export const quoteNameOnce = (name: Value): string =>
  /^".*"$/s.test(pyStr(name)) ? pyStr(name) : quoteName(name);

/** A text within a statement. */
export const quoteText = (text: Value): string =>
  `'${pyStr(text).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** A duration as it may stand in a statement. @throws SaltInvocationError for what is none */
export function durationWord(value: Value): string {
  const text = pyStr(value);
  if (DURATION.test(text)) return text;
  throw new SaltInvocationError(
    `${pyRepr(value)} is no duration of InfluxDB: give a number with ns, u, ms, s, m, h, d or w, or INF`,
  );
}

/** A privilege as it may stand in a statement. @throws SaltInvocationError for what is none */
export function privilegeWord(value: Value): string {
  const text = pyStr(value);
  if (PRIVILEGES.has(text.toLowerCase())) return text;
  throw new SaltInvocationError(`${pyRepr(value)} is no privilege of InfluxDB: give read, write or all`);
}

/** Where the server is, and who asks. */
interface Server {
  readonly url: string;
  readonly login: string;
  readonly verify: boolean;
  readonly timeoutMs: number;
}

async function serverOf(ctx: ModuleContext, client: Dict): Promise<Server> {
  for (const name of client.keys()) {
    const word = pyStr(name);
    if (WITHOUT_EFFECT.has(word)) ctx.log.warning(`influxdb: ${pyRepr(word)} has no effect here`);
    else if (!SERVED.has(word) && !word.startsWith('__'))
      throw new SaltInvocationError(`${pyRepr(word)} is no argument of connections to InfluxDB`);
  }
  const option = async (name: string, fallback: Value): Promise<Value> => {
    const given = client.get(`influxdb_${name}`);
    return truthy(given ?? null)
      ? (given ?? null)
      : ctx.functions.call('config.option', [`influxdb.${name}`, fallback]);
  };
  const host = pyStr(await option('host', 'localhost'));
  const port = pyStr(await option('port', 8086));
  const path = pyStr(client.get('path') ?? '').replace(/^\/*(?=.)/, '/');
  const login = `${pyStr(await option('user', 'root'))}:${pyStr(await option('password', 'root'))}`;
  const seconds = toNumber(client.get('timeout') ?? null);
  return {
    url: `${client.get('ssl') === true ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}${path}/query`,
    login: `Basic ${Buffer.from(login).toString('base64')}`,
    verify: truthy(client.get('verify_ssl') ?? null),
    timeoutMs: seconds === undefined ? TIMEOUT_MS : seconds * 1000,
  };
}

/**
 * Has the server carry out statements.
 * @param client the keywords of the call
 * @param isChange it is sent as a body, so that no log of the server's requests shows a password
 * @returns the series of each statement
 * @throws CommandExecutionError what the server says against it, or that it is not reached
 */
export async function ask(
  ctx: ModuleContext,
  client: Dict,
  statement: string,
  { database, isChange = false }: { readonly database?: Value; readonly isChange?: boolean } = {},
): Promise<Series[][]> {
  const server = await serverOf(ctx, client);
  const within = database ?? client.get('database') ?? null;
  const words = new URLSearchParams({ q: statement, ...(within === null ? {} : { db: pyStr(within) }) });
  const url = new URL(server.url);
  if (!isChange) url.search = words.toString();
  const request: HttpRequest = {
    method: isChange ? 'POST' : 'GET',
    url,
    headers: new Map([
      ['authorization', server.login],
      ['accept', 'application/json'],
      ...(isChange ? ([['content-type', 'application/x-www-form-urlencoded']] as const) : []),
    ]),
    ...(isChange ? { body: words.toString() } : {}),
    timeoutMs: server.timeoutMs,
    verify: server.verify,
    clock: ctx.clock,
    agent: 'salt-minion',
    answerBytesMax: ANSWER_BYTES_MAX,
  };
  const { status, text } = await sendHttp(request).catch(unreached);
  if (status !== 200) throw new CommandExecutionError(`${status}: ${text.trim()}`);
  return resultsIn(text);
}

/** @throws CommandExecutionError with the options that say where the server is */
function unreached(error: unknown): HttpReply {
  if (!(error instanceof UnreachableError)) throw error;
  throw new CommandExecutionError(
    `InfluxDB at ${error.message.replace(/\.$/, '')}. Check influxdb.host and influxdb.port, and that the server runs`,
    { cause: error },
  );
}

function resultsIn(text: string): Series[][] {
  const results = bodyOf(text).get('results');
  return (Array.isArray(results) ? results : []).filter(isDict).map((result) => {
    const error = result.get('error');
    if (error !== undefined) throw new CommandExecutionError(pyStr(error));
    const series = result.get('series');
    return (Array.isArray(series) ? series : []).filter(isDict).map(seriesOf);
  });
}

function bodyOf(text: string): Dict {
  try {
    const body = parseJson(text);
    if (isDict(body)) return body;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
  }
  throw new CommandExecutionError(
    'The answer of InfluxDB is no JSON; is it InfluxDB 1.x that listens there?',
  );
}

function seriesOf(series: Dict): Series {
  const [columns, rows, tags] = [series.get('columns'), series.get('values'), series.get('tags')];
  const names = Array.isArray(columns) ? columns : [];
  return {
    name: series.get('measurement') ?? series.get('name') ?? 'results',
    tags: isDict(tags) ? tags : undefined,
    points: (Array.isArray(rows) ? rows : []).map((row) => {
      const cells = Array.isArray(row) ? row : [];
      return new Map(names.map((name, i) => [name, cells[i] ?? null]));
    }),
  };
}

/** All points of an answer. */
export async function pointsOf(
  ctx: ModuleContext,
  client: Dict,
  statement: string,
): Promise<readonly Dict[]> {
  const [series = []] = await ask(ctx, client, statement);
  return series.flatMap(({ points }) => points);
}

/** Carries out a statement that changes something. @returns true */
export async function change(ctx: ModuleContext, client: Dict, statement: string): Promise<true> {
  await ask(ctx, client, statement, { isChange: true });
  return true;
}

/** The points of an answer by their series, and within it by its tags in JSON. */
export function resultsDict(series: readonly Series[], tagsText: (tags: Dict) => string): Dict {
  const found: Dict = new Map();
  for (const { name, tags, points } of series) {
    const list: Value[] = [...points];
    if (tags === undefined || tags.size === 0) found.set(name, list);
    else {
      const known = found.get(name);
      found.set(name, (isDict(known) ? known : dict()).set(tagsText(tags), list));
    }
  }
  return new Map([...found].sort(([a], [b]) => (pyStr(a) < pyStr(b) ? -1 : 1)));
}
