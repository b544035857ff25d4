/** One job as its page shows it: outcomes as they change, and returns as far as they fit into the page's memory. */
import type { Counts, JobDetail, MinionOutcome, OutcomeName, Return } from './contract.ts';
import { byFirstName, FirstNames } from './first-names.ts';
import { countsOf, kindOf } from './outcomes.ts';
import { StateRuns, type StateGroup } from './state-groups.ts';
import { readStateReturn } from './state-run.ts';
import { fingerprintOf, summary } from './value-rows.ts';

/** What is kept of all returns together, and of one; what is not kept is fetched when somebody looks at it. */
const KEPT_CHARS_MAX = 40_000_000;
const ONE_CHARS_MAX = 2_000_000;
/** What the event bus puts in place of what is longer than `max_event_size`. */
const TRIMMED = 'VALUE_TRIMMED';
const TRIMMED_LINE = 'longer than an event may be: open it to see it';
const PROGRESS_MAX = 500;
/** Minions with the same return that are named; how many there are is counted. */
const NAMED_MAX = 100;

/** What is known of one minion. */
export interface JobRow {
  readonly minion: string;
  readonly outcome: OutcomeName;
  readonly reason: string | null;
  readonly retcode: number | null;
  readonly success: boolean | null;
  readonly seconds: number | null;
  readonly returned: string | null;
  /** The return in one line; undefined before it is there. */
  readonly line: string | undefined;
  /** The return itself, when it was kept. */
  readonly value: { readonly value: unknown } | undefined;
  /** The event of the return had no room for it; it comes out of the job cache. */
  readonly isTrimmed: boolean;
}

/** Minions that have returned the same. */
export interface SameReturn {
  readonly key: string;
  readonly line: string;
  /** The first of them by name. */
  readonly minions: readonly string[];
  readonly count: number;
}

/**
 * A job at one moment. It is never changed: when something has come, there is another one, in which what is new is new.
 */
export interface JobSnapshot {
  readonly job: JobDetail | undefined;
  readonly counts: Counts | undefined;
  readonly isDone: boolean;
  readonly rows: ReadonlyMap<string, JobRow>;
  /** The most frequent first. */
  readonly same: readonly SameReturn[];
  readonly states: readonly StateGroup[];
  /** Minions whose results stand in the states. */
  readonly stateMinions: number;
  /** Errors of compilation, by minion. */
  readonly stateErrors: ReadonlyMap<string, readonly string[]>;
  readonly progress: readonly { readonly minion: string; readonly text: string }[];
}

/** A job of which nothing is known yet. */
export const UNKNOWN_JOB: JobSnapshot = {
  job: undefined,
  counts: undefined,
  isDone: false,
  rows: new Map(),
  same: [],
  states: [],
  stateMinions: 0,
  stateErrors: new Map(),
  progress: [],
};

/** Collects what comes of a job. What it hands out is never changed afterwards. */
export class JobRecord {
  #job: JobDetail | undefined;
  #counts: Counts | undefined;
  #isDone = false;
  readonly #rows = new Map<string, JobRow>();
  readonly #same = new Map<
    string,
    { line: string; minions: FirstNames; count: number; value: JobRow['value'] }
  >();
  readonly #states = new StateRuns();
  readonly #stateErrors = new Map<string, readonly string[]>();
  readonly #progress: { readonly minion: string; readonly text: string }[] = [];
  #chars = 0;

  /** Whether there is room for more returns. */
  get hasRoom(): boolean {
    return this.#chars < KEPT_CHARS_MAX;
  }

  /** Takes the job itself, with the outcomes so far. */
  begin(job: JobDetail): void {
    this.#job = job;
    this.#counts = job.counts;
    this.#isDone = job.state === 'done';
    for (const minion of job.minions) this.outcome(minion);
  }

  /** Takes figures of the whole job, which count while no minion is known by name. */
  counted(counts: Counts): void {
    this.#counts = counts;
  }

  /** Nobody is waited for any more. */
  end(): void {
    this.#isDone = true;
  }

  /** The return of a minion, when it was kept. */
  valueOf(minion: string): JobRow['value'] {
    return this.#rows.get(minion)?.value;
  }

  /** Takes what has become of a minion. */
  outcome({ minion, outcome, reason, retcode, success, seconds, returned }: MinionOutcome): void {
    const before = this.#rows.get(minion) ?? NOTHING;
    const known = { retcode: retcode ?? before.retcode, success: success ?? before.success };
    this.#change(minion, { outcome, reason, ...known, seconds, returned });
  }

  /** Takes a return; one that came before stays. */
  returned(given: Return): void {
    const { minion, retcode, success } = given;
    const row = this.#rows.get(minion) ?? { ...NOTHING, minion };
    if (row.line !== undefined && !row.isTrimmed) return;
    const isTrimmed = given.return === TRIMMED;
    const line = isTrimmed ? TRIMMED_LINE : summary(given.return);
    const isOpen = row.outcome === 'published' || row.outcome === 'still running';
    const outcome = !isOpen ? row.outcome : success && retcode === 0 ? 'returned' : 'failed';
    const value = isTrimmed ? undefined : this.#keep(given, line);
    this.#change(minion, { retcode, success, isTrimmed, line, outcome, value });
    if (!isTrimmed) this.#stateRun(given);
  }

  /** Takes what a function says while it runs. */
  progressed({ minion, data }: { minion?: unknown; data?: unknown }): void {
    if (this.#progress.length < PROGRESS_MAX)
      this.#progress.push({ minion: String(minion ?? ''), text: summary(data) });
  }

  /** The job as it is now. */
  view(): JobSnapshot {
    const rows = new Map(this.#rows);
    const same = [...this.#same].map(([key, { line, minions, count }]): SameReturn => ({
      key,
      line,
      minions: minions.list(),
      count,
    }));
    return {
      job: this.#job,
      counts: rows.size === 0 ? this.#counts : countsOf([...rows.values()].map(kindOf)),
      isDone: this.#isDone,
      rows,
      same: same.sort((a, b) => b.count - a.count || byFirstName(a, b)),
      states: this.#states.groups(),
      stateMinions: this.#states.minionCount,
      stateErrors: new Map([...this.#stateErrors].sort(([a], [b]) => (a < b ? -1 : 1))),
      progress: [...this.#progress],
    };
  }

  #change(minion: string, fields: Partial<JobRow>): void {
    const before = this.#rows.get(minion) ?? { ...NOTHING, minion };
    this.#rows.set(minion, { ...before, ...fields });
  }

  /** Minions that return the same share one value; what there is no room for is fetched when somebody looks at it. */
  #keep(given: Return, line: string): JobRow['value'] {
    const key = `${given.retcode === 0 && given.success ? 0 : 1} ${fingerprintOf(given.return)}`;
    const known = this.#same.get(key);
    if (known !== undefined) {
      known.count++;
      known.minions.add(given.minion);
      return known.value;
    }
    const chars = JSON.stringify(given.return ?? null).length;
    const isKept = chars <= ONE_CHARS_MAX && this.#chars + chars <= KEPT_CHARS_MAX;
    const value = isKept ? { value: given.return } : undefined;
    if (isKept) this.#chars += chars;
    const minions = new FirstNames(NAMED_MAX);
    minions.add(given.minion);
    this.#same.set(key, { line, minions, count: 1, value });
    return value;
  }

  #stateRun(given: Return): void {
    if (!/^state\./.test(given.fun)) return;
    const read = readStateReturn(given.return);
    if (read === undefined) return;
    if (read.errors.length > 0) this.#stateErrors.set(given.minion, read.errors);
    if (read.rows.length > 0) this.#states.add(given.minion, read.rows);
  }
}

const NOTHING: Omit<JobRow, 'minion'> = {
  outcome: 'published',
  reason: null,
  retcode: null,
  success: null,
  seconds: null,
  returned: null,
  line: undefined,
  value: undefined,
  isTrimmed: false,
};
