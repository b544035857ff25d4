/** One master in a temporary folder, with a minion of the same kind when a scenario wants one. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/host/clock.ts';
import { systemRandom } from '../src/host/random.ts';
import { Requester } from '../src/network/transport/zmtp/requester.ts';
import { dict } from '../src/python/values/value.ts';
import { decode, encode, type Encodable } from '../src/formats/wire/msgpack.ts';
import type { Kind } from './kind.ts';
import { until, type Daemon, type ProcessGroups } from './processes.ts';

/** As many workers as Salt's default, for either kind. */
export const WORKERS = 5;
/** The id of the real minion. */
export const REAL_MINION = 'one';
const START_MS = 60_000;

/** A master in a folder of its own, and a minion when a scenario wants one. */
export class Fleet {
  readonly kind: Kind;
  readonly folder: string;
  readonly retPort: number;
  readonly groups: ProcessGroups;
  #master: Daemon;
  #minion: Daemon | undefined;
  #requester: Requester | undefined;

  private constructor(kind: Kind, folder: string, retPort: number, groups: ProcessGroups, master: Daemon) {
    this.kind = kind;
    this.folder = folder;
    this.retPort = retPort;
    this.groups = groups;
    this.#master = master;
  }

  /**
   * Starts a master and waits until it answers.
   * @param folder to make, for all its files; short, because sockets live below it
   * @param options further lines of the master's configuration
   * @param before done when the configuration is written, and the master not started
   * @throws Error with the end of its log
   */
  static async start(
    kind: Kind,
    folder: string,
    groups: ProcessGroups,
    options: readonly string[] = [],
    before?: () => Promise<void>,
  ): Promise<Fleet> {
    mkdirSync(folder);
    const [publishPort, retPort] = (await freePorts(2)) as [number, number];
    const lines = options.map((line) => `${line}\n`).join('');
    writeFileSync(join(folder, 'master'), masterConfig(folder, publishPort, retPort) + lines);
    await before?.();
    const daemon = groups.start([...kind.master, '-c', folder, '-l', 'warning'], join(folder, 'master.out'));
    const fleet = new Fleet(kind, folder, retPort, groups, daemon);
    try {
      await fleet.#begun();
    } catch (error) {
      await fleet.stop();
      throw error;
    }
    return fleet;
  }

  /** Its running master. */
  get master(): Daemon {
    return this.#master;
  }

  /** Ends the master and starts it again with the same files. @throws Error with the end of its log */
  async restartMaster(): Promise<void> {
    await this.groups.stop(this.#master);
    const argv = [...this.kind.master, '-c', this.folder, '-l', 'warning'];
    this.#master = this.groups.start(argv, join(this.folder, 'master.out'));
    await this.#begun();
  }

  async #begun(): Promise<void> {
    const sockets = ['publish_pull.ipc', 'master_event_pub.ipc'].map((name) => join(this.sockDir, name));
    const isThere = (): boolean => sockets.every((path) => existsSync(path));
    await until('The start of the master', isThere, START_MS, this.#master);
    await until('The first answer of the master', () => this.isAnswering(), START_MS, this.#master);
  }

  get pkiDir(): string {
    return join(this.folder, 'm', 'pki');
  }

  get cacheDir(): string {
    return join(this.folder, 'm', 'cache');
  }

  get sockDir(): string {
    return join(this.folder, 'm', 's');
  }

  /** The address of the request port. */
  get address(): { host: string; port: number } {
    return { host: '127.0.0.1', port: this.retPort };
  }

  /** Sends a request in the clear, as a local program does. @throws UnreachableError */
  async request(load: Encodable, timeoutMs: number): Promise<unknown> {
    this.#requester ??= new Requester({
      address: () => this.address,
      messageBytesMax: 64 * 1024 * 1024,
      pendingMax: 100,
      reconnectMs: { min: 20, max: 200 },
      clock: systemClock,
      random: systemRandom,
    });
    const body = encode({ enc: 'clear', load, version: 3 }, 'network');
    return decode(await this.#requester.request(body, timeoutMs), 'network');
  }

  async isAnswering(): Promise<boolean> {
    try {
      await this.request(dict({ cmd: 'ping' }), 2_000);
      return true;
    } catch {
      return false;
    }
  }

  /** The key with which the running user may publish (`<cachedir>/.<user>_key`). */
  userKey(): { user: string; key: string } {
    const user = userInfo().username;
    return { user, key: readFileSync(join(this.cacheDir, `.${user}_key`), 'utf8') };
  }

  /** Runs `salt` with these arguments. */
  async salt(args: readonly string[], timeoutMs = 60_000): ReturnType<ProcessGroups['run']> {
    return this.groups.run([...this.kind.salt, '-c', this.folder, ...args], timeoutMs);
  }

  /** Starts the real minion, or gives the running one, and waits until it answers a ping. */
  async minion(): Promise<Daemon> {
    if (this.#minion !== undefined) return this.#minion;
    const folder = join(this.folder, REAL_MINION);
    mkdirSync(folder);
    writeFileSync(join(folder, 'minion'), minionConfig(folder, this.retPort));
    const argv = [...this.kind.minion, '-c', folder, '-l', 'warning'];
    this.#minion = this.groups.start(argv, join(this.folder, 'minion.out'));
    const answers = async (): Promise<boolean> => {
      const { stdout } = await this.salt(['-t', '2', REAL_MINION, 'test.ping']);
      return stdout.includes('True');
    };
    await until('The first answer of the minion', answers, START_MS, this.#minion);
    return this.#minion;
  }

  async stopMinion(): Promise<void> {
    if (this.#minion !== undefined) await this.groups.stop(this.#minion);
    this.#minion = undefined;
    rmSync(join(this.folder, REAL_MINION), { recursive: true, force: true });
    rmSync(join(this.pkiDir, 'minions', REAL_MINION), { force: true });
  }

  /** Ends everything and removes the folder. */
  async stop(): Promise<void> {
    this.#requester?.close();
    if (this.#minion !== undefined) await this.groups.stop(this.#minion);
    await this.groups.stop(this.#master);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve, reject) => {
          server.once('error', reject);
          server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Both kinds read the same file: all paths below the folder, nothing from elsewhere. */
function masterConfig(folder: string, publishPort: number, retPort: number): string {
  return `interface: 127.0.0.1
publish_port: ${publishPort}
ret_port: ${retPort}
user: ${userInfo().username}
root_dir: ${folder}/m
pki_dir: /pki
cachedir: /cache
sock_dir: /s
pidfile: /master.pid
log_file: /log
key_logfile: /keylog
extension_modules: /cache/ext
token_dir: /tok
syndic_dir: /synd
sqlite_queue_dir: /q
conf_file: ${folder}/master
default_include: ''
file_roots: {base: [${folder}/srv]}
pillar_roots: {base: [${folder}/pillar]}
worker_threads: ${WORKERS}
auto_accept: True
`;
}

function minionConfig(folder: string, retPort: number): string {
  return `id: ${REAL_MINION}
master: 127.0.0.1
master_port: ${retPort}
user: ${userInfo().username}
root_dir: ${folder}
pki_dir: /pki
cachedir: /cache
sock_dir: /s
pidfile: /minion.pid
log_file: /log
extension_modules: /cache/ext
conf_file: ${folder}/minion
default_include: ''
enable_fqdns_grains: False
enable_gpu_grains: False
mine_enabled: False
`;
}
