/** Which MongoDB the functions of `mongodb` speak with. */
import type * as Driver from 'mongodb';
import type { Db, MongoClient } from 'mongodb';
import { messageOf } from '../../../errors/errors.ts';
import { mongoClient, mongoUri } from '../../../network/databases/mongo.ts';
import { param } from '../../../runtime/loader/params.ts';
import type { ModuleContext, TypedArguments } from '../../../runtime/loader/module.ts';
import { optionText } from '../../shared/settings.ts';

const TIMEOUT_MS = 30_000;
const PORT = 27017;

/** Who logs in where. */
export const LOGIN = {
  user: param.textIfGiven({ default: null, doc: 'Who logs in; without it the option mongodb.user.' }),
  password: param.textIfGiven({ default: null, doc: 'His password; without it mongodb.password.' }),
  host: param.textIfGiven({
    default: null,
    doc: 'The host, or a mongodb:// address; without it mongodb.host.',
  }),
  port: param.textIfGiven({ default: null, type: 'int', doc: 'The port; without it mongodb.port.' }),
} as const;
export const DATABASE = {
  database: param.text({ default: 'admin', doc: 'The database.' }),
} as const;
export const AUTHDB = {
  authdb: param.textIfGiven({
    default: null,
    doc: 'The database that knows the user; default: admin.',
  }),
} as const;

/** A login as a call names it. */
export type MongoLogin = TypedArguments<typeof LOGIN & typeof AUTHDB>;

/** An open connection, and the classes of the driver for values. */
export interface Connected {
  readonly db: (name: string) => Db;
  readonly types: Pick<typeof Driver, 'Double' | 'Long' | 'Binary'>;
}

/** What went wrong: before the login was taken, or later. */
export interface Trouble {
  readonly isLogin: boolean;
  readonly text: string;
  /** The server, for messages: `host:port`. */
  readonly place: string;
}

/**
 * Does something on a connection of its own.
 * @param fallback what comes back where it fails; the error is logged
 */
export async function onServer<T>(
  ctx: ModuleContext,
  login: MongoLogin,
  run: (connected: Connected) => Promise<T>,
  fallback: (trouble: Trouble) => T,
): Promise<T> {
  const option = async (name: keyof typeof LOGIN): Promise<string> => {
    return login[name] ?? (await optionText(ctx, [`mongodb.${name}`])) ?? '';
  };
  const [user, password] = [await option('user'), await option('password')];
  const host = (await option('host')) || 'localhost';
  const port = (await option('port')) || String(PORT);
  const authdb = login.authdb ?? 'admin';
  const { Double, Long, Binary } = await import('mongodb');
  let client: MongoClient | undefined;
  let isLogin = true;
  try {
    client = await mongoClient({
      uri: mongoUri(host, port),
      ...(user !== '' && password !== '' ? { username: user, password, authSource: authdb } : {}),
      appName: 'salt-minion',
      timeoutMs: TIMEOUT_MS,
    });
    const open = await client.connect();
    isLogin = false;
    return await run({ db: (name) => open.db(name), types: { Double, Long, Binary } });
  } catch (error) {
    if (!/^(Mongo|BSON)/.test((error as Error).name)) throw error;
    const text = messageOf(error);
    ctx.log.error(`MongoDB at ${host}:${port}: ${text}`);
    const isRefused = isLogin && (error as Error).name === 'MongoServerError';
    return fallback({ isLogin: isRefused, text, place: `${login.host ?? 'None'}:${login.port ?? 'None'}` });
  } finally {
    await client?.close(true).catch(() => undefined);
  }
}
