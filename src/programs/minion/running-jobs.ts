/** The jobs that run now: what `saltutil.running` lists and what `saltutil.kill_job` reaches. */
import { messageOf } from '../../errors/errors.ts';
import { signalTree } from '../../host/process-tree.ts';
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
  readonly #files: Pick<ProcFiles, 'write' | 'remove' | 'read'>;
  readonly #notListed: (text: string) => void;
  readonly #jobs = new Map<string, RunningJob>();
  readonly #left: Set<string>;

  /**
   * @param notListed told of each job whose file cannot be written: a minion whose disk is full runs the jobs that are
   *   to repair it
   * @param left jobs of the minion of another version, in whose place this one is, and which ends with the last of them
   */
  constructor(
    files: Pick<ProcFiles, 'write' | 'remove' | 'read'>,
    notListed: (text: string) => void,
    left: Iterable<string> = [],
  ) {
    this.#files = files;
    this.#notListed = notListed;
    this.#left = new Set(left);
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
    this.#list(running);
    return running;
  }

  /** Notes that a job has moved to a worker. */
  moved(running: RunningJob, pid: number): void {
    running.pid = pid;
    this.#list(running);
  }

  remove(running: RunningJob): void {
    const { jid } = running.job;
    this.#jobs.delete(jid);
    try {
      this.#files.remove(jid);
    } catch (error) {
      this.#notListed(`The file of the ended job ${jid} cannot be removed: ${messageOf(error)}`);
    }
  }

  #list(running: RunningJob): void {
    const { jid } = running.job;
    try {
      this.#files.write(jid, describe(running));
    } catch (error) {
      this.#notListed(
        `Job ${jid} runs without its file, so that other programs on this machine do not see it: ${messageOf(error)}`,
      );
    }
  }

  list(): Dict[] {
    return [...[...this.#jobs.values()].map(describe), ...this.#leftJobs()];
  }

  /** @returns false when no such job runs, or it cannot take this signal */
  signal(jid: string, signal: number): boolean {
    const own = this.#jobs.get(jid);
    if (own !== undefined) return own.signal(signal);
    const pid = this.#leftJobs()
      .find((job) => job.get('jid') === jid)
      ?.get('pid');
    return typeof pid === 'number' && signalTree(pid, signal);
  }

  #leftJobs(): Dict[] {
    const jobs: Dict[] = [];
    for (const jid of this.#left) {
      const job = this.#files.read(jid);
      if (job === undefined) this.#left.delete(jid);
      else jobs.push(job);
    }
    return jobs;
  }
}

function describe({ job, pid }: RunningJob): Dict {
  const out: Dict = new Map(job.pub);
  out.set('pid', pid);
  return out;
}
