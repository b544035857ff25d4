/**
 * As much of MongoDB as the returner uses, in memory: OP_MSG (and the old OP_QUERY, with which drivers greet), and the
 * commands hello, ping, insert, find, getMore, distinct, delete, listIndexes and createIndexes. `_id` is unique.
 */
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { deserialize, serialize, type Document } from 'bson';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER_BYTES = 16;
/** Documents in one answer, so that there is something to get more of. */
const BATCH_COUNT = 101;

/** The server while it runs. */
export interface MongoStandIn {
  readonly port: number;
  /** Documents by collection. */
  readonly collections: Map<string, Document[]>;
  readonly indexes: Map<string, string[]>;
  /** Commands that came, by name. */
  readonly commands: string[];
  /** Documents that fail, by `_id`, with a code that is none of a duplicate. */
  readonly refused: Set<string>;
  /** What commands answer that are not served, by name. */
  readonly answers: Map<string, (command: Document) => Document>;
  /** Nothing is answered while this is set. */
  silent: boolean;
}

/** Starts it on a port of the system's; it ends with the test. */
export async function startMongo(t: { after(run: () => void): void }): Promise<MongoStandIn> {
  const sockets = new Set<Socket>();
  const content = new Content();
  const server = createServer((socket) => {
    sockets.add(socket);
    let pending = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 4 && pending.length >= pending.readInt32LE(0)) {
        const message = pending.subarray(0, pending.readInt32LE(0));
        pending = pending.subarray(message.length);
        if (!content.silent) socket.write(content.answer(message));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return Object.assign(content, { port: (server.address() as AddressInfo).port });
}

class Content {
  readonly collections = new Map<string, Document[]>();
  readonly indexes = new Map<string, string[]>();
  readonly commands: string[] = [];
  readonly refused = new Set<string>();
  readonly answers = new Map<string, (command: Document) => Document>();
  silent = false;
  readonly #cursors = new Map<bigint, Document[]>();

  answer(message: Buffer): Buffer {
    const requestId = message.readInt32LE(4);
    const isQuery = message.readInt32LE(12) === OP_QUERY;
    const reply = serialize(this.#run(isQuery ? queryOf(message) : commandOf(message)));
    const head = isQuery ? Buffer.alloc(20) : Buffer.alloc(5);
    if (isQuery) head.writeInt32LE(1, 16);
    const out = Buffer.concat([Buffer.alloc(HEADER_BYTES), head, reply]);
    out.writeInt32LE(out.length, 0);
    out.writeInt32LE(requestId, 8);
    out.writeInt32LE(isQuery ? OP_REPLY : OP_MSG, 12);
    return out;
  }

  #run(command: Document): Document {
    const [name = ''] = Object.keys(command);
    const collection = String(command[name]);
    this.commands.push(name);
    const documents = this.collections.get(collection) ?? [];
    switch (name.toLowerCase()) {
      case 'hello':
      case 'ismaster':
        return HELLO;
      case 'insert':
        return this.#insert(collection, command['documents'] as Document[]);
      case 'find':
        return this.#cursor(
          collection,
          documents.filter((one) => fits(one, command['filter'] as Document)),
        );
      case 'getmore':
        return this.#more(command['getMore'] as bigint, String(command['collection']), 'nextBatch');
      case 'distinct':
        return {
          ok: 1,
          values: [...new Set(documents.map((one) => one[String(command['key'])] as unknown))],
        };
      case 'delete':
        return this.#delete(collection, command['deletes'] as Document[]);
      case 'listindexes':
        return this.#listIndexes(collection);
      case 'createindexes':
        return this.#createIndexes(collection, command['indexes'] as Document[]);
      default:
        return { ok: 1, ...this.answers.get(name)?.(command) };
    }
  }

  #insert(collection: string, documents: readonly Document[]): Document {
    const kept = this.collections.get(collection) ?? [];
    this.collections.set(collection, kept);
    const writeErrors: Document[] = [];
    for (const [index, document] of documents.entries()) {
      const id = String(document['_id']);
      if (this.refused.has(id)) writeErrors.push({ index, code: 121, errmsg: 'Document failed validation' });
      else if (kept.some((one) => one['_id'] === document['_id']))
        writeErrors.push({ index, code: 11000, errmsg: `E11000 duplicate key error ${id}` });
      else kept.push(document);
    }
    const n = documents.length - writeErrors.length;
    return { ok: 1, n, ...(writeErrors.length > 0 ? { writeErrors } : {}) };
  }

  #cursor(collection: string, found: Document[]): Document {
    const id = BigInt(this.#cursors.size + 1);
    this.#cursors.set(id, [...found]);
    return this.#more(id, collection, 'firstBatch');
  }

  #more(id: bigint, collection: string, field: string): Document {
    const left = this.#cursors.get(BigInt(id)) ?? [];
    const batch = left.splice(0, BATCH_COUNT);
    return {
      ok: 1,
      cursor: { id: left.length > 0 ? BigInt(id) : 0n, ns: `salt.${collection}`, [field]: batch },
    };
  }

  #delete(collection: string, deletes: readonly Document[]): Document {
    const before = this.collections.get(collection) ?? [];
    const after = before.filter((one) => !deletes.some(({ q }) => fits(one, q as Document)));
    this.collections.set(collection, after);
    return { ok: 1, n: before.length - after.length };
  }

  #listIndexes(collection: string): Document {
    if (!this.collections.has(collection) && !this.indexes.has(collection))
      return {
        ok: 0,
        code: 26,
        codeName: 'NamespaceNotFound',
        errmsg: `ns does not exist: salt.${collection}`,
      };
    const fields = ['_id', ...(this.indexes.get(collection) ?? [])];
    return this.#cursor(
      collection,
      fields.map((field) => ({ v: 2, key: { [field]: 1 }, name: `${field}_1` })),
    );
  }

  #createIndexes(collection: string, indexes: readonly Document[]): Document {
    const fields = indexes.map(({ key }) => Object.keys(key as Document).join());
    this.indexes.set(collection, [...(this.indexes.get(collection) ?? []), ...fields]);
    return { ok: 1 };
  }
}

const HELLO: Document = {
  ok: 1,
  ismaster: true,
  isWritablePrimary: true,
  helloOk: true,
  maxBsonObjectSize: 16 * 1024 * 1024,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  minWireVersion: 0,
  maxWireVersion: 21,
  logicalSessionTimeoutMinutes: 30,
  connectionId: 1,
  saslSupportedMechs: ['SCRAM-SHA-256'],
};

/** The command in an OP_MSG: its first section, and the lists of documents that come beside it. */
function commandOf(message: Buffer): Document {
  let command: Document = {};
  for (let at = HEADER_BYTES + 4; at < message.length;) {
    const kind = message[at++];
    const size = message.readInt32LE(at);
    const section = message.subarray(at, at + size);
    at += size;
    if (kind === 0) command = { ...read(section), ...command };
    else command = { ...command, ...sequence(section) };
  }
  // the name of the command comes first
  const { documents, deletes, ...rest } = command;
  return {
    ...rest,
    ...(documents === undefined ? {} : { documents }),
    ...(deletes === undefined ? {} : { deletes }),
  };
}

function sequence(section: Buffer): Document {
  const end = section.indexOf(0, 4);
  const documents: Document[] = [];
  for (let at = end + 1; at < section.length;) {
    const size = section.readInt32LE(at);
    documents.push(read(section.subarray(at, at + size)));
    at += size;
  }
  return { [section.toString('utf8', 4, end)]: documents };
}

function queryOf(message: Buffer): Document {
  const end = message.indexOf(0, HEADER_BYTES + 4);
  return read(message.subarray(end + 9));
}

/** Numbers as they came, so that they go back as they are. */
function read(bytes: Buffer): Document {
  return deserialize(bytes.subarray(0, bytes.readInt32LE(0)), { promoteValues: true, useBigInt64: true });
}

function fits(document: Document, filter: Document): boolean {
  return Object.entries(filter).every(([field, asked]) => {
    const wanted: unknown = (asked as Document | null)?.['$eq'] ?? asked;
    const value = field
      .split('.')
      .reduce<unknown>((at, key) => (at as Document | undefined)?.[key], document);
    if (typeof wanted !== 'object' || wanted === null) return value === wanted;
    return value !== undefined && String(value) < String((wanted as Document)['$lt']);
  });
}
