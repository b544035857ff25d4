/** What a document in MongoDB says of a node (3006.16 salt/pillar/mongo.py, salt/tops/mongo.py). */
import type { Document } from 'mongodb';
import { CommandExecutionError, ConfigError, messageOf } from '../../errors/errors.ts';
import { fromBson } from '../../formats/data/bson.ts';
import { mongoClient, type MongoAccess } from '../../network/databases/mongo.ts';
import { substitute } from '../../python/regex/replace.ts';
import { compilePattern } from '../../python/regex/pattern.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';

/** Longer a server may not take: the minion waits. */
const TIMEOUT_MS = 10_000;

/** Which document is asked for. */
export interface MongoQuestion {
  readonly minionId: string;
  /** The configuration, with `mongo.host` and its kin. */
  readonly opts: Dict;
  readonly collection: string;
  /** The field that holds the id of a minion. */
  readonly idField: string;
  /** A regular expression of Python's, whose matches in the id are replaced before it is looked up. */
  readonly rePattern: Value;
  readonly reReplace: string;
  /** Only these fields; undefined for all. */
  readonly fields: readonly string[] | undefined;
}

/**
 * @returns the document, `_id` as a text; undefined when there is none
 * @throws CommandExecutionError when the server cannot be asked
 */
export async function mongoDocument(question: MongoQuestion): Promise<Dict | undefined> {
  const { opts, collection, idField, fields } = question;
  const id = lookedUp(question);
  const { access, where, db } = connectionOf(opts);
  let client;
  try {
    client = await mongoClient({ ...access, appName: 'salt', timeoutMs: TIMEOUT_MS }, { maxPoolSize: 1 });
    const found = await client
      .db(db)
      .collection<Document>(collection)
      // an equality, not an operator: the id is a text whatever it says
      .findOne({ [idField]: { $eq: id } }, fields === undefined ? {} : { projection: only(fields) });
    if (found === null) return undefined;
    const data = fromBson(found);
    if (!isDict(data)) return undefined;
    if (data.has('_id')) data.set('_id', pyStr(data.get('_id') ?? null));
    return data;
  } catch (error) {
    throw new CommandExecutionError(`MongoDB at ${where}: ${messageOf(error)}`, { cause: error });
  } finally {
    await client?.close(true).catch(() => undefined);
  }
}

function lookedUp({ minionId, rePattern, reReplace }: MongoQuestion): string {
  if (!truthy(rePattern)) return minionId;
  return substitute(compilePattern(pyStr(rePattern)), reReplace, minionId).text;
}

const only = (fields: readonly string[]): Record<string, 1> =>
  Object.fromEntries(fields.map((name) => [name, 1] as const));

function connectionOf(opts: Dict): {
  access: Pick<MongoAccess, 'uri' | 'username' | 'password' | 'authSource'>;
  where: string;
  db: string | undefined;
} {
  const text = (name: string): string => pyStr(opts.get(`mongo.${name}`) ?? '');
  const uri = text('uri');
  if (uri !== '' && text('host') !== '')
    throw new ConfigError('mongo.uri and mongo.host are both set; remove one of them.');
  if (uri !== '')
    return {
      access: { uri },
      where: uri.replace(/\/\/[^/@]*@/, '//…@').replace(/\?.*$/, ''),
      db: undefined,
    };
  const where = `${text('host') || 'localhost'}:${text('port') || '27017'}`;
  const user = text('user');
  // as 3008; 3006.16 asks the database of the documents, by a call that the driver for Python has lost
  const authSource = text('authdb') || 'admin';
  const login = user === '' ? {} : { username: user, password: text('password'), authSource };
  return { access: { uri: `mongodb://${where}/`, ...login }, where, db: text('db') || 'salt' };
}
