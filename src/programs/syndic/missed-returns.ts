/**
 * Returns that are in the job cache below and have not been forwarded, because this syndic did not run, or was not
 * listening. A cursor, one row for each day's file, says how far the job cache is done with; it survives the syndic.
 * What is forwarded twice in spite of it is dropped above, by job and minion.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../errors/errors.ts';
import type { Clock, Timer } from '../../host/clock.ts';
import { makeDirectory, writeFileAtomic } from '../../host/files.ts';
import type { Logger } from '../../host/log.ts';
import type { StoredReturn } from '../../storage/jobs/stored-return.ts';
import type { KeptRow } from '../../storage/jobs/list-jobs.ts';
import type { JobsBelow } from './jobs-below.ts';

/** What becomes of a return: it goes up, it is no concern of those above, or nobody can say yet. */
export type Fate = 'goes up' | 'stays here' | 'undecided';

/** What looking needs. */
export interface MissedReturnsDeps {
  /** Where the cursor is kept. */
  readonly folder: string;
  readonly jobs: Pick<JobsBelow, 'keptAfter' | 'lastRows' | 'returned' | 'isReadable'>;
  readonly forward: (ret: StoredReturn) => Promise<Fate>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Rows looked at at a time. */
const PAGE = 1_000;
/** Returns are looked for this long after one was forwarded, so that the cursor follows. */
const AFTER_MS = 1_000;
/** An event is heard before its return is kept; a return that nobody has heard of after this time was missed. */
const HEARD_BY_MS = 2_000;
/** Forwarded returns whose rows have not been seen. */
const FORWARDED_MAX = 200_000;

/** Finds returns in the job cache below that have not been forwarded, from a cursor that survives the syndic. */
export class MissedReturns {
  readonly counters = { found: 0 };
  readonly #deps: MissedReturnsDeps;
  readonly #path: string;
  #cursor: Map<string, number> | undefined;
  readonly #forwarded = new Set<string>();
  /** Found returns that are being forwarded, and are not on disk yet. */
  readonly #underWay = new Set<string>();
  #timer: Timer | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(deps: MissedReturnsDeps) {
    this.#deps = deps;
    this.#path = join(deps.folder, 'cursor.json');
    makeDirectory(deps.folder, 0o700);
    this.#cursor = this.#read();
  }

  /** These are on disk on their way up, or there already. */
  secured(returns: readonly { readonly jid: string; readonly id: string }[]): void {
    for (const { jid, id } of returns) {
      this.#forwarded.add(keyOf(jid, id));
      this.#underWay.delete(keyOf(jid, id));
    }
    // jobs that the job cache does not keep
    for (const key of this.#forwarded) {
      if (this.#forwarded.size <= FORWARDED_MAX) break;
      this.#forwarded.delete(key);
    }
    this.#plan(AFTER_MS);
  }

  /** Looks for what has been missed; one look at a time. @returns when this one is over; it never fails */
  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look());
    return this.#looking;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#looking;
  }

  #plan(delayMs: number): void {
    this.#timer ??= this.#deps.clock.after(
      delayMs,
      () => {
        this.#timer = undefined;
        void this.look();
      },
      { background: true },
    );
  }

  async #look(): Promise<void> {
    const { jobs, log } = this.#deps;
    if (this.#isClosed || !jobs.isReadable) return;
    try {
      if (this.#cursor === undefined) {
        // the first run: what came back before there was a syndic is no concern of those above
        this.#cursor = await jobs.lastRows();
        return this.#write();
      }
      await this.#through(this.#cursor);
    } catch (error) {
      log.warning(`The job cache below could not be looked through: ${messageOf(error)}`, error);
    }
  }

  /**
   * The cursor follows as far as every return is on its way; what lies behind one that is not is looked at all the
   * same.
   */
  async #through(cursor: Map<string, number>): Promise<void> {
    const { jobs } = this.#deps;
    const position = new Map(cursor);
    const stoppedDays = new Set<string>();
    for (let rows: KeptRow[] = []; !this.#isClosed;) {
      rows = await jobs.keptAfter(position, PAGE);
      let isMoved = false;
      for (const row of rows) {
        position.set(row.day, row.row);
        const key = keyOf(row.jid, row.id);
        if (!isOfMaster(row) && !this.#forwarded.has(key)) {
          stoppedDays.add(row.day);
          await this.#unheard(row, key);
        } else if (!stoppedDays.has(row.day)) {
          this.#forwarded.delete(key);
          cursor.set(row.day, row.row);
          isMoved = true;
        }
      }
      if (isMoved) this.#write();
      if (rows.length < PAGE) break;
    }
    if (stoppedDays.size > 0) this.#plan(HEARD_BY_MS);
  }

  async #unheard(row: KeptRow, key: string): Promise<void> {
    const { jobs, forward, clock, log } = this.#deps;
    if (this.#underWay.has(key) || clock.nowMs() - row.atMs < HEARD_BY_MS) return;
    this.#underWay.add(key);
    let fate: Fate | undefined;
    try {
      const ret = await jobs.returned(row.jid, row.id);
      fate = ret && (await forward(ret));
    } catch (error) {
      // it is tried again, and the others are not kept waiting
      log.warning(
        `The return of ${row.id} for job ${row.jid} could not be forwarded yet: ${messageOf(error)}`,
        error,
      );
    }
    if (fate === undefined) this.#underWay.delete(key);
    if (fate === 'undecided') this.#underWay.delete(key);
    if (fate === 'stays here') this.secured([row]);
    if (fate !== 'goes up') return;
    const count = ++this.counters.found;
    if (count <= 10 || count % 1000 === 0)
      log.info(`The return of ${row.id} for job ${row.jid} had not been forwarded (${count} so far).`);
  }

  #read(): Map<string, number> | undefined {
    try {
      const days: unknown = JSON.parse(readFileSync(this.#path, 'utf8'));
      if (typeof days !== 'object' || days === null) return undefined;
      return new Map(Object.entries(days).map(([day, row]) => [day, Number(row) || 0]));
    } catch {
      return undefined;
    }
  }

  #write(): void {
    const cursor = this.#cursor ?? new Map<string, number>();
    // days that the job cache has forgotten
    const recent = [...cursor].sort(([a], [b]) => (a < b ? 1 : -1)).slice(0, 400);
    writeFileAtomic(this.#path, JSON.stringify(Object.fromEntries(recent)), { mode: 0o600 });
  }
}

function keyOf(jid: string, id: string): string {
  return `${jid} ${id}`;
}

/** Runs of runners and wheels are kept beside returns of minions. */
function isOfMaster({ fun }: KeptRow): boolean {
  return fun.startsWith('runner.') || fun.startsWith('wheel.');
}
