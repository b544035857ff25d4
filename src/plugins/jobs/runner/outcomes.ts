/**
 * The outcomes of a job's minions as `salt-run jobs.*` gives them. Ours, not Salt's: shown only where they are asked
 * for.
 */
import { outcomeText, readOutcome } from '../../../runtime/client/outcome.ts';
import { readPresence } from '../../../runtime/client/presence.ts';
import { jidTimeMs } from '../../../storage/jobs/jid.ts';
import { judgeJob, outcomeDict, type JobOutcome } from '../../../storage/jobs/ledger.ts';
import { toNumber, type Dict, type Value } from '../../../python/values/value.ts';
import type { RunnerContext } from '../../shared/runner/runner.ts';

/** How long after its publication nothing is said of a silent minion when the option `timeout` does not say. */
const PATIENCE_S = 5;

/** One named outcome for every minion of a job; none for an unknown job. */
async function jobOutcomes(ctx: RunnerContext, jid: string): Promise<JobOutcome[]> {
  const [load, returns, entries] = await Promise.all([
    ctx.jobs.job(jid),
    ctx.jobs.returns(jid),
    ctx.jobs.ledger(jid),
  ]);
  const expected = load?.get('Minions');
  const minions = Array.isArray(expected) ? expected.map(String) : [];
  const heard = new Set(returns.map(({ id }) => id));
  const silent = minions.filter((id) => !heard.has(id));
  const presence = silent.length === 0 ? undefined : await readPresence(ctx.opts, silent);
  return judgeJob({
    publishedMs: jidTimeMs(jid),
    minions,
    returns,
    entries,
    presence: presence ?? new Map(),
    nowMs: ctx.clock.nowMs(),
    patienceMs: 1000 * (toNumber(ctx.settings.get('timeout')) ?? PATIENCE_S),
  });
}

/** The outcomes by minion, with their times (UTC). */
export async function outcomesOf(ctx: RunnerContext, jid: string): Promise<Dict> {
  return new Map((await jobOutcomes(ctx, jid)).map((outcome) => [outcome.id, outcomeDict(outcome)]));
}

/** What `salt` prints of the minions that have not returned, by minion. */
export async function silentTexts(ctx: RunnerContext, jid: string): Promise<Dict> {
  const out: Dict = new Map<Value, Value>();
  for (const { id, kind, detail } of await jobOutcomes(ctx, jid)) {
    const outcome = readOutcome(kind, detail);
    if (outcome !== undefined) out.set(id, outcomeText(id, jid, outcome));
    else if (kind === 'published') out.set(id, 'Minion did not return yet');
  }
  return out;
}
