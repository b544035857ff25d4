/**
 * What is known of a job's minions while it is watched: who has answered, who is waited for, whose connection is lost.
 */
import type { BusEvent } from '../../network/events/framing.ts';
import { syndicIdOf } from '../../network/events/tags.ts';
import type { Clock } from '../../host/clock.ts';
import { RESENT_FOR_MS } from '../../network/transport/recent-messages.ts';
import type { Dict } from '../../python/values/value.ts';
import type { PublishedJob } from './local-client.ts';
import type { Outcome } from './outcome.ts';
import { SyndicWatch } from './syndic-watch.ts';
import type { SilentMinion } from './verdict-writer.ts';

/** What waiting brings. */
export type JobNews =
  | { readonly kind: 'return'; readonly id: string; readonly load: Dict }
  /** Nobody waits for this minion any longer. */
  | { readonly kind: 'silent'; readonly id: string; readonly outcome: Outcome };

/** What has happened to a job's minions before somebody began to watch. */
export interface KnownBefore {
  /** Who has acknowledged it, and when (milliseconds since 1970). */
  readonly received: ReadonlyMap<string, number>;
  /** Whose connection was lost under way, and when (UTC). */
  readonly lost: ReadonlyMap<string, string>;
}

/** A minion that was away before the job may only seem so: signs of its connection may be on their way. */
const LOST_GRACE_MS = 1_000;

/**
 * A minion whose connection is lost while it works on the job may still bring its return over the other one, and may be
 * on its way to another master of a cluster, which takes ours up to three seconds. Salt asks after five (`timeout`),
 * and gives up after fifteen.
 */
const LOST_UNDER_WAY_GRACE_MS = 4_000;

/**
 * One that was lost so shortly before the job may be about to come back, here or at another master, and gets it then.
 */
const JUST_LOST_MS = 15_000;

/** How long it is waited for where there is no other master that it could be on its way to. */
const COMING_BACK_GRACE_MS = 2_000;

/** What it gets so much later than the others it has had on its way. */
const RESENT_GRACE_MS = RESENT_FOR_MS + LOST_GRACE_MS;

/** Events of a job that a minion may fire: they name nobody else. */
const BY_MINION = /^salt\/job\/[^/]*\/(?:ret|prog|sub|received|start)\//;
/** A minion works on the job. */
const BY_WORKING = /^salt\/job\/[^/]*\/(?:received|start)\//;

/** A minion's connection that is lost: since when, whether it was before the job, how long it is still waited for. */
interface LostLink {
  readonly since: string;
  readonly before: boolean;
  untilMs: number;
  /** It has come back since; a job that it has lost with its connection is sent to it once more. */
  isBack: boolean;
}

/** What watching begins with. */
interface WatchStart {
  /** How long a minion may be silent; nobody who is away is waited for longer. */
  readonly timeoutMs: number;
  readonly known?: KnownBefore;
}

/** Which minions have answered, and which are still waited for. */
export class WatchState {
  readonly waitingFor: Set<string>;
  readonly silent = new Set<string>();
  /** Who has returned. */
  readonly found = new Set<string>();
  readonly #syndics: SyndicWatch;
  /** Minions that said they have the job, and when (milliseconds since 1970). */
  readonly #received: Map<string, number>;
  /** Minions that give no signs, so that their silence says nothing; undefined when nobody knows which do. */
  readonly #strange: Set<string> | undefined;
  /** Minions that have not been here since their keys were accepted. */
  readonly #newcomers: ReadonlySet<string>;
  /** Minions that answer, and do not run the job. */
  readonly #idle = new Set<string>();
  /** Minions that cannot have been connected since the master was started, and when that was (UTC). */
  readonly #unseen = new Map<string, string>();
  readonly #timeoutMs: number;
  readonly #isClustered: boolean;
  readonly #clock: Clock;
  /** When the last minion was heard of for the first time, on the monotonic clock. */
  lastHeardMs = -Infinity;
  /** When the last return came. */
  lastReturnMs = -Infinity;
  /** Minions whose connection is lost: since when, and how long they are still waited for. */
  readonly #lost = new Map<string, LostLink>();

  constructor(job: PublishedJob, clock: Clock, { timeoutMs, known }: WatchStart) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#isClustered = job.isClustered ?? true;
    this.waitingFor = new Set(job.minions);
    this.#received = new Map(known?.received);
    this.#strange = job.strange && new Set(job.strange);
    this.#newcomers = new Set(job.newcomers);
    this.#syndics = new SyndicWatch(job.syndics, clock.monotonicMs());
    for (const name of this.#syndics.awaited) this.waitingFor.add(name);
    for (const id of job.lost.keys()) if (syndicIdOf(id) !== undefined) this.waitingFor.add(id);
    if (job.unseenSince !== undefined)
      for (const id of job.strange ?? []) this.#unseen.set(id, job.unseenSince);
    for (const [id, since] of [...job.lost, ...this.#unseen])
      this.#lost.set(id, {
        since,
        before: true,
        untilMs: clock.monotonicMs() + this.#graceMs({ id, since, before: true }),
        isBack: false,
      });
    for (const [id, since] of known?.lost ?? []) this.lose(id, since);
  }

  /** How long a minion whose connection is lost is waited for. */
  #graceMs(link: { readonly id: string } & Pick<LostLink, 'since' | 'before'>): number {
    return Math.min(this.#timeoutMs, this.#usualGraceMs(link));
  }

  #usualGraceMs({ id, since, before }: { readonly id: string } & Pick<LostLink, 'since' | 'before'>): number {
    if (!before) return LOST_UNDER_WAY_GRACE_MS;
    const lostForMs = this.#clock.nowMs() - Date.parse(`${since}Z`);
    if (this.#newcomers.has(id)) return RESENT_GRACE_MS;
    if (!(Math.abs(lostForMs) < JUST_LOST_MS)) return LOST_GRACE_MS; // also of a time that is none
    // after a start of the master its minions come back within seconds
    return this.#isClustered || this.#unseen.has(id) ? RESENT_GRACE_MS : COMING_BACK_GRACE_MS;
  }

  /** A minion's connection was lost while the job is under way. */
  lose(id: string, since: string, before = false): void {
    for (const below of this.#syndics.minionsOf(id)) this.lose(below, since);
    if (this.#lost.get(id)?.isBack === false || !this.waitingFor.has(id)) return;
    this.#lost.set(id, { since, before, untilMs: Infinity, isBack: false });
  }

  /** A minion's connection is back while the job is under way: it is waited for as the others are. */
  findAgain(id: string): void {
    for (const below of this.#syndics.minionsOf(id)) this.findAgain(below);
    const lost = this.#lost.get(id);
    if (lost !== undefined) lost.isBack = true;
  }

  /** Whether a minion has answered, or somebody has said that it is one of his. */
  isKnown(id: string): boolean {
    return this.found.has(id) || this.waitingFor.has(id) || this.silent.has(id);
  }

  /** The minions that can be asked for their work. */
  get askable(): string[] {
    return [...this.waitingFor].filter((id) => syndicIdOf(id) === undefined);
  }

  /** True while somebody is worth waiting for: a minion known to be away holds nobody up. */
  isWaiting(nowMs: number): boolean {
    for (const [id, lost] of this.#lost) {
      if (lost.isBack) continue;
      if (lost.untilMs === Infinity) lost.untilMs = nowMs + this.#graceMs({ id, ...lost });
      if (nowMs >= lost.untilMs) this.giveUp(id);
    }
    for (const name of this.#syndics.overdue(nowMs)) this.giveUp(name);
    return this.waitingFor.size > 0 || this.#syndics.isHeld(nowMs);
  }

  /** When to look again: at the deadline, or when the grace of a lost minion ends. */
  nextLook(nowMs: number, deadlineMs: number): number {
    let next = Math.min(deadlineMs, Math.max(this.#syndics.nextMs(nowMs), nowMs + 1));
    for (const [id, { untilMs, isBack }] of this.#lost)
      if (!isBack && this.waitingFor.has(id)) next = Math.min(next, Math.max(untilMs, nowMs + 1));
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
    const unseen = this.#unseen.get(id);
    const isAway = lost !== undefined && (!lost.isBack || this.#idle.has(id));
    if (isAway && lost.before && this.#newcomers.has(id)) return { kind: 'not here yet' };
    if (unseen !== undefined && lost?.isBack === false) return { kind: 'not here yet', since: unseen };
    if (isAway) return { kind: lost.before ? 'never received' : 'connection lost', since: lost.since };
    if (syndicIdOf(id) !== undefined) return { kind: 'no response' };
    if (this.#received.has(id)) return { kind: 'still running' };
    if (this.#newcomers.has(id)) return { kind: 'not here yet' };
    if (this.#strange?.has(id) ?? true) return { kind: 'no response' };
    return { kind: 'never received', ...(this.#idle.has(id) ? { isThere: true } : {}) };
  }

  *read(events: readonly BusEvent[]): Generator<JobNews> {
    for (const event of events) {
      const data = event.data;
      const minions = data.get('minions');
      if (Array.isArray(minions) && !BY_MINION.test(event.tag)) this.#expect(minions.map(String));
      this.#hearSyndic(event);
      if (BY_WORKING.test(event.tag)) this.#received.set(String(data.get('id')), this.#clock.nowMs());
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
    if (this.found.has(id)) return;
    this.found.add(id);
    this.lastReturnMs = this.#clock.monotonicMs();
    this.lastHeardMs = this.lastReturnMs;
    this.waitingFor.delete(id);
    this.silent.delete(id);
    yield { kind: 'return', id, load };
  }

  /** A syndic names further minions. */
  #expect(ids: readonly string[]): void {
    for (const id of ids) if (!this.found.has(id)) this.waitingFor.add(id);
  }

  /** @param isThere it answers, and does not run the job */
  giveUp(id: string, isThere = false): void {
    if (isThere) this.#idle.add(id);
    if (this.waitingFor.delete(id)) this.silent.add(id);
  }
}
