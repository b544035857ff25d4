/**
 * Connections of `mysql.*`: arguments, options, option files, and errors in Salt's form. Follows 3006.16
 * salt/modules/mysql.py `_connect`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Connection, ConnectionOptions, FieldPacket, QueryResult, SslOptions } from 'mysql2/promise';
import { expandUser } from '../../../host/expand-user.ts';
import { openMysql, type MysqlAccess } from '../../../network/databases/mysql.ts';
import { ownAccountName } from '../../../host/own-account.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { sectionOptions, type SectionOptions } from './default-file.ts';
import { optionText } from '../../shared/settings.ts';

/** Where the last error is left for the state that asked. */
export const MYSQL_ERROR = 'mysql.error';

const CONNECT_MS = 10_000;
/** Where servers on this machine listen, unless they are told otherwise. */
const USUAL_SOCKETS = ['/run/mysqld/mysqld.sock', '/var/lib/mysql/mysql.sock', '/tmp/mysql.sock'];
const CANNOT_CONNECT = 2003;
const LOST = 2013;
const SYNTAX_ERROR = 1064;

/** The keywords by which a call says where it connects; `connection_conv` means something to Python's drivers only. */
const CONNECTION_KEYWORDS = new Set(
  (
    'connection_host connection_user connection_pass connection_port connection_db connection_conv connection_unix_socket ' +
    'connection_default_file connection_default_group connection_charset client_flags'
  ).split(' '),
);
/** Flags of the protocol that mean something to this driver: its own names for them. */
const FLAGS: ReadonlyMap<string, string> = new Map([
  ['found_rows', 'FOUND_ROWS'],
  ['ignore_space', 'IGNORE_SPACE'],
  ['compress', 'COMPRESS'],
  ['interactive', 'INTERACTIVE'],
  ['multi_statements', 'MULTI_STATEMENTS'],
  ['local_files', 'LOCAL_FILES'],
]);
/** Those that each connection has, or that say how the driver works. */
const SILENT_FLAGS = new Set(
  (
    'long_password long_flag connect_with_db no_schema odbc protocol_41 ssl ignore_sigpipe transactions secure_connection ' +
    'multi_results ps_multi_results plugin_auth connect_attrs plugin_auth_lenenc_client_data capabilities'
  ).split(' '),
);

/** An error of the server or of the way to it, as Salt words it. */
export class MysqlTrouble extends Error {
  /** `MySQL Error 1045: Access denied …` */
  override readonly message: string;
  readonly number: number;
  constructor(number: number, text: string) {
    super();
    this.number = number;
    this.message = `MySQL Error ${number}: ${text}`;
  }
}

/** Leaves an error for the state that asked, and logs it. */
export function noteTrouble(ctx: ModuleContext, text: string): void {
  ctx.log.error(text);
  ctx.state?.memory.set(MYSQL_ERROR, text);
}

interface Place {
  readonly access: MysqlAccess;
  /** What the driver makes of values and of the protocol. */
  readonly more: ConnectionOptions;
  /** What errors call the host. */
  readonly host: string;
}

/** The value of one argument: of the call, else of an option of the minion or its pillar. */
async function argument(
  ctx: ModuleContext,
  keywords: Dict,
  name: string,
  fromOptions: boolean,
): Promise<string | undefined> {
  const given = keywords.get(`connection_${name}`);
  if (given === undefined && fromOptions) return optionText(ctx, [`mysql.${name}`, null]);
  return truthy(given) ? pyStr(given ?? '') : undefined;
}

function flagsOf(ctx: ModuleContext, keywords: Dict): string[] {
  const given = keywords.get('client_flags') ?? null;
  const names = Array.isArray(given) ? given.map(pyStr) : [];
  // rows that are as they were do not count as changed, as with Python's drivers
  const flags = ['-FOUND_ROWS'];
  for (const name of names) {
    const known = FLAGS.get(name);
    if (known !== undefined) flags.push(known);
    else if (!SILENT_FLAGS.has(name)) ctx.log.error(`MySQL client flag ${name} not valid, ignoring.`);
  }
  return names.includes('found_rows') ? flags.filter((flag) => flag !== '-FOUND_ROWS') : flags;
}

function tlsOf(file: SectionOptions): SslOptions | undefined {
  const parts: [keyof SslOptions & ('ca' | 'cert' | 'key'), string][] = [
    ['ca', 'ssl-ca'],
    ['cert', 'ssl-cert'],
    ['key', 'ssl-key'],
  ];
  const found = parts.flatMap(([part, name]) => {
    const path = file.get(name);
    return path === undefined || path === '' ? [] : [[part, readFileSync(path)] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

async function placeOf(ctx: ModuleContext, keywords: Dict): Promise<Place> {
  for (const name of keywords.keys())
    if (!CONNECTION_KEYWORDS.has(pyStr(name)) && !pyStr(name).startsWith('__'))
      ctx.log.warning(`mysql: ${pyRepr(name)} is no argument of connections, and has no effect`);
  // an option file that is named in the call stands alone
  const fromOptions = !keywords.has('connection_default_file');
  const given = (name: string, always = false): Promise<string | undefined> =>
    argument(ctx, keywords, name, fromOptions || always);
  const path = await given('default_file');
  const group = await given('default_group');
  const file =
    path === undefined && group === undefined
      ? new Map<string, string>()
      : sectionOptions(expandUser(path ?? '~/.my.cnf'), group ?? 'client');
  const either = async (name: string, inFile: string): Promise<string | undefined> =>
    (await given(name)) ?? (file.get(inFile) || undefined);
  const host = await either('host', 'host');
  const port = await either('port', 'port');
  const socket = (await either('unix_socket', 'socket')) ?? usualSocket(host, port);
  const said = (await given('charset', true)) ?? file.get('default-character-set') ?? 'utf8mb4';
  // the driver knows this one by its old name
  const charset = said.toLowerCase() === 'utf8mb3' ? 'utf8' : said;
  return {
    host: host ?? 'localhost',
    access: {
      host: socket === undefined ? (host ?? 'localhost') : resolve(socket),
      port: port === undefined ? undefined : Number(port),
      user: (await either('user', 'user')) ?? ownAccountName(),
      password: (await either('pass', 'password')) ?? '',
      database: await either('db', 'database'),
      tls: tlsOf(file),
      timeoutMs: CONNECT_MS,
    },
    more: { charset, flags: flagsOf(ctx, keywords), dateStrings: true, supportBigNumbers: true },
  };
}

/** The socket of a server here, where nothing else is said: the programs of MySQL look for it in the same way. */
function usualSocket(host: string | undefined, port: string | undefined): string | undefined {
  if ((host !== undefined && host !== 'localhost') || port !== undefined) return undefined;
  return USUAL_SOCKETS.find((path) => existsSync(path));
}

/** What went wrong, in the form of Python's drivers. */
function troubleOf(error: unknown, host: string): MysqlTrouble {
  if (error instanceof MysqlTrouble) return error;
  const { errno, code, sqlMessage, message } = error as {
    errno?: number;
    code?: string;
    sqlMessage?: string;
    message: string;
  };
  if (sqlMessage !== undefined && errno !== undefined) return new MysqlTrouble(errno, sqlMessage);
  const reasons: ReadonlyMap<string | undefined, string> = new Map([
    ['ECONNREFUSED', '[Errno 111] Connection refused'],
    ['ENOENT', '[Errno 2] No such file or directory'],
    ['EACCES', '[Errno 13] Permission denied'],
    ['ENOTFOUND', '[Errno -2] Name or service not known'],
    ['ETIMEDOUT', 'timed out'],
  ]);
  if (code === 'PROTOCOL_CONNECTION_LOST' || code === 'ECONNRESET')
    return new MysqlTrouble(LOST, 'Lost connection to MySQL server during query');
  return new MysqlTrouble(
    CANNOT_CONNECT,
    `Can't connect to MySQL server on '${host}' (${reasons.get(code) ?? message})`,
  );
}

/** One row: values by column. */
export type MysqlRow = ReadonlyMap<string, Value>;

/** What a statement gave. */
export interface MysqlAnswer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
  /** Rows that were changed, or returned. */
  readonly count: number;
}

/** An open connection. */
export class MysqlServer {
  readonly #connection: Connection;
  readonly #host: string;
  #hasPlainQuotes = false;
  constructor(connection: Connection, host: string) {
    this.#connection = connection;
    this.#host = host;
  }

  /**
   * Runs one statement. Values take the places of `?`, escaped by the driver for the session's mode of quoting.
   * @param areTexts every value as the server writes it
   * @throws MysqlTrouble
   */
  async run(sql: string, values: readonly string[] = [], areTexts = false): Promise<MysqlAnswer> {
    let answer: [QueryResult, FieldPacket[]];
    try {
      if (values.length > 0) await this.#plainQuotes();
      answer = await this.#connection.query<never>({
        sql,
        values: [...values],
        rowsAsArray: true,
        ...(areTexts ? { typeCast: (field: { string(): string | null }) => field.string() } : {}),
      });
    } catch (error) {
      const trouble = troubleOf(error, this.#host);
      // the server quotes the statement from where it stopped understanding, passwords included
      if (trouble.number !== SYNTAX_ERROR || values.length === 0) throw trouble;
      throw new MysqlTrouble(SYNTAX_ERROR, 'You have an error in your SQL syntax');
    }
    return answerOf(answer);
  }

  /** Has the session take texts as the driver writes them, whatever the server is set to. */
  async #plainQuotes(): Promise<void> {
    if (this.#hasPlainQuotes) return;
    await this.#connection.query(
      "SET SESSION sql_mode = REPLACE(REPLACE(@@SESSION.sql_mode, 'NO_BACKSLASH_ESCAPES', ''), 'ANSI_QUOTES', '')",
    );
    this.#hasPlainQuotes = true;
  }

  /** The rows of a statement by their columns. @throws MysqlTrouble */
  async rows(sql: string, values: readonly string[] = []): Promise<MysqlRow[]> {
    const { columns, rows } = await this.run(sql, values);
    return rows.map((row) => new Map(columns.map((name, i) => [name, row[i] ?? null])));
  }

  /** What the version says: `10.11.6-MariaDB-0+deb12u1`. @throws MysqlTrouble */
  async version(): Promise<string> {
    const { rows } = await this.run('SELECT VERSION()');
    return pyStr(rows[0]?.[0] ?? '');
  }

  /** Ends it, without waiting for the server. */
  close(): void {
    this.#connection.destroy();
  }
}

/** A value of the driver as one of ours. */
function valueOf(value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (Buffer.isBuffer(value)) {
    const text = value.toString('utf8');
    return Buffer.from(text, 'utf8').equals(value) ? text : new Uint8Array(value);
  }
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string') return value;
  return typeof value === 'boolean' ? value : JSON.stringify(value);
}

function answerOf([result, fields]: [QueryResult, FieldPacket[]]): MysqlAnswer {
  if (!Array.isArray(result)) return { columns: [], rows: [], count: result.affectedRows };
  const rows = (result as unknown[]).filter(Array.isArray).map((row) => (row as unknown[]).map(valueOf));
  return {
    columns: (fields ?? []).flatMap((field) => (field?.name === undefined ? [] : [field.name])),
    rows,
    count: rows.length,
  };
}

/** Opens a connection. @throws MysqlTrouble */
export async function openServer(ctx: ModuleContext, keywords: Dict): Promise<MysqlServer> {
  const { access, more, host } = await placeOf(ctx, keywords);
  try {
    return new MysqlServer(await openMysql(access, more), host);
  } catch (error) {
    throw troubleOf(error, host);
  }
}

/**
 * Does something on a connection of its own.
 * @param fallback what comes back where it fails; the error is logged, and left for the state that asked
 * @param unconnected what comes back where there is no connection
 */
export async function withServer<T>(
  ctx: ModuleContext,
  keywords: Dict,
  fallback: T,
  run: (server: MysqlServer) => Promise<T>,
  unconnected: T = fallback,
): Promise<T> {
  let server: MysqlServer | undefined;
  try {
    server = await openServer(ctx, keywords);
    return await run(server);
  } catch (error) {
    if (!(error instanceof MysqlTrouble)) throw error;
    noteTrouble(ctx, error.message);
    return server === undefined ? unconnected : fallback;
  } finally {
    server?.close();
  }
}

/** Rows as mappings. */
export const rowDict = (row: MysqlRow): Dict => new Map<Value, Value>(row);

/** The keywords of a call without those that the publisher adds. */
export const connectionKeywords = (kwargs: Dict): Dict =>
  kwargs.size === 0 ? dict() : new Map([...kwargs].filter(([name]) => !pyStr(name).startsWith('__')));

/** A name in a statement: `` `a``b` ``. */
export const quoteName = (name: string): string => `\`${name.replaceAll('`', '``')}\``;
