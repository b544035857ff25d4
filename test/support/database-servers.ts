/**
 * Real database servers for tests: MariaDB, PostgreSQL, Redis and NATS from the system's packages, each in a folder and
 * on a port of its own. They are told not to wait for the disk, so that they start in a second; what they have
 * acknowledged survives their being killed, but not the machine's end. Everything started is ended and removed with the
 * test.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  findProgram,
  installCommand,
  missingServers,
  type DatabaseServerName,
} from '../../scripts/database-programs.mjs';
import { systemClock } from '../../src/host/clock.ts';
import { freePort } from './fleet.ts';
import { halt } from './halt.ts';

export type { DatabaseServerName };

const START_MS = 30_000;
const POLL_MS = 30;
const HOST = '127.0.0.1';

/** Who may log in on MariaDB and PostgreSQL, with all rights. */
export const DATABASE_USER = 'salt';
export const DATABASE_PASSWORD = 'salt';

/** What this needs of a test. */
interface Test {
  after(run: () => void | Promise<void>): void;
}

interface Recipe {
  /** Fills the folder, once. */
  readonly prepare?: (folder: string) => void;
  readonly command: (folder: string, port: number, isDurable: boolean) => readonly string[];
  readonly isReady: (port: number) => Promise<boolean>;
  /** The signal on which it ends at once and in order. */
  readonly stopSignal?: NodeJS.Signals;
  /** The words for TLS. */
  readonly tls?: (files: { readonly cert: string; readonly key: string }, port: number) => readonly string[];
}

/** How a server is started. */
export interface DatabaseOptions {
  /** As its package sets it up: on the disk, and waiting for it. For figures; tests have no time for it. */
  readonly isDurable?: boolean;
  /** Takes connections with TLS as well, with the certificate `address` of `test/fixtures/tls`. Not for NATS. */
  readonly hasTls?: boolean;
}

/** A server that runs, or did. */
export class DatabaseServer {
  readonly name: DatabaseServerName;
  readonly folder: string;
  readonly port: number;
  /** Where it speaks TLS, when it does. */
  readonly tlsPort: number;
  readonly host = HOST;
  readonly #isDurable: boolean;
  #child: ChildProcess | undefined;
  readonly #more: readonly string[];
  #ended: Promise<void> = Promise.resolve();

  constructor(
    name: DatabaseServerName,
    folder: string,
    port: number,
    more: readonly string[],
    { isDurable = false, tlsPort = port }: DatabaseOptions & { readonly tlsPort?: number },
  ) {
    this.#isDurable = isDurable;
    this.name = name;
    this.folder = folder;
    this.port = port;
    this.tlsPort = tlsPort;
    this.#more = more;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** What it wrote to its log. */
  log(): string {
    const path = join(this.folder, 'log');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }

  /** Starts it, also again on what it had, and waits until it answers. */
  async start(): Promise<void> {
    const { command, isReady } = RECIPES[this.name];
    const [program = '', ...args] = [...command(this.folder, this.port, this.#isDurable), ...this.#more];
    const child = spawn('sh', ['-c', 'exec "$@" >>"$0" 2>&1', join(this.folder, 'log'), program, ...args], {
      cwd: '/',
      stdio: 'ignore',
    });
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('exit', () => resolve()));
    const endMs = systemClock.monotonicMs() + START_MS;
    while (!(await isReady(this.port))) {
      if (child.exitCode !== null || systemClock.monotonicMs() > endMs)
        throw new Error(`${this.name} does not start:\n${this.log()}`);
      await systemClock.sleep(POLL_MS);
    }
  }

  /** Ends it in order; what it has stays. */
  async stop(): Promise<void> {
    this.#child?.kill(RECIPES[this.name].stopSignal ?? 'SIGTERM');
    const timer = systemClock.after(10_000, () => this.#child?.kill('SIGKILL'));
    await this.#ended;
    timer.cancel();
  }

  /** Ends it as a lack of memory would, with everything that it has started. */
  async kill(): Promise<void> {
    const children = this.#children();
    this.#child?.kill('SIGKILL');
    for (const pid of children) signal(pid, 'SIGKILL');
    await this.#ended;
    while (children.some((pid) => signal(pid, 0))) await systemClock.sleep(POLL_MS);
  }

  /** Holds it without ending it: connections stay open and nothing answers. */
  pause(): void {
    halt(this.pid);
    // the list is made when the parent can start no more of them
    for (const pid of this.#children()) halt(pid);
  }

  resume(): void {
    for (const pid of [this.pid, ...this.#children()]) if (pid !== undefined) signal(pid, 'SIGCONT');
  }

  #children(): number[] {
    const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(this.pid ?? 0)]);
    return stdout.toString().split(/\s+/).filter(Boolean).map(Number);
  }
}

/**
 * Starts a server for one test, or for a file's tests.
 * @param more further words for its command line, which come last
 */
export async function startDatabase(
  t: Test,
  name: DatabaseServerName,
  more: readonly string[] = [],
  options: DatabaseOptions = {},
): Promise<DatabaseServer> {
  if (missingServers([name]).length > 0)
    throw new Error(`${name} is not installed: ${installCommand([name])}`);
  const folder = mkdtempSync(
    join(options.isDurable !== true && existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), `bd-${name}-`),
  );
  chmodSync(folder, 0o755);
  const port = await freePort();
  // Redis has a port for each
  const tlsPort = name === 'redis' ? await freePort() : port;
  const tls =
    options.hasTls === true ? (RECIPES[name].tls?.(certificateIn(folder, name), tlsPort) ?? []) : [];
  // where no port is named, nodes of Redis speak to each other on one that the system may have given to somebody else
  const nodes = more.includes('--cluster-enabled') ? ['--cluster-port', String(await freePort())] : [];
  const settings = [...tls, ...more, ...nodes];
  const server = new DatabaseServer(name, folder, port, settings, { ...options, tlsPort });
  t.after(async () => {
    server.resume();
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  RECIPES[name].prepare?.(folder);
  await server.start();
  return server;
}

const RECIPES: Readonly<Record<DatabaseServerName, Recipe>> = {
  mariadb: {
    prepare: (folder) => {
      mkdirSync(join(folder, 'data'));
      writeFileSync(
        join(folder, 'init.sql'),
        `CREATE USER IF NOT EXISTS '${DATABASE_USER}'@'%' IDENTIFIED BY '${DATABASE_PASSWORD}';\n` +
          `GRANT ALL ON *.* TO '${DATABASE_USER}'@'%' WITH GRANT OPTION;\n`,
      );
      run(program('mariadb-install-db'), [
        ...mariadbArguments(folder),
        ...['--auth-root-authentication-method=normal', '--skip-test-db'],
      ]);
    },
    command: (folder, port, isDurable) => [
      program('mariadbd'),
      ...mariadbArguments(folder, isDurable),
      ...[`--port=${port}`, `--bind-address=${HOST}`, `--socket=${join(folder, 'sock')}`],
      ...[`--pid-file=${join(folder, 'pid')}`, `--init-file=${join(folder, 'init.sql')}`],
    ],
    isReady: (port) => greets(port, undefined, /MariaDB/),
    tls: ({ cert, key }) => [`--ssl-cert=${cert}`, `--ssl-key=${key}`],
  },
  postgres: {
    prepare: (folder) => {
      const [data, password] = [join(folder, 'data'), join(folder, 'password')];
      mkdirSync(data, { mode: 0o700 });
      writeFileSync(password, `${DATABASE_PASSWORD}\n`);
      writeFileSync(join(folder, 'log'), '');
      const owner = postgresAccount();
      if (owner !== undefined) for (const path of [data, password]) chownSync(path, owner.uid, owner.gid);
      run(
        ...asPostgres([
          program('initdb'),
          ...['-D', data, '-N', '-A', 'scram-sha-256', '-U', DATABASE_USER, `--pwfile=${password}`],
          ...['--no-instructions', '-E', 'UTF8', '--locale=C'],
        ]),
      );
    },
    command: (folder, port, isDurable) =>
      asPostgres([
        program('postgres'),
        ...['-D', join(folder, 'data'), '-p', String(port), '-h', HOST, '-k', ''],
        ...(isDurable ? [] : ['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'shared_buffers=32MB']),
      ]).flat(),
    // it takes connections before it takes requests
    isReady: (port) => greets(port, postgresStart(), /^R/),
    stopSignal: 'SIGINT',
    tls: ({ cert, key }) =>
      ['ssl=on', `ssl_cert_file=${cert}`, `ssl_key_file=${key}`].flatMap((setting) => ['-c', setting]),
  },
  redis: {
    command: (folder, port, isDurable) => [
      program('redis-server'),
      ...['--port', String(port), '--bind', HOST, '--dir', folder, '--save', ''],
      ...[
        '--appendonly',
        'yes',
        '--appendfsync',
        isDurable ? 'everysec' : 'no',
        '--unixsocket',
        join(folder, 'sock'),
      ],
    ],
    isReady: (port) => greets(port, 'PING\r\n', /PONG|NOAUTH/),
    tls: ({ cert, key }, port) => [
      ...['--tls-port', String(port), '--tls-cert-file', cert, '--tls-key-file', key],
      ...['--tls-ca-cert-file', certificate('address.crt'), '--tls-auth-clients', 'no'],
    ],
  },
  etcd: {
    command: (folder, port) => [
      program('etcd'),
      ...['--data-dir', join(folder, 'data'), '--enable-v2=true', '--log-level', 'error'],
      ...[
        '--listen-client-urls',
        `http://${HOST}:${port}`,
        '--advertise-client-urls',
        `http://${HOST}:${port}`,
      ],
      ...['--listen-peer-urls', `http://${HOST}:0`],
      ...['--initial-advertise-peer-urls', `http://${HOST}:${port}`],
      ...['--initial-cluster', `default=http://${HOST}:${port}`],
    ],
    isReady: (port) => greets(port, 'GET /health HTTP/1.0\r\n\r\n', /"true"/),
  },
  nats: {
    command: (folder, port) => [
      program('nats-server'),
      ...['-a', HOST, '-p', String(port), '-js', '-sd', join(folder, 'data')],
    ],
    isReady: (port) => greets(port, undefined, /^INFO/),
  },
};

function mariadbArguments(folder: string, isDurable = false): string[] {
  return [
    ...[
      '--no-defaults',
      `--datadir=${join(folder, 'data')}`,
      // a server that starts removes the temporary tables of others in a folder that they share
      `--tmpdir=${folder}`,
      '--skip-name-resolve',
      '--performance-schema=OFF',
    ],
    ...(isDurable
      ? []
      : ['--innodb-flush-method=nosync', '--innodb-flush-log-at-trx-commit=2', '--debug-no-sync']),
    ...['--innodb-buffer-pool-size=32M', '--innodb-log-file-size=16M'],
    ...(isRoot() ? ['--user=root'] : []),
  ];
}

/** The path of a file in `test/fixtures/tls`. */
export function certificate(file: string): string {
  return join(process.env['BRINE_ROOT'] ?? process.cwd(), 'test', 'fixtures', 'tls', file);
}

/** A certificate and its key, as servers demand them: PostgreSQL takes no key that others may read. */
function certificateIn(folder: string, name: DatabaseServerName): { cert: string; key: string } {
  const [cert, key] = ['address.crt', 'address.key'].map((file) => {
    const path = join(folder, file);
    copyFileSync(certificate(file), path);
    chmodSync(path, 0o600);
    const owner = name === 'postgres' ? postgresAccount() : undefined;
    if (owner !== undefined) chownSync(path, owner.uid, owner.gid);
    return path;
  });
  return { cert: String(cert), key: String(key) };
}

function program(name: string): string {
  return findProgram(name) ?? name;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** PostgreSQL refuses to run as root; its package has an account for it. */
function postgresAccount(): { readonly uid: number; readonly gid: number } | undefined {
  if (!isRoot()) return undefined;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('postgres:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined || gid === undefined)
    throw new Error('there is no account postgres to run PostgreSQL as');
  return { uid: Number(uid), gid: Number(gid) };
}

function asPostgres(words: readonly string[]): [program: string, args: string[]] {
  const owner = postgresAccount();
  const [first = '', ...rest] = words;
  if (owner === undefined) return [first, rest];
  return ['setpriv', [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups', ...words]];
}

function run(command: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: '/' });
  if (status !== 0) throw new Error(`${command} failed:\n${String(stdout)}${String(stderr)}`);
}

/** @returns false when the process is not there */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** PostgreSQL's first message: version 3.0, user and database. */
function postgresStart(): Buffer {
  const body = Buffer.from(`\0\x03\0\0user\0${DATABASE_USER}\0database\0postgres\0\0`, 'latin1');
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([length, body]);
}

/** True when the server says what is expected. */
function greets(port: number, hello: string | Buffer | undefined, expected: RegExp): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST, () => hello !== undefined && socket.write(hello));
    const timer = systemClock.after(1000, () => finish(false));
    const finish = (isReady: boolean): void => {
      timer.cancel();
      socket.destroy();
      resolve(isReady);
    };
    socket.once('data', (data) => finish(expected.test(data.toString('latin1'))));
    socket.once('error', () => finish(false));
    socket.once('close', () => finish(false));
  });
}
