/**
 * Messages for log servers: `logstash_udp_handler` and `fluent_handler` (3006.16 salt/log_handlers/logstash_mod.py, salt/log_handlers/fluent_mod.py). What a
 * server does not take is kept up to a bound, then dropped; nothing waits for it.
 */
import { hostname } from 'node:os';
import type { Options } from '../../config/option.ts';
import { encode } from '../../formats/wire/msgpack.ts';
import { toJson } from '../../formats/json/text.ts';
import { DatagramChannel, StreamChannel } from '../../host/log-network.ts';
import { levelNamed, type LineSinkDeps } from '../../host/log-sinks.ts';
import { LOG_LEVELS, type LogRecord, type LogSink } from '../../host/log.ts';
import { pyStr } from '../../python/values/repr.ts';
import { float, isDict, toNumber, type Dict, type Value } from '../../python/values/value.ts';

/** Makes a sink, once it is known what the sinks of a program share. */
type MakeSink = (shared: LineSinkDeps) => LogSink;

/** What is configured, and what is wrong with it. */
export interface LogHandlers {
  readonly make: readonly MakeSink[];
  readonly faults: readonly string[];
}

const DEFAULT_FLUENT_PORT = 24224;
/** Graylog's numbers of levels, with those of Salt's names that it does not know as `ALERT`, as in Salt. */
const GRAYLOG_LEVELS: ReadonlyMap<string, number> = new Map([
  ['WARNING', 4],
  ['INFO', 6],
  ['DEBUG', 7],
]);

/** Reads the options of handlers. */
export function logHandlers(opts: Pick<Options, 'raw'>): LogHandlers {
  const faults: string[] = [];
  const make: MakeSink[] = [];
  for (const [name, create] of [
    ['logstash_udp_handler', logstash],
    ['fluent_handler', fluent],
  ] as const) {
    const given = opts.raw(name);
    if (given === undefined || given === null) continue;
    const made = isDict(given)
      ? create(given, levelOf(given, opts))
      : 'it must be a mapping with host and port';
    if (typeof made === 'string') faults.push(`No messages go to ${name}: ${made}.`);
    else make.push(made);
  }
  return { make, faults };
}

function levelOf(given: Dict, opts: Pick<Options, 'raw'>): number {
  return levelNamed(pyStr(given.get('log_level') ?? opts.raw('log_level') ?? 'error')) ?? LOG_LEVELS.error;
}

/** @returns what is wrong, where something is */
function addressIn(given: Dict, port?: number): { host: string; port: number } | string {
  const [host, number] = [given.get('host') ?? null, toNumber(given.get('port') ?? port ?? null)];
  if (typeof host !== 'string' || host === '') return 'host is missing';
  if (number === undefined || !Number.isInteger(number) || number < 1 || number > 65535)
    return `port must be a number from 1 to 65535, not ${pyStr(given.get('port') ?? null)}`;
  return { host, port: number };
}

function logstash(given: Dict, level: number): MakeSink | string {
  const address = addressIn(given);
  if (typeof address === 'string') return address;
  const version = pyStr(given.get('version') ?? 0);
  const form = LOGSTASH_FORMS.get(version);
  if (form === undefined) return `there is no version ${version}; there are 0 and 1`;
  const type = pyStr(given.get('msg_type') ?? 'logstash');
  return (shared) => {
    const channel = new DatagramChannel(address.host, address.port);
    return sink(level, shared, (record) =>
      channel.send(Buffer.from(toJson(form(record, { tags: ['salt'], type, path: 'logstash' })))),
    );
  };
}

function fluent(given: Dict, level: number): MakeSink | string {
  const host = given.get('host');
  const isLocal = typeof host === 'string' && host.startsWith('unix://');
  const address = isLocal ? { path: host.slice('unix://'.length) } : addressIn(given, DEFAULT_FLUENT_PORT);
  if (typeof address === 'string') return address;
  const tags = given.get('tags');
  const labels = Array.isArray(tags) && tags.length > 0 ? tags.map(pyStr) : ['salt'];
  const kind = pyStr(given.get('payload_type') ?? 'logstash');
  const version = pyStr(given.get('version') ?? 1);
  const form = kind === 'graylog' ? graylog : kind === 'gelf' ? gelf : LOGSTASH_FORMS.get(version);
  if (form === undefined) return `there is no version ${version}; there are 0 and 1`;
  const [tag = 'salt'] = labels;
  return (shared) => {
    const channel = new StreamChannel(address);
    return sink(level, shared, (record) =>
      channel.send(
        encode(
          [
            tag,
            Math.floor(record.timeMs / 1000),
            form(record, { tags: labels, type: 'logstash', path: 'logstash' }),
          ],
          'local',
        ),
      ),
    );
  };
}

/** A record with what handlers say beside it. */
interface Told extends LogRecord {
  readonly timeMs: number;
  readonly pid: number;
}

interface Labels {
  readonly tags: readonly string[];
  readonly type: string;
  readonly path: string;
}

function sink(level: number, shared: LineSinkDeps, send: (record: Told) => void): LogSink {
  return {
    level,
    write: (record) => {
      if (!shared.passes(record)) return;
      const { timeMs, pid } = shared.context();
      send({ ...record, message: shared.safe(record.message), timeMs, pid });
    },
  };
}

const levelName = ({ level }: Told): string => level.toUpperCase();

/** What every form says of the place of a record; without lines and functions, which there are none of. */
const placeOf = (record: Told): [string, Value][] => [
  ['levelname', levelName(record)],
  ['logger', record.logger],
  ['lineno', 0],
  ['pathname', ''],
  ['process', record.pid],
  ['threadName', 'MainThread'],
  ['funcName', ''],
  ['processName', 'MainProcess'],
];

const timestamp = ({ timeMs }: Told): string => new Date(timeMs).toISOString();

type Form = (record: Told, labels: Labels) => Dict;

const LOGSTASH_FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
  [
    '0',
    (record, { tags, type, path }) =>
      new Map<Value, Value>([
        ['@timestamp', timestamp(record)],
        ['@fields', new Map(placeOf(record))],
        ['@message', record.message],
        ['@source', `${type}://${hostname()}/${path}`],
        ['@source_host', hostname()],
        ['@source_path', path],
        ['@tags', [...tags]],
        ['@type', type],
      ]),
  ],
  [
    '1',
    (record, { tags, type }) =>
      new Map<Value, Value>([
        ['@version', 1],
        ['@timestamp', timestamp(record)],
        ['host', hostname()],
        ...placeOf(record),
        ['message', record.message],
        ['tags', [...tags]],
        ['type', type],
      ]),
  ],
]);

const graylogLevel = (record: Told): Value => GRAYLOG_LEVELS.get(levelName(record)) ?? 'ALERT';

const graylog: Form = (record, { tags }) =>
  new Map<Value, Value>([
    ['message', record.message],
    ['timestamp', timestamp(record)],
    ['level', graylogLevel(record)],
    ['tag', tags[0] ?? 'salt'],
    ...placeOf(record).map(([name, value]): [Value, Value] => [name === 'logger' ? 'name' : name, value]),
  ]);

const gelf: Form = (record, { tags }) =>
  new Map<Value, Value>([
    ['version', float(1.1)],
    ['host', hostname()],
    ['short_message', record.message],
    ['timestamp', float(record.timeMs / 1000)],
    ['level', graylogLevel(record)],
    ['_tag', tags[0] ?? 'salt'],
    ...placeOf(record).map(([name, value]): [Value, Value] => [
      `_${name === 'logger' ? 'name' : name}`,
      value,
    ]),
  ]);
