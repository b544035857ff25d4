/**
 * Messages as documents of a collection in MongoDB, as the package log4mongo makes them (3006.16
 * salt/log_handlers/log4mongo_mod.py).
 */
import { hostname } from 'node:os';
import type { MongoClient, W } from 'mongodb';
import { systemClock, type Clock, type Timer } from '../../host/clock.ts';
import { mongoClient, mongoUri } from '../../network/databases/mongo.ts';
import type { Secret } from '../../host/secret.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Value } from '../../python/values/value.ts';
import { levelName, type Told } from './log-forms.ts';
import { LogQueue } from './log-queue.ts';

/** Longer a server may not take. */
const TIMEOUT_MS = 5_000;
/** A connection without messages ends after this time. */
const IDLE_MS = 1_000;

/** Where documents go. */
export interface MongoPlace {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly collection: string;
  readonly user: string | undefined;
  readonly password: Secret;
  /** How many servers have to have them: a number, or a name such as `majority`. */
  readonly writeConcern: Value;
}

type LogDocument = Readonly<Record<string, string | number | Date>>;

/** A record as log4mongo stores it; without lines and functions, which there are none of. */
export function mongoDocument(record: Told): LogDocument {
  return {
    timestamp: new Date(record.timeMs),
    level: levelName(record),
    thread: record.pid,
    threadName: 'MainThread',
    message: record.message,
    loggerName: record.logger,
    fileName: '',
    module: record.logger.split('.').at(-1) ?? '',
    method: '',
    lineNumber: 0,
    hostname: hostname(),
  };
}

/** Inserts documents; the driver is loaded with the first, and the connection ends some time after the last. */
export function mongoChannel(place: MongoPlace, clock: Clock = systemClock): LogQueue<LogDocument> {
  let opened: Promise<MongoClient> | undefined;
  let idle: Timer | undefined;
  const close = async (): Promise<void> => {
    const client = await opened?.catch(() => undefined);
    opened = undefined;
    // nothing is waiting for its last words
    await client?.close(true).catch(() => undefined);
  };
  return new LogQueue(async (batch) => {
    idle?.cancel();
    opened ??= open(place);
    try {
      const collection = (await opened).db(place.database).collection(place.collection);
      await collection.insertMany(batch.map((one) => ({ ...one })));
    } catch (error) {
      await close();
      throw error;
    }
    idle = clock.after(IDLE_MS, () => void close(), { background: true });
  }, clock);
}

async function open({ host, port, user, password, writeConcern }: MongoPlace): Promise<MongoClient> {
  const word = writeConcern === null ? undefined : pyStr(writeConcern);
  return mongoClient(
    {
      uri: mongoUri(host, port),
      ...(user === undefined ? {} : { username: user, password: password.reveal(), authSource: 'admin' }),
      appName: 'salt-log',
      timeoutMs: TIMEOUT_MS,
    },
    word === undefined ? {} : { writeConcern: { w: (/^\d+$/.test(word) ? Number(word) : word) as W } },
  );
}
