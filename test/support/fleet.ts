/**
 * Real processes for end-to-end tests: masters and minions of ours, and of a real Salt where one is found, in a folder
 * and on ports of their own. Everything started is ended and removed with the test.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/host/clock.ts';
import { KeyPool } from './key-pool.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const WAIT_MS = 60_000;
/**
 * `host:port` of a NATS server: every master of ours is the first member of a cluster of its own (`BRINE_CLUSTER=1`).
 */
const CLUSTER_NATS = process.env['BRINE_CLUSTER_NATS'];
/** Options that count when a master becomes a member. */
const MEMBERS_OWN = /^(cluster|key|master_sign|signing|keep_jobs)/;

const keyPool = new KeyPool(ROOT);

/** Where programs come from: ours, or a folder of launchers of a real Salt. */
export interface Programs {
  readonly name: string;
  readonly folder: string;
}

/** The programs of this checkout. */
export const ours: Programs = { name: 'ours', folder: join(ROOT, 'bin') };

/** How a finished command ended. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A started daemon. */
export class Daemon {
  readonly child: ChildProcess;
  readonly name: string;
  log = '';
  #waiting: (() => void)[] = [];
  exited: Promise<number | null>;

  constructor(name: string, program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
    this.name = name;
    this.child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.log += chunk.toString();
        for (const wake of this.#waiting.splice(0)) wake();
      });
    }
    this.exited = new Promise((resolve) => this.child.on('exit', (code) => resolve(code)));
    void this.exited.then(() => this.#waiting.splice(0).forEach((wake) => wake()));
  }

  /** Resolves when the log contains `text` at least `times` times. */
  async logged(text: string, times = 1): Promise<void> {
    const untilMs = systemClock.monotonicMs() + WAIT_MS;
    while (this.log.split(text).length <= times) {
      if (systemClock.monotonicMs() > untilMs || this.child.exitCode !== null) {
        throw new Error(`${this.name} never logged ${JSON.stringify(text)}:\n${this.log}`);
      }
      await new Promise<void>((resolve) => {
        const timer = systemClock.after(1000, resolve);
        this.#waiting.push(() => {
          timer.cancel();
          resolve();
        });
      });
    }
  }

  /** Ends the daemon and waits until it is gone. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal);
    const timer = systemClock.after(15_000, () => this.child.kill('SIGKILL'));
    const code = await this.exited;
    timer.cancel();
    return code;
  }

  /** Its children as far as they were among these; a master starts further workers when there is more to do. */
  childrenAmong(before: ReadonlyMap<string, number>): Map<string, number> {
    return new Map([...this.children()].filter(([name]) => before.has(name)));
  }

  /** Process ids of the daemon's children by the title they show. */
  children(): Map<string, number> {
    const out = new Map<string, number>();
    const { stdout } = spawnSync('ps', ['-o', 'pid=,args=', '--ppid', String(this.child.pid)]);
    for (const line of stdout.toString().split('\n')) {
      const match = /^\s*(\d+)\s+(.*?)\s*$/.exec(line);
      if (match !== null) out.set(match[2] as string, Number(match[1]));
    }
    return out;
  }
}

/** Ports that were given away and may not be listened on yet. */
const givenPorts = new Set<number>();

/**
 * Below those that systems give to outgoing connections, which would take one before whoever it is for listens on it.
 */
const PORTS = { from: 10_000, below: 32_768 } as const;

/** A port that nobody listens on, and that no one else of this test was given. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.below);
    if (givenPorts.has(port) || !(await isFree(port))) continue;
    givenPorts.add(port);
    return port;
  }
}

/** Whether the system lets somebody listen on a port. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Runs a program to its end. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: {
    env?: NodeJS.ProcessEnv;
    input?: string;
    cwd?: string;
    /** The account that runs it, when it is not this one; needs root. */
    as?: { readonly uid: number; readonly gid: number };
  } = {},
): Promise<Finished> {
  const { env = process.env, cwd, as = {} } = options;
  const child = spawn(program, args, { stdio: 'pipe', env, cwd, ...as });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}

/** Whose end ends what was started: a test, or whoever collects the ends for a suite. */
export interface Lifetime {
  after(end: () => Promise<void>): void;
}

/** A folder with a master's configuration, and the daemons that were started on it. */
export class Fleet {
  readonly folder: string;
  readonly daemons: Daemon[] = [];
  publishPort = 0;
  retPort = 0;
  master: Daemon | undefined;
  /** What the master is started with. */
  masterEnv: NodeJS.ProcessEnv = process.env;
  /** Daemons make their own keys at their first start, instead of finding some. */
  makesKeys = false;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Makes the folder; it goes away, and all daemons with it, at the end of the test. */
  static async create(t: Lifetime, masterOptions: readonly string[] = []): Promise<Fleet> {
    const fleet = new Fleet(mkdtempSync(join(tmpdir(), 'bf-')));
    t.after(() => fleet.destroy());
    fleet.publishPort = await freePort();
    fleet.retPort = await freePort();
    fleet.configureMaster(masterOptions);
    return fleet;
  }

  get masterDir(): string {
    return join(this.folder, 'm');
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  /** Writes the master's configuration anew. */
  configureMaster(options: readonly string[]): void {
    this.write(this.masterDir, 'master', [
      'interface: 127.0.0.1',
      `publish_port: ${this.publishPort}`,
      `ret_port: ${this.retPort}`,
      ...this.#places('m'),
      `token_dir: ${this.path('m', 'tokens')}`,
      `syndic_dir: ${this.path('m', 'syndics')}`,
      'worker_threads: 2',
      'timeout: 15',
      ...(CLUSTER_NATS === undefined || options.some((line) => line.startsWith('cluster:'))
        ? []
        : [
            `cluster: {id: t${this.retPort}, member: a, minion_address: '127.0.0.1:${this.retPort}', nats: ['nats://${CLUSTER_NATS}'], replicas: 1}`,
          ]),
      ...options,
    ]);
  }

  /** Starts the master and waits until it takes requests. */
  async startMaster(programs: Programs = ours): Promise<Daemon> {
    const words = ['-c', this.masterDir, '-l', 'info'];
    const daemon = this.start('salt-master', words, programs, this.masterEnv);
    const sockets = ['publish_pull.ipc', 'master_event_pub.ipc', 'master_event_pull.ipc'].map((name) =>
      this.path('m', 'run', name),
    );
    await until(
      `${programs.name} master is up`,
      () => daemon.child.exitCode !== null || sockets.every((path) => existsSync(path)),
    );
    if (daemon.child.exitCode !== null) throw new Error(`the master ended:\n${daemon.log}`);
    if (programs === ours) await daemon.logged('Worker 0 is ready');
    this.master = daemon;
    return daemon;
  }

  #prepare(program: string, programs: Programs): void {
    if (CLUSTER_NATS !== undefined && program === 'salt-master' && programs.name === ours.name)
      this.#becomeMember();
  }

  #seedKey(program: string, args: readonly string[], programs: Programs): void {
    const role = program === 'salt-master' ? 'master' : program === 'salt-minion' ? 'minion' : undefined;
    const folder = args[args.indexOf('-c') + 1];
    if (this.makesKeys || role === undefined || folder === undefined || programs.name !== ours.name) return;
    keyPool.seed(join(folder, role), role);
  }

  /** With few options, so that a master whose configuration is wrong can be a member and say so. */
  #becomeMember(): void {
    if (existsSync(this.path('m', 'pki', 'cluster', 'secret'))) return;
    const lines = readFileSync(join(this.masterDir, 'master'), 'utf8').split('\n');
    const folder = this.path('becoming');
    this.write(folder, 'master', [...this.#places('m'), ...lines.filter((line) => MEMBERS_OWN.test(line))]);
    spawnSync(join(ours.folder, 'salt-run'), ['-c', folder, 'cluster.init']);
  }

  /** Starts a minion; it does not wait for anything. */
  startMinion(id: string, options: readonly string[] = [], programs: Programs = ours): Daemon {
    this.configureMinion(id, options);
    return this.start('salt-minion', ['-c', this.path(id), '-l', 'info'], programs);
  }

  /** @param options lines that come beside the usual ones, or in place of those with the same name */
  configureMinion(id: string, options: readonly string[] = []): void {
    const usual = [
      'master: 127.0.0.1',
      `master_port: ${this.retPort}`,
      `id: ${id}`,
      ...this.#places(id),
      'acceptance_wait_time: 1',
      'random_reauth_delay: 1',
      'recon_default: 100',
      'recon_max: 500',
      'enable_fqdns_grains: False',
      'enable_gpu_grains: False',
    ];
    const names = new Set(options.map((line) => line.split(':')[0]));
    const kept = usual.filter((line) => !names.has(line.split(':')[0]));
    this.write(this.path(id), 'minion', [...kept, ...options]);
  }

  /** Starts a minion and waits until it is ready to receive requests. */
  async joinMinion(id: string, options: readonly string[] = [], programs: Programs = ours): Promise<Daemon> {
    const daemon = this.startMinion(id, options, programs);
    await daemon.logged('Minion is ready to receive requests');
    return daemon;
  }

  start(
    program: string,
    args: readonly string[],
    programs: Programs = ours,
    env: NodeJS.ProcessEnv = process.env,
  ): Daemon {
    this.#prepare(program, programs);
    this.#seedKey(program, args, programs);
    const daemon = new Daemon(program, join(programs.folder, program), args, env);
    this.daemons.push(daemon);
    return daemon;
  }

  /** `salt …` on the master's configuration. */
  salt(args: readonly string[], programs: Programs = ours): Promise<Finished> {
    return this.run('salt', args, programs);
  }

  /** Any program on the master's configuration. */
  run(program: string, args: readonly string[], programs: Programs = ours, input = ''): Promise<Finished> {
    this.#prepare(program, programs);
    return runProgram(join(programs.folder, program), ['-c', this.masterDir, ...args], { input });
  }

  /** The answers of minions in JSON, by minion. */
  async json(args: readonly string[], programs: Programs = ours): Promise<Record<string, unknown>> {
    const { stdout, stderr } = await this.salt(['--out', 'json', '--out-indent', '-1', ...args], programs);
    const answers: Record<string, unknown> = {};
    for (const line of stdout.split('\n').filter((text) => text.startsWith('{')))
      Object.assign(answers, JSON.parse(line));
    if (Object.keys(answers).length === 0) throw new Error(`nothing came back: ${stdout}${stderr}`);
    return answers;
  }

  write(directory: string, name: string, lines: readonly string[]): void {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, name), `${lines.join('\n')}\n`);
  }

  async destroy(): Promise<void> {
    await Promise.all(this.daemons.map((daemon) => daemon.stop()));
    rmSync(this.folder, { recursive: true, force: true });
  }

  #places(name: string): string[] {
    return [
      `user: ${userInfo().username}`,
      `pki_dir: ${this.path(name, 'pki')}`,
      `cachedir: ${this.path(name, 'cache')}`,
      `sock_dir: ${this.path(name, 'run')}`,
      `pidfile: ${this.path(name, 'pid')}`,
      `log_file: ${this.path(name, 'log', 'log')}`,
      `extension_modules: ${this.path(name, 'cache', 'extmods')}`,
      "default_include: ''",
    ];
  }
}

/** Waits for something that only looking can tell; the folder's changes are looked at, and the clock now and then. */
export async function until(what: string, isTrue: () => boolean): Promise<void> {
  const untilMs = systemClock.monotonicMs() + WAIT_MS;
  while (!isTrue()) {
    if (systemClock.monotonicMs() > untilMs) throw new Error(`gave up waiting until ${what}`);
    await systemClock.sleep(20);
  }
}

/** Names in a folder; empty when there is none. */
export function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : [];
}

/**
 * A real Salt of this version, where one is found: `BRINE_REAL_SALT` names a folder with `3006/`, `3007/` of launchers.
 */
export function realSalt(version: string): Programs | undefined {
  const folder = join(process.env['BRINE_REAL_SALT'] ?? '/opt/realsalt/bin', version);
  return existsSync(join(folder, 'salt-master')) ? { name: `Salt ${version}`, folder } : undefined;
}
