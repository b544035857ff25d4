/**
 * Where PostgreSQL is asked, as whom, and running `psql` there. Follows 3006.16 salt/modules/postgres.py `_run_psql`.
 */
import { joinPath } from '../../../python/paths.ts';
import { findProgram } from '../../../host/which.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { runAll, type Ended } from '../../shared/program.ts';
import { csvRows, databaseWord } from './sql-words.ts';

/** Where what `psql` said last is left for the state that asked. */
export const POSTGRES_ERROR = 'postgres.error';

const PASSWORD = {
  password: param.textOrNone({ default: null, doc: "The user's password in the database." }),
} as const;
/** Who asks which server. */
const SERVER = {
  user: param.textIfGiven({ default: null, doc: 'The user of the database; default: postgres.user.' }),
  host: param.textIfGiven({
    default: null,
    doc: 'The host, or a folder of sockets; default: postgres.host.',
  }),
  port: param.textIfGiven({ default: null, type: 'int', doc: 'The port; default: postgres.port.' }),
} as const;
/** Where a function is to work. */
export const DATABASE = {
  maintenance_db: param.textIfGiven({
    default: null,
    doc: 'The database; default: postgres.maintenance_db, else postgres.',
  }),
} as const;
export const RUNAS = {
  runas: param.textIfGiven({
    default: null,
    doc: 'The user of the system who runs psql; default: postgres.',
  }),
} as const;
/** The same up to the password. */
export const SERVER_AND_PASSWORD = { ...SERVER, ...DATABASE, ...PASSWORD } as const;
/** All of it in the order of most functions. */
export const CONNECTION = { ...SERVER_AND_PASSWORD, ...RUNAS } as const;
/** The same for functions that name the database first. */
export const ELSEWHERE = { ...SERVER, ...PASSWORD, ...RUNAS } as const;

/** A connection as functions are given it. */
export interface Connection {
  readonly user: string | undefined;
  readonly host: string | undefined;
  readonly port: string | undefined;
  readonly maintenance_db: string | undefined;
  readonly password: string | undefined;
  readonly runas: string | undefined;
}

/** The part of a function's arguments that says where. */
export function connectionOf(args: Partial<Connection>): Connection {
  const { user, host, port, maintenance_db, password, runas } = args;
  return { user, host, port, maintenance_db, password, runas };
}

/** The options that modules read, as far as they are known before a call. */
const binsDir = (opts: Dict): string => {
  const pillar = opts.get('pillar');
  const found = opts.get('postgres.bins_dir') ?? (isDict(pillar) ? pillar.get('postgres.bins_dir') : null);
  return truthy(found) ? pyStr(found ?? '') : '';
};

/** A program of PostgreSQL: where `PATH` leads, else in `postgres.bins_dir`. */
export function postgresProgram(opts: Dict, name: string): string | undefined {
  const folder = binsDir(opts);
  return findProgram(name) ?? (folder === '' ? undefined : findProgram(joinPath(folder, name)));
}

/** The program as a call finds it, with what the pillar says. */
export async function programOf(ctx: ModuleContext, name: string): Promise<string | undefined> {
  const found = postgresProgram(ctx.opts, name);
  if (found !== undefined) return found;
  const folder = await optionText(ctx, 'bins_dir');
  return folder === undefined ? undefined : findProgram(joinPath(folder, name));
}

async function option(ctx: ModuleContext, name: string, fallback: Value = ''): Promise<Value> {
  return ctx.functions.call('config.option', [`postgres.${name}`], { default: fallback });
}

async function optionText(ctx: ModuleContext, name: string): Promise<string | undefined> {
  const value = await option(ctx, name);
  return truthy(value) ? pyStr(value) : undefined;
}

/** The time that a program may take. */
export const timeLimit = (ctx: ModuleContext): Promise<Value> => option(ctx, 'timeout', 0);

/** The account that servers run as. */
export const serverAccount = (ctx: ModuleContext): string =>
  pyStr(ctx.grains.get('os_family') ?? '').includes('OpenBSD') ? '_postgresql' : 'postgres';

/** What `psql` reads: statements of which all are done or none. */
export interface PsqlInput {
  readonly script?: string;
  /** There is a password in them: no log shows them, nor what the server quotes of them. */
  readonly isSecret?: boolean;
}

/**
 * Runs `psql`. The password of the connection is in its environment, which only the same user and root can read.
 * @param words behind the connection
 * @returns how it ended, with the whole output; a failure is logged, and left for the state that asked
 */
export async function psql(
  ctx: ModuleContext,
  connection: Connection,
  words: readonly string[],
  { script, isSecret = false }: PsqlInput = {},
): Promise<Ended> {
  const user = connection.user ?? (await optionText(ctx, 'user'));
  const host = connection.host ?? (await optionText(ctx, 'host'));
  const port = connection.port ?? (await optionText(ctx, 'port'));
  const database = connection.maintenance_db ?? (await optionText(ctx, 'maintenance_db')) ?? 'postgres';
  const isLocal = host === undefined || host.startsWith('/');
  const runas = connection.runas ?? (isLocal ? serverAccount(ctx) : undefined);
  const password = connection.password ?? (await optionText(ctx, 'pass')) ?? '';
  const argv = [
    ...[
      (await programOf(ctx, 'psql')) ?? 'psql',
      '--no-align',
      '--no-readline',
      '--no-psqlrc',
      '--no-password',
    ],
    ...(user === undefined ? [] : ['--username', user]),
    ...(host === undefined ? [] : ['--host', host]),
    ...(port === undefined ? [] : ['--port', port]),
    ...['--dbname', databaseWord(database)],
    ...words,
    ...(script === undefined ? [] : ['--quiet', '--single-transaction', '-v', 'ON_ERROR_STOP=1', '-f', '-']),
  ];
  // Salt compat: Salt hands a password file in which a password with a colon or a backslash is another one.
  const env = { PGCLIENTENCODING: 'UTF8', PGDATESTYLE: 'ISO,MDY' };
  const ended = await runAll(ctx, argv, {
    reset_system_locale: false,
    clean_env: true,
    rstrip: false,
    timeout: await timeLimit(ctx),
    env: password === '' ? env : { ...env, PGPASSWORD: password },
    ...(runas === undefined ? {} : { runas }),
    ...(script === undefined ? {} : { stdin: script, stdin_raw_newlines: true }),
    ...(isSecret ? { output_loglevel: 'quiet' } : {}),
  });
  if (ended.retcode !== 0) noteFailure(ctx, ended, isSecret);
  return ended;
}

/** What `psql` complains of, without the lines that show the statement where that has a password in it. */
function complaint({ stdout, stderr }: Ended, isSecret: boolean): string {
  const text = (stderr === '' ? stdout : stderr).trim().replace(/^psql:<stdin>:\d+: /gm, '');
  if (!isSecret) return text;
  return text
    .split('\n')
    .filter((line) => !/^(?:LINE \d+:|\s*\^|STATEMENT:|QUERY:|CONTEXT:)/.test(line))
    .join('\n');
}

function noteFailure(ctx: ModuleContext, ended: Ended, isSecret: boolean): void {
  const text = complaint(ended, isSecret);
  ctx.log.error(isSecret ? `psql failed: ${text}` : 'Error connecting to Postgresql server');
  ctx.state?.memory.set(POSTGRES_ERROR, text);
}

/** Runs one statement. @returns true when it succeeded */
export async function execute(ctx: ModuleContext, connection: Connection, sql: string): Promise<boolean> {
  return (await psql(ctx, connection, ['-c', sql])).retcode === 0;
}

/** One row of an answer: texts by the names of columns. */
export type Row = ReadonlyMap<string, string>;

/**
 * The rows of a query; undefined where it fails.
 * @param isWriting the query is in a transaction that may change something
 */
export async function rowsOrFailure(
  ctx: ModuleContext,
  connection: Connection,
  query: string,
  isWriting = false,
): Promise<Row[] | undefined> {
  const copy = `COPY (${query.trim().replace(/;+$/, '')}) TO STDOUT WITH CSV HEADER`;
  const words = isWriting
    ? ['--quiet', '-c', `START TRANSACTION READ WRITE; ${copy}; COMMIT TRANSACTION;`]
    : ['-c', copy];
  const { retcode, stdout } = await psql(ctx, connection, words);
  if (retcode !== 0) return undefined;
  const [header = [], ...rows] = csvRows(stdout);
  return rows.map((row) => new Map(header.slice(0, row.length).map((name, i) => [name, row[i] ?? ''])));
}

/** The same, no rows where it fails, as Salt's functions have it. */
export async function rowsOf(ctx: ModuleContext, connection: Connection, query: string): Promise<Row[]> {
  return (await rowsOrFailure(ctx, connection, query)) ?? [];
}

/** Rows by one of their columns, which they then lack. */
export function rowsBy(rows: readonly Row[], column: string): Dict {
  return new Map(
    rows.map((row): [Value, Value] => [
      row.get(column) ?? '',
      new Map<Value, Value>([...row].filter(([name]) => name !== column)),
    ]),
  );
}

/** The version of the server: its numbers; undefined when it does not answer. */
export async function serverVersion(ctx: ModuleContext, connection: Connection): Promise<string | undefined> {
  const query = "SELECT setting FROM pg_catalog.pg_settings WHERE name = 'server_version'";
  const { stdout } = await psql(ctx, connection, ['-c', query, '-t']);
  return stdout.split('\n').find((line) => line !== '');
}

/** The first two numbers of a version as one: 9.4 is 904, 15.3 is 1503. */
export function versionNumber(version: string): number {
  const [, major = '0', minor = '0'] = /^(\d+)(?:\.(\d+))?/.exec(version) ?? [];
  return Number(major) * 100 + Number(minor);
}
