/**
 * Batches and canaries: jobs that reach their minions little by little. They are run here, in the name of whoever has
 * started them, and end with this process; what was published stays in the job cache.
 */
import { messageOf } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Random } from '../../../host/random.ts';
import { amountOf, parseAmount } from '../../../runtime/client/amount.ts';
import { runBatch, whoIsThere } from '../../../runtime/client/batch.ts';
import type { PublishOptions } from '../../../runtime/client/local-client.ts';
import type { WatchJobDeps, WatchPatience } from '../../../runtime/client/watch-job.ts';
import type { JobNews } from '../../../runtime/client/watch-state.ts';
import { storedReturns } from '../../../runtime/client/local-job-cache.ts';
import { inTheNameOf } from '../local-calls.ts';
import type { MasterLink } from '../master-link.ts';
import { ApiFault } from './fault.ts';
import { counts, jidText, retcodeIn, type Counts } from './job-views.ts';
import { component, list, nullable, object, oneOf, text, type SchemaType } from './schema.ts';

const ACTIVE_MAX = 100;
const KEPT_MAX = 300;

/** A batch or a canary as the interface shows it. */
export const runView = component(
  'Run',
  object({
    run: text(),
    state: oneOf(['running', 'done', 'stopped']),
    jids: list(jidText),
    minions: list(text(), { description: 'all that it is for, and that were there at the beginning' }),
    waiting: list(text(), { description: 'that have not had their turn' }),
    counts,
    stopped_because: nullable(text()),
  }),
);

/** See {@link runView}. */
export type RunView = SchemaType<typeof runView>;

/** What is to be run. */
export interface RunOrder {
  /** Whose it is. */
  readonly owner: string;
  readonly publish: PublishOptions;
  readonly patience: WatchPatience;
  /** So many at a time, as `10` or `25%`; undefined for all at once. */
  readonly batch: string | undefined;
  readonly waitMs: number;
  readonly failHard: boolean;
  /** So many first. */
  readonly canary: string | undefined;
}

/** What running needs. */
export interface RunsDeps {
  readonly link: MasterLink;
  readonly clock: Clock;
  readonly random: Random;
}

/** One batch or canary. */
export class Run {
  readonly id: string;
  /** Whose it is. */
  readonly owner: string;
  readonly #minions: readonly string[];
  readonly #jids: string[] = [];
  readonly #waiting: Set<string>;
  readonly #found = new Map<string, 'returned' | 'failed' | 'silent'>();
  readonly #listeners = new Set<() => void>();
  #state: RunView['state'] = 'running';
  #reason: string | null = null;
  isToStop = false;

  constructor(id: string, owner: string, minions: readonly string[]) {
    this.id = id;
    this.owner = owner;
    this.#minions = minions;
    this.#waiting = new Set(minions);
  }

  get isOver(): boolean {
    return this.#state !== 'running';
  }

  /** Minions that have failed, or stayed silent. */
  get failures(): string[] {
    return [...this.#found].filter(([, what]) => what !== 'returned').map(([id]) => id);
  }

  get view(): RunView {
    return {
      run: this.id,
      state: this.#state,
      jids: [...this.#jids],
      minions: [...this.#minions],
      waiting: [...this.#waiting],
      counts: this.#counts,
      stopped_because: this.#reason,
    };
  }

  get #counts(): Counts {
    const found = { returned: 0, failed: 0, silent: 0 };
    for (const what of this.#found.values()) found[what]++;
    const running = this.#minions.length - this.#waiting.size - this.#found.size;
    return { expected: this.#minions.length, ...found, running: running + this.#waiting.size };
  }

  begun(jid: string, ids: readonly string[]): void {
    this.#jids.push(jid);
    for (const id of ids) this.#waiting.delete(id);
    this.#tell();
  }

  heard(news: JobNews): void {
    const isGood = news.kind === 'return' && retcodeIn(news.load) === 0 && news.load.get('success') !== false;
    this.#found.set(news.id, news.kind === 'silent' ? 'silent' : isGood ? 'returned' : 'failed');
    this.#tell();
  }

  end(reason: string | null): void {
    if (this.isOver) return;
    this.#state = reason === null ? 'done' : 'stopped';
    this.#reason = reason;
    this.#tell();
  }

  /** Calls back whenever something has changed. @returns ends that */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** All of them. */
export class Runs {
  readonly #deps: RunsDeps;
  readonly #all = new Map<string, Run>();

  constructor(deps: RunsDeps) {
    this.#deps = deps;
  }

  find(id: string): Run | undefined {
    return this.#all.get(id);
  }

  /** Begins one: finds out who is there, and publishes to the first. @throws ApiFault `too-busy`; NoMinionsError */
  async start(order: RunOrder): Promise<Run> {
    const active = [...this.#all.values()].filter(({ isOver }) => !isOver).length;
    if (active >= ACTIVE_MAX)
      throw new ApiFault('too-busy', `${active} batches are under way. Try again when one has ended.`, {
        headers: [['Retry-After', '30']],
      });
    const watch = await this.#watchDeps(order.publish);
    const { minions } = await whoIsThere(watch, order.publish, order.patience);
    const run = new Run(
      Buffer.from(this.#deps.random.bytes(10)).toString('hex'),
      order.owner,
      [...minions].sort(),
    );
    this.#keep(run);
    void this.#work(run, watch, order).then(
      (reason) => run.end(reason),
      (error: unknown) => run.end(messageOf(error)),
    );
    return run;
  }

  #keep(run: Run): void {
    this.#all.set(run.id, run);
    for (const [id, { isOver }] of this.#all) {
      if (this.#all.size <= KEPT_MAX) return;
      if (isOver) this.#all.delete(id);
    }
  }

  /** @returns why it was stopped; null when it has gone to its end */
  async #work(run: Run, watch: WatchJobDeps, order: RunOrder): Promise<string | null> {
    const all = run.view.minions;
    const first = order.canary === undefined ? [] : all.slice(0, sizeOf(order.canary, all.length));
    if (first.length > 0) {
      await this.#batch(run, watch, { ...order, failHard: false }, first, first.length);
      if (run.isToStop) return STOPPED;
      const { failures } = run;
      if (failures.length > 0)
        return `the others had no turn, because ${failures.join(', ')} of the first ${first.length} did not succeed`;
    }
    const rest = all.slice(first.length);
    if (rest.length === 0) return null;
    const size = order.batch === undefined ? rest.length : sizeOf(order.batch, all.length);
    await this.#batch(run, watch, order, rest, size);
    if (run.isToStop) return STOPPED;
    const [failed] = run.failures;
    return order.failHard && failed !== undefined && run.view.waiting.length > 0
      ? `${failed} did not succeed (failhard)`
      : null;
  }

  async #batch(
    run: Run,
    watch: WatchJobDeps,
    { publish, patience, waitMs, failHard }: RunOrder,
    minions: readonly string[],
    size: number,
  ): Promise<void> {
    const news = runBatch(watch, patience, {
      publish,
      // the last ones have their turn first
      minions: [...minions].reverse(),
      size,
      waitMs,
      isLast: () => run.isToStop || (failHard && run.failures.length > 0),
    });
    for await (const item of news)
      if (item.kind === 'start') run.begun(item.jid, item.ids);
      else run.heard(item.news);
  }

  async #watchDeps(publish: PublishOptions): Promise<WatchJobDeps> {
    const { link, clock } = this.#deps;
    return {
      client: inTheNameOf(await link.client(), publish),
      clock,
      stored: (jid) => storedReturns(link.opts, jid),
      keyOutcome: () => Promise.resolve({ kind: 'not known' }),
    };
  }
}

const STOPPED = 'somebody has stopped it';

function sizeOf(amount: string, all: number): number {
  const parsed = parseAmount(amount);
  return parsed === undefined ? 1 : Math.max(1, amountOf(parsed, all));
}
