/** Writes that come together are committed together, brought to the disk together, and acknowledged after that. */
import type { Clock } from '../../host/clock.ts';
import type { Day } from './day-file.ts';
import { tryRollback } from './sqlite-writing.ts';

interface Write {
  readonly run: () => boolean;
  readonly resolve: (done: boolean) => void;
  readonly reject: (error: Error) => void;
}

/** Who is told of each commit. */
export interface CommitWatch {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** @param writes how many it had; @param ms what it took, until it was acknowledged */
  committed(writes: number, ms: number): void;
  /** @param writes how many a commit had that failed; whoever waits for one of them is told, too */
  refused?(error: Error): void;
}

/** Collects writes and commits them. */
export class GroupCommit {
  readonly #watch: CommitWatch | undefined;
  #writes: Write[] = [];
  #isPlanned = false;
  /** The days that the running batch has begun a transaction on. */
  #inTransaction: Set<Day> | undefined;
  /** Batches that are committed and on their way to the disk. */
  readonly #acknowledging = new Set<Promise<void>>();

  constructor(watch?: CommitWatch) {
    this.#watch = watch;
  }

  /**
   * Has a write done with the next commit.
   * @returns what it returns, when the disk has it.
   * @throws what refused the whole batch
   */
  add(run: () => boolean): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#writes.push({ run, resolve, reject });
      if (this.#isPlanned) return;
      this.#isPlanned = true;
      setImmediate(() => this.commit());
    });
  }

  /** Makes a day part of the running batch. */
  take(day: Day): void {
    if (this.#inTransaction === undefined || this.#inTransaction.has(day)) return;
    day.db.exec('BEGIN IMMEDIATE');
    this.#inTransaction.add(day);
  }

  /** Whether a day is part of the running batch. */
  holds(day: Day): boolean {
    return this.#inTransaction?.has(day) ?? false;
  }

  /** Does and commits what has come. */
  commit(): void {
    this.#isPlanned = false;
    const writes = this.#writes;
    this.#writes = [];
    if (writes.length === 0) return;
    const watch = this.#watch;
    const beganMs = watch?.clock.monotonicMs() ?? 0;
    const touched = new Set<Day>();
    this.#inTransaction = touched;
    try {
      const results = writes.map((write) => write.run());
      for (const { db } of touched) db.exec('COMMIT');
      this.#acknowledge(touched, {
        kept: () => {
          watch?.committed(writes.length, watch.clock.monotonicMs() - beganMs);
          writes.forEach((write, index) => write.resolve(results[index] as boolean));
        },
        refused: (error) => this.#refuse(writes, error),
      });
    } catch (error) {
      for (const { db } of touched) tryRollback(db);
      this.#refuse(writes, error as Error);
    } finally {
      this.#inTransaction = undefined;
    }
  }

  #refuse(writes: readonly Write[], error: Error): void {
    this.#watch?.refused?.(error);
    for (const write of writes) write.reject(error);
  }

  /** Resolves when every batch that was committed is acknowledged or refused. */
  async settled(): Promise<void> {
    await Promise.all(this.#acknowledging);
  }

  #acknowledge(
    touched: ReadonlySet<Day>,
    end: { readonly kept: () => void; readonly refused: (error: Error) => void },
  ): void {
    const logs = [...touched].flatMap(({ wal }) => wal ?? []);
    if (logs.length === 0) return end.kept();
    const under = Promise.all(logs.map((wal) => wal.done())).then(end.kept, end.refused);
    this.#acknowledging.add(under);
    void under.finally(() => this.#acknowledging.delete(under));
  }
}
