/**
 * Takes jobs: each once, only when its target means this minion, no more at a time than `process_count_max`; runs them
 * here or in a worker process, and hands the return on. Follows salt/minion.py `_handle_decoded_payload` and
 * `_thread_return` (3006.16).
 */
import { messageOf } from '../../errors/errors.ts';
import { executeFunction, executeFunctionList } from '../../runtime/loader/execute.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';
import { Timings } from '../../runtime/metrics/tally.ts';
import { matchMinion } from '../../runtime/targeting/match-minion.ts';
import { parseTarget } from '../../runtime/targeting/parse-target.ts';
import { withTrace, type JobTraces } from './job-traces.ts';
import { tags } from '../../network/events/tags.ts';
import type { PublicationJournal } from '../../storage/jobs/publication-journal.ts';
import { dict, type Dict, type DictInit } from '../../python/values/value.ts';
import { readJob, returnLoad, type Job, type JobResult } from './job.ts';
import type { MasterSide } from './masters/side.ts';
import { noteMissingReturners, returnFurther } from './further-returns.ts';
import type { ReturnSender } from './return-sender.ts';
import type { RunningJob, RunningJobs } from './running-jobs.ts';
import type { MinionState } from './state.ts';
import type { WorkerPool } from './worker-pool.ts';
import { endedResult, failedJob } from './job-failures.ts';

/** Jobs waiting because of `process_count_max`; one more is answered with an error. */
const WAITING_MAX = 10_000;
/** Time for a function to notice that its job was ended. */
const KILL_GRACE_MS = 3_000;
/** A job that takes longer than this is acknowledged before it returns. */
const ACKNOWLEDGE_MS = 500;

/** What a job runs with: what its master has of this minion. */
type JobSide = Pick<MasterSide, 'state' | 'services'>;

/** What running jobs needs. */
export interface JobRunnerDeps {
  readonly state: MinionState;
  readonly running: RunningJobs;
  /** The jobs that were taken before, also by this minion's earlier processes. */
  readonly journal: Pick<PublicationJournal, 'hasJob' | 'noteJob'>;
  readonly workers: WorkerPool;
  readonly sender: ReturnSender;
  /** Undefined when nobody wants to know. */
  readonly traces?: JobTraces | undefined;
}

/** Takes jobs from publications and from this minion itself, runs them and hands their returns on. */
export class JobRunner {
  readonly counters = { taken: 0, repeated: 0, notForUs: 0, refused: 0 };
  /** What functions took, in seconds. */
  readonly times = new Timings('brine_function_seconds');
  readonly #deps: JobRunnerDeps;
  readonly #waiting: (() => void)[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #active = 0;

  constructor(deps: JobRunnerDeps) {
    this.#deps = deps;
  }

  /** Takes a publication; returns at once. */
  take(pub: Dict, side: MasterSide): void {
    const job = readJob(pub);
    if (job === undefined) {
      this.counters.refused++;
      this.#deps.state.deps.log.warning('A publication that names no usable job was ignored.');
      return;
    }
    if (this.#deps.journal.hasJob(job.jid)) {
      this.counters.repeated++;
      return;
    }
    if (!this.#isForUs(job, side)) {
      this.counters.notForUs++;
      return;
    }
    this.counters.taken++;
    const noted = this.#deps.journal.noteJob(job.jid);
    const ended = noted.then(() => this.#runAndReturn(job, side)).catch(() => undefined);
    this.#underWay.add(ended);
    void ended.then(() => this.#underWay.delete(ended));
  }

  /** Runs a job that began on this minion, in its turn; never throws. */
  runOwn(job: Job, side: JobSide): Promise<JobResult> {
    return this.#runInTurn(job, side);
  }

  /** @returns when no publication is under way any more, and the returns of all are sent or kept */
  async drained(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #isForUs(job: Job, { state }: MasterSide): boolean {
    try {
      const target = parseTarget(job.tgt, job.tgtType, job.delimiter);
      return matchMinion(target, state.subject(), (fault) => state.deps.log.error(fault.message));
    } catch (error) {
      state.deps.log.error(`The target of job ${job.jid} cannot be understood: ${messageOf(error)}`);
      return false;
    }
  }

  async #runAndReturn(job: Job, side: MasterSide): Promise<void> {
    const { sender, traces } = this.#deps;
    const { state } = side;
    const { log, opts, clock } = state.deps;
    const user = job.pub.get('user');
    log.info(
      `User ${typeof user === 'string' ? user : 'unknown'} Executing command ${job.funs.join(',')} with jid ${job.jid}`,
    );
    const acknowledgement = clock.after(
      ACKNOWLEDGE_MS,
      () => void this.#tell(job, side, tags.jobReceived(job.jid, state.id)),
      {
        background: true,
      },
    );
    const span = traces?.run(job, state.id);
    const begins = (): Promise<void> =>
      this.#tell(job, side, tags.jobStart(job.jid, state.id), { fun: job.pub.get('fun') ?? null });
    const result = await this.#runInTurn(job, side, job.tellsStart === true ? begins : undefined);
    span?.ended(result);
    acknowledgement.cancel();
    log.info(`Returning information for job: ${job.jid}`);
    const load = returnLoad(job, state.id, result);
    await noteMissingReturners(load, job, side);
    const sent =
      opts.raw('pub_ret') === false
        ? undefined
        : span === undefined
          ? sender.send(withTrace(load, job), side.connection)
          : span.returned(load, (traced) => sender.send(traced, side.connection));
    await Promise.all([sent, returnFurther(job, load, side)]);
  }

  /**
   * Tells the master that the job is here and goes on; short jobs are acknowledged by their return. Also that it
   * begins, where somebody asked for that.
   */
  async #tell(job: Job, { state, connection }: MasterSide, tag: string, facts: DictInit = {}): Promise<void> {
    const load = dict({
      cmd: '_minion_event',
      tag,
      pretag: null,
      jid: job.jid,
      data: dict({ jid: job.jid, id: state.id, ...facts }),
    });
    try {
      await connection.requests.send(load, { timeoutMs: 5_000, tries: 1 });
    } catch (error) {
      state.deps.log.debug(`News of job ${job.jid} could not be told (${tag}): ${messageOf(error)}`);
    }
  }

  /** @param begins called, and waited for, when the job's turn has come */
  async #runInTurn(job: Job, side: JobSide, begins?: () => Promise<void>): Promise<JobResult> {
    const { log, opts } = this.#deps.state.deps;
    const limit = opts.get('process_count_max');
    if (limit > 0 && this.#active >= limit) {
      if (this.#waiting.length >= WAITING_MAX)
        return failedJob(`${WAITING_MAX} jobs are waiting on this minion already; this one was not run.`);
      log.warning(`Maximum number of processes reached while executing jid ${job.jid}, waiting...`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#active++;
    try {
      await begins?.();
      return await this.#run(job, side);
    } finally {
      this.#active--;
      this.#waiting.shift()?.();
    }
  }

  async #run(job: Job, side: JobSide): Promise<JobResult> {
    const { running } = this.#deps;
    const { state } = side;
    const { clock } = state.deps;
    const beganMs = clock.monotonicMs();
    const entry = running.add(job);
    try {
      const result = (await this.#needsProcess(job, side))
        ? await this.#inWorker(job, entry, side)
        : await this.#here(job, entry, side);
      return result;
    } catch (error) {
      state.deps.log.error(`Job ${job.jid} failed in the minion itself`, error);
      return failedJob(`The minion function caused an exception: ${messageOf(error)}`);
    } finally {
      running.remove(entry);
      // of several functions nobody knows which took how long
      if (job.funs.length === 1) this.times.add((clock.monotonicMs() - beganMs) / 1000, job.funs[0] ?? '');
    }
  }

  /** Salt compat: with `multiprocessing: False` everything runs in the minion's own process. */
  async #needsProcess(job: Job, { state }: JobSide): Promise<boolean> {
    if (!state.deps.opts.get('multiprocessing')) return false;
    for (const fun of job.funs) if (await state.registry.isIsolated(fun)) return true;
    return false;
  }

  async #inWorker(job: Job, entry: RunningJob, side: JobSide): Promise<JobResult> {
    const { workers, running } = this.#deps;
    return workers.run(job, {
      started: (pid, signal) => {
        entry.signal = signal;
        running.moved(entry, pid);
      },
      isAborted: () => entry.abort.signal.aborted,
      side,
    });
  }

  async #here(job: Job, entry: RunningJob, { state, services }: JobSide): Promise<JobResult> {
    const context = state.context(
      { jid: job.jid, fun: job.funs[0] as string, pub: job.pub },
      services,
      entry.abort.signal,
    );
    const ended = endedBySignal(state, entry.abort.signal, job);
    try {
      return await Promise.race([runFunctions(job, context), ended.promise]);
    } finally {
      ended.cancel();
    }
  }
}

/** Runs the function or functions of a job. Never throws: each error becomes the return that Salt sends for it. */
export async function runFunctions(job: Job, context: ModuleContext): Promise<JobResult> {
  if (job.isMultiple) return executeFunctionList(job.funs, context, job.args);
  return executeFunction(job.funs[0] as string, context, job.args[0] ?? []);
}

/** Settles when a job was ended and its function has had time to notice. */
function endedBySignal(
  state: MinionState,
  signal: AbortSignal,
  job: Job,
): { promise: Promise<JobResult>; cancel: () => void } {
  let cancel = (): void => undefined;
  const promise = new Promise<JobResult>((resolve) => {
    const onAbort = (): void => {
      const timer = state.deps.clock.after(KILL_GRACE_MS, () =>
        resolve(endedResult(job.jid, Number(signal.reason))),
      );
      cancel = () => timer.cancel();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    cancel = () => signal.removeEventListener('abort', onAbort);
  });
  return { promise, cancel: () => cancel() };
}
