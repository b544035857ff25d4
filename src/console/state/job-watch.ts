/** Follows one job for as long as its page is open. */
import { signal } from '@preact/signals';
import type { Counts, JobDetail, MinionOutcome, Return } from '../model/contract.ts';
import type { ApiError } from '../api/http.ts';
import type { Server } from '../api/server.ts';
import { after } from '../model/clock.ts';
import { JobRecord, UNKNOWN_JOB, type JobSnapshot } from '../model/job-record.ts';

const DRAW_MS = 120;
const PAGE = '500';

/** Follows a job until it is closed. */
export class JobWatch {
  readonly jid: string;
  readonly view = signal<JobSnapshot>(UNKNOWN_JOB);
  readonly error = signal<ApiError | Error | undefined>(undefined);
  /** False while the stream is lost. */
  readonly isLive = signal(true);
  readonly #record = new JobRecord();
  #drawing: (() => void) | undefined;
  #isClosed = false;
  #isLooking = false;
  #isDue = false;
  readonly #server: Server;
  #stop: () => void;

  constructor(server: Server, jid: string) {
    this.#server = server;
    this.jid = jid;
    this.#stop = this.#follow();
  }

  #follow(): () => void {
    return this.#server.followJob(this.jid, {
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

  /** Looks at a job that has ended without some of its minions: they may have returned since. */
  async lookAgain(): Promise<void> {
    this.#isDue = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false;
      await this.#look();
    }
    this.#isLooking = false;
  }

  /** The return of one minion, fetched when it was not kept. */
  async valueOf(minion: string): Promise<unknown> {
    const kept = this.#record.valueOf(minion);
    if (kept !== undefined) return kept.value;
    const { items } = await this.#server.returns(this.jid, { minion, limit: '1' });
    const [item] = items;
    if (item === undefined)
      throw new Error('The job cache does not have this return yet. Try again in a moment.');
    return item.return;
  }

  #take(name: string, data: unknown): void {
    if (name === 'job') this.#begin(data as JobDetail);
    else if (name === 'outcome') this.#record.outcome(data as MinionOutcome);
    else if (name === 'return') this.#record.returned(data as Return);
    else if (name === 'counts') this.#record.counted(data as Counts);
    else if (name === 'progress') this.#record.progressed(data as { minion?: unknown; data?: unknown });
    else if (name === 'end') this.#end();
    else return;
    this.#draw();
  }

  #begin(job: JobDetail): void {
    this.error.value = undefined;
    this.#record.begin(job);
    void this.#loadReturns();
  }

  async #look(): Promise<void> {
    try {
      const job = await this.#server.job(this.jid);
      if (this.#isClosed) return;
      this.error.value = undefined;
      this.#record.begin(job);
      this.#draw();
      if (job.state === 'done') return await this.#loadReturns();
      // one of them is at it after all
      this.#stop();
      this.#stop = this.#follow();
    } catch (error) {
      if (!this.#isClosed) this.error.value = error as Error;
    }
  }

  #end(): void {
    this.#record.end();
    // what was lost while the stream was away is in the job cache
    void this.#loadReturns();
  }

  async #loadReturns(): Promise<void> {
    let cursor: string | undefined;
    try {
      do {
        const page = await this.#server.returns(this.jid, { limit: PAGE, cursor });
        if (this.#isClosed) return;
        for (const each of page.items) this.#record.returned(each);
        this.#draw();
        cursor = page.next ?? undefined;
      } while (cursor !== undefined && this.#record.hasRoom);
    } catch (error) {
      if (!this.#isClosed) this.error.value = error as Error;
    }
  }

  #draw(): void {
    if (this.#isClosed) return;
    this.#drawing ??= after(DRAW_MS, () => {
      this.#drawing = undefined;
      this.view.value = this.#record.view();
    });
  }
}
