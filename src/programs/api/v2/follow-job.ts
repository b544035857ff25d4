/**
 * A job as it happens: what is known when somebody begins to look, and what changes from then on. Returns are told as
 * their events come; what has no event of its own, such as a minion that gives no sign, is looked up now and then.
 */
import type { BusEvent } from '../../../network/events/framing.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { jidTimeMs } from '../../../storage/jobs/jid.ts';
import { hasSucceeded } from '../../../storage/jobs/ledger.ts';
import type { Deps } from './deps.ts';
import type { RingEvent } from './event-ring.ts';
import type { EventStream } from './event-stream.ts';
import {
  isoTime,
  JobViews,
  retcodeIn,
  returnView,
  type Counts,
  type JobDetailView,
  type OutcomeView,
} from './job-views.ts';

/** How long changes are gathered before the job is looked up, and how often it is looked up without any. */
const GATHER_MS = 200;
const LOOK_MS = 2_000;
/** Events kept until the beginning is sent; the job cache has what is beyond. */
const EARLY_MAX = 10_000;
/** Returns that are sent before the client must have taken them. */
const AT_ONCE = 50;

/** Sends a job until it has ended or the client has gone. @param jid of a job that there is */
export async function followJob(deps: Deps, jid: string, stream: EventStream): Promise<void> {
  const following = new Following(deps, jid, stream);
  const { stop } = await deps.ring.listen({
    take: (event) => following.hear(event),
    gap: () => following.look(),
  });
  try {
    await following.run();
  } finally {
    stop();
  }
}

class Following {
  readonly #deps: Deps;
  readonly #jid: string;
  readonly #stream: EventStream;
  readonly #views: JobViews;
  /** Outcomes as the client knows them, each as text. */
  readonly #told = new Map<string, string>();
  readonly #outcomes = new Map<string, OutcomeView>();
  /** Minions whose returns the client has. */
  readonly #returned = new Set<string>();
  readonly #early: BusEvent[] = [];
  #hasBegun = false;
  #counts = '';
  #wake: (() => void) | undefined;
  #isDue = false;

  constructor(deps: Deps, jid: string, stream: EventStream) {
    this.#deps = deps;
    this.#jid = jid;
    this.#stream = stream;
    this.#views = new JobViews(deps.files, () => deps.clock.nowMs());
    stream.over.addEventListener('abort', () => this.#wake?.(), { once: true });
  }

  hear({ tag, event }: RingEvent): void {
    const isOfJob = tag.startsWith(`salt/job/${this.#jid}/`) || tag.endsWith(`/${this.#jid}`);
    if (isOfJob) {
      if (this.#hasBegun) this.#take(event);
      else if (this.#early.length < EARLY_MAX) this.#early.push(event);
    } else if (/^(syndic\/[^/]+\/)*brine\/minion\//.test(tag)) this.look();
  }

  /** The job is looked up soon. */
  look(): void {
    this.#isDue = true;
    this.#wake?.();
  }

  async run(): Promise<void> {
    const { clock, files } = this.#deps;
    const first = await this.#views.detail(this.#jid);
    if (first === undefined) return this.#stream.close();
    this.#stream.send('job', first);
    for (const outcome of first.minions) this.#know(outcome);
    this.#counts = JSON.stringify(first.counts);
    await this.#tellReturns(await files.jobs((archive) => archive.returns(this.#jid)));
    this.#hasBegun = true;
    for (const event of this.#early.splice(0)) this.#take(event);
    for (let isOver = first.state === 'done'; !this.#stream.isOver;) {
      if (isOver) return this.#stream.end(await this.#lastCounts());
      await this.#wait();
      await clock.sleep(GATHER_MS, this.#stream.over);
      if (this.#stream.isOver) return;
      isOver = await this.#lookUp();
    }
  }

  async #tellReturns(returns: readonly Parameters<typeof returnView>[0][]): Promise<void> {
    for (const [index, ret] of returns.entries()) {
      if (this.#stream.isOver) return;
      this.#returned.add(ret.id);
      this.#stream.send('return', returnView(ret));
      if (index % AT_ONCE === 0) await this.#stream.drained();
    }
  }

  #take({ tag, data }: BusEvent): void {
    const [, , , kind = '', minion = ''] = tag.split('/');
    if (kind === 'ret') this.#takeReturn(minion, data);
    else if (kind === 'prog') this.#stream.send('progress', { minion, data: data.get('data') ?? data });
    this.look();
  }

  #takeReturn(minion: string, data: BusEvent['data']): void {
    if (this.#returned.has(minion)) return;
    this.#returned.add(minion);
    const retcode = retcodeIn(data);
    const isSuccess = data.get('success') !== false;
    const stamp = Date.parse(`${pyStr(data.get('_stamp') ?? '').slice(0, 23)}Z`);
    const returnedMs = Number.isFinite(stamp) ? stamp : this.#deps.clock.nowMs();
    const publishedMs = jidTimeMs(this.#jid);
    this.#stream.send('return', {
      minion,
      jid: this.#jid,
      fun: pyStr(data.get('fun') ?? ''),
      return: data.get('return') ?? null,
      retcode,
      success: isSuccess,
      out: typeof data.get('out') === 'string' ? data.get('out') : null,
      stamp: isoTime(returnedMs),
    });
    const before = this.#outcomes.get(minion);
    if (before?.returned !== null && before !== undefined) return;
    this.#tell({
      ...(before ?? EMPTY),
      minion,
      outcome:
        before?.given_up !== null && before !== undefined
          ? 'returned late'
          : hasSucceeded({ retcode, success: isSuccess })
            ? 'returned'
            : 'failed',
      retcode,
      success: isSuccess,
      reason: null,
      since: null,
      published: isoTime(publishedMs),
      returned: isoTime(returnedMs),
      seconds: publishedMs === undefined ? null : Math.max(0, Math.round(returnedMs - publishedMs) / 1000),
    });
  }

  /** @returns whether nothing more is expected */
  async #lookUp(): Promise<boolean> {
    this.#isDue = false;
    const detail = await this.#views.detail(this.#jid);
    if (detail === undefined) return true;
    for (const outcome of detail.minions) {
      const known = this.#outcomes.get(outcome.minion);
      // its return was heard, and is not in the job cache yet
      if (outcome.returned === null && known !== undefined && known.returned !== null) continue;
      this.#tell(outcome);
    }
    await this.#tellMissedReturns(detail);
    this.#tellCounts(detail.counts);
    return detail.state === 'done';
  }

  /** Returns whose events did not reach us. */
  async #tellMissedReturns({ minions }: JobDetailView): Promise<void> {
    const isMissed = minions.some(({ minion, returned }) => returned !== null && !this.#returned.has(minion));
    if (!isMissed) return;
    const returns = await this.#deps.files.jobs((archive) => archive.returns(this.#jid));
    await this.#tellReturns(returns.filter(({ id }) => !this.#returned.has(id)));
  }

  async #lastCounts(): Promise<Counts | null> {
    return (await this.#views.detail(this.#jid))?.counts ?? null;
  }

  #tellCounts(counts: Counts): void {
    const text = JSON.stringify(counts);
    if (text === this.#counts) return;
    this.#counts = text;
    this.#stream.send('counts', counts);
  }

  #tell(outcome: OutcomeView): void {
    if (this.#know(outcome)) this.#stream.send('outcome', outcome);
  }

  /** @returns whether that is new to the client; the exact moment of a return is not */
  #know(outcome: OutcomeView): boolean {
    const { minion, outcome: kind, retcode, reason, received, given_up: givenUp } = outcome;
    const text = JSON.stringify([kind, retcode, reason, received, givenUp]);
    this.#outcomes.set(minion, outcome);
    if (this.#told.get(minion) === text) return false;
    this.#told.set(minion, text);
    return true;
  }

  async #wait(): Promise<void> {
    if (this.#isDue || this.#stream.isOver) return;
    await new Promise<void>((resolve) => {
      const timer = this.#deps.clock.after(LOOK_MS, resolve);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
    this.#wake = undefined;
  }
}

const EMPTY: OutcomeView = {
  minion: '',
  outcome: 'returned',
  retcode: null,
  success: null,
  reason: null,
  key: null,
  since: null,
  published: null,
  received: null,
  returned: null,
  given_up: null,
  seconds: null,
};
