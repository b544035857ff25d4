/**
 * Time zones: between instants (milliseconds since 1970) and local time, which is written as the milliseconds that the
 * wall clock would show if it were UTC. Schedules are written in local time, as people read it from the wall (Salt
 * works on Python's naive dates, salt/utils/schedule.py, 3006.16).
 */

/** What the wall clock shows, as milliseconds since 1970 on that clock. */
export type LocalMs = number;

/** A time zone. */
export interface Zone {
  /** Local time minus UTC at an instant, in milliseconds. */
  offsetMs(atMs: number): number;
}

const DAY_MS = 86_400_000;

/** The zone of this process (`TZ`, `/etc/localtime`). */
export const systemZone: Zone = { offsetMs: (atMs) => -new Date(atMs).getTimezoneOffset() * 60_000 };

/** The wall clock at an instant. */
export function toLocal(zone: Zone, atMs: number): LocalMs {
  return atMs + zone.offsetMs(atMs);
}

/**
 * The instant at which the wall clock shows a time. Where clocks were put back, the first of the two; where they were
 * put forward over that time, the moment they were.
 */
export function fromLocal(zone: Zone, local: LocalMs): number {
  const before = zone.offsetMs(local - DAY_MS);
  const after = zone.offsetMs(local + DAY_MS);
  const guesses = [local - before, local - after].sort((a, b) => a - b) as [number, number];
  for (const guess of guesses) if (toLocal(zone, guess) === local) return guess;
  return nextChange(zone, guesses[0] - DAY_MS, guesses[1] + DAY_MS) ?? guesses[0];
}

/**
 * The first instant after `fromMs` and not after `untilMs` from which another offset holds, to the millisecond;
 * undefined when the same one holds at both ends. Meant for spans with one change at most.
 */
export function nextChange(zone: Zone, fromMs: number, untilMs: number): number | undefined {
  const old = zone.offsetMs(fromMs);
  if (zone.offsetMs(untilMs) === old) return undefined;
  let low = fromMs;
  let high = untilMs;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zone.offsetMs(middle) === old) low = middle;
    else high = middle;
  }
  return high;
}
