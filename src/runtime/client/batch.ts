/**
 * Running a job on a few minions at a time (salt/cli/batch.py, 3006.16): a slot that becomes free is filled at
 * once, so that never more than `size` minions work on it.
 */
import type { Dict } from '../../python/values/value.ts';
import type { PublishOptions } from './local-client.ts';
import type { Outcome } from './outcome.ts';
import { publishAndWatch, type WatchedJob, type WatchJobDeps, type WatchPatience } from './watch-job.ts';
import type { JobNews } from './watch-state.ts';

/** What a batch brings, besides the news of its jobs. */
export type BatchNews =
  | { readonly kind: 'start'; readonly ids: readonly string[]; readonly jid: string }
  | { readonly kind: 'news'; readonly news: JobNews; readonly jid: string };

/** A batch to run. */
export interface BatchOptions {
  /** The job; its target is replaced by each slot's minions. */
  readonly publish: PublishOptions;
  /** Whom to run it on; the last ones first, as Salt takes them. */
  readonly minions: readonly string[];
  /** How many at a time. */
  readonly size: number;
  /** How long a slot stays taken after its return. */
  readonly waitMs: number;
  /** True when the batch is to start nobody after this news, and to wait for nobody. */
  readonly isLast: (news: JobNews) => boolean;
}

/** Who is there to run a batch on. */
export interface Present {
  readonly minions: readonly string[];
  /** Minions that did not answer the ping, and names that have no accepted key. */
  readonly silent: readonly string[];
  /** Why the silent are. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

/** Pings a target. @throws NoMinionsError, ClientError */
export async function whoIsThere(
  deps: WatchJobDeps,
  target: Pick<PublishOptions, 'tgt' | 'tgtType' | 'kwargs' | 'timeoutMs'>,
  patience: WatchPatience,
): Promise<Present> {
  const { job, news } = await publishAndWatch(deps, { ...target, fun: 'test.ping', arg: [] }, patience);
  const minions: string[] = [];
  const outcomes = new Map<string, Outcome>();
  for await (const item of news) {
    if (item.kind === 'return') minions.push(item.id);
    else outcomes.set(item.id, item.outcome);
  }
  const heard = new Set(minions);
  const silent = [...job.minions, ...job.missing].filter((id) => !heard.has(id));
  return { minions, silent, outcomes };
}

/** Things put in by several and taken out by one. */
class Channel<T> {
  #items: T[] = [];
  #error: unknown;
  #wake: (() => void) | undefined;

  put(item: T): void {
    this.#items.push(item);
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#error ??= error;
    this.#wake?.();
  }

  /** Everything that is there, at least one thing. */
  async take(): Promise<T[]> {
    if (this.#items.length === 0 && this.#error === undefined) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    if (this.#error !== undefined) throw this.#error;
    const items = this.#items;
    this.#items = [];
    return items;
  }
}

type Arrival = { readonly jid: string; readonly news: JobNews } | 'slot is free';

/** Runs the batch. @throws ClientError when a job cannot be published */
export async function* runBatch(
  deps: WatchJobDeps,
  patience: WatchPatience,
  options: BatchOptions,
): AsyncGenerator<BatchNews, void, void> {
  const stop = new AbortController();
  const channel = new Channel<Arrival>();
  const left = [...options.minions];
  let busy = 0;
  let unheard = left.length;
  try {
    while (unheard > 0) {
      const ids = takeLast(left, options.size - busy);
      if (ids.length > 0) {
        busy += ids.length;
        const publish = { ...options.publish, tgt: [...ids], tgtType: 'list' };
        const watched = await publishAndWatch({ ...deps, signal: stop.signal }, publish, patience);
        yield { kind: 'start', ids, jid: watched.job.jid };
        void forward(watched, channel);
      }
      for (const arrival of await channel.take()) {
        if (arrival === 'slot is free') {
          busy--;
          continue;
        }
        unheard--;
        yield { kind: 'news', ...arrival };
        if (options.isLast(arrival.news)) return;
        if (options.waitMs > 0) deps.clock.after(options.waitMs, () => channel.put('slot is free'));
        else busy--;
      }
    }
  } finally {
    stop.abort();
  }
}

function takeLast(ids: string[], count: number): string[] {
  return ids.splice(Math.max(0, ids.length - Math.max(0, count))).reverse();
}

async function forward({ job, news }: WatchedJob, channel: Channel<Arrival>): Promise<void> {
  try {
    for await (const item of news) channel.put({ jid: job.jid, news: item });
  } catch (error) {
    channel.fail(error);
  }
}

/** Salt's entry of one return in a batch: the code and the job's id stand beside the return itself. */
export function batchEntry(id: string, load: Dict, retcode: number, jid: string): Dict {
  const entry: Dict = new Map();
  if (load.has('retcode')) entry.set('retcode', retcode);
  entry.set('jid', load.get('jid') ?? jid);
  entry.set(id, load.get('return') ?? null);
  return entry;
}
