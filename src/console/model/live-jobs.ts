/** The jobs of the fleet as the event bus tells of them: who is expected, who has come back, who is still at it. */
import type { LiveEvent, Counts, Job, MinionOutcome, OutcomeName } from './contract.ts';
import { countsOf, FIELDS, kindOf, type Became, type Field, type OutcomeGroup } from './outcomes.ts';

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

/** What a function of the master runs on, where its name is not known. */
const MASTER = 'master';
/** Minions that are named of those who are still waited for. */
const TAIL_MAX = 6;

/** A job that was seen, at one moment. It is never changed. */
export interface LiveJob {
  readonly jid: string;
  readonly fun: string;
  readonly tgt: string;
  readonly tgtType: string;
  readonly user: string;
  readonly arg: readonly unknown[];
  readonly kwarg: Readonly<Record<string, unknown>>;
  readonly startMs: number;
  /** When something was last heard of it. */
  readonly lastMs: number;
  readonly counts: Counts;
  /** The first of those who are still waited for, in the order in which they were asked. */
  readonly tail: readonly string[];
  /** True once nobody is waited for. */
  readonly isDone: boolean;
}

interface Draft {
  readonly fields: Pick<LiveJob, 'jid' | 'fun' | 'tgt' | 'tgtType' | 'user' | 'arg' | 'kwarg' | 'startMs'>;
  lastMs: number;
  counts: Counts;
  /** How far each minion is. */
  readonly kinds: Map<string, OutcomeGroup>;
  /** What was last handed out; undefined when something was heard since. */
  shown: LiveJob | undefined;
}

/** Follows jobs. What it hands out is never changed afterwards. */
export class LiveJobs {
  readonly #jobs = new Map<string, Draft>();
  #list: readonly LiveJob[] | undefined;

  /** All jobs, the newest first; the same list again while nothing was heard. */
  list(): readonly LiveJob[] {
    this.#list ??= [...this.#jobs.values()]
      .map((job) => this.#show(job))
      .sort((a, b) => (a.jid < b.jid ? 1 : -1));
    return this.#list;
  }

  get(jid: string): LiveJob | undefined {
    const job = this.#jobs.get(jid);
    return job === undefined ? undefined : this.#show(job);
  }

  /** Takes a job that was under way before anybody listened. */
  add(job: Job, minions: readonly (Became & Pick<MinionOutcome, 'minion'>)[], startMs: number): void {
    if (HOUSEKEEPING.has(job.fun)) return;
    const live = this.#begin({
      jid: job.jid,
      fun: job.fun,
      tgt: textOf(job.tgt),
      tgtType: job.tgt_type,
      user: job.user,
      arg: job.arg,
      kwarg: job.kwarg,
      startMs,
    });
    if (minions.length > 0) {
      // the bus may have told of more since the answer was asked for
      for (const each of minions) {
        const kind = kindOf(each);
        if (settled(kind) >= settled(live.kinds.get(each.minion))) live.kinds.set(each.minion, kind);
      }
      live.counts = countsOf(live.kinds.values());
    } else if (isFurther(job.counts, live.counts)) {
      // figures without names: who they are of is not known any more
      live.kinds.clear();
      live.counts = job.counts;
    }
    this.#changed(live);
  }

  /** Takes an event. @returns true when it was about a job */
  take({ tag, data }: LiveEvent, nowMs: number): boolean {
    const [salt, word = '', jid = '', what, ...rest] = tag.split('/');
    if (salt !== 'salt' || jid === '') return false;
    if (word === 'run' || word === 'wheel') return this.#ofMaster(jid, what, data, nowMs);
    if (word !== 'job') return false;
    if (what === 'new') return this.#started(jid, data, nowMs);
    const job = this.#jobs.get(jid);
    const minion = rest.join('/');
    if (job === undefined || minion === '') return false;
    if (what === 'ret') return this.#outcome(job, minion, returnedAs(data), nowMs);
    if (what === 'outcome') {
      const { outcome, retcode, success } = data;
      if (typeof outcome !== 'string') return false;
      const became = {
        outcome: outcome as OutcomeName,
        retcode: typeof retcode === 'number' ? retcode : null,
        success: typeof success === 'boolean' ? success : null,
      };
      return this.#outcome(job, minion, kindOf(became), nowMs);
    }
    if (what === 'received' || what === 'start') return this.#outcome(job, minion, 'running', nowMs);
    return false;
  }

  #started(jid: string, data: LiveEvent['data'], nowMs: number): boolean {
    const fun = textOf(data['fun']);
    if (HOUSEKEEPING.has(fun)) return false;
    const minions = Array.isArray(data['minions']) ? data['minions'].filter(isText) : [];
    const job = this.#begin({
      jid,
      fun,
      tgt: textOf(data['tgt']),
      tgtType: textOf(data['tgt_type']),
      user: textOf(data['user']),
      ...argumentsIn(data['arg']),
      startMs: nowMs,
    });
    for (const minion of minions.slice(0, MINIONS_MAX)) job.kinds.set(minion, 'running');
    job.counts = countsOf(job.kinds.values());
    this.#changed(job);
    return true;
  }

  /** A function of the master: one that is expected, the master itself. */
  #ofMaster(jid: string, what: string | undefined, data: LiveEvent['data'], nowMs: number): boolean {
    const fun = textOf(data['fun']);
    if (HOUSEKEEPING.has(fun) || (what !== 'new' && what !== 'ret')) return false;
    if (what === 'ret' && !this.#jobs.has(jid)) return false;
    const job = this.#begin({
      jid,
      fun,
      tgt: MASTER,
      tgtType: 'list',
      user: textOf(data['user']),
      // as the job cache has it: its list, too, knows of arguments in the return only
      arg: [],
      kwarg: {},
      startMs: nowMs,
    });
    const [name = MASTER] = job.kinds.keys();
    return this.#outcome(job, name, what === 'new' ? 'running' : returnedAs(data), nowMs);
  }

  #begin(fields: Draft['fields']): Draft {
    const known = this.#jobs.get(fields.jid);
    if (known !== undefined) return known;
    const counts = { expected: 0, returned: 0, failed: 0, running: 0, silent: 0 };
    const job: Draft = { fields, lastMs: fields.startMs, counts, kinds: new Map(), shown: undefined };
    this.#jobs.set(fields.jid, job);
    this.#changed(job);
    this.#forget();
    return job;
  }

  #outcome(job: Draft, minion: string, kind: OutcomeGroup, nowMs: number): boolean {
    const before = job.kinds.get(minion);
    if (kind === 'running' && before !== undefined && before !== 'running') return false;
    if (before === undefined && job.kinds.size >= MINIONS_MAX) return false;
    const field = before === undefined ? unnamedField(job, kind) : FIELDS[before];
    // it has come further already than that it has the job
    if (before === undefined && field !== undefined && kind === 'running') return false;
    job.kinds.set(minion, kind);
    job.counts = moved(job.counts, field, kind);
    job.lastMs = nowMs;
    this.#changed(job);
    return true;
  }

  #changed(job: Draft): void {
    job.shown = undefined;
    this.#list = undefined;
  }

  #show(job: Draft): LiveJob {
    const { fields, lastMs, counts } = job;
    job.shown ??= { ...fields, lastMs, counts, tail: tailOf(job), isDone: counts.running === 0 };
    return job.shown;
  }

  #forget(): void {
    if (this.#jobs.size <= JOBS_MAX) return;
    const oldest = [...this.list()].reverse();
    const goes = oldest.find((job) => job.isDone) ?? oldest[0];
    if (goes !== undefined) this.#jobs.delete(goes.jid);
    this.#list = undefined;
  }
}

function tailOf({ kinds }: Draft): string[] {
  const out: string[] = [];
  for (const [minion, kind] of kinds) {
    if (kind === 'running') out.push(minion);
    if (out.length >= TAIL_MAX) break;
  }
  return out;
}

/** Arguments as the bus has them: those that were given by name stand in a mapping that says so. */
function argumentsIn(given: unknown): Pick<LiveJob, 'arg' | 'kwarg'> {
  const arg: unknown[] = [];
  const kwarg = new Map<string, unknown>();
  for (const each of Array.isArray(given) ? (given as unknown[]) : []) {
    if (typeof each === 'object' && each !== null && Object.hasOwn(each, '__kwarg__'))
      for (const [name, value] of Object.entries(each)) kwarg.set(name, value);
    else arg.push(each);
  }
  kwarg.delete('__kwarg__');
  return { arg, kwarg: Object.fromEntries(kwarg) };
}

function returnedAs(data: LiveEvent['data']): OutcomeGroup {
  const code = data['retcode'];
  return (typeof code === 'number' && code !== 0) || data['success'] === false ? 'failed' : 'ok';
}

/** Where a minion is counted that was known as a part of a figure only; undefined for one that was not expected. */
function unnamedField({ counts, kinds }: Draft, kind: OutcomeGroup): Field | undefined {
  if (kinds.size >= counts.expected) return undefined;
  const named = countsOf(kinds.values());
  const waited = (['running', 'silent'] as const).find((field) => counts[field] > named[field]);
  return waited ?? FIELDS[kind];
}

/** How far a minion is: what it has returned is not taken back by an answer that is older. */
function settled(kind: OutcomeGroup | undefined): number {
  if (kind === undefined) return 0;
  return kind === 'running' ? 1 : kind === 'silent' ? 2 : 3;
}

/** Whether figures are newer than others of the same job, or as new. */
function isFurther(counts: Counts, than: Counts): boolean {
  if (than.expected === 0) return true;
  const back = counts.returned + counts.failed - than.returned - than.failed;
  return back > 0 || (back === 0 && counts.running <= than.running && counts.expected >= than.expected);
}

function moved(counts: Counts, field: Field | undefined, kind: OutcomeGroup): Counts {
  const next = { ...counts };
  if (field === undefined) next.expected++;
  else next[field]--;
  next[FIELDS[kind]]++;
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
