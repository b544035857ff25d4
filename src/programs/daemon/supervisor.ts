/**
 * The process manager of a daemon: starts its parts, restarts the ones that die, tells them what the daemon says, and
 * ends them all (salt/utils/process.py ProcessManager, 3006.16).
 */
import { fork, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { BrineError } from '../../errors/errors.ts';
import { withAllocatorSettings } from '../../host/allocator.ts';
import type { Clock, Timer } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';

/** A part that lived shorter than this is restarted a little later each time. */
const SHORT_LIFE_MS = 2_000;
const RESTART_DELAY_MIN_MS = 50;
const RESTART_DELAY_MAX_MS = 5_000;
/** The same for a part that the daemon does without. */
const OPTIONAL_SHORT_LIFE_MS = 10_000;
/** Where a part finds its link, and we its other end. */
export const LINK_FD = 4;
/** Time for an orderly end before SIGKILL. */
const STOP_MS = 5_000;
/** How often each part is asked for a sign of life, and when one that gives none is killed and started anew. */
const BEAT_MS = 3_000;
const HUNG_MS = 15_000;
/**
 * A small nursery keeps a master of many processes small, and lets a worker that serves files use the same few buffers
 * again. What a burst of work leaves is collected when it is over (host/idle-memory.ts). A heap that grows by half at
 * most is collected before thousands of dead buffers lie in the memory of the C library, which gives back none of it
 * afterwards: a worker keeps 8 instead of 19 MB there, and serves no fewer requests.
 */
const NODE_FLAGS = ['--single-threaded-gc', '--heap-growing-percent=50'];
const NURSERY_MEGABYTES = 2;

/** A part that ends with this status (EX_CONFIG) and whose end hurts nobody else is not started again. */
export const GIVE_UP_STATUS = 78;

/**
 * A part that ends with this status (EX_TEMPFAIL) before it was ready could not start now, and has said why: it is
 * started again, and the daemon waits.
 */
export const NOT_YET_STATUS = 75;

/** One part. */
export interface ChildSpec {
  /** Shown in the process list; no two parts have the same. */
  readonly title: string;
  /** Ends before the others, which it needs for that. */
  readonly endsFirst?: boolean;
  /**
   * The daemon does without it: its start is not waited for. It is given up when it ends with {@link GIVE_UP_STATUS},
   * and the pauses before its restarts grow to this.
   */
  readonly optional?: { readonly pauseMaxMs: number };
  /** Megabytes of a nursery that is larger than usual, for a part whose work leaves much garbage. */
  readonly nurseryMegabytes?: number;
}

/** What every part understands besides what its daemon says to it. */
export type SupervisorOrder = { readonly type: 'ping' } | { readonly type: 'stop' };
/** What every part says. */
export type PartMessage = { readonly type: 'ready' } | { readonly type: 'pong' };

/**
 * What the supervisor needs. `S`: the parts; `T`: what the daemon tells parts; `M`: what parts say besides {@link
 * PartMessage}.
 */
export interface SupervisorOptions<S extends ChildSpec, T extends object, M extends { type: string }> {
  /** The program that a part runs. */
  readonly childScript: string;
  /** The message that starts a part. */
  readonly startMessage: (spec: S) => T;
  /** What a part said; undefined when it is none of its messages. */
  readonly read: (message: unknown) => PartMessage | M | undefined;
  /** @param from the part that said it, with the pid of its process */
  readonly onMessage: (message: M, from: { readonly spec: S; readonly pid: number }) => void;
  /** Parts have one more descriptor, 4, whose other end is handed over here at each start. */
  readonly onLink?: (spec: S, link: Socket) => void;
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
export class Supervisor<S extends ChildSpec, T extends object, M extends { type: string }> {
  readonly counters = { restarts: 0, hung: 0 };
  readonly #options: SupervisorOptions<S, T, M>;
  /** Parts that are to run, also while they are being started anew. */
  readonly #given = new Set<string>();
  readonly #running = new Map<string, Running>();
  readonly #whenReady = new Map<string, () => void>();
  readonly #shortLives = new Map<string, number>();
  #stopping = false;
  #beat: Timer | undefined;
  #lastBeatMs = 0;
  #failure: ((error: Error) => void) | undefined;

  constructor(options: SupervisorOptions<S, T, M>) {
    this.#options = options;
  }

  /** Starts the parts and resolves when all are ready. @throws when one ends before it was ready */
  async start(specs: readonly S[]): Promise<void> {
    const failed = new Promise<never>((_, reject) => {
      this.#failure = reject;
    });
    const started = specs.map((spec) => ({ spec, ready: this.#begin(spec) }));
    const needed = started.filter(({ spec }) => spec.optional === undefined).map(({ ready }) => ready);
    await Promise.race([Promise.all(needed), failed]);
    this.#failure = undefined;
    this.#lastBeatMs = this.#options.clock.monotonicMs();
    this.#beat = this.#options.clock.every(BEAT_MS, () => this.#checkSigns(), { background: true });
  }

  /** Starts parts that the daemon has done without until now; those that run already stay as they are. */
  add(specs: readonly S[]): void {
    if (this.#stopping) return;
    for (const spec of specs) if (!this.#given.has(spec.title)) void this.#begin(spec);
  }

  broadcast(message: T): void {
    for (const { process: child } of this.#running.values()) send(child, message);
  }

  /** Titles of the parts that run and have said that they are ready. */
  get ready(): string[] {
    return [...this.#running].filter(([, { ready }]) => ready).map(([title]) => title);
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

  #begin(spec: S): Promise<void> {
    this.#given.add(spec.title);
    return new Promise((resolve) => {
      this.#whenReady.set(spec.title, resolve);
      this.#spawn(spec);
    });
  }

  #spawn(spec: S): void {
    const { childScript, startMessage, read, onMessage, onLink, clock, log } = this.#options;
    // the title of a process has room only for what stood on its command line
    const child = fork(childScript, [spec.title.padEnd(48)], {
      execArgv: [`--max-semi-space-size=${spec.nurseryMegabytes ?? NURSERY_MEGABYTES}`, ...NODE_FLAGS],
      env: withAllocatorSettings(process.env),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', ...(onLink === undefined ? [] : (['pipe'] as const))],
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
    onLink?.(spec, child.stdio[LINK_FD] as unknown as Socket);
    send(child, startMessage(spec));
    child.on('message', (received) => {
      const message = read(received);
      running.lastSignMs = clock.monotonicMs();
      if (message === undefined) log.error(`${spec.title} said what no part says`);
      else if (isReady(message)) {
        running.ready = true;
        this.#whenReady.get(spec.title)?.();
        this.#whenReady.delete(spec.title);
      } else if (!isPong(message)) onMessage(message, { spec, pid: child.pid ?? 0 });
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

  #exited(spec: S, running: Running, code: number | null, signal: NodeJS.Signals | null): void {
    const { clock, log } = this.#options;
    this.#running.delete(spec.title);
    if (this.#stopping) return;
    const how = signal === null ? `exit status ${code}` : signal;
    const isFinal = !running.ready && code !== NOT_YET_STATUS;
    if (this.#failure !== undefined && isFinal && spec.optional === undefined) {
      this.#failure(
        new BrineError(`The master cannot start: ${spec.title} ended with ${how} before it was ready.`, {
          code: 'part-not-started',
        }),
      );
      return;
    }
    if (spec.optional !== undefined && code === GIVE_UP_STATUS) {
      log.info(
        `Process ${spec.title} (${running.process.pid}) cannot do its work as it is configured, and is not restarted.`,
      );
      return;
    }
    this.counters.restarts++;
    log.info(`Process ${spec.title} (${running.process.pid}) died with ${how}, restarting...`);
    clock.after(this.#restartDelayMs(spec, running), () => {
      if (!this.#stopping) this.#spawn(spec);
    });
  }

  #restartDelayMs({ title, optional }: S, running: Running): number {
    const shortMs = optional === undefined ? SHORT_LIFE_MS : OPTIONAL_SHORT_LIFE_MS;
    if (this.#options.clock.monotonicMs() - running.startedAtMs > shortMs) {
      this.#shortLives.delete(title);
      return 0;
    }
    const times = this.#shortLives.get(title) ?? 0;
    this.#shortLives.set(title, times + 1);
    const maxMs = optional?.pauseMaxMs ?? RESTART_DELAY_MAX_MS;
    return times === 0 ? 0 : Math.min(maxMs, RESTART_DELAY_MIN_MS * 2 ** Math.min(times, 20));
  }
}

function send(child: ChildProcess, message: object): void {
  if (child.connected) child.send(message, () => undefined);
}

function exited(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
}

function isReady(message: { readonly type: string }): message is PartMessage & { readonly type: 'ready' } {
  return message.type === 'ready';
}

function isPong(message: { readonly type: string }): message is PartMessage & { readonly type: 'pong' } {
  return message.type === 'pong';
}
