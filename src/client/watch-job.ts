/**
 * Waiting for a job: returns as they come, `saltutil.find_job` for the silent, and a named end for every minion
 * (salt/client/__init__.py `get_iter_returns`, 3006.16; cli.md, 5.2).
 */
import type { BusEvent } from '../events/framing.ts';
import { syndicIdOf } from '../events/tags.ts';
import { isDict, type Dict } from '../values/value.ts';
import type { Clock } from '../host/clock.ts';
import type { Outcome } from './outcome.ts';
import { NoMinionsError } from './errors.ts';
import type { LocalClient, PublishedJob, PublishOptions } from './local-client.ts';
import { SyndicWatch } from './syndic-watch.ts';
import type { SilentMinion } from './verdict-writer.ts';

/** What waiting brings. */
export type JobNews =
  | { readonly kind: 'return'; readonly id: string; readonly load: Dict }
  /** Nobody waits for this minion any longer. */
  | { readonly kind: 'silent'; readonly id: string; readonly outcome: Outcome };

/** How patient the caller is. */
export interface WatchPatience {
  /** `timeout`: how long a minion may be silent before it is asked. */
  readonly timeoutMs: number;
  /** `gather_job_timeout`: how long it may take to answer. */
  readonly gatherMs: number;
}

/** The part of a client that watching uses. */
export type JobClient = Pick<LocalClient, 'publish' | 'follow' | 'forget' | 'onGap' | 'onLost'>;

/** What watching needs. */
export interface WatchParts {
  readonly client: JobClient;
  readonly clock: Clock;
  /** Returns that the job cache has, looked up when events may have been missed. */
  readonly stored: (jid: string) => Promise<Dict[]>;
  /** What is known of the key of a minion that is named but has no accepted one. */
  readonly keyOutcome: (id: string) => Promise<Outcome>;
  /** Told, once for each job, who of the expected has been given up, and why. */
  readonly judged?: (jid: string, silent: readonly SilentMinion[]) => void;
  /** Ends the watching; nothing more is told then. */
  readonly signal?: AbortSignal;
}

/**
 * While returns come in, nobody is asked or given up, whatever the time: with ten thousand minions the last return may well be
 * under way for longer than the time-out, and questions would only hold it up further. So long must it have been quiet.
 */
const QUIET_MS = 2_000;

/** What has happened to a job's minions before somebody began to watch. */
export interface KnownBefore {
  /** Who has acknowledged it, and when (milliseconds since 1970). */
  readonly received: ReadonlyMap<string, number>;
  /** Whose connection was lost under way, and when (UTC). */
  readonly lost: ReadonlyMap<string, string>;
}

/** A minion whose connection is lost may still bring its return over the other one. */
const LOST_GRACE_MS = 1_000;
/** A minion that says it no longer runs the job has sent its return before; it is on its way, longer when others' still come. */
const LAST_RETURN_MS = 500;

/** A job that was published, and its news. */
export interface WatchedJob {
  readonly job: PublishedJob;
  readonly news: AsyncGenerator<JobNews, void, void>;
}

/** Publishes a job and watches it. @throws ClientError */
export async function publishAndWatch(
  parts: WatchParts,
  options: PublishOptions,
  patience: WatchPatience,
): Promise<WatchedJob> {
  const inbox = new Inbox();
  const job = await parts.client.publish(options, (event) => inbox.put(event));
  return { job, news: watch(parts, job, inbox, patience) };
}

/**
 * Watches a job that somebody has published before: what the job cache has of it comes first, then what is still to come.
 * @param job whom it was meant for
 * @param known what has happened to its minions until now
 */
export function watchPublished(
  parts: WatchParts,
  job: PublishedJob,
  patience: WatchPatience,
  known: KnownBefore = { received: new Map(), lost: new Map() },
): AsyncGenerator<JobNews, void, void> {
  const inbox = new Inbox();
  parts.client.follow(job.jid, (event) => inbox.put(event));
  return watch(parts, job, inbox, patience, known);
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
  parts: WatchParts,
  job: PublishedJob,
  inbox: Inbox,
  patience: WatchPatience,
  known?: KnownBefore,
): AsyncGenerator<JobNews, void, void> {
  const { client, clock, signal } = parts;
  const state = new WatchState(job, clock, known);
  const attention = payAttention(client, inbox, state, signal);
  if (known !== undefined) attention.gap = true;
  const isOver = (): boolean => !state.isWaiting(clock.monotonicMs()) || signal?.aborted === true;
  try {
    while (!isOver()) {
      const deadlineMs = clock.monotonicMs() + patience.timeoutMs;
      const dueMs = (): number => Math.max(deadlineMs, state.lastHeardMs + QUIET_MS);
      while (!isOver() && clock.monotonicMs() < dueMs()) {
        if (attention.gap) {
          attention.gap = false;
          yield* state.readStored(await parts.stored(job.jid));
          continue;
        }
        await inbox.wait(clock, state.nextLook(clock.monotonicMs(), dueMs()));
        yield* state.read(inbox.take());
      }
      if (!isOver()) yield* askSilent(parts, job, inbox, state, patience);
    }
    if (signal?.aborted) return;
    const silent = [...state.silentOutcomes()];
    const keyless: SilentMinion[] = [];
    for (const id of job.missing)
      if (!state.isKnown(id)) keyless.push({ id, outcome: await parts.keyOutcome(id) });
    // without syndics the master itself has written down who has no key
    parts.judged?.(job.jid, job.syndics === undefined ? silent : [...silent, ...keyless]);
    for (const { id, outcome } of [...silent, ...keyless]) yield { kind: 'silent', id, outcome };
  } finally {
    attention.end();
    client.forget(job.jid);
  }
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
    client.onLost((id, at) => {
      state.lose(id, at);
      inbox.nudge();
    }),
  ];
  signal?.addEventListener('abort', nudge, { once: true });
  return attention;
}

/** Which minions have answered, and which are still waited for. */
class WatchState {
  readonly waitingFor: Set<string>;
  readonly silent = new Set<string>();
  readonly #found = new Set<string>();
  readonly #syndics: SyndicWatch;
  /** Minions that said they have the job, and when (milliseconds since 1970). */
  readonly #received: Map<string, number>;
  /** Minions that give no signs, so that their silence says nothing; undefined when nobody knows which do. */
  readonly #strange: Set<string> | undefined;
  /** Minions that answer, and do not run the job. */
  readonly #idle = new Set<string>();
  readonly #clock: Clock;
  /** When the last minion was heard of for the first time, on the monotonic clock. */
  lastHeardMs = -Infinity;
  /** When the last return came. */
  lastReturnMs = -Infinity;
  /** Minions whose connection is lost: since when, and how long they are still waited for. */
  readonly #lost = new Map<string, { since: string; before: boolean; untilMs: number }>();

  constructor(job: PublishedJob, clock: Clock, known?: KnownBefore) {
    this.#clock = clock;
    this.waitingFor = new Set(job.minions);
    this.#received = new Map(known?.received);
    this.#strange = job.strange && new Set(job.strange);
    this.#syndics = new SyndicWatch(job.syndics, clock.monotonicMs());
    for (const name of this.#syndics.awaited) this.waitingFor.add(name);
    for (const id of job.lost.keys()) if (syndicIdOf(id) !== undefined) this.waitingFor.add(id);
    for (const [id, since] of job.lost)
      this.#lost.set(id, { since, before: true, untilMs: clock.monotonicMs() + LOST_GRACE_MS });
    for (const [id, since] of known?.lost ?? []) this.lose(id, since);
  }

  /** A minion's connection was lost while the job is under way. */
  lose(id: string, since: string, before = false): void {
    for (const below of this.#syndics.minionsOf(id)) this.lose(below, since);
    if (this.#lost.has(id) || !this.waitingFor.has(id)) return;
    this.#lost.set(id, { since, before, untilMs: Infinity });
  }

  /** Whether a minion has answered, or somebody has said that it is one of his. */
  isKnown(id: string): boolean {
    return this.#found.has(id) || this.waitingFor.has(id) || this.silent.has(id);
  }

  /** The minions that can be asked for their work. */
  get askable(): string[] {
    return [...this.waitingFor].filter((id) => syndicIdOf(id) === undefined);
  }

  /** True while somebody is worth waiting for: a minion known to be away holds nobody up. */
  isWaiting(nowMs: number): boolean {
    for (const [id, lost] of this.#lost) {
      if (lost.untilMs === Infinity) lost.untilMs = nowMs + LOST_GRACE_MS;
      if (nowMs >= lost.untilMs) this.giveUp(id);
    }
    for (const name of this.#syndics.overdue(nowMs)) this.giveUp(name);
    return this.waitingFor.size > 0 || this.#syndics.isHeld(nowMs);
  }

  /** When to look again: at the deadline, or when the grace of a lost minion ends. */
  nextLook(nowMs: number, deadlineMs: number): number {
    let next = Math.min(deadlineMs, Math.max(this.#syndics.nextMs(nowMs), nowMs + 1));
    for (const [id, { untilMs }] of this.#lost)
      if (this.waitingFor.has(id)) next = Math.min(next, Math.max(untilMs, nowMs + 1));
    return next;
  }

  /** One named outcome for each minion that nobody waits for any longer. */
  *silentOutcomes(): Generator<SilentMinion> {
    for (const id of this.silent) {
      const receivedMs = this.#received.get(id);
      const times = receivedMs === undefined ? {} : { receivedMs };
      yield { id, outcome: this.#outcome(id), ...times };
    }
  }

  #outcome(id: string): Outcome {
    const refusal = this.#syndics.refusalOf(id);
    if (refusal !== undefined) return { kind: 'refused', reason: refusal };
    const lost = this.#lost.get(id);
    if (lost !== undefined)
      return { kind: lost.before ? 'never received' : 'connection lost', since: lost.since };
    if (this.#received.has(id)) return { kind: 'still running' };
    if (this.#strange?.has(id) ?? true) return { kind: 'no response' };
    return { kind: 'never received', ...(this.#idle.has(id) ? { isThere: true } : {}) };
  }

  *read(events: readonly BusEvent[]): Generator<JobNews> {
    for (const event of events) {
      const data = event.data;
      const minions = data.get('minions');
      if (Array.isArray(minions)) this.#expect(minions.map(String));
      this.#hearSyndic(event);
      if (event.tag.includes('/received/')) this.#received.set(String(data.get('id')), this.#clock.nowMs());
      if (!event.tag.includes('/ret/') || !data.has('return')) continue;
      yield* this.#returned(String(data.get('id')), data);
    }
  }

  #hearSyndic(event: BusEvent): void {
    const nowMs = this.#clock.monotonicMs();
    const news = this.#syndics.read(event, nowMs);
    if (news === undefined) return;
    for (const id of news.strange) if (!this.#received.has(id)) this.#strange?.add(id);
    if (news.isComplete) this.waitingFor.delete(news.name);
    for (const [id, since] of news.lost) {
      // a syndic further below, which nobody has heard of here
      if (syndicIdOf(id) !== undefined && !this.silent.has(id)) this.waitingFor.add(id);
      this.lose(id, since, true);
    }
    for (const name of news.refusals.keys()) {
      this.waitingFor.add(name);
      this.giveUp(name);
    }
  }

  *readStored(loads: readonly Dict[]): Generator<JobNews> {
    for (const load of loads) yield* this.#returned(String(load.get('id')), load);
  }

  *#returned(id: string, load: Dict): Generator<JobNews> {
    if (this.#found.has(id)) return;
    this.#found.add(id);
    this.lastReturnMs = this.#clock.monotonicMs();
    this.lastHeardMs = this.lastReturnMs;
    this.waitingFor.delete(id);
    this.silent.delete(id);
    yield { kind: 'return', id, load };
  }

  /** A syndic names further minions. */
  #expect(ids: readonly string[]): void {
    for (const id of ids) if (!this.#found.has(id)) this.waitingFor.add(id);
  }

  /** @param isThere it answers, and does not run the job */
  giveUp(id: string, isThere = false): void {
    if (isThere) this.#idle.add(id);
    if (this.waitingFor.delete(id)) this.silent.add(id);
  }
}

/** Asks the silent minions whether they still run the job; those that do not are given up. */
async function* askSilent(
  parts: WatchParts,
  job: PublishedJob,
  inbox: Inbox,
  state: WatchState,
  patience: WatchPatience,
): AsyncGenerator<JobNews, void, void> {
  const { client, clock } = parts;
  const asked = new Set(state.askable);
  if (asked.size === 0) return;
  const running = new Set<string>();
  const answered = new Set<string>();
  const options: PublishOptions = {
    tgt: [...asked],
    tgtType: 'list',
    fun: 'saltutil.find_job',
    arg: [job.jid],
    timeoutMs: patience.timeoutMs,
  };
  const question = await askWhoRuns(client, options, (id, isAtWork) => {
    if (!answered.has(id)) state.lastHeardMs = clock.monotonicMs();
    answered.add(id);
    if (isAtWork) running.add(id);
    inbox.nudge();
  });
  if (question === undefined) return asked.forEach((id) => state.giveUp(id));
  const gatheredMs = clock.monotonicMs() + patience.gatherMs;
  const untilMs = (): number => Math.max(gatheredMs, state.lastHeardMs + QUIET_MS);
  const isDecided = (id: string): boolean => answered.has(id) || !state.waitingFor.has(id);
  const isGoingOn = (nowMs: number): boolean =>
    nowMs < untilMs() && !parts.signal?.aborted && state.isWaiting(nowMs) && ![...asked].every(isDecided);
  while (isGoingOn(clock.monotonicMs())) {
    await inbox.wait(clock, state.nextLook(clock.monotonicMs(), untilMs()));
    yield* state.read(inbox.take());
  }
  client.forget(question.jid);
  const isOnItsWay = (): boolean => [...answered].some((id) => !running.has(id) && state.waitingFor.has(id));
  const answeredMs = clock.monotonicMs() + LAST_RETURN_MS;
  const lastMs = (): number => Math.max(answeredMs, state.lastReturnMs + QUIET_MS);
  while (isOnItsWay() && clock.monotonicMs() < lastMs() && parts.signal?.aborted !== true) {
    await inbox.wait(clock, lastMs());
    yield* state.read(inbox.take());
  }
  for (const id of asked) if (!running.has(id)) state.giveUp(id, answered.has(id));
}

/** Publishes the question. @returns undefined when none of the minions has an accepted key any more */
async function askWhoRuns(
  client: JobClient,
  options: PublishOptions,
  answer: (id: string, isAtWork: boolean) => void,
): Promise<PublishedJob | undefined> {
  try {
    return await client.publish(options, ({ tag, data }) => {
      if (tag.includes('/ret/')) answer(String(data.get('id')), isRunning(data));
    });
  } catch (error) {
    if (error instanceof NoMinionsError) return undefined;
    throw error;
  }
}

function isRunning(data: Dict): boolean {
  const value = data.get('return');
  const retcode = data.get('retcode');
  if (typeof retcode === 'number' && retcode > 0) return false;
  return value !== undefined && isDict(value) && value.size > 0;
}
