/** What `git.latest` would do to a checkout (3006.16 salt/states/git.py). */
import { dict } from '../../../python/values/value.ts';
import { redacted } from '../module/credentials.ts';
import type { StateResult } from '../../shared/state-function.ts';
import { upToDate, type CheckoutFacts } from './latest-facts.ts';
import type { LatestRun } from './latest-run.ts';
import { foretold, resultOf, sentences, shortId } from './results.ts';
import { trackingChange } from './tracking.ts';

/** How the commit that is there would become the wanted one. */
function actionOf({ isForward }: CheckoutFacts): string {
  if (isForward === undefined) return 'updated';
  return isForward ? 'fast-forwarded' : 'hard-reset';
}

/** The result of test mode, with what would be done. */
function conclusion(run: LatestRun, { isWanted }: CheckoutFacts, actions: readonly string[]): StateResult {
  const { args, progress } = run;
  if (progress.changes.size > 0) return foretold(progress, sentences(actions));
  if (!isWanted && !args.update_head && actions.length > 0)
    return resultOf(progress, true, sentences(actions));
  return upToDate(run, actions);
}

/** What would be done with another address of the remote. */
function foretellAddress(run: LatestRun, facts: CheckoutFacts): StateResult {
  const { args, progress, remote, wanted } = run;
  const from = facts.fetchUrl === undefined ? 'None' : redacted(facts.fetchUrl);
  const actions = [`Remote '${remote}' would be changed from ${from} to ${redacted(run.fetchUrl)}`];
  if (!facts.hasCommit) actions.push('Remote would be fetched');
  if (!facts.isWanted && args.update_head) {
    progress.changes.set('revision', dict({ old: facts.rev ?? null, new: wanted.commit }));
    if (facts.isForward === false) progress.changes.set('forced update', true);
    actions.push(`Repository would be ${actionOf(facts)} to ${shortId(wanted.commit)}`);
  }
  return conclusion(run, facts, actions);
}

/** What would become of the commit or the branch that is checked out. */
function foretellMove(run: LatestRun, facts: CheckoutFacts): string[] {
  const { args, wanted, forceReset } = run;
  const to = shortId(wanted.commit);
  if (facts.isBranchChange) {
    const branch = args.branch ?? '';
    if (!facts.isNewBranch)
      return [`Branch '${branch}' would be checked out and ${actionOf(facts)} to ${to}`];
    const made = `New branch '${branch}' would be checked out, with ${wanted.place} as a starting point`;
    return wanted.upstream === undefined
      ? [made]
      : [made, `Tracking branch would be set to ${wanted.upstream}`];
  }
  if (facts.isWanted) return [];
  const from = shortId(facts.rev);
  if (!args.update_head)
    return [
      `Local HEAD (${from}) does not match ${wanted.place} but update_head=False, HEAD would not be updated locally`,
    ];
  const isReset = forceReset !== false && facts.hasCommit;
  const action = facts.isForward === true ? 'fast-forwarded' : isReset ? 'hard-reset' : 'updated';
  return [`Repository would be ${action} from ${from} to ${to}`];
}

/** Says what would be done; nothing is changed. */
export function foretellLatest(run: LatestRun, facts: CheckoutFacts): StateResult {
  const { args, progress, remote, wanted, target, fetchUrl } = run;
  if (wanted.commit === undefined)
    // Salt compat: Salt takes the text apart into letters with dots between them
    return upToDate(run, run.isBare ? [`Bare repository at ${target} would be fetched`] : []);
  if (facts.fetchUrl !== fetchUrl) return foretellAddress(run, facts);
  const actions = facts.hasCommit ? [] : [`Remote '${remote}' would be fetched`];
  if (!facts.isWanted && (args.update_head || facts.isBranchChange))
    progress.changes.set('revision', dict({ old: facts.rev ?? null, new: wanted.commit }));
  actions.push(...foretellMove(run, facts));
  const tracking = trackingChange(wanted, facts.upstream, false);
  if (tracking !== undefined) actions.push(tracking.foretold);
  return conclusion(run, facts, actions);
}
