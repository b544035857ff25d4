/**
 * Waiting for a job: returns as they come, `saltutil.find_job` for the silent, and a named end for every minion
 * (salt/client/__init__.py `get_iter_returns`, 3006.16; docs/internals/a-jobs-life.md#waiting).
 */
import type { BusEvent } from '../../network/events/framing.ts';
import { isDict, type Dict } from '../../python/values/value.ts';
import type { Clock } from '../../host/clock.ts';
import type { Outcome } from './outcome.ts';
import { AskedMinions } from './asked-minions.ts';
import { ClientError, NoMinionsError } from './errors.ts';
import { WatchState, type JobNews, type KnownBefore } from './watch-state.ts';
import type { LocalClient, PublishedJob, PublishOptions } from './local-client.ts';
import { someOf, whileWaiting, type Wait, type Waits } from './waits.ts';
import type { SilentMinion } from './verdict-writer.ts';

/** How patient the caller is. */
export interface WatchPatience {
  /** `timeout`: how long a minion may be silent before it is asked. */
  readonly timeoutMs: number;
  /** `gather_job_timeout`: how long it may take to answer. */
  readonly gatherMs: number;
}

/** The part of a client that watching uses. */
export type JobClient = Pick<LocalClient, 'publish' | 'follow' | 'forget' | 'onGap' | 'onLink'>;

/** What watching needs. */
export interface WatchJobDeps {
  readonly client: JobClient;
  readonly clock: Clock;
  /** Returns that the job cache has, looked up when events may have been missed. */
  readonly stored: (jid: string) => Promise<Dict[]>;
  /** What is known of the key of a minion that is named but has no accepted one. */
  readonly keyOutcome: (id: string) => Promise<Outcome>;
  /** Told, once for each job, who of the expected has been given up, and why. */
  readonly judged?: (jid: string, silent: readonly SilentMinion[]) => void;
  /** Told what is waited for. */
  readonly waits?: Waits;
  /** Ends the watching; nothing more is told then. */
  readonly signal?: AbortSignal;
}

/**
 * While returns come in, nobody is asked or given up, whatever the time: with ten thousand minions the last return may
 * well be under way for longer than the time-out, and questions would only hold it up further. So long must it have
 * been quiet.
 */
const QUIET_MS = 2_000;

/**
 * A minion that says it no longer runs the job has sent its return before; it is on its way, longer when others' still
 * come.
 */
const LAST_RETURN_MS = 500;

/** A job that was published, and its news. */
export interface WatchedJob {
  readonly job: PublishedJob;
  readonly news: AsyncGenerator<JobNews, void, void>;
}

/** Publishes a job and watches it. @throws ClientError */
export async function publishAndWatch(
  deps: WatchJobDeps,
  options: PublishOptions,
  patience: WatchPatience,
): Promise<WatchedJob> {
  const inbox = new Inbox();
  const publishing = deps.client.publish(options, (event) => inbox.put(event));
  const job = await whileWaiting(deps.waits, 'waiting for the master to publish the job', publishing);
  return { job, news: watch(deps, job, inbox, patience) };
}

/**
 * Watches a job that somebody has published before: what the job cache has of it comes first, then what is still to
 * come.
 * @param job whom it was meant for
 * @param known what has happened to its minions until now
 */
export function watchPublished(
  deps: WatchJobDeps,
  job: PublishedJob,
  patience: WatchPatience,
  known: KnownBefore = { received: new Map(), lost: new Map() },
): AsyncGenerator<JobNews, void, void> {
  const inbox = new Inbox();
  deps.client.follow(job.jid, (event) => inbox.put(event));
  return watch(deps, job, inbox, patience, known);
}

/** Events waiting to be read by one reader. */
class Inbox {
  #events: BusEvent[] = [];
  #wake: (() => void) | undefined;

  put(event: BusEvent): void {
    this.#events.push(event);
    this.#wake?.();
  }

  /** Wakes the reader without an event. */
  nudge(): void {
    this.#wake?.();
  }

  take(): BusEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Resolves when there is something to read, or at the deadline. */
  async wait(clock: Clock, untilMs: number): Promise<void> {
    if (this.#events.length > 0) return;
    const left = untilMs - clock.monotonicMs();
    if (left <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = clock.after(left, resolve);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
    this.#wake = undefined;
  }
}

async function* watch(
  deps: WatchJobDeps,
  job: PublishedJob,
  inbox: Inbox,
  patience: WatchPatience,
  known?: KnownBefore,
): AsyncGenerator<JobNews, void, void> {
  const { client, clock, signal } = deps;
  const state = new WatchState(job, clock, {
    timeoutMs: patience.timeoutMs,
    ...(known === undefined ? {} : { known }),
  });
  const attention = payAttention(client, inbox, state, signal);
  const listener = new Listener(deps, job, inbox, state, attention);
  if (known !== undefined) attention.gap = true;
  const isOver = (): boolean => !state.isWaiting(clock.monotonicMs()) || signal?.aborted === true;
  const waited = deps.waits?.begins(waitOf(state));
  try {
    while (!isOver()) {
      const deadlineMs = clock.monotonicMs() + patience.timeoutMs;
      const dueMs = (): number => Math.max(deadlineMs, state.lastHeardMs + QUIET_MS);
      while (!isOver() && clock.monotonicMs() < dueMs()) yield* listener.listen(dueMs());
      if (!isOver()) yield* askSilent(deps, listener, patience);
    }
    if (signal?.aborted) return;
    if (state.silent.size > 0) yield* listener.lookOnceMore();
    const silent = [...state.silentOutcomes()];
    const keyless: SilentMinion[] = [];
    for (const id of job.missing)
      if (!state.isKnown(id)) keyless.push({ id, outcome: await deps.keyOutcome(id) });
    // without syndics the master itself has written down who has no key
    deps.judged?.(job.jid, job.syndics === undefined ? silent : [...silent, ...keyless]);
    for (const { id, outcome } of [...silent, ...keyless]) yield { kind: 'silent', id, outcome };
  } finally {
    waited?.();
    attention.end();
    client.forget(job.jid);
  }
}

/** Who is waited for, and who has answered. */
function waitOf({ waitingFor, found, silent }: WatchState): Wait {
  return {
    text: () => {
      const expected = found.size + waitingFor.size + silent.size;
      const answered = `${found.size} of ${expected} answered${found.size === 0 ? '' : `: ${someOf(found, found.size)}`}`;
      return `waiting for ${someOf(waitingFor, waitingFor.size)}; ${answered}`;
    },
  };
}

/** What wakes the watching besides the job's own events. */
interface Attention {
  /** Events may have been missed. */
  gap: boolean;
  end(): void;
}

function payAttention(
  client: JobClient,
  inbox: Inbox,
  state: WatchState,
  signal: AbortSignal | undefined,
): Attention {
  const nudge = (): void => inbox.nudge();
  const attention: Attention = {
    gap: false,
    end: () => {
      for (const stop of stops) stop();
      signal?.removeEventListener('abort', nudge);
    },
  };
  const stops = [
    client.onGap(() => {
      attention.gap = true;
      inbox.nudge();
    }),
    client.onLink((id, isConnected, at) => {
      if (isConnected) state.findAgain(id);
      else state.lose(id, at);
      inbox.nudge();
    }),
  ];
  signal?.addEventListener('abort', nudge, { once: true });
  return attention;
}

/** Hears what happens to one job: its events, and what the job cache has where events may have been missed. */
class Listener {
  readonly job: PublishedJob;
  readonly inbox: Inbox;
  readonly state: WatchState;
  readonly #deps: WatchJobDeps;
  readonly #attention: Attention;

  constructor(deps: WatchJobDeps, job: PublishedJob, inbox: Inbox, state: WatchState, attention: Attention) {
    this.#deps = deps;
    this.job = job;
    this.inbox = inbox;
    this.state = state;
    this.#attention = attention;
  }

  /** Waits for news until then, once. */
  async *listen(untilMs: number): AsyncGenerator<JobNews, void, void> {
    const { stored, clock } = this.#deps;
    if (this.#attention.gap) {
      this.#attention.gap = false;
      return yield* this.state.readStored(await stored(this.job.jid));
    }
    await this.inbox.wait(clock, this.state.nextLook(clock.monotonicMs(), untilMs));
    yield* this.state.read(this.inbox.take());
  }

  /** Before somebody is given up: returns whose events did not reach us are in the job cache, where we may read it. */
  async *lookOnceMore(): AsyncGenerator<JobNews, void, void> {
    yield* this.state.read(this.inbox.take());
    yield* this.state.readStored(await this.#deps.stored(this.job.jid).catch(() => []));
  }
}

/** Asks the silent minions whether they still run the job; those that do not are given up. */
async function* askSilent(
  deps: WatchJobDeps,
  listener: Listener,
  patience: WatchPatience,
): AsyncGenerator<JobNews, void, void> {
  const { client, clock } = deps;
  const { job, inbox, state } = listener;
  const round = new AskedMinions(state.askable);
  if (round.asked.size === 0) return;
  const options: PublishOptions = {
    tgt: [...round.asked],
    tgtType: 'list',
    fun: 'saltutil.find_job',
    arg: [job.jid],
    timeoutMs: patience.timeoutMs,
  };
  const question = await askWhoRuns(client, options, (id, isAtWork) => {
    if (round.answered(id, isAtWork)) state.lastHeardMs = clock.monotonicMs();
    inbox.nudge();
  });
  if (question === 'nobody') return round.asked.forEach((id) => state.giveUp(id));
  const gatheredMs = clock.monotonicMs() + patience.gatherMs;
  const untilMs = (): number => Math.max(gatheredMs, state.lastHeardMs + QUIET_MS);
  const isGoingOn = (nowMs: number): boolean =>
    nowMs < untilMs() && !deps.signal?.aborted && state.isWaiting(nowMs) && round.isOpen(state.waitingFor);
  while (isGoingOn(clock.monotonicMs())) yield* listener.listen(untilMs());
  if (question !== 'refused') client.forget(question.jid);
  const answeredMs = clock.monotonicMs() + LAST_RETURN_MS;
  const lastMs = (): number => Math.max(answeredMs, state.lastReturnMs + QUIET_MS);
  const isDue = (): boolean => clock.monotonicMs() >= lastMs() || deps.signal?.aborted === true;
  while (round.isReturnDue(state.waitingFor) && !isDue()) yield* listener.listen(lastMs());
  for (const id of round.asked) if (!round.running.has(id)) state.giveUp(id, round.idle.has(id));
}

/**
 * Publishes the question.
 * @returns `nobody` when none of the minions has an accepted key any more; `refused` when a master publishes nothing
 *   just now, as one that is cut off from its cluster: the job itself was published, and its returns are still waited
 *   for
 */
async function askWhoRuns(
  client: JobClient,
  options: PublishOptions,
  answer: (id: string, isAtWork: boolean) => void,
): Promise<PublishedJob | 'nobody' | 'refused'> {
  try {
    return await client.publish(options, ({ tag, data }) => {
      if (tag.includes('/ret/')) answer(String(data.get('id')), isRunning(data));
    });
  } catch (error) {
    if (error instanceof NoMinionsError) return 'nobody';
    if (error instanceof ClientError && error.errorCode === 'publication-refused') return 'refused';
    throw error;
  }
}

function isRunning(data: Dict): boolean {
  const value = data.get('return');
  const retcode = data.get('retcode');
  if (typeof retcode === 'number' && retcode > 0) return false;
  return value !== undefined && isDict(value) && value.size > 0;
}
