/** When a certificate or a revocation list is made anew before it ends, where `days_remaining` does not say. */

/** Milliseconds of a day. */
export const DAY_MS = 86_400_000;

/**
 * The days before its end at which something is made anew: the first that it is valid for longer than, a third of it
 * where there is none. Salt compat: Salt has one number of days, by which what is valid for no longer is made anew at
 * each run; in its 3009 the number will be the second one.
 */
export function daysToRenew(validMs: number, usualDays: readonly number[]): number {
  const validDays = validMs / DAY_MS;
  return usualDays.find((days) => days < validDays) ?? validDays / 3;
}
