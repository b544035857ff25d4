/**
 * Waiting for a job: returns as they come, `saltutil.find_job` for the silent, and a named end for every minion
 * (salt/client/__init__.py `get_iter_returns`, 3006.16; cli.md, 5.2).
 */
import type { BusEvent } from '../events/framing.ts';
import { isDict, type Dict } from '../values/value.ts';
import type { Clock } from '../host/clock.ts';
import type { LocalClient, PublishedJob, PublishOptions } from './local-client.ts';

/** What waiting brings. */
export type JobNews =
  | { readonly kind: 'return'; readonly id: string; readonly load: Dict }
  /** Nobody waits for this minion any longer. */
  | { readonly kind: 'silent'; readonly id: string };

/** How patient the caller is. */
export interface WatchPatience {
  /** `timeout`: how long a minion may be silent before it is asked. */
  readonly timeoutMs: number;
  /** `gather_job_timeout`: how long it may take to answer. */
  readonly gatherMs: number;
}

/** What watching needs. */
export interface WatchParts {
  readonly client: LocalClient;
  readonly clock: Clock;
  /** Returns that the job cache has, looked up when events may have been missed. */
  readonly stored: (jid: string) => Promise<Dict[]>;
}

/** A minion that says it no longer runs the job has sent its return before; it is on its way. */
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
    const done = new AbortController();
    this.#wake = () => done.abort();
    await clock.sleep(left, done.signal);
    this.#wake = undefined;
  }
}

async function* watch(
  parts: WatchParts,
  job: PublishedJob,
  inbox: Inbox,
  patience: WatchPatience,
): AsyncGenerator<JobNews, void, void> {
  const { client, clock } = parts;
  const state = new WatchState(job);
  let gap = false;
  client.onGap = () => {
    gap = true;
    inbox.nudge();
  };
  try {
    while (state.waitingFor.size > 0) {
      const deadlineMs = clock.monotonicMs() + patience.timeoutMs;
      while (state.waitingFor.size > 0 && clock.monotonicMs() < deadlineMs) {
        if (gap) {
          gap = false;
          yield* state.readStored(await parts.stored(job.jid));
          continue;
        }
        await inbox.wait(clock, deadlineMs);
        yield* state.read(inbox.take());
      }
      if (state.waitingFor.size > 0) yield* askSilent(parts, job, inbox, state, patience);
    }
    for (const id of [...state.silent, ...job.missing]) yield { kind: 'silent', id };
  } finally {
    client.forget(job.jid);
  }
}

/** Which minions have answered, and which are still waited for. */
class WatchState {
  readonly waitingFor: Set<string>;
  readonly silent = new Set<string>();
  readonly #found = new Set<string>();

  constructor(job: PublishedJob) {
    this.waitingFor = new Set(job.minions);
  }

  *read(events: readonly BusEvent[]): Generator<JobNews> {
    for (const event of events) {
      const data = event.data;
      const minions = data.get('minions');
      if (Array.isArray(minions)) this.#expect(minions.map(String));
      if (!event.tag.includes('/ret/') || !data.has('return')) continue;
      yield* this.#returned(String(data.get('id')), data);
    }
  }

  *readStored(loads: readonly Dict[]): Generator<JobNews> {
    for (const load of loads) yield* this.#returned(String(load.get('id')), load);
  }

  *#returned(id: string, load: Dict): Generator<JobNews> {
    if (this.#found.has(id)) return;
    this.#found.add(id);
    this.waitingFor.delete(id);
    this.silent.delete(id);
    yield { kind: 'return', id, load };
  }

  /** A syndic names further minions. */
  #expect(ids: readonly string[]): void {
    for (const id of ids) if (!this.#found.has(id)) this.waitingFor.add(id);
  }

  giveUp(id: string): void {
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
  const asked = new Set(state.waitingFor);
  const running = new Set<string>();
  const answered = new Set<string>();
  const options: PublishOptions = {
    tgt: [...asked],
    tgtType: 'list',
    fun: 'saltutil.find_job',
    arg: [job.jid],
    timeoutMs: patience.timeoutMs,
  };
  const question = await client.publish(options, (event) => {
    if (!event.tag.includes('/ret/')) return;
    const id = String(event.data.get('id'));
    answered.add(id);
    if (isRunning(event.data)) running.add(id);
    inbox.nudge();
  });
  const untilMs = clock.monotonicMs() + patience.gatherMs;
  const isDecided = (id: string): boolean => answered.has(id) || !state.waitingFor.has(id);
  while (clock.monotonicMs() < untilMs && ![...asked].every(isDecided)) {
    await inbox.wait(clock, untilMs);
    yield* state.read(inbox.take());
  }
  client.forget(question.jid);
  if ([...answered].some((id) => !running.has(id) && state.waitingFor.has(id))) {
    await inbox.wait(clock, clock.monotonicMs() + LAST_RETURN_MS);
    yield* state.read(inbox.take());
  }
  for (const id of asked) if (!running.has(id)) state.giveUp(id);
}

function isRunning(data: Dict): boolean {
  const value = data.get('return');
  const retcode = data.get('retcode');
  if (typeof retcode === 'number' && retcode > 0) return false;
  return value !== undefined && isDict(value) && value.size > 0;
}
