/**
 * Messages as events of Sentry, in envelopes over HTTP (3006.16 salt/log_handlers/sentry_mod.py, which hands them to
 * the package raven).
 */
import { hostname } from 'node:os';
import { systemClock } from '../../host/clock.ts';
import { systemRandom } from '../../host/random.ts';
import { Secret } from '../../host/secret.ts';
import { toJson } from '../../formats/json/text.ts';
import { sendHttp } from '../../network/http/client.ts';
import { compilePattern } from '../../python/regex/pattern.ts';
import { pyStr } from '../../python/values/repr.ts';
import { float, isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { levelName, placeOf, type Told } from './log-forms.ts';
import { LogQueue } from './log-queue.ts';

const AGENT = 'salt-log';
/** What raven cuts a text to. */
const STRING_LENGTH_MAX = 400;
const LEVELS: ReadonlyMap<string, string> = new Map([
  ['CRITICAL', 'fatal'],
  ['ERROR', 'error'],
  ['WARNING', 'warning'],
  ['INFO', 'info'],
]);

/** Where envelopes go. */
export interface SentryPlace {
  readonly url: URL;
  /** The header that lets us in. */
  readonly auth: Secret;
  readonly timeoutMs: number;
}

/** Reads `dsn`, or `project`, `servers`, `public_key` and `secret_key`. @returns what is wrong, where something is */
export function sentryPlace(given: Dict): SentryPlace | string {
  const seconds = toNumber(given.get('timeout') ?? 1);
  if (seconds === undefined || !(seconds > 0) || seconds > 60)
    return 'timeout must be a number of seconds up to 60';
  const found = truthy(given.get('dsn')) ? fromDsn(pyStr(given.get('dsn') ?? null)) : fromParts(given);
  if (typeof found === 'string') return found;
  const { base, project, publicKey, secretKey } = found;
  const keys = `sentry_key=${publicKey}${secretKey === '' ? '' : `, sentry_secret=${secretKey}`}`;
  return {
    url: new URL(`${base}/api/${encodeURIComponent(project)}/envelope/`),
    auth: new Secret(`Sentry sentry_version=7, sentry_client=${AGENT}, ${keys}`),
    timeoutMs: seconds * 1000,
  };
}

interface Found {
  /** Scheme, host and path before `/api`. */
  readonly base: string;
  readonly project: string;
  readonly publicKey: string;
  readonly secretKey: string;
}

/**
 * `https://public:secret@host/path/project`; raven's transports before the scheme (`requests+https`) have no meaning
 * here.
 */
function fromDsn(dsn: string): Found | string {
  const url = URL.canParse(dsn) ? new URL(dsn.replace(/^[a-z]+\+(?=https?:)/, '')) : undefined;
  const [, path = '', project = ''] = /^(.*)\/([^/]+)$/.exec(url?.pathname ?? '') ?? [];
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username === '' || project === '')
    return 'dsn must be https://KEY@HOST/PROJECT';
  return {
    base: `${url.protocol}//${url.host}${path}`,
    project,
    publicKey: decodeURIComponent(url.username),
    secretKey: decodeURIComponent(url.password),
  };
}

function fromParts(given: Dict): Found | string {
  const missing = ['project', 'servers', 'public_key', 'secret_key'].filter(
    (name) => !truthy(given.get(name)),
  );
  if (missing.length > 0) return `dsn is missing, or ${missing.join(', ')}`;
  const servers = given.get('servers') ?? null;
  const server = pyStr(Array.isArray(servers) ? (servers[0] ?? null) : servers);
  // of old they were the addresses of the interface itself
  const base = server.replace(/\/+$/, '').replace(/\/api(?:\/\d+)?\/store$/, '');
  if (!URL.canParse(base) || !/^https?:/.test(base)) return 'servers must be addresses such as https://HOST';
  const text = (name: string): string => pyStr(given.get(name) ?? null);
  return { base, project: text('project'), publicKey: text('public_key'), secretKey: text('secret_key') };
}

/**
 * Makes events. Salt compat: `context` takes grains that the configuration has itself, since messages are told before
 * others are known.
 * @returns what is wrong, where something is
 */
export function sentryEvent(given: Dict, grains: Value): ((record: Told) => Dict | undefined) | string {
  const lengthMax = toNumber(given.get('string_max_length') ?? STRING_LENGTH_MAX) ?? STRING_LENGTH_MAX;
  const excluded = textsOf(given.get('exclude_patterns'));
  const patterns = excluded.flatMap((one) => {
    const pattern = matcherOf(one);
    return pattern === undefined ? [] : [pattern];
  });
  if (patterns.length < excluded.length) return 'exclude_patterns has what is no regular expression';
  const tags = textsOf(given.get('context')).flatMap((name): [Value, Value][] => {
    const value = isDict(grains) ? grains.get(name) : undefined;
    return truthy(value) ? [[name, pyStr(value ?? null)]] : [];
  });
  const site = given.get('site') ?? null;
  const serverName = truthy(given.get('name')) ? pyStr(given.get('name') ?? null) : hostname();
  return (record) => {
    if (patterns.some((pattern) => pattern(record.message))) return undefined;
    return new Map<Value, Value>([
      ['event_id', systemRandom.bytes(16).toString('hex')],
      ['timestamp', float(record.timeMs / 1000)],
      ['level', LEVELS.get(levelName(record)) ?? 'debug'],
      ['logger', record.logger],
      ['platform', 'other'],
      ['server_name', serverName],
      ['message', new Map([['formatted', record.message.slice(0, lengthMax)]])],
      ['tags', new Map(truthy(site) ? [['site', pyStr(site)], ...tags] : tags)],
      ['extra', new Map(placeOf(record).filter(([name]) => name === 'process' || name === 'threadName'))],
    ]);
  };
}

function textsOf(value: Value | undefined): string[] {
  return Array.isArray(value) ? value.map(pyStr) : [];
}

function matcherOf(text: string): ((message: string) => boolean) | undefined {
  try {
    const pattern = compilePattern(text);
    return (message) => pattern.test(message, 'anywhere');
  } catch {
    return undefined;
  }
}

/**
 * Posts an envelope for each event. What a server refuses (4xx) is dropped and counted; one that cannot take any more
 * is left alone for a while.
 */
export function sentryChannel({ url, auth, timeoutMs }: SentryPlace): LogQueue<Dict> {
  const queue: LogQueue<Dict> = new LogQueue(async (batch) => {
    for (const event of batch) {
      const { status } = await sendHttp({
        ...{ method: 'POST', url, timeoutMs, clock: systemClock, agent: AGENT },
        headers: new Map([
          ['Content-Type', 'application/x-sentry-envelope'],
          ['X-Sentry-Auth', auth.reveal()],
        ]),
        body: envelope(event),
      });
      if (status === 429 || status >= 500) throw new Error(`it answered ${status}`);
      if (status >= 400) queue.dropped++;
    }
  });
  return queue;
}

function envelope(event: Dict): string {
  const body = toJson(event);
  const head = toJson(new Map([['event_id', event.get('event_id') ?? null]]));
  return `${head}\n{"type":"event","length":${Buffer.byteLength(body)}}\n${body}\n`;
}
