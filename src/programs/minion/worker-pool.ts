/**
 * Worker processes for functions that may block or crash the minion: started when needed, used again while warm, ended
 * when idle. A job is alone in its worker, so that ending the job can end the process.
 */
import { signalTree } from '../../host/process-tree.ts';
import type { BoundCall, FoundModules } from '../../network/ipc/contracts/job-worker.ts';
import { endedResult, failedJob } from './job-failures.ts';
import type { Job, JobResult } from './job.ts';
import type { MinionServices } from '../../runtime/loader/module.ts';
import type { MasterSide } from './masters/side.ts';
import type { MinionState } from './state.ts';
import { startWorker, type WorkerProcess } from './worker-process.ts';

/** Workers at the same time; further jobs wait. */
const WORKERS_MAX = 32;
/**
 * An idle worker ends after this time, and gives its memory back: more than the rest of the minion holds, for a start
 * of 0.2 s that the next job is spared. Jobs that follow one another, as those of an orchestration, come sooner.
 */
const IDLE_MS = 2_000;
const JOBS_WAITING_MAX = 10_000;

/** What the pool needs. */
export interface WorkerPoolDeps {
  readonly state: MinionState;
  readonly services: MinionServices;
  /** The program that a worker runs. */
  readonly workerScript: string;
  /** What workers have to know of custom modules. */
  readonly own: () => ReadonlyMap<string, FoundModules>;
}

/** How the pool and the job's entry talk. */
export interface JobHooks {
  /** The job runs in the process `pid`, which `signal` reaches. */
  readonly started: (pid: number, signal: (signal: number) => boolean) => void;
  readonly isAborted: () => boolean;
  /** Whose job it is: its grains, pillar and services; default: the pool's own. */
  readonly side?: Pick<MasterSide, 'state' | 'services'>;
  /** Only this function is called, instead of what the job says. */
  readonly call?: BoundCall;
}

interface PoolWorker extends WorkerProcess {
  idleTimer: { cancel(): void } | undefined;
  lastSignal: number;
  /** The services of the job under way. */
  services: MinionServices;
}

/** Gives each job a worker process of its own, warm where possible. */
export class WorkerPool {
  readonly #deps: WorkerPoolDeps;
  readonly #idle: PoolWorker[] = [];
  readonly #waiting: (() => void)[] = [];
  #count = 0;
  #closed = false;

  constructor(deps: WorkerPoolDeps) {
    this.#deps = deps;
  }

  /** Runs a job in a worker. */
  async run(job: Job, hooks: JobHooks): Promise<JobResult> {
    if (this.#idle.length === 0 && this.#count >= WORKERS_MAX) {
      if (this.#waiting.length >= JOBS_WAITING_MAX)
        return failedJob('Too many jobs are waiting for a worker on this minion; this one was not run.');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    if (hooks.isAborted()) return endedResult(job.jid, 15);
    const worker = this.#idle.pop() ?? this.#start();
    worker.idleTimer?.cancel();
    worker.lastSignal = 0;
    const { state, services } = hooks.side ?? this.#deps;
    worker.services = services;
    hooks.started(worker.child.pid ?? 0, (signal) => {
      worker.lastSignal = signal;
      return worker.child.pid !== undefined && signalTree(worker.child.pid, signal);
    });
    try {
      const { opts, grains, pillar } = state;
      const own = this.#deps.own();
      const call = hooks.call === undefined ? {} : { call: hooks.call };
      const result = await worker.asks.run({ opts, grains, pillar, pub: job.pub, own, ...call });
      this.#release(worker);
      return result;
    } catch (error) {
      worker.child.kill('SIGKILL');
      if (worker.lastSignal !== 0) return endedResult(job.jid, worker.lastSignal);
      this.#deps.state.deps.log.error(`The worker of job ${job.jid} died`, error);
      return failedJob(`The process of job ${job.jid} ended before the function returned.`);
    }
  }

  /** Ends all workers. */
  close(): void {
    this.#closed = true;
    for (const worker of this.#idle) worker.child.kill('SIGKILL');
  }

  #release(worker: PoolWorker): void {
    if (this.#closed) {
      worker.child.kill('SIGKILL');
      return;
    }
    this.#idle.push(worker);
    worker.idleTimer = this.#deps.state.deps.clock.after(IDLE_MS, () => this.#letGo(worker), {
      background: true,
    });
    this.#waiting.shift()?.();
  }

  #start(): PoolWorker {
    this.#count++;
    const { workerScript, services } = this.#deps;
    const process = startWorker(workerScript, () => worker.services);
    const worker: PoolWorker = { ...process, idleTimer: undefined, lastSignal: 0, services };
    worker.child.on('error', () => undefined);
    worker.child.on('exit', () => this.#ended(worker));
    return worker;
  }

  /** A job that comes while the process ends is not to get it. */
  #letGo(worker: PoolWorker): void {
    this.#noLongerIdle(worker);
    worker.rpc.close();
  }

  #ended(worker: PoolWorker): void {
    this.#count--;
    worker.idleTimer?.cancel();
    this.#noLongerIdle(worker);
    this.#waiting.shift()?.();
  }

  #noLongerIdle(worker: PoolWorker): void {
    const at = this.#idle.indexOf(worker);
    if (at >= 0) this.#idle.splice(at, 1);
  }
}
