/**
 * The master's process manager: starts the parts, restarts the ones that die, tells them of a new shared key, and ends them
 * all (salt/utils/process.py ProcessManager, 3006.16).
 */
import { fork, type ChildProcess } from 'node:child_process';
import { BrineError } from '../../errors/errors.ts';
import type { Clock, Timer } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { readFromChild, type FromChild, type Role, type ToChild } from './messages.ts';

/** A part that lived shorter than this is restarted a little later each time. */
const SHORT_LIFE_MS = 2_000;
const RESTART_DELAY_MIN_MS = 50;
const RESTART_DELAY_MAX_MS = 5_000;
/** Time for an orderly end before SIGKILL. */
const STOP_MS = 5_000;
/** How often each part is asked for a sign of life, and when one that gives none is killed and started anew. */
const BEAT_MS = 3_000;
const HUNG_MS = 15_000;
/**
 * A small nursery keeps a master of many processes small; what a burst of work leaves is collected when it is over
 * (host/idle-memory.ts). A heap that grows by half at most is collected before thousands of dead buffers lie in the memory of the C
 * library, which gives back none of it afterwards: a worker keeps 8 instead of 19 MB there, and serves no fewer requests.
 */
const NODE_FLAGS = [
  '--max-semi-space-size=2',
  '--single-threaded-gc',
  '--expose-gc',
  '--heap-growing-percent=50',
];

/** One part. */
export interface ChildSpec {
  readonly role: Role;
  readonly index: number;
  /** Shown in the process list. */
  readonly title: string;
  /** Ends before the others, which it needs for that. */
  readonly endsFirst?: boolean;
}

/** What the supervisor needs. */
export interface SupervisorOptions {
  /** The program that a part runs. */
  readonly childScript: string;
  /** The message that starts a part. */
  readonly startMessage: (spec: ChildSpec) => ToChild;
  readonly onMessage: (message: FromChild) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Running {
  readonly endsFirst: boolean;
  readonly process: ChildProcess;
  readonly startedAtMs: number;
  ready: boolean;
  lastSignMs: number;
}

/** Keeps a set of processes running. */
export class Supervisor {
  readonly counters = { restarts: 0, hung: 0 };
  readonly #options: SupervisorOptions;
  readonly #running = new Map<string, Running>();
  readonly #shortLives = new Map<string, number>();
  #stopping = false;
  #beat: Timer | undefined;
  #lastBeatMs = 0;
  #failure: ((error: Error) => void) | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Starts the parts and resolves when all are ready. @throws when one ends before it was ready */
  async start(specs: readonly ChildSpec[]): Promise<void> {
    const failed = new Promise<never>((_, reject) => {
      this.#failure = reject;
    });
    await Promise.race([Promise.all(specs.map((spec) => this.#spawn(spec))), failed]);
    this.#failure = undefined;
    this.#lastBeatMs = this.#options.clock.monotonicMs();
    this.#beat = this.#options.clock.every(BEAT_MS, () => this.#checkSigns(), { background: true });
  }

  broadcast(message: ToChild): void {
    for (const { process: child } of this.#running.values()) send(child, message);
  }

  /** One line for each part: name, pid, whether it is ready. */
  describe(): string[] {
    return [...this.#running].map(
      ([title, { process: child, ready }]) => `${title} pid ${child.pid} ${ready ? 'ready' : 'starting'}`,
    );
  }

  /** Ends all parts; those that do not end in time are killed. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#beat?.cancel();
    await this.#end((running) => running.endsFirst);
    await this.#end(() => true);
  }

  async #end(which: (running: Running) => boolean): Promise<void> {
    const { clock, log } = this.#options;
    const ending = [...this.#running].filter(([, running]) => which(running));
    const ended = Promise.all(ending.map(([, running]) => exited(running.process)));
    for (const [, running] of ending) send(running.process, { type: 'stop' });
    const limit = new AbortController();
    await Promise.race([ended, clock.sleep(STOP_MS, limit.signal)]);
    limit.abort();
    for (const [title, { process: child }] of ending) {
      if (!this.#running.has(title)) continue;
      log.warning(`${title} (${child.pid}) did not end in time and is killed.`);
      child.kill('SIGKILL');
    }
    await ended;
  }

  #spawn(spec: ChildSpec): Promise<void> {
    const { childScript, startMessage, onMessage, clock, log } = this.#options;
    // the title of a process has room only for what stood on its command line
    const child = fork(childScript, [spec.title.padEnd(48)], {
      execArgv: NODE_FLAGS,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const nowMs = clock.monotonicMs();
    const { endsFirst = false } = spec;
    const running: Running = {
      endsFirst,
      process: child,
      startedAtMs: nowMs,
      ready: false,
      lastSignMs: nowMs,
    };
    this.#running.set(spec.title, running);
    child.on('error', () => undefined);
    child.on('exit', (code, signal) => this.#exited(spec, running, code, signal));
    send(child, startMessage(spec));
    return new Promise((resolve) => {
      child.on('message', (received) => {
        const message = readFromChild(received);
        running.lastSignMs = clock.monotonicMs();
        if (message === undefined) log.error(`${spec.title} said what no part of a master says`);
        else if (message.type === 'ready') {
          running.ready = true;
          resolve();
        } else if (message.type !== 'pong') onMessage(message);
      });
    });
  }

  /** A part that hangs would keep others waiting for ever; one that died is back at once. */
  #checkSigns(): void {
    const { clock, log } = this.#options;
    const nowMs = clock.monotonicMs();
    // when we were held up ourselves, the others' silence means nothing
    const wasHeldUp = nowMs - this.#lastBeatMs > 2 * BEAT_MS;
    this.#lastBeatMs = nowMs;
    for (const [title, running] of this.#running) {
      if (wasHeldUp) running.lastSignMs = nowMs;
      if (nowMs - running.lastSignMs < HUNG_MS) {
        send(running.process, { type: 'ping' });
        continue;
      }
      this.counters.hung++;
      log.error(`${title} (${running.process.pid}) gives no sign of life; it is killed and started anew.`);
      running.lastSignMs = nowMs;
      running.process.kill('SIGKILL');
    }
  }

  #exited(spec: ChildSpec, running: Running, code: number | null, signal: NodeJS.Signals | null): void {
    const { clock, log } = this.#options;
    this.#running.delete(spec.title);
    if (this.#stopping) return;
    const how = signal === null ? `exit status ${code}` : signal;
    if (this.#failure !== undefined && !running.ready) {
      this.#failure(
        new BrineError(`The master cannot start: ${spec.title} ended with ${how} before it was ready.`, {
          code: 'part-not-started',
        }),
      );
      return;
    }
    this.counters.restarts++;
    log.info(`Process ${spec.title} (${running.process.pid}) died with ${how}, restarting...`);
    clock.after(this.#restartDelayMs(spec, running), () => {
      if (!this.#stopping) void this.#spawn(spec);
    });
  }

  #restartDelayMs(spec: ChildSpec, running: Running): number {
    if (this.#options.clock.monotonicMs() - running.startedAtMs > SHORT_LIFE_MS) {
      this.#shortLives.delete(spec.title);
      return 0;
    }
    const times = this.#shortLives.get(spec.title) ?? 0;
    this.#shortLives.set(spec.title, times + 1);
    return times === 0 ? 0 : Math.min(RESTART_DELAY_MAX_MS, RESTART_DELAY_MIN_MS * 2 ** times);
  }
}

function send(child: ChildProcess, message: ToChild): void {
  if (child.connected) child.send(message, () => undefined);
}

function exited(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
}
