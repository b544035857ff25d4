/** Jobs and returns of the job cache that one database has yet to get. */
import type { Logger } from '../../../host/log.ts';
import type { OutboxEntry, OutboxReader } from '../../../storage/jobs/outbox.ts';
import type { Batch, DeliverySource } from './delivery.ts';
import type { PositionFile } from './position-file.ts';

/** What it reads from. */
export interface OutboxSourceDeps {
  /** The returner's name. */
  readonly name: string;
  readonly reader: OutboxReader;
  readonly positions: PositionFile;
  /** Only jobs, no returns (`ext_job_cache`); or only returns, for a place that keeps no jobs. Both, without it. */
  readonly only?: 'jobs' | 'returns' | undefined;
  /** Begins at the end where no position is known: for a place that would get everything twice (mails, messages). */
  readonly beginsAtEnd?: boolean;
  readonly log: Logger;
}

/** Beside the positions of days: that they are not unknown. */
const BEGUN = 'begun';

/** Reads from the outbox of the job cache what one database has yet to get. */
export class OutboxSource implements DeliverySource<OutboxEntry> {
  /** Jobs and returns that the job cache forgot before they were written. */
  readonly counters = { lost: 0 };
  readonly #deps: OutboxSourceDeps;
  readonly #lastSeqs = new Map<string, number>();

  constructor(deps: OutboxSourceDeps) {
    this.#deps = deps;
    if (deps.beginsAtEnd === true && !deps.positions.names().includes(BEGUN)) this.#beginAtEnd();
  }

  next(limit: number): Batch<OutboxEntry> | undefined {
    const { reader, positions, only } = this.#deps;
    for (const { name, lastSeq } of this.#days()) {
      const at = positions.get(name);
      if (lastSeq <= at) continue;
      const { entries, lastSeq: readTo = 0, isFull } = reader.page(name, at, limit);
      const to = isFull ? readTo : Math.max(lastSeq, readTo);
      const items =
        only === undefined ? entries : entries.filter((entry) => (only === 'jobs') === 'load' in entry);
      return { items, done: () => positions.set(name, to) };
    }
    return undefined;
  }

  waiting(): number {
    const { positions } = this.#deps;
    return this.#days().reduce(
      (sum, { name, lastSeq }) => sum + Math.max(0, lastSeq - positions.get(name)),
      0,
    );
  }

  #days(): { name: string; lastSeq: number }[] {
    const { reader, positions } = this.#deps;
    const days = reader.days();
    const names = new Set(days.map(({ name }) => name));
    for (const [name, lastSeq] of this.#lastSeqs) if (!names.has(name)) this.#gone(name, lastSeq);
    for (const name of positions.names())
      if (!names.has(name) && name !== BEGUN) positions.set(name, undefined);
    for (const { name, lastSeq } of days) {
      // a file of that day that was begun anew
      if (lastSeq < positions.get(name)) positions.set(name, 0);
      this.#lastSeqs.set(name, lastSeq);
    }
    return days;
  }

  #beginAtEnd(): void {
    const { reader, positions, log } = this.#deps;
    let passedOver = 0;
    for (const { name, lastSeq } of reader.days()) {
      passedOver += lastSeq;
      positions.set(name, lastSeq);
    }
    positions.set(BEGUN, 1);
    if (passedOver > 0)
      log.warning(
        `${this.#deps.name} gets what comes from now on, and none of the ${passedOver} jobs and returns of before: nobody knows which of ` +
          'them it has had.',
      );
  }

  #gone(name: string, lastSeq: number): void {
    const { positions, log } = this.#deps;
    this.#lastSeqs.delete(name);
    const lost = lastSeq - positions.get(name);
    if (lost <= 0) return;
    this.counters.lost += lost;
    log.warning(
      `${lost} jobs and returns of ${name} were forgotten by the job cache before ${this.#deps.name} could take them ` +
        `(${this.counters.lost} in all). Raise keep_jobs_seconds or job_cache_max_bytes if it may be away for so long.`,
    );
  }
}
