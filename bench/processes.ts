/** Programs under measurement: started in a process group of their own, looked at through /proc, ended whole. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';

/** The kernel's clock ticks per second; 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const STOP_MS = 8_000;
const POLL_MS = 25;

/** A daemon that we started. */
export interface Daemon {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly logPath: string;
}

/** How a command ended. */
export interface CommandResult {
  /** From its start to its end, milliseconds. */
  readonly elapsedMs: number;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Every process group that is still ours to end, so that nothing is left behind however the benchmark ends. */
export class ProcessGroups {
  readonly #daemons = new Set<Daemon>();
  readonly #commands = new Set<ChildProcess>();

  /** Starts a daemon; what it prints goes to a file. */
  start(argv: readonly string[], logPath: string): Daemon {
    const [program = '', ...args] = argv;
    const log = openSync(logPath, 'a');
    const child = spawn(program, args, { detached: true, stdio: ['ignore', log, log], env: daemonEnv() });
    closeSync(log);
    child.on('error', () => undefined);
    const daemon = { process: child, pid: child.pid ?? 0, logPath };
    this.#daemons.add(daemon);
    return daemon;
  }

  /** Runs a command to its end. */
  run(argv: readonly string[], timeoutMs: number): Promise<CommandResult> {
    const [program = '', ...args] = argv;
    return new Promise((resolve, reject) => {
      const startedMs = performance.now();
      const child = spawn(program, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
      this.#commands.add(child);
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      const timer = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), timeoutMs);
      child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
      child.on('error', reject);
      child.on('close', (code) => {
        const elapsedMs = performance.now() - startedMs;
        clearTimeout(timer);
        this.#commands.delete(child);
        resolve({
          elapsedMs,
          code,
          stdout: Buffer.concat(out).toString(),
          stderr: Buffer.concat(err).toString(),
        });
      });
    });
  }

  /** Ends a daemon and everything it started. */
  async stop(daemon: Daemon): Promise<void> {
    signalGroup(daemon.pid, 'SIGTERM');
    const deadline = performance.now() + STOP_MS;
    while (groupMembers(daemon.pid).length > 0 && performance.now() < deadline) await pause(POLL_MS);
    signalGroup(daemon.pid, 'SIGKILL');
    while (groupMembers(daemon.pid).length > 0 && performance.now() < deadline + STOP_MS)
      await pause(POLL_MS);
    this.#daemons.delete(daemon);
  }

  async stopAll(): Promise<void> {
    for (const child of this.#commands) signalGroup(child.pid, 'SIGKILL');
    await Promise.all([...this.#daemons].map((daemon) => this.stop(daemon)));
  }
}

/** Waits. */
export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

/** Waits until something holds. @throws Error naming what did not happen in time, with the end of the daemon's log */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  timeoutMs: number,
  daemon?: Daemon,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    const ended = daemon !== undefined && daemon.process.exitCode !== null;
    if (performance.now() > deadline || ended) {
      const log = daemon === undefined ? '' : `\n${logTail(daemon)}`;
      throw new Error(
        `${what} did not happen ${ended ? 'before the program ended' : `within ${timeoutMs / 1000} s`}.${log}`,
      );
    }
    await pause(POLL_MS);
  }
}

function logTail(daemon: Daemon): string {
  return existsSync(daemon.logPath)
    ? readFileSync(daemon.logPath, 'utf8').split('\n').slice(-12).join('\n')
    : '';
}

/** Daemons get the caller's environment without what would change how they start. */
function daemonEnv(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  if (env.BRINE_BENCH_NODE_OPTIONS === undefined) delete env.NODE_OPTIONS;
  else env.NODE_OPTIONS = env.BRINE_BENCH_NODE_OPTIONS;
  return env;
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (!pid) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // the group has ended already
  }
}

/** One line of /proc/PID/stat, as far as it is used here. */
interface ProcStat {
  readonly pid: number;
  readonly state: string;
  readonly group: number;
  readonly cpuTicks: number;
}

function readStat(pid: number): ProcStat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // the name in parentheses may hold anything: the fields are counted from behind it
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', , group = '0'] = fields;
  return { pid, state, group: Number(group), cpuTicks: Number(fields[11]) + Number(fields[12]) };
}

/** The living processes of a daemon's group. */
export function groupMembers(group: number): ProcStat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? [])
    .filter((stat) => stat.group === group && stat.state !== 'Z');
}

/** Proportional memory of a daemon with all its processes, bytes; undefined where the kernel does not say. */
export function pssBytes(daemon: Daemon): number | undefined {
  let total = 0;
  for (const { pid } of groupMembers(daemon.pid)) {
    try {
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
      total += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? NaN) * 1024;
    } catch (error) {
      if (
        (error as NodeJS.ErrnoException).code !== 'ENOENT' &&
        (error as NodeJS.ErrnoException).code !== 'ESRCH'
      )
        return undefined;
    }
  }
  return Number.isNaN(total) ? undefined : total;
}

/** How many processes a daemon has. */
export function processCount(daemon: Daemon): number {
  return groupMembers(daemon.pid).length;
}

/** CPU seconds that a daemon's living processes have used. */
export function cpuSeconds(daemon: Daemon): number {
  const ticks = groupMembers(daemon.pid).reduce((sum, stat) => sum + stat.cpuTicks, 0);
  return ticks / TICKS_PER_SECOND;
}
