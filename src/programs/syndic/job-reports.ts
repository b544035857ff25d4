/**
 * What a syndic tells the master above of each job from there: which minions are expected below, who of them is known
 * to be away, and when that is all, so that nobody above waits longer than for the last return. Salt's commands read
 * the list of minions.
 */
import type { PublishedJob } from '../../runtime/client/job-publisher.ts';
import { SyndicWatch } from '../../runtime/client/syndic-watch.ts';
import { isoStamp, type BusEvent } from '../../network/events/framing.ts';
import { readSyndicReport } from '../../network/events/tags.ts';
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Clock, Timer } from '../../host/clock.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';

/** Jobs whose reports are remembered. */
const JOBS_MAX = 5_000;
/** Reports of syndics below that came before the master's own answer. */
const EARLY_MAX = 1_000;

/** What telling needs. */
export interface JobReportsDeps {
  /** Sends a report to the master that asked. */
  readonly tell: (upper: string, jid: string, data: Dict) => void;
  readonly clock: Clock;
}

/** What is known of one job. */
class JobBelow {
  readonly upper: string;
  readonly minions = new Set<string>();
  readonly strange = new Set<string>();
  readonly lost = new Map<string, string>();
  readonly refused = new Map<string, string>();
  early: BusEvent[] = [];
  watch: SyndicWatch | undefined;
  timer: Timer | undefined;
  error: string | undefined;

  constructor(upper: string) {
    this.upper = upper;
  }

  /** Takes what the master below has answered. */
  published(job: PublishedJob, nowMs: number): void {
    for (const id of job.minions) this.minions.add(id);
    for (const id of job.strange ?? job.minions) this.strange.add(id);
    for (const [id, since] of job.lost) this.lost.set(id, since);
    this.watch = new SyndicWatch(job.syndics, nowMs);
    for (const event of this.early.splice(0)) this.hear(event, nowMs);
  }

  /** Takes the report of a syndic below. @returns whether it was news */
  hear(event: BusEvent, nowMs: number): boolean {
    if (this.watch === undefined) {
      if (this.early.length < EARLY_MAX) this.early.push(event);
      return false;
    }
    const before = this.minions.size + this.lost.size + this.refused.size;
    const wasComplete = this.isComplete(nowMs);
    const news = this.watch.read(event, nowMs);
    if (news === undefined) return false;
    for (const id of this.watch.minionsOf(news.name)) this.minions.add(id);
    for (const id of news.strange) this.strange.add(id);
    for (const [id, since] of news.lost) this.lost.set(id, since);
    for (const [name, reason] of news.refusals) this.refused.set(name, reason);
    const after = this.minions.size + this.lost.size + this.refused.size;
    return after > before || this.isComplete(nowMs) !== wasComplete;
  }

  isComplete(nowMs: number): boolean {
    return this.watch !== undefined && !this.watch.isHeld(nowMs) && this.watch.awaited.next().done === true;
  }
}

/** Reports to the master above, for each of its jobs, whom to expect below and when that list is complete. */
export class JobReports {
  readonly #deps: JobReportsDeps;
  readonly #jobs = new BoundedMap<string, JobBelow>(JOBS_MAX);

  constructor(deps: JobReportsDeps) {
    this.#deps = deps;
  }

  /** Whether this job came from above. */
  has(jid: string): boolean {
    return this.#jobs.get(jid) !== undefined;
  }

  /** A job has come from this master above. */
  begin(jid: string, upper: string): void {
    this.#jobs.set(jid, new JobBelow(upper));
  }

  /** The master below has taken the job. */
  published(jid: string, answer: PublishedJob): void {
    const job = this.#jobs.get(jid);
    if (job === undefined) return;
    job.published(answer, this.#deps.clock.monotonicMs());
    this.#tell(jid, job);
  }

  /** The master below has not taken the job; nobody there is expected to do it. */
  refused(jid: string, reason: string | undefined): void {
    const job = this.#jobs.get(jid);
    if (job === undefined) return;
    job.error = reason;
    job.watch = new SyndicWatch(undefined, 0);
    this.#tell(jid, job);
  }

  /**
   * Reads an event of the bus.
   * @returns whether it was a report on a job from above, which is passed on with the own one
   */
  hear(event: BusEvent): boolean {
    const report = readSyndicReport(event.tag);
    const job = report === undefined ? undefined : this.#jobs.get(report.jid);
    if (report === undefined || job === undefined) return false;
    if (job.hear(event, this.#deps.clock.monotonicMs())) this.#tell(report.jid, job);
    return true;
  }

  #tell(jid: string, job: JobBelow): void {
    const { clock, tell } = this.#deps;
    const nowMs = clock.monotonicMs();
    const isComplete = job.isComplete(nowMs);
    const data = dict({
      jid,
      minions: [...job.minions],
      complete: isComplete,
      lost: job.lost.size > 0 ? new Map<Value, Value>(job.lost) : undefined,
      strange: job.strange.size > 0 ? [...job.strange] : undefined,
      refused: job.refused.size > 0 ? new Map<Value, Value>(job.refused) : undefined,
      error: job.error === undefined ? undefined : dict({ name: 'AuthorizationError', message: job.error }),
    });
    tell(job.upper, jid, data);
    job.timer?.cancel();
    if (isComplete || job.watch === undefined) return;
    const waitMs = Math.max(10, job.watch.nextMs(nowMs) - nowMs);
    job.timer = clock.after(waitMs, () => this.#overdue(jid, job), { background: true });
  }

  /** A syndic below that has not told in time counts as away. */
  #overdue(jid: string, job: JobBelow): void {
    const { clock } = this.#deps;
    for (const name of job.watch?.overdue(clock.monotonicMs()) ?? []) job.lost.set(name, isoStamp(clock));
    this.#tell(jid, job);
  }
}
