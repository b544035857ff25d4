/** Messages as log servers take them (3006.16 salt/log_handlers/logstash_mod.py, salt/log_handlers/fluent_mod.py). */
import { hostname } from 'node:os';
import type { LineSinkDeps } from '../../host/log-sinks.ts';
import type { LogRecord, LogSink } from '../../host/log.ts';
import { float, type Dict, type Value } from '../../python/values/value.ts';

/** Graylog's numbers of levels, with those of Salt's names that it does not know as `ALERT`, as in Salt. */
const GRAYLOG_LEVELS: ReadonlyMap<string, number> = new Map([
  ['WARNING', 4],
  ['INFO', 6],
  ['DEBUG', 7],
]);

/** A record with what handlers say beside it. */
export interface Told extends LogRecord {
  readonly timeMs: number;
  readonly pid: number;
}

interface Labels {
  readonly tags: readonly string[];
  readonly type: string;
  readonly path: string;
}

/** A sink for records of a level that others did not leave out. */
export function sink(level: number, shared: LineSinkDeps, send: (record: Told) => void): LogSink {
  return {
    level,
    write: (record) => {
      if (!shared.passes(record)) return;
      const { timeMs, pid } = shared.context();
      send({ ...record, message: shared.safe(record.message), timeMs, pid });
    },
  };
}

export const levelName = ({ level }: Told): string => level.toUpperCase();

/** What every form says of the place of a record; without lines and functions, which there are none of. */
export const placeOf = (record: Told): [string, Value][] => [
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

/** A record as one kind of server takes it. */
export type Form = (record: Told, labels: Labels) => Dict;

/** By `version`. */
export const LOGSTASH_FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
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

/** Graylog's over fluentd. */
export const graylog: Form = (record, { tags }) =>
  new Map<Value, Value>([
    ['message', record.message],
    ['timestamp', timestamp(record)],
    ['level', graylogLevel(record)],
    ['tag', tags[0] ?? 'salt'],
    ...placeOf(record).map(([name, value]): [Value, Value] => [name === 'logger' ? 'name' : name, value]),
  ]);

/** GELF. */
export const gelf: Form = (record, { tags }) =>
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
