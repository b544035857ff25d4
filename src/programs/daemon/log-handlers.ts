/**
 * Messages for log servers: `logstash_udp_handler`, `logstash_zmq_handler`, `fluent_handler`, `sentry_handler` and
 * `log4mongo_handler` (3006.16 salt/log_handlers/). What a server does not take is kept up to a bound, then dropped;
 * nothing waits for it.
 */
import type { Options } from '../../config/option.ts';
import { encode } from '../../formats/wire/msgpack.ts';
import { toJson } from '../../formats/json/text.ts';
import { DatagramChannel, StreamChannel } from '../../host/log-network.ts';
import { levelNamed, type LineSinkDeps } from '../../host/log-sinks.ts';
import { LOG_LEVELS, type LogSink } from '../../host/log.ts';
import { Secret } from '../../host/secret.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, toNumber, truthy, type Dict } from '../../python/values/value.ts';
import { gelf, graylog, LOGSTASH_FORMS, sink, type Form } from './log-forms.ts';
import { mongoChannel, mongoDocument } from './log-mongo.ts';
import { sentryChannel, sentryEvent, sentryPlace } from './log-sentry.ts';
import { ZmqLogChannel, zmqAddress } from './log-zmq.ts';

/** Makes a sink, once it is known what the sinks of a program share. */
type MakeSink = (shared: LineSinkDeps) => LogSink;

/** What handlers are made with beside their own options. */
type AllOptions = Pick<Options, 'raw'>;

/** What is configured, and what is wrong with it. */
export interface LogHandlers {
  readonly make: readonly MakeSink[];
  readonly faults: readonly string[];
}

const DEFAULT_FLUENT_PORT = 24224;
const DEFAULT_MONGO_PORT = 27017;
/** Reads the options of handlers. */
export function logHandlers(opts: Pick<Options, 'raw'>): LogHandlers {
  const faults: string[] = [];
  const make: MakeSink[] = [];
  for (const [name, create] of [
    ['logstash_udp_handler', logstash],
    ['logstash_zmq_handler', logstashZmq],
    ['fluent_handler', fluent],
    ['sentry_handler', sentry],
    ['log4mongo_handler', mongo],
  ] as const) {
    const given = opts.raw(name);
    if (given === undefined || given === null) continue;
    const made = isDict(given)
      ? create(given, levelOf(given, opts), opts)
      : 'it must be a mapping, such as {host: …, port: …}';
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

function formOf(given: Dict): Form | string {
  const version = pyStr(given.get('version') ?? 0);
  return LOGSTASH_FORMS.get(version) ?? `there is no version ${version}; there are 0 and 1`;
}

function logstash(given: Dict, level: number): MakeSink | string {
  const address = addressIn(given);
  if (typeof address === 'string') return address;
  const form = formOf(given);
  if (typeof form === 'string') return form;
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

/** A PUB socket that connects, as Salt's does: logstash listens. */
function logstashZmq(given: Dict, level: number): MakeSink | string {
  const address = zmqAddress(given.get('address') ?? null);
  if (typeof address === 'string') return address;
  const form = formOf(given);
  if (typeof form === 'string') return form;
  const hwm = toNumber(given.get('hwm') ?? 1000);
  if (hwm === undefined || !Number.isInteger(hwm) || hwm < 1)
    return `hwm must be a number of messages, not ${pyStr(given.get('hwm') ?? null)}`;
  return (shared) => {
    const channel = new ZmqLogChannel(address, hwm);
    const labels = { tags: ['salt'], type: 'logstash', path: 'logstash' };
    return sink(level, shared, (record) => channel.send(Buffer.from(toJson(form(record, labels)))));
  };
}

/** Salt compat: what it says of frames of Python (`include_paths`, `processors` …) has no meaning here. */
function sentry(given: Dict, _level: number, opts: AllOptions): MakeSink | string {
  const place = sentryPlace(given);
  if (typeof place === 'string') return place;
  // the level of other messages does not count here
  const level = levelNamed(pyStr(given.get('log_level') ?? 'error')) ?? LOG_LEVELS.error;
  const event = sentryEvent(given, opts.raw('grains') ?? null);
  if (typeof event === 'string') return event;
  return (shared) => {
    const channel = sentryChannel(place);
    return sink(level, shared, (record) => {
      const made = event(record);
      if (made !== undefined) channel.send(made);
    });
  };
}

function mongo(given: Dict, level: number): MakeSink | string {
  const text = (name: string): string | undefined =>
    truthy(given.get(name)) ? pyStr(given.get(name) ?? null) : undefined;
  const address = addressIn(new Map([['host', text('host') ?? 'localhost'], ...given]), DEFAULT_MONGO_PORT);
  if (typeof address === 'string') return address;
  const database = text('database_name');
  if (database === undefined) return 'database_name is missing';
  const place = {
    ...address,
    database,
    collection: text('collection') ?? 'logs',
    user: text('username'),
    password: new Secret(text('password') ?? ''),
    writeConcern: given.get('write_concern') ?? null,
  };
  return (shared) => {
    const channel = mongoChannel(place);
    return sink(level, shared, (record) => channel.send(mongoDocument(record)));
  };
}
