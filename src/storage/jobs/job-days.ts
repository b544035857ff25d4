/**
 * Which file of the job cache a jid belongs to: the one of its day. A minion can return with any jid, so not every day
 * gets a file: those that the job cache would forget at once, and those that are still to come, are kept with the jids
 * that are no time.
 */
import type { Clock } from '../../host/clock.ts';
import { isJid, jidTimeMs } from './jid.ts';

/** The file of what has no day of its own. */
export const UNDATED = 'undated';

const DAY_MS = 86_400_000;
/** A jid may be so far ahead: the clocks of a tree of masters differ. */
const AHEAD_MS = DAY_MS;
/** What counts as old where nothing is forgotten (`keep_jobs_seconds: 0`). */
const AGE_WITHOUT_LIMIT_MS = 30 * DAY_MS;

/** The day of a jid, `YYYYMMDD`; {@link UNDATED} for one that is no time. */
export function dayOf(jid: string): string {
  const atMs = jidTimeMs(jid);
  return atMs !== undefined && dayAt(atMs) === jid.slice(0, 8) ? jid.slice(0, 8) : UNDATED;
}

/** The day of a time. @param atMs milliseconds since 1970 */
export function dayAt(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10).replaceAll('-', '');
}

/**
 * How far from now a job id may be that somebody with few rights has chosen: as far as clocks and long preparations are
 * apart.
 */
const NEAR_MS = 3_600_000;

/** Whether a job id is one of the present: not one that would stand first or last among all jobs for ever. */
export function isNearJid(jid: string, clock: Clock): boolean {
  const atMs = dayOf(jid) === UNDATED ? undefined : jidTimeMs(jid);
  return atMs !== undefined && isJid(jid) && Math.abs(atMs - clock.nowMs()) <= NEAR_MS;
}

/** Before it there was no Salt, and no job. */
const FIRST_MS = Date.UTC(2011, 0);

/** Whether a job id is of a time in which nobody can have begun a job: one to come, or one before there were any. */
export function isImpossibleJid(jid: string, clock: Clock): boolean {
  const atMs = jidTimeMs(jid);
  return atMs !== undefined && (atMs > clock.nowMs() + AHEAD_MS || atMs < FIRST_MS);
}

/** The days that get a file when there is something to keep of them. */
export class DayWindow {
  readonly #clock: Clock;
  readonly #ageMs: number;

  /** @param keepSeconds `keep_jobs_seconds` */
  constructor(clock: Clock, keepSeconds: number) {
    this.#clock = clock;
    this.#ageMs = keepSeconds > 0 ? keepSeconds * 1000 : AGE_WITHOUT_LIMIT_MS;
  }

  /** @param day `YYYYMMDD` */
  holds(day: string): boolean {
    const nowMs = this.#clock.nowMs();
    return day >= dayAt(nowMs - this.#ageMs) && day <= dayAt(nowMs + AHEAD_MS);
  }
}
