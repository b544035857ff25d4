/** What became of an upgrade, as functions return it and events have it. */
import { float, dict, type Dict } from '../../../python/values/value.ts';
import type { TrialOutcome } from '../../../runtime/upgrade/trial-record.ts';

/** An outcome as data. */
export function outcomeData({ result, from, to, step, comment, jid, awayMs }: TrialOutcome): Dict {
  return dict({ result, from, to, step, comment, jid, away_s: float(Math.round(awayMs / 100) / 10) });
}
