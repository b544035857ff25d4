/** One job as its page shows it: outcomes as they change, and returns as far as they fit into the page's memory. */
import { signal } from '@preact/signals';
import type { Counts, JobDetail, MinionOutcome, OutcomeName, Return } from '../model/contract.ts';
import type { ApiError } from '../api/http.ts';
import type { Server } from '../api/server.ts';
import { after } from '../model/clock.ts';
import { countsOf } from '../model/live-jobs.ts';
import { addToGroups, readStateReturn, type StateGroup } from '../model/state-run.ts';
import { fingerprintOf, summary } from '../model/value-rows.ts';

/** What is kept of all returns together, and of one; what is not kept is fetched when somebody looks at it. */
const KEPT_CHARS_MAX = 40_000_000;
const ONE_CHARS_MAX = 2_000_000;
const DRAW_MS = 120;
/** What the event bus puts in place of what is longer than `max_event_size`. */
const TRIMMED = 'VALUE_TRIMMED';
const TRIMMED_LINE = 'longer than an event may be: open it to see it';
const PAGE = '500';
const PROGRESS_MAX = 500;

/** What is known of one minion. */
export interface JobRow {
  readonly minion: string;
  outcome: OutcomeName;
  reason: string | null;
  retcode: number | null;
  seconds: number | null;
  returned: string | null;
  /** The return in one line; undefined before it is there. */
  line: string | undefined;
  /** The return itself, when it was kept. */
  value: { readonly value: unknown } | undefined;
  /** The event of the return had no room for it; it comes out of the job cache. */
  isTrimmed: boolean;
}

/** Minions that have returned the same. */
export interface SameReturn {
  readonly line: string;
  readonly minions: string[];
  readonly value: { readonly value: unknown } | undefined;
}

/** Follows a job until it is closed. */
export class JobWatch {
  readonly jid: string;
  /** Goes up when anything has changed. */
  readonly version = signal(0);
  readonly error = signal<ApiError | Error | undefined>(undefined);
  /** False while the stream is lost. */
  readonly isLive = signal(true);
  job: JobDetail | undefined;
  counts: Counts | undefined;
  isDone = false;
  readonly rows = new Map<string, JobRow>();
  readonly same = new Map<string, SameReturn>();
  readonly states = new Map<string, StateGroup>();
  /** Errors of compilation, by minion. */
  readonly stateErrors = new Map<string, readonly string[]>();
  readonly progress: { readonly minion: string; readonly text: string }[] = [];
  /** Returns that were too great to be kept. */
  notKept = 0;
  #chars = 0;
  #drawing: (() => void) | undefined;
  #isClosed = false;
  readonly #server: Server;
  readonly #stop: () => void;

  constructor(server: Server, jid: string) {
    this.#server = server;
    this.jid = jid;
    this.#stop = server.followJob(jid, {
      opened: () => (this.isLive.value = true),
      lost: () => (this.isLive.value = false),
      refused: (error) => (this.error.value = error),
      event: (name, data) => this.#take(name, data),
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
    this.#drawing?.();
  }

  /** The return of one minion, fetched when it was not kept. */
  async valueOf(minion: string): Promise<unknown> {
    const kept = this.rows.get(minion)?.value;
    if (kept !== undefined) return kept.value;
    const { items } = await this.#server.returns(this.jid, { minion, limit: '1' });
    const [item] = items;
    if (item === undefined)
      throw new Error('The job cache does not have this return yet. Try again in a moment.');
    return item.return;
  }

  #take(name: string, data: unknown): void {
    if (name === 'job') this.#begin(data as JobDetail);
    else if (name === 'outcome') this.#outcome(data as MinionOutcome);
    else if (name === 'return') this.#return(data as Return);
    else if (name === 'counts') this.counts = data as Counts;
    else if (name === 'progress') this.#progress(data as { minion?: unknown; data?: unknown });
    else if (name === 'end') this.#end();
    else return;
    this.#draw();
  }

  #begin(job: JobDetail): void {
    this.job = job;
    this.counts = job.counts;
    this.isDone = job.state === 'done';
    this.error.value = undefined;
    for (const minion of job.minions) this.#outcome(minion);
    void this.#loadReturns();
  }

  #end(): void {
    this.isDone = true;
    // what was lost while the stream was away is in the job cache
    void this.#loadReturns();
  }

  async #loadReturns(): Promise<void> {
    let cursor: string | undefined;
    try {
      do {
        const page = await this.#server.returns(this.jid, { limit: PAGE, cursor });
        if (this.#isClosed) return;
        for (const each of page.items) this.#return(each);
        this.#draw();
        cursor = page.next ?? undefined;
      } while (cursor !== undefined && this.#chars < KEPT_CHARS_MAX);
    } catch (error) {
      if (!this.#isClosed) this.error.value = error as Error;
    }
  }

  #rowOf(minion: string): JobRow {
    const known = this.rows.get(minion);
    if (known !== undefined) return known;
    const row: JobRow = {
      minion,
      outcome: 'published',
      reason: null,
      retcode: null,
      seconds: null,
      returned: null,
      line: undefined,
      value: undefined,
      isTrimmed: false,
    };
    this.rows.set(minion, row);
    return row;
  }

  #outcome(given: MinionOutcome): void {
    const row = this.#rowOf(given.minion);
    row.outcome = given.outcome;
    row.reason = given.reason;
    row.retcode = given.retcode ?? row.retcode;
    row.seconds = given.seconds;
    row.returned = given.returned;
  }

  #return(given: Return): void {
    const row = this.#rowOf(given.minion);
    if (row.line !== undefined && !row.isTrimmed) return;
    row.retcode = given.retcode;
    row.isTrimmed = given.return === TRIMMED;
    row.line = row.isTrimmed ? TRIMMED_LINE : summary(given.return);
    if (row.outcome === 'published' || row.outcome === 'still running')
      row.outcome = given.success && given.retcode === 0 ? 'returned' : 'failed';
    if (row.isTrimmed) return;
    const key = `${given.retcode === 0 ? 0 : 1} ${fingerprintOf(given.return)}`;
    const chars = JSON.stringify(given.return ?? null).length;
    const known = this.same.get(key);
    const isKept = known !== undefined || (chars <= ONE_CHARS_MAX && this.#chars + chars <= KEPT_CHARS_MAX);
    if (!isKept) this.notKept++;
    // minions that return the same share one value
    row.value = known !== undefined ? known.value : isKept ? { value: given.return } : undefined;
    if (known === undefined) {
      if (isKept) this.#chars += chars;
      this.same.set(key, { line: row.line, minions: [given.minion], value: row.value });
    } else known.minions.push(given.minion);
    this.#states(given);
  }

  #states(given: Return): void {
    if (!/^state\./.test(given.fun)) return;
    const read = readStateReturn(given.return);
    if (read === undefined) return;
    if (read.errors.length > 0) this.stateErrors.set(given.minion, read.errors);
    addToGroups(this.states, given.minion, read.rows);
  }

  #progress({ minion, data }: { minion?: unknown; data?: unknown }): void {
    if (this.progress.length < PROGRESS_MAX)
      this.progress.push({ minion: String(minion ?? ''), text: summary(data) });
  }

  #draw(): void {
    if (this.#isClosed) return;
    this.#drawing ??= after(DRAW_MS, () => {
      this.#drawing = undefined;
      if (this.rows.size > 0)
        this.counts = countsOf(
          new Map([...this.rows.values()].map(({ minion, outcome }) => [minion, outcome])),
        );
      this.version.value++;
    });
  }
}
