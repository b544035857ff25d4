/** Moments in queries as places in the order of jobs. */
import { jidAt } from '../../../storage/jobs/jid.ts';
import { ApiFault } from './fault.ts';

/** The job id that a moment of a query would have had. @throws ApiFault when it is no moment */
export function jidOfTime(given: string | undefined, field: string): string | undefined {
  if (given === undefined) return undefined;
  const atMs = Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(given) || !given.includes('T') ? given : `${given}Z`);
  if (!Number.isFinite(atMs) || atMs < 0 || atMs > 253_402_300_799_999)
    throw new ApiFault('bad-request', `${field} is no time: write it as 2026-11-25T16:00:00Z.`, { field });
  return jidAt(atMs);
}
