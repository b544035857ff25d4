/** The jobs that run now: what `saltutil.running` lists and what `saltutil.kill_job` reaches. */
import type { Dict } from '../../python/values/value.ts';
import type { Job } from './job.ts';
import type { ProcFiles } from './proc-files.ts';

/** One running job. */
export interface RunningJob {
  readonly job: Job;
  /** Where it runs: this process, or a worker's. */
  pid: number;
  readonly abort: AbortController;
  /** Passes a signal on; false when the job's place cannot take it. */
  signal: (signal: number) => boolean;
}

/** Signals that end a job that runs in this process. */
const ENDING_SIGNALS = new Set([1, 2, 3, 6, 9, 15]);

/** A registry of running jobs, mirrored to proc files. */
export class RunningJobs {
  readonly #files: ProcFiles;
  readonly #jobs = new Map<string, RunningJob>();

  constructor(files: ProcFiles) {
    this.#files = files;
  }

  get size(): number {
    return this.#jobs.size;
  }

  /** Notes that a job begins in this process. */
  add(job: Job): RunningJob {
    const abort = new AbortController();
    const running: RunningJob = {
      job,
      pid: process.pid,
      abort,
      signal: (signal) => {
        if (!ENDING_SIGNALS.has(signal)) return false;
        abort.abort(signal);
        return true;
      },
    };
    this.#jobs.set(job.jid, running);
    this.#files.write(job.jid, describe(running));
    return running;
  }

  /** Notes that a job has moved to a worker. */
  moved(running: RunningJob, pid: number): void {
    running.pid = pid;
    this.#files.write(running.job.jid, describe(running));
  }

  remove(running: RunningJob): void {
    this.#jobs.delete(running.job.jid);
    this.#files.remove(running.job.jid);
  }

  list(): Dict[] {
    return [...this.#jobs.values()].map(describe);
  }

  /** @returns false when no such job runs, or it cannot take this signal */
  signal(jid: string, signal: number): boolean {
    return this.#jobs.get(jid)?.signal(signal) ?? false;
  }
}

function describe({ job, pid }: RunningJob): Dict {
  const out: Dict = new Map(job.pub);
  out.set('pid', pid);
  return out;
}
