/** A master for tests of clients: it answers as it is told, in a time that only moves when everybody waits. */
import type {
  LinkListener,
  JobListener,
  PublishedJob,
  PublishOptions,
} from '../../../../src/runtime/client/local-client.ts';
import { NoMinionsError } from '../../../../src/runtime/client/errors.ts';
import type { JobClient, WatchJobDeps, WatchPatience } from '../../../../src/runtime/client/watch-job.ts';
import { BusEvent } from '../../../../src/network/events/framing.ts';
import type { Clock } from '../../../../src/host/clock.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { encode } from '../../../../src/formats/wire/msgpack.ts';

/** Patience as the command has it by default. */
export const patience: WatchPatience = { timeoutMs: 5000, gatherMs: 10_000 };

/** Time that jumps to the next timer once nothing else is left to do. */
export class JumpingClock implements Clock {
  #nowMs = 0;
  readonly #timers = new Set<{ atMs: number; run: () => void }>();
  #planned = false;

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): { cancel: () => void } {
    const timer = { atMs: this.#nowMs + delayMs, run };
    this.#timers.add(timer);
    this.#plan();
    return { cancel: () => this.#timers.delete(timer) };
  }

  every(): never {
    throw new Error('not used');
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = this.after(delayMs, resolve);
      signal?.addEventListener('abort', () => {
        timer.cancel();
        resolve();
      });
    });
  }

  #plan(): void {
    if (this.#planned) return;
    this.#planned = true;
    setImmediate(() => setImmediate(() => this.#jump()));
  }

  #jump(): void {
    this.#planned = false;
    const next = [...this.#timers].sort((a, b) => a.atMs - b.atMs)[0];
    if (next === undefined) return;
    this.#timers.delete(next);
    this.#nowMs = Math.max(this.#nowMs, next.atMs);
    next.run();
    if (this.#timers.size > 0) this.#plan();
  }
}

/** How a minion behaves: what it returns, after how long; without an answer it is silent. */
export interface FakeMinion {
  readonly value?: Value;
  readonly retcode?: number;
  readonly afterMs?: number;
  /** Answers a ping, but no other function. */
  readonly onlyPing?: boolean;
  /** Says, when asked by find_job, that it is at work. */
  readonly isRunning?: boolean;
}

/** Answers publish requests and fires events as a test tells it to. */
export class FakeMaster implements JobClient {
  readonly clock = new JumpingClock();
  readonly published: PublishOptions[] = [];
  readonly #minions: ReadonlyMap<string, FakeMinion>;
  readonly #listeners = new Map<string, JobListener>();
  /** Returns that the job cache has. */
  stored: Dict[] = [];
  /** Tells the client that a minion's connection is lost or back. */
  link: LinkListener = () => undefined;
  /** Minions whose connection is away when a job is published. */
  lost = new Map<string, string>();
  /** Minions that have not been here since their keys were accepted. */
  newcomers: string[] = [];
  /** Whether there are other masters; undefined when nobody says. */
  isClustered: boolean | undefined;
  /** Minions that have never said who they are, and since when none of them can have been connected. */
  strange: string[] | undefined;
  unseenSince: string | undefined;
  #jobs = 0;

  constructor(minions: Readonly<Record<string, FakeMinion>>) {
    this.#minions = new Map(Object.entries(minions));
  }

  get parts(): WatchJobDeps {
    return {
      client: this,
      clock: this.clock,
      stored: () => Promise.resolve(this.stored),
      keyOutcome: () => Promise.resolve({ kind: 'not known' }),
    };
  }

  async publish(options: PublishOptions, listener: JobListener): Promise<PublishedJob> {
    this.published.push(options);
    const named = Array.isArray(options.tgt) ? options.tgt.map(String) : [...this.#minions.keys()];
    const ids = named.filter((id) => this.#minions.has(id));
    if (ids.length === 0) throw new NoMinionsError('No minions matched the target.');
    const jid = String(20260101000000000000n + BigInt(++this.#jobs));
    this.#listeners.set(jid, listener);
    for (const id of ids) this.#answer(jid, id, options);
    const missing = named.filter((id) => !this.#minions.has(id));
    const { lost, newcomers, isClustered, strange, unseenSince } = this;
    return {
      ...{ jid, minions: ids, missing, lost, newcomers },
      ...(isClustered === undefined ? {} : { isClustered }),
      ...(strange === undefined ? {} : { strange }),
      ...(unseenSince === undefined ? {} : { unseenSince }),
    };
  }

  follow(jid: string, listener: JobListener): void {
    this.#listeners.set(jid, listener);
  }

  forget(jid: string): void {
    this.#listeners.delete(jid);
  }

  onGap(): () => void {
    return () => undefined;
  }

  onLink(listener: LinkListener): () => void {
    this.link = listener;
    return () => undefined;
  }

  /** Fires the return of one minion. */
  fire(jid: string, id: string, fields: Readonly<Record<string, Value>>): void {
    const body = Buffer.from(encode(dict({ jid, id, ...fields }), 'local'));
    this.#listeners.get(jid)?.(new BusEvent(`salt/job/${jid}/ret/${id}`, body));
  }

  #answer(jid: string, id: string, { fun }: PublishOptions): void {
    const { value, retcode = 0, afterMs = 1, onlyPing, isRunning } = this.#minions.get(id) as FakeMinion;
    if (fun === 'saltutil.find_job') {
      const found: Value = isRunning ? dict({ jid: 'x' }) : new Map();
      if (isRunning !== undefined)
        this.clock.after(1, () => this.fire(jid, id, { return: found, retcode: 0 }));
      return;
    }
    if (value === undefined || (onlyPing && fun !== 'test.ping')) return;
    const answer = fun === 'test.ping' ? true : value;
    this.clock.after(fun === 'test.ping' ? 1 : afterMs, () =>
      this.fire(jid, id, { return: answer, retcode }),
    );
  }
}
