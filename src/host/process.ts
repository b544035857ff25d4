/**
 * The one place that starts programs: always from a list of arguments, never through a shell. Whoever wants a shell
 * starts it as a program like any other (`['/bin/sh', '-c', text]`), which only `cmd` does and only when asked.
 *
 * Each program leads a process group of its own, so that a time-out or the end of the job ends all it has started.
 */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { constants } from 'node:os';
import { CommandExecutionError } from '../errors/errors.ts';
import { systemClock, type Clock } from './clock.ts';
import { DeathSignal } from './dies-with-us.ts';
import { planLaunch, type RunAs, type LaunchPlan } from './credentials.ts';
import { SpawnError } from './process-error.ts';
import { PipeStock } from './pipe.ts';
import { BoundedOutput, collect, openChannels, type Channels } from './process-streams.ts';
import { assertStartable } from './assert-startable.ts';

export type { RunAs } from './credentials.ts';
export { SpawnError } from './process-error.ts';

/** How a program is started. */
export interface StartOptions {
  /** Absolute path of the working directory; default: ours. */
  readonly cwd?: string;
  /** The whole environment; default: ours. `PATH` in it is where the program is looked for. */
  readonly env?: ReadonlyMap<string, string>;
  readonly credentials?: RunAs;
  /** File mode creation mask, e.g. `0o077`; default: ours. */
  readonly umask?: number;
}

/** How a program is run to its end. */
export interface RunOptions extends StartOptions {
  /** Sent to the program's standard input; without it that is empty (`/dev/null`). */
  readonly stdin?: string | Uint8Array;
  /** Both streams go through one pipe into `stdout`, in the order in which the program wrote. */
  readonly mergeStderr?: boolean;
  /** Most bytes kept of each stream; default {@link OUTPUT_LIMIT_BYTES}. More is read and dropped, and counted. */
  readonly outputLimitBytes?: number;
  /** After this time the whole process group is killed with SIGKILL. */
  readonly timeoutMs?: number;
  /** When aborted, the group gets the signal whose number is the abort reason (else SIGTERM), later SIGKILL. */
  readonly signal?: AbortSignal;
  /** How long the group may take to end after the signal of an abort; default 5000. */
  readonly graceMs?: number;
  readonly clock?: Clock;
  /** End the program when this process ends, also by SIGKILL; not for what runs as somebody else. */
  readonly diesWithUs?: boolean;
}

/** How a program ended. */
export interface ProcessResult {
  readonly pid: number;
  /** Exit status, or the negative number of the signal that ended it, as in Python. */
  readonly retcode: number;
  readonly stdout: Buffer;
  /** Empty when merged. */
  readonly stderr: Buffer;
  readonly timedOut: boolean;
  /** Bytes beyond the limit, of both streams together. */
  readonly droppedBytes: number;
}

/** Most bytes kept of each stream unless the caller says otherwise: 64 MiB. */
const OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024;

const DEFAULT_GRACE_MS = 5000;
/** After SIGKILL, how long to wait for output and exit before giving the process up (it may hang in the kernel). */
const AFTER_KILL_MS = 1000;
/** Node's timers know no longer time; beyond it they fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs a program to its end and collects its output.
 * @param argv the program (a path, or a name looked up in `PATH`) and its arguments
 * @throws SpawnError when it cannot be started; CommandExecutionError when the job had ended already
 */
export async function runProcess(argv: readonly string[], options: RunOptions = {}): Promise<ProcessResult> {
  const direct = planLaunch(argv, options.env ?? ownEnvironment(), options.credentials);
  const plan = options.diesWithUs === true ? await deathSignal.applied(direct) : direct;
  const channels = await openChannels({ stdin: options.stdin, merged: options.mergeStderr === true }, pipes);
  if (options.signal?.aborted) {
    channels.abandon();
    throw new CommandExecutionError(`${String(argv[0])} was not started, because the job has been ended.`);
  }
  let child: ChildProcess;
  try {
    child = await launch(plan, options, channels.stdio);
  } catch (error) {
    channels.abandon();
    throw error;
  }
  const result = await new Run(child, options).finish(channels);
  throwHelperFailure(plan, result);
  return result;
}

/**
 * Starts a program and leaves it alone: it outlives us, its streams are `/dev/null`.
 * @returns its process id
 * @throws SpawnError when it cannot be started
 */
export async function startProcess(argv: readonly string[], options: StartOptions = {}): Promise<number> {
  const plan = planLaunch(argv, options.env ?? ownEnvironment(), options.credentials);
  const child = await launch(plan, options, 'ignore');
  child.unref();
  return child.pid as number;
}

/** Our own environment as a map. */
export function ownEnvironment(): Map<string, string> {
  return new Map(
    Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

/** Starts the program in a session and process group of its own; resolves once it runs. */
async function launch(plan: LaunchPlan, options: StartOptions, stdio: StdioOptions): Promise<ChildProcess> {
  const [program = '', ...args] = plan.argv;
  assertStartable(plan, options.cwd);
  const child = withUmask(options.umask, () => {
    try {
      return spawn(program, args, {
        env: Object.assign(Object.create(null) as NodeJS.ProcessEnv, Object.fromEntries(plan.env)),
        stdio,
        detached: true,
        ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
        ...(plan.uid === undefined ? {} : { uid: plan.uid }),
        ...(plan.gid === undefined ? {} : { gid: plan.gid }),
      });
    } catch (error) {
      throw spawnError(plan.program, error);
    }
  });
  return new Promise((started, reject) => {
    child.once('spawn', () => started(child));
    child.once('error', (error) => reject(spawnError(plan.program, error)));
  });
}

function spawnError(program: string, error: unknown): SpawnError {
  const { code } = error as NodeJS.ErrnoException;
  return new SpawnError(program, code ?? 'EINVAL', error);
}

// The mask belongs to the whole process; starting a program is synchronous, so nothing of ours runs meanwhile.
function withUmask<T>(umask: number | undefined, run: () => T): T {
  if (umask === undefined) return run();
  const before = process.umask(umask);
  try {
    return run();
  } finally {
    process.umask(before);
  }
}

/** It belongs to this process, as the pipes do. */
const deathSignal = new DeathSignal(async ([program = '', ...args]) => {
  const plan = { argv: [program, ...args], env: ownEnvironment(), program, helpers: [] };
  return launch(plan, {}, 'ignore').then(
    async (child) => (await exitOf(child)) === 0,
    () => false,
  );
});

/** They belong to this process, as its descriptors do. */
const pipes = new PipeStock(makeFifos);

async function makeFifos(paths: readonly string[]): Promise<boolean> {
  const plan = {
    argv: ['mkfifo', '-m', '600', '--', ...paths],
    env: ownEnvironment(),
    program: 'mkfifo',
    helpers: [],
  };
  try {
    const child = await launch(plan, {}, 'ignore');
    return (await exitOf(child)) === 0;
  } catch {
    return false;
  }
}

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? -(signal ? constants.signals[signal] : 0)));
  });
}

/** A started program up to its end: output, time-out, abort. */
class Run {
  readonly #child: ChildProcess;
  readonly #options: RunOptions;
  readonly #clock: Clock;
  readonly #exit: Promise<number>;
  #timedOut = false;

  constructor(child: ChildProcess, options: RunOptions) {
    this.#child = child;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#exit = exitOf(child);
  }

  async finish(channels: Channels): Promise<ProcessResult> {
    const streams = channels.attach(this.#child);
    const limit = this.#options.outputLimitBytes ?? OUTPUT_LIMIT_BYTES;
    const stdout = new BoundedOutput(limit);
    const stderr = new BoundedOutput(limit);
    streams.stdin?.on('error', () => undefined); // the program need not read what it is sent
    streams.stdin?.end(this.#options.stdin);
    const ended: Promise<unknown>[] = [this.#exit, collect(streams.stdout, stdout)];
    if (streams.stderr) ended.push(collect(streams.stderr, this.#options.mergeStderr ? stdout : stderr));
    await this.#endOrKill(Promise.all(ended));
    for (const stream of [streams.stdin, streams.stdout, streams.stderr]) stream?.destroy();
    return {
      pid: this.#child.pid as number,
      retcode: await Promise.race([this.#exit, Promise.resolve(-constants.signals.SIGKILL)]),
      stdout: stdout.bytes(),
      stderr: stderr.bytes(),
      timedOut: this.#timedOut,
      droppedBytes: stdout.droppedBytes + stderr.droppedBytes,
    };
  }

  /** Resolves when the program is done, or has been killed and had its moment to go. */
  async #endOrKill(done: Promise<unknown>): Promise<void> {
    const { timeoutMs, signal } = this.#options;
    const stopped = new AbortController();
    const timer =
      timeoutMs === undefined
        ? undefined
        : this.#clock.after(Math.min(Math.max(timeoutMs, 0), LONGEST_TIMER_MS), () => {
            this.#timedOut = true;
            stopped.abort(constants.signals.SIGKILL);
          });
    const onAbort = (): void => stopped.abort(signalNumber(signal?.reason));
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    try {
      const reason = await Promise.race([done.then(() => undefined), abortReason(stopped.signal)]);
      if (reason !== undefined) await this.#kill(reason, done);
    } finally {
      timer?.cancel();
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async #kill(signal: number, done: Promise<unknown>): Promise<void> {
    if (signal !== constants.signals.SIGKILL) {
      this.#signalGroup(signal);
      await this.#within(done, this.#options.graceMs ?? DEFAULT_GRACE_MS);
    }
    this.#signalGroup(constants.signals.SIGKILL);
    await this.#within(done, AFTER_KILL_MS);
  }

  async #within(done: Promise<unknown>, timeMs: number): Promise<void> {
    const enough = new AbortController();
    await Promise.race([done, this.#clock.sleep(timeMs, enough.signal)]);
    enough.abort();
  }

  #signalGroup(signal: number): void {
    try {
      process.kill(-(this.#child.pid as number), signal);
    } catch {
      // nobody is left in the group
    }
  }
}

/** The signal of an abort: its reason when that is a signal's number. */
function signalNumber(reason: unknown): number {
  return Number.isInteger(reason) && Number(reason) > 0 ? Number(reason) : constants.signals.SIGTERM;
}

function abortReason(signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(signal.reason as number);
    signal.addEventListener('abort', () => resolve(signal.reason as number), { once: true });
  });
}

/** A helper's own failure to become the program is a start that failed. */
function throwHelperFailure(plan: LaunchPlan, result: ProcessResult): void {
  if (result.retcode !== 126 && result.retcode !== 127) return;
  const text = (result.stderr.length > 0 ? result.stderr : result.stdout).toString('latin1');
  if (plan.helpers.some((name) => text.startsWith(`${name}: `))) {
    throw new SpawnError(plan.program, result.retcode === 127 ? 'ENOENT' : 'EACCES');
  }
}
