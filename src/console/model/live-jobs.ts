/** The jobs of the fleet as the event bus tells of them: who is expected, who has come back, who is still at it. */
import type { BusEvent, Counts, Job, OutcomeName } from './contract.ts';
import { kindOf } from './outcomes.ts';

/** Jobs that are kept; the oldest that is over goes first. */
const JOBS_MAX = 60;
/** Minions whose outcome is kept by name for one job. */
const MINIONS_MAX = 100_000;
/** What programs, and this console, ask on their own; the list of all jobs has them. */
const HOUSEKEEPING: ReadonlySet<string> = new Set([
  ...['saltutil.find_job', 'saltutil.running', 'sys.doc', 'sys.argspec', 'sys.list_functions'],
  ...['runner.doc.runner', 'runner.doc.wheel', 'runner.fileserver.file_list', 'runner.auth.token_list'],
  'wheel.config.values',
]);

/** A job that was seen. */
export interface LiveJob {
  readonly jid: string;
  readonly fun: string;
  readonly tgt: string;
  readonly tgtType: string;
  readonly user: string;
  readonly arg: readonly unknown[];
  readonly startMs: number;
  /** When something was last heard of it. */
  lastMs: number;
  counts: Counts;
  readonly outcomes: Map<string, OutcomeName>;
  /** True once nobody is waited for. */
  isDone: boolean;
}

/** Follows jobs. Changes are in place; `version` says that there were some. */
export class LiveJobs {
  version = 0;
  readonly #jobs = new Map<string, LiveJob>();

  /** All jobs, the newest first. */
  list(): LiveJob[] {
    return [...this.#jobs.values()].sort((a, b) => (a.jid < b.jid ? 1 : -1));
  }

  get(jid: string): LiveJob | undefined {
    return this.#jobs.get(jid);
  }

  /** Takes a job that was under way before anybody listened. */
  add(
    job: Job,
    minions: readonly { readonly minion: string; readonly outcome: OutcomeName }[],
    startMs: number,
  ): void {
    if (HOUSEKEEPING.has(job.fun)) return;
    const live = this.#begin({
      jid: job.jid,
      fun: job.fun,
      tgt: textOf(job.tgt),
      tgtType: job.tgt_type,
      user: job.user,
      arg: job.arg,
      startMs,
    });
    for (const { minion, outcome } of minions) live.outcomes.set(minion, outcome);
    live.counts = minions.length === 0 ? job.counts : countsOf(live.outcomes);
    this.#look(live);
  }

  /** Takes an event. @returns true when it was about a job */
  take({ tag, data }: BusEvent, nowMs: number): boolean {
    const [salt, word, jid = '', what, ...rest] = tag.split('/');
    if (salt !== 'salt' || word !== 'job' || jid === '') return false;
    if (what === 'new') return this.#started(jid, data, nowMs);
    const job = this.#jobs.get(jid);
    const minion = rest.join('/');
    if (job === undefined || minion === '') return false;
    if (what === 'ret') return this.#outcome(job, minion, returnedAs(data), nowMs);
    if (what === 'outcome') {
      const outcome = data['outcome'];
      return typeof outcome === 'string' && this.#outcome(job, minion, outcome as OutcomeName, nowMs);
    }
    if (what === 'received') return this.#outcome(job, minion, 'still running', nowMs);
    return false;
  }

  #started(jid: string, data: BusEvent['data'], nowMs: number): boolean {
    const fun = textOf(data['fun']);
    if (HOUSEKEEPING.has(fun)) return false;
    const minions = Array.isArray(data['minions']) ? data['minions'].filter(isText) : [];
    const arg = Array.isArray(data['arg']) ? (data['arg'] as unknown[]) : [];
    const job = this.#begin({
      jid,
      fun,
      tgt: textOf(data['tgt']),
      tgtType: textOf(data['tgt_type']),
      user: textOf(data['user']),
      arg,
      startMs: nowMs,
    });
    for (const minion of minions.slice(0, MINIONS_MAX)) job.outcomes.set(minion, 'published');
    job.counts = countsOf(job.outcomes);
    this.#look(job);
    return true;
  }

  #begin(fields: Pick<LiveJob, 'jid' | 'fun' | 'tgt' | 'tgtType' | 'user' | 'arg' | 'startMs'>): LiveJob {
    const known = this.#jobs.get(fields.jid);
    if (known !== undefined) return known;
    const counts = { expected: 0, returned: 0, failed: 0, running: 0, silent: 0 };
    const job: LiveJob = { ...fields, lastMs: fields.startMs, counts, outcomes: new Map(), isDone: false };
    this.#jobs.set(fields.jid, job);
    this.#forget();
    this.version++;
    return job;
  }

  #outcome(job: LiveJob, minion: string, outcome: OutcomeName, nowMs: number): boolean {
    const before = job.outcomes.get(minion);
    const isEarlier = outcome === 'still running' && before !== undefined && kindOf(before) !== 'running';
    if (before === outcome || isEarlier) return false;
    if (before === undefined && job.outcomes.size >= MINIONS_MAX) return false;
    job.outcomes.set(minion, outcome);
    job.counts = moved(job.counts, before, outcome);
    job.lastMs = nowMs;
    this.#look(job);
    return true;
  }

  #look(job: LiveJob): void {
    job.isDone = job.counts.running === 0;
    this.version++;
  }

  #forget(): void {
    if (this.#jobs.size <= JOBS_MAX) return;
    const oldest = this.list().reverse();
    const goes = oldest.find((job) => job.isDone) ?? oldest[0];
    if (goes !== undefined) this.#jobs.delete(goes.jid);
  }
}

/** Minions that are still waited for, in the order in which they were asked. */
export function slowTail(job: LiveJob, most: number): string[] {
  const out: string[] = [];
  for (const [minion, outcome] of job.outcomes) {
    if (kindOf(outcome) === 'running') out.push(minion);
    if (out.length >= most) break;
  }
  return out;
}

function returnedAs(data: BusEvent['data']): OutcomeName {
  const code = data['retcode'];
  return (typeof code === 'number' && code !== 0) || data['success'] === false ? 'failed' : 'returned';
}

/** How many outcomes there are of each kind. */
export function countsOf(outcomes: ReadonlyMap<string, OutcomeName>): Counts {
  const counts = { expected: outcomes.size, returned: 0, failed: 0, running: 0, silent: 0 };
  for (const outcome of outcomes.values()) counts[FIELDS[kindOf(outcome)]]++;
  return counts;
}

const FIELDS = { ok: 'returned', failed: 'failed', running: 'running', silent: 'silent' } as const;

function moved(counts: Counts, before: OutcomeName | undefined, outcome: OutcomeName): Counts {
  const next = { ...counts };
  if (before === undefined) next.expected++;
  else next[FIELDS[kindOf(before)]]--;
  next[FIELDS[kindOf(outcome)]]++;
  return next;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** A target, a name or whatever else came in a place where a text belongs, as one short text. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.slice(0, 50).map(textOf).join(',');
  return value === null || value === undefined ? '' : (JSON.stringify(value) ?? '').slice(0, 1000);
}
