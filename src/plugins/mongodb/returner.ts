/**
 * `mongo`: returns, jobs and events in the collections of Salt's returner (salt/returners/mongo_future_return.py,
 * 3006.16). The `_id` of each document follows from what it is, so that writing it again is no second document.
 */
import type { Collection, Db, MongoClient } from 'mongodb';
import { BrineError, ConfigError, messageOf } from '../../errors/errors.ts';
import { jidAt } from '../../storage/jobs/jid.ts';
import { parseJson } from '../../formats/json/text.ts';
import { mongoClient } from '../../network/databases/mongo.ts';
import { tlsFault } from '../../network/tls/fault.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { digestOf } from '../shared/returner/content-digest.ts';
import { storeError, StoreUnavailableError } from '../../network/databases/errors.ts';
import { fromBson, type BsonDocument, type BsonTypes } from '../../formats/data/bson.ts';
import { EXACT, eventDocument, loadDocument, loadOf, returnDocument } from './returner/documents.ts';
import { OneConnection } from '../shared/returner/one-connection.ts';
import {
  type JidReturns,
  type ReturnStore,
  type SavedEvent,
  type SavedLoad,
  type StoreKind,
  type StoreSettings,
} from '../shared/returner/return-store.ts';
import { storeJson } from '../shared/returner/store-json.ts';
import { flagOption, intOption, textOption, type StoreOptions } from '../shared/returner/store-options.ts';

const DUPLICATE_KEY = 11_000;
/** BadValue, InvalidBSON, DollarPrefixedFieldName, DottedFieldName, failed validation, too large. */
const DOCUMENT_CODES: readonly number[] = [2, 22, 52, 57, 121, 10_334];
/** Bytes of documents sent at once; the driver divides further by what the server takes. */
const BATCH_COUNT = 500;
const [RETURNS, JOBS, EVENTS] = ['saltReturns', 'jobs', 'events'];
/** Those of Salt's `mongo.indexes`. */
const INDEXES = [
  [RETURNS, 'minion'],
  [RETURNS, 'jid'],
  [JOBS, 'jid'],
  [EVENTS, 'tag'],
] as const;

/** MongoDB. */
export const mongoKind: StoreKind = {
  name: 'mongo',
  file: 'mongo_future_return',
  optionPrefix: 'mongo',
  defaults: new Map<string, Value | undefined>([
    ['host', undefined],
    ['port', 27017],
    ['db', 'salt'],
    ['user', undefined],
    ['password', undefined],
    ['indexes', undefined],
    ['uri', undefined],
  ]),
  open: (settings) => new MongoStore(settings),
};

interface Connected {
  readonly client: MongoClient;
  readonly db: Db;
  readonly types: BsonTypes;
}

type Found = Record<string, unknown>;

class MongoStore implements ReturnStore {
  readonly #settings: StoreSettings;
  readonly #connection: OneConnection<Connected>;

  constructor(settings: StoreSettings) {
    this.#settings = settings;
    this.#connection = new OneConnection({
      open: () => this.#connect(),
      close: ({ client }) => client.close(true),
      // the driver looks after its pool
      isOpen: () => true,
      isAnswer: (error) => error instanceof ConfigError || (error as Error).name === 'MongoServerError',
    });
  }

  /** Makes the indexes that Salt's option `mongo.indexes` makes; collections make themselves. */
  createSchema(): Promise<string[]> {
    return this.#use(async ({ db }) => {
      const made: string[] = [];
      for (const [collection, field] of INDEXES) {
        const known = new Set<unknown>();
        try {
          for (const index of await db.collection(collection).indexes())
            known.add(Object.keys(index.key).join());
        } catch (error) {
          if ((error as { codeName?: string }).codeName !== 'NamespaceNotFound') throw error;
        }
        if (known.has(field)) continue;
        await db.collection(collection).createIndex({ [field]: 1 });
        made.push(`index on ${field} of ${collection}`);
      }
      return made;
    });
  }

  saveReturns(rets: readonly Dict[]): Promise<void> {
    return this.#insert(RETURNS, rets, (ret, types) => returnDocument(ret, types));
  }

  saveLoads(loads: readonly SavedLoad[]): Promise<void> {
    return this.#insert(JOBS, loads, ({ jid, load }, types) => loadDocument(jid, load, types));
  }

  saveEvents(events: readonly SavedEvent[], masterId: string): Promise<void> {
    return this.#insert(EVENTS, events, ({ tag, data }, types) =>
      eventDocument(digestOf(storeJson([masterId, tag, data])), tag, data, masterId, types),
    );
  }

  load(jid: string): Promise<Dict | undefined> {
    return this.#use(async ({ db }) => {
      const found = await db.collection<Found>(JOBS).findOne({ jid });
      return found === null ? undefined : loadOf(found);
    });
  }

  returns(jid: string): Promise<JidReturns> {
    return this.#use(async ({ db }) => {
      const out = new Map<string, Dict>();
      for await (const found of db.collection<Found>(RETURNS).find({ jid })) {
        const ret = returnOf(found);
        if (ret !== undefined) out.set(String(found['minion']), ret);
      }
      return out;
    });
  }

  lastReturns(fun: string): Promise<ReadonlyMap<string, Value>> {
    return this.#use(async ({ db }) => {
      const last = new Map<string, { readonly jid: string; readonly value: Value }>();
      for await (const found of db.collection<Found>(RETURNS).find({ fun })) {
        const [minion, jid] = [String(found['minion']), String(found['jid'])];
        if ((last.get(minion)?.jid ?? '') <= jid)
          last.set(minion, { jid, value: returnOf(found)?.get('return') ?? fromBson(found['return']) });
      }
      return new Map([...last].map(([minion, { value }]) => [minion, value]));
    });
  }

  loads(): Promise<ReadonlyMap<string, Dict>> {
    return this.#use(async ({ db }) => {
      const out = new Map<string, Dict>();
      for await (const found of db.collection<Found>(JOBS).find({}))
        out.set(String(found['jid']), loadOf(found));
      return out;
    });
  }

  minions(): Promise<string[]> {
    return this.#use(async ({ db }) =>
      (await db.collection<Found>(RETURNS).distinct('minion', {})).map(String),
    );
  }

  /** By the time in the jid, and in an event's `_stamp`. */
  removeOlderThan(atMs: number): Promise<void> {
    return this.#use(async ({ db }) => {
      const jid = { $lt: jidAt(atMs) };
      await db.collection<Found>(RETURNS).deleteMany({ jid });
      await db.collection<Found>(JOBS).deleteMany({ jid });
      await db.collection<Found>(EVENTS).deleteMany({
        'data._stamp': { $lt: new Date(atMs).toISOString().slice(0, -1) },
      });
    });
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** Writes documents; those that are there already stay as they are. */
  #insert<T>(
    collection: string,
    items: readonly T[],
    document: (item: T, types: BsonTypes) => BsonDocument,
  ): Promise<void> {
    if (items.length === 0) return Promise.resolve();
    return this.#use(async ({ db, types }) => {
      for (let at = 0; at < items.length; at += BATCH_COUNT) {
        const some = items.slice(at, at + BATCH_COUNT).map((item) => document(item, types));
        await insertNew(db.collection(collection), some);
      }
    });
  }

  async #connect(): Promise<Connected> {
    const { Double, Long, Binary } = await import('mongodb');
    const { options, timeoutMs, connectionsMax } = this.#settings;
    const uri = uriOf(options);
    const client = await mongoClient(
      {
        uri,
        username: textOption(options, 'user'),
        password: textOption(options, 'password'),
        appName: 'salt-returner',
        timeoutMs,
      },
      { maxPoolSize: connectionsMax, retryWrites: false, retryReads: false },
    );
    try {
      await client.connect();
      const db =
        textOption(options, 'uri') === undefined
          ? client.db(textOption(options, 'db') ?? 'salt')
          : client.db();
      const connected = { client, db, types: { Double, Long, Binary } };
      if (flagOption(options, 'indexes'))
        for (const [collection, field] of INDEXES)
          await db.collection(collection).createIndex({ [field]: 1 });
      return connected;
    } catch (error) {
      await client.close(true).catch(() => undefined);
      throw new StoreUnavailableError(
        tlsFault(error, {
          address: `MongoDB at ${serversOf(options)}`,
          caSetting: 'mongo.uri (tlsCAFile)',
        }) ??
          `MongoDB cannot be reached at ${serversOf(options)}: ${messageOf(error).replace(/[.\s]+$/, '')}. ` +
            'Check mongo.host, mongo.port or mongo.uri, and that the server runs',
        { cause: error },
      );
    }
  }

  async #use<T>(run: (connected: Connected) => Promise<T>): Promise<T> {
    try {
      return await this.#connection.use(run);
    } catch (error) {
      if (error instanceof BrineError) throw error;
      const text = `The MongoDB at ${serversOf(this.#settings.options)} did not do it: ${messageOf(error)}`;
      throw storeError(text, isRefusal(error), error);
    }
  }
}

/** Whether it is about a document: one that cannot be written as BSON, or that the server does not take. */
function isRefusal(error: unknown): boolean {
  const { name, code } = error as { readonly name?: string; readonly code?: unknown };
  return name?.startsWith('BSON') === true || (typeof code === 'number' && DOCUMENT_CODES.includes(code));
}

async function insertNew(collection: Collection, documents: readonly BsonDocument[]): Promise<void> {
  try {
    await collection.insertMany(documents, { ordered: false, forceServerObjectId: true });
  } catch (error) {
    const { writeErrors } = error as { readonly writeErrors?: unknown };
    const errors = Array.isArray(writeErrors) ? writeErrors : writeErrors === undefined ? [] : [writeErrors];
    const others = errors.filter((one) => (one as { readonly code?: number }).code !== DUPLICATE_KEY);
    if (errors.length === 0 || others.length > 0) throw error;
  }
}

/** The return in a document of ours or of Salt's. */
function returnOf(found: Found): Dict | undefined {
  const exact = found[EXACT];
  const ret = typeof exact === 'string' ? parseJson(exact) : fromBson(found['full_ret']);
  return isDict(ret) ? ret : undefined;
}

/** @throws ConfigError as Salt does when both a host and a URI are given */
function uriOf(options: StoreOptions): string {
  const uri = textOption(options, 'uri');
  const host = textOption(options, 'host');
  if (uri !== undefined && host !== undefined)
    throw new ConfigError('Mongo returner expects either uri or host configuration. Both were provided');
  if (uri !== undefined && !/^mongodb(\+srv)?:\/\//.test(uri))
    throw new ConfigError('mongo.uri must begin with mongodb:// or mongodb+srv://.');
  return (
    uri ?? `mongodb://${bracketed(host ?? 'localhost')}:${intOption(options, 'port', 'mongo.port') ?? 27017}/`
  );
}

function bracketed(host: string): string {
  if (!/^[\w.:-]+$/.test(host))
    throw new ConfigError(`mongo.host must be a host's name or address, not ${host}.`);
  return host.includes(':') ? `[${host}]` : host;
}

/** The servers without names and passwords, for messages. */
function serversOf(options: StoreOptions): string {
  const uri = textOption(options, 'uri');
  if (uri === undefined)
    return `${textOption(options, 'host') ?? 'localhost'}:${textOption(options, 'port') ?? 27017}`;
  return uri
    .replace(/^[^/]*\/\//, '')
    .replace(/^[^/]*@/, '')
    .replace(/[/?].*$/, '');
}
