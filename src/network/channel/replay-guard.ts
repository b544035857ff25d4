/**
 * Refuses requests that were served before. There is one guard, in the one process that all requests pass, so that it
 * does not matter which worker serves a request, which one stalls, stands in, dies or comes back. It cannot open a
 * request, and need not: the code that authenticates a sealed load is different for each request, and whoever changes
 * it has no request any more. The guard looks a request up by that code and claims it before any worker sees it; the
 * worker that has opened it says when it was sent, by its sender's clock.
 *
 * Codes are kept for one to two rounds. What its sender sent before the newest request of a round that is forgotten is
 * too old from then on: no recording ever works again, however late it is played. A sender's clock is compared with
 * itself only.
 */
import type { Clock } from '../../host/clock.ts';
import { TagSet } from './tag-set.ts';

/** How long a round lasts: a request may come so much later than a newer one of its sender. */
const ROUND_MS = 120_000;
/** Requests of one round: ten thousand a second. With more the round is shorter, and nothing else changes. */
const ROUND_MAX = 1_400_000;
/** Minions that are known; more than any master has. */
const MINIONS_MAX = 1_000_000;
/** Requests whose worker died under them: whether they were served is not known. */
const UNCLEAR_MAX = 200_000;

/** What a worker needs to know to tell whether a request that it has opened is new. */
export interface ReplayStanding {
  /** Sessions made before this have ended (the time of their file, ms). */
  readonly sessionsFromMs: number;
  /** Changes when a session of this sender is ended: what is remembered of an earlier one is not to be used. */
  readonly generation: number;
  /** The sender's clock in seconds: what was sent then or before is too old. */
  readonly servedUntil: number;
}

/** What became of a request. */
export type ReplayCheck =
  | { readonly kind: 'refused' }
  /** It was genuine. `ts` is the sender's clock, seconds; not a number when its version has none */
  | { readonly kind: 'genuine'; readonly ts: number }
  /** It was genuine but too old, and its session has been ended. */
  | { readonly kind: 'session ended' }
  /** The worker died. */
  | { readonly kind: 'lost' };

/** A request that is being served. */
export interface Claim {
  readonly tag: number;
  readonly id: string | undefined;
  readonly standing: ReplayStanding;
}

/** How a guard behaves. */
export interface ReplayGuardOptions {
  readonly clock: Clock;
  /** Ends all sessions. @returns the time from which sessions count */
  readonly beginAnew: () => number;
  readonly minionsMax?: number;
  readonly roundMax?: number;
}

interface Minion {
  /** Distinguishes its sessions. */
  generation: number;
  /** The round in which it was last heard. */
  round: number;
  /** Its newest requests: of that round, of the one before, of all rounds that are forgotten. */
  newest: number;
  newestBefore: number;
  servedUntil: number;
}

/** What is known of a sender that has not been heard of, for those who have no guard. */
export const UNKNOWN_STANDING: ReplayStanding = {
  sessionsFromMs: -Infinity,
  generation: 0,
  servedUntil: -Infinity,
};

/** The request was served before, or is being served. */
export const SEEN = Symbol('seen');

/** Claims each sealed request once and learns from the workers what became of it. */
export class ReplayGuard {
  readonly #options: ReplayGuardOptions;
  readonly #minionsMax: number;
  readonly #roundMax: number;
  readonly #underWay = new Set<number>();
  readonly #unclear = new Set<number>();
  #minions = new Map<string, Minion>();
  #sessionsFromMs: number;
  #round = 0;
  #roundAtMs: number;
  #current = new TagSet();
  #before = new TagSet();
  /** Counts sessions that were ended, over all minions. */
  #generation = 0;

  /** A guard begins without a memory, so all sessions end with its beginning. */
  constructor(options: ReplayGuardOptions) {
    this.#options = options;
    this.#minionsMax = options.minionsMax ?? MINIONS_MAX;
    this.#roundMax = options.roundMax ?? ROUND_MAX;
    this.#roundAtMs = options.clock.monotonicMs();
    this.#sessionsFromMs = options.beginAnew();
  }

  /**
   * Claims a request before it is served.
   * @param sealed its sealed load
   * @param id who it says it is from; undefined where the version has none
   * @returns {@link SEEN} when it must not be served
   */
  claim(sealed: Buffer, id: string | undefined): Claim | typeof SEEN {
    this.#turn();
    const tag = tagOf(sealed);
    if (this.#underWay.has(tag) || this.#current.has(tag) || this.#before.has(tag) || this.#unclear.has(tag))
      return SEEN;
    this.#underWay.add(tag);
    return { tag, id, standing: this.#standingOf(id) };
  }

  /** Says what became of a request. */
  settle({ tag, id, standing }: Claim, outcome: ReplayCheck): void {
    this.#underWay.delete(tag);
    if (outcome.kind === 'refused') return;
    if (outcome.kind === 'lost') this.#keepUnclear(tag);
    else this.#current.add(tag);
    if (id === undefined || outcome.kind === 'lost') return;
    const minion = this.#minionOf(id);
    // by now the session of this request may have been ended, and the times of the new one are others
    if (minion.generation !== standing.generation) return;
    if (outcome.kind === 'session ended') this.#endSession(minion);
    else if (outcome.ts > minion.newest) minion.newest = outcome.ts;
  }

  #standingOf(id: string | undefined): ReplayStanding {
    const minion = id === undefined ? undefined : this.#minions.get(id);
    if (minion === undefined)
      return { sessionsFromMs: this.#sessionsFromMs, generation: 0, servedUntil: -Infinity };
    this.#bringUp(minion);
    const { generation, servedUntil } = minion;
    return { sessionsFromMs: this.#sessionsFromMs, generation, servedUntil };
  }

  #minionOf(id: string): Minion {
    let minion = this.#minions.get(id);
    if (minion === undefined) {
      if (this.#minions.size >= this.#minionsMax) this.#beginAnew();
      const none = -Infinity;
      minion = { generation: 0, round: this.#round, newest: none, newestBefore: none, servedUntil: none };
      this.#minions.set(id, minion);
    }
    this.#bringUp(minion);
    return minion;
  }

  /** A minion that is not heard for some rounds is only looked at when it is. */
  #bringUp(minion: Minion): void {
    const rounds = this.#round - minion.round;
    if (rounds === 0) return;
    minion.servedUntil = Math.max(
      minion.servedUntil,
      minion.newestBefore,
      rounds > 1 ? minion.newest : -Infinity,
    );
    minion.newestBefore = rounds > 1 ? -Infinity : minion.newest;
    minion.newest = -Infinity;
    minion.round = this.#round;
  }

  #endSession(minion: Minion): void {
    minion.generation = ++this.#generation;
    minion.newest = minion.newestBefore = minion.servedUntil = -Infinity;
  }

  #turn(): void {
    const nowMs = this.#options.clock.monotonicMs();
    const isOver = nowMs - this.#roundAtMs >= ROUND_MS;
    if (!isOver && this.#current.size < this.#roundMax) return;
    this.#before = this.#current;
    this.#current = new TagSet(this.#before.size);
    this.#round++;
    this.#roundAtMs = nowMs;
  }

  /** These are not forgotten by age: when they were sent is not known. */
  #keepUnclear(tag: number): void {
    if (this.#unclear.size >= UNCLEAR_MAX) this.#beginAnew();
    this.#unclear.add(tag);
  }

  /** When the memory is full all minions authenticate anew, and what was recorded before opens no more. */
  #beginAnew(): void {
    this.#sessionsFromMs = this.#options.beginAnew();
    this.#unclear.clear();
    this.#minions = new Map();
  }
}

/**
 * 53 bits of the code that ends a sealed load; never 0. Nobody can make a genuine load that ends in a code of his
 * choice.
 */
function tagOf(sealed: Buffer): number {
  if (sealed.length < 8) return 1;
  return (
    sealed.readUInt32BE(sealed.length - 8) * 2 ** 21 + (sealed.readUInt32BE(sealed.length - 4) >>> 11) + 1
  );
}
