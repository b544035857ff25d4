/** `git.latest` where there is a checkout already (3006.16 salt/states/git.py). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { compareText } from '../../../python/values/order.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict } from '../../../python/values/value.ts';
import { redacted } from '../module/credentials.ts';
import type { StateResult } from '../../shared/state-function.ts';
import { updateSubmodules } from './latest-clone.ts';
import {
  checkoutFacts,
  followsFrom,
  headIsKept,
  notForward,
  upToDate,
  type CheckoutFacts,
} from './latest-facts.ts';
import { foretellLatest } from './latest-foretold.ts';
import type { LatestRun } from './latest-run.ts';
import { isRevision } from './remote-revision.ts';
import { arrow, failed, reasonOf, resultOf, sentences } from './results.ts';
import { trackingChange } from './tracking.ts';

/** Sets the address of the remote, where it is another one. */
async function setAddress(run: LatestRun, { fetchUrl }: CheckoutFacts): Promise<void> {
  const { args, git, progress, target, remote } = run;
  if (fetchUrl === run.fetchUrl) return;
  const { name, https_user = null, https_pass = null } = args;
  await git.call('remote_set', [target], { url: name, remote, https_user, https_pass });
  const shown = redacted(run.fetchUrl);
  if (fetchUrl === undefined) {
    progress.comments.push(`Remote '${remote}' set to ${shown}`);
    progress.changes.set('new', arrow(redacted(name), remote));
  } else progress.comments.push(`Remote '${remote}' changed from ${redacted(fetchUrl)} to ${shown}`);
}

/** Removes tags that the remote does not have. */
async function removeTags({ git, progress, target }: LatestRun, tags: readonly string[]): Promise<void> {
  const removed: string[] = [];
  for (const tag of tags)
    try {
      await git.call('tag', [target, tag], { opts: '-d' });
      removed.push(tag);
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      progress.warnings.push(`Failed to remove local tag '${tag}':\n\n${error.message}\n\n`);
    }
  if (removed.length === 0) return;
  progress.changes.set('deleted_tags', removed);
  progress.comments.push(`The following tags were removed from the local checkout: ${removed.join(', ')}`);
}

/** Makes tags those of the remote, as far as no fetch is needed. @returns true when they were the same */
async function syncTags(run: LatestRun, { tags }: CheckoutFacts): Promise<boolean> {
  const { args, git, progress, target, remote, identity, saltenv } = run;
  const listed = await git.mapping('ls_remote', [], {
    ...{ cwd: target, remote, opts: '--tags', identity, saltenv, ignore_retcode: true },
  });
  const there = new Set(
    [...listed.keys()]
      .map(pyStr)
      .filter((ref) => !ref.includes('^{}'))
      .map((ref) => ref.replace('refs/tags/', '')),
  );
  // a clone of few commits has only the tags of these. Salt compat: Salt takes the others for new ones at its next run,
  // and fetches all that the clone was to be spared
  const fresh = args.depth === undefined ? [...there].filter((tag) => !tags.has(tag)).sort(compareText) : [];
  const gone = [...tags].filter((tag) => !there.has(tag)).sort(compareText);
  if (fresh.length > 0) progress.changes.set('new_tags', fresh);
  if (args.sync_tags) await removeTags(run, gone);
  return fresh.length === 0 && gone.length === 0;
}

/** Fetches from the remote. @returns whether that has brought anything, or the failure */
async function fetchRemote(run: LatestRun): Promise<boolean | StateResult> {
  const { args, git, progress, target, remote, refspecs, identity, saltenv } = run;
  try {
    const found = await git.mapping('fetch', [target], {
      ...{ remote, force: args.force_fetch, refspecs, identity, saltenv },
    });
    return found.size > 0;
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return failed(
      progress,
      `Fetch failed. Set 'force_fetch' to True to force the fetch if the failure was due to not being able to fast-forward. Output of the fetch command follows:\n\n${reasonOf(error)}`,
    );
  }
}

/** Fetches the wanted commit. @returns whether it follows the one that is there, or the result */
async function fetchCommit(run: LatestRun, facts: CheckoutFacts): Promise<boolean | StateResult> {
  const { args, git, progress, target, wanted, forceReset } = run;
  const { commit = '' } = wanted;
  const brought = await fetchRemote(run);
  if (typeof brought !== 'boolean') return brought;
  const name = redacted(args.name);
  if (brought) progress.comments.push(`${name} was fetched, resulting in updated refs`);
  try {
    await git.call('rev_parse', [target, `${commit}^{commit}`], { ignore_retcode: true });
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return failed(
      { ...progress, comments: [] },
      `Fetch did not successfully retrieve rev '${wanted.rev}' from ${name}: ${error.message}`,
    );
  }
  if (!facts.isWanted && !args.update_head && !facts.isBranchChange) return headIsKept(run, facts);
  const isForward = facts.baseRev === undefined || (await followsFrom(run, [facts.baseRev, commit], false));
  return forceReset === false && (!isForward || facts.hasChanges) ? notForward(run, facts) : isForward;
}

/** Checks another branch out. @returns a result when changes are in the way */
async function changeBranch(run: LatestRun, facts: CheckoutFacts): Promise<StateResult | undefined> {
  const { args, git, progress, target, wanted } = run;
  const { branch = '', force_checkout: force } = args;
  if (!facts.isBranchChange) return undefined;
  if (facts.hasChanges && !force)
    return failed(
      { ...progress, comments: [] },
      `Local branch '${facts.branch ?? 'None'}' has uncommitted changes. Set 'force_checkout' to True to discard them and proceed.`,
    );
  if (!facts.isNewBranch) {
    await git.call('checkout', [target, branch], { force, opts: [] });
    progress.comments.push(`'${branch}' was checked out`);
    return undefined;
  }
  const start = wanted.rev === 'HEAD' ? wanted.commit : (wanted.upstream ?? wanted.rev);
  await git.call('checkout', [target, start ?? ''], { force, opts: ['-b', branch] });
  progress.comments.push(`New branch '${branch}' was checked out, with ${wanted.place} as a starting point`);
  return undefined;
}

/** Discards what is in the way of the wanted commit. */
async function discard(run: LatestRun, { hasChanges }: CheckoutFacts, isForward: boolean): Promise<void> {
  const { git, progress, target, wanted, forceReset, lfs } = run;
  const { comments } = progress;
  if (!isForward) {
    await git.call('reset', [target], { opts: ['--hard', wanted.commit ?? ''], ...lfs });
    progress.changes.set('forced update', true);
    if (hasChanges) comments.push('Uncommitted changes were discarded');
    comments.push(`Repository was hard-reset to ${wanted.place}`);
  } else if (hasChanges && forceReset !== false) {
    await git.call('discard_local_changes', [target]);
    comments.push('Uncommitted changes were discarded');
  }
}

/** Moves what is checked out forward. @returns a result when there is no branch to move */
async function moveForward(run: LatestRun): Promise<StateResult | undefined> {
  const { git, progress, target, wanted, lfs } = run;
  const { rev, commit = '', upstream, place } = wanted;
  if (upstream === undefined && rev !== 'HEAD') {
    await git.call('reset', [target], { opts: ['--hard', rev], ...lfs });
    progress.comments.push(`Repository was reset to ${rev} (fast-forward)`);
    return undefined;
  }
  const head = await git.text('symbolic_ref', [target, 'HEAD'], { opts: ['--quiet'], ignore_retcode: true });
  if (head === '') return failed(progress, 'Unable to fast-forward, HEAD is detached');
  await git.call('merge', [target], { rev: commit, opts: ['--ff-only'], ...lfs });
  progress.comments.push(`Repository was fast-forwarded to ${place}`);
  return undefined;
}

/** Updates a checkout to the wanted commit. @returns a result when that is the end of it */
async function updateCheckout(run: LatestRun, facts: CheckoutFacts): Promise<StateResult | undefined> {
  const { git, progress, target, wanted } = run;
  await setAddress(run, facts);
  const tracking = trackingChange(wanted, facts.upstream, facts.isNewBranch);
  if (tracking?.opts !== undefined && facts.branch === undefined)
    return failed(
      progress,
      "Cannot set/unset upstream tracking branch, local HEAD refers to nonexistent branch. This may have been caused by cloning a remote repository for which the default branch was renamed or deleted. If you are unable to fix the remote repository, you can work around this by setting the 'branch' argument (which will ensure that the named branch is created if it does not already exist).",
    );
  const hasSameTags = await syncTags(run, facts);
  const followed = hasSameTags && facts.hasCommit ? facts.isForward : await fetchCommit(run, facts);
  if (typeof followed === 'object') return followed;
  const refused = await changeBranch(run, facts);
  if (refused !== undefined) return refused;
  const isForward = followed === true;
  await discard(run, facts, isForward);
  if (tracking?.opts !== undefined) {
    await git.call('branch', [target], { opts: tracking.opts });
    progress.comments.push(tracking.comment);
  }
  const stuck = isForward && !isRevision(facts.baseRev, wanted) ? await moveForward(run) : undefined;
  return stuck ?? updateSubmodules(run);
}

async function updateBare(run: LatestRun): Promise<StateResult | undefined> {
  const brought = await fetchRemote(run);
  if (typeof brought !== 'boolean') return brought;
  const more = brought ? ', resulting in updated refs' : '';
  run.progress.comments.push(`Bare repository at ${run.target} was fetched${more}`);
  return undefined;
}

/** Updates the checkout. */
export async function updateLatest(run: LatestRun): Promise<StateResult> {
  const { ctx, git, progress, target, isBare, wanted } = run;
  const facts = await checkoutFacts(run);
  if ('comment' in facts) return facts;
  if (ctx.state.test && (wanted.commit !== undefined || isBare)) return foretellLatest(run, facts);
  const ended = isBare
    ? await updateBare(run)
    : wanted.commit === undefined
      ? undefined
      : await updateCheckout(run, facts);
  if (ended !== undefined) return ended;
  const commit = await git.revision(target);
  if (!isBare && !isRevision(commit, wanted)) return failed(progress, 'Failed to update repository');
  if (commit === facts.rev) return upToDate(run, progress.comments);
  progress.changes.set('revision', dict({ old: facts.rev ?? null, new: commit ?? null }));
  return resultOf(progress, true, sentences(progress.comments));
}
