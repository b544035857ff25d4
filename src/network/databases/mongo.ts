/** Connections to MongoDB: how servers are reached, and within which time they have to answer. */
import type { MongoClient, MongoClientOptions } from 'mongodb';

/** How servers are reached. */
export interface MongoAccess {
  /** `mongodb://…` or `mongodb+srv://…` */
  readonly uri: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** The database that knows the user; without it the one of the address. */
  readonly authSource?: string | undefined;
  /** What the server calls the connection. */
  readonly appName: string;
  /** How long connecting, finding a server and each answer may take. */
  readonly timeoutMs: number;
}

/** A client, which connects when it is first asked. @param more what else the driver is told */
export async function mongoClient(access: MongoAccess, more: MongoClientOptions = {}): Promise<MongoClient> {
  const { MongoClient: Client } = await import('mongodb');
  const { uri, username, password, authSource, appName, timeoutMs } = access;
  return new Client(uri, {
    ...(username === undefined ? {} : { auth: { username, password: password ?? '' } }),
    ...(authSource === undefined ? {} : { authSource }),
    appName,
    connectTimeoutMS: timeoutMs,
    serverSelectionTimeoutMS: timeoutMs,
    socketTimeoutMS: timeoutMs,
    // numbers that an ordinary one does not hold, and bytes as bytes
    useBigInt64: true,
    promoteBuffers: true,
    ...more,
  });
}

/** The address of one server: an IPv6 address gets its brackets, and an address that is one stays. */
export function mongoUri(host: string, port: string | number): string {
  if (/^mongodb(\+srv)?:\/\//.test(host)) return host;
  return `mongodb://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}/`;
}
