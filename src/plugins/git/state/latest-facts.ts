/** What there is in a checkout that `git.latest` is to update (3006.16 salt/states/git.py). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import type { StateResult } from '../../shared/state-function.ts';
import type { LatestRun } from './latest-run.ts';
import { isRevision } from './remote-revision.ts';
import { failed, foretold, notedChanges, reasonOf, resultOf, sentences, shortId } from './results.ts';
import { upstreamOf } from './tracking.ts';

/** The checkout as it was found. */
export interface CheckoutFacts {
  readonly branches: readonly string[];
  readonly tags: ReadonlySet<string>;
  /** The commit and the branch that are checked out. */
  readonly rev: string | undefined;
  readonly branch: string | undefined;
  /** The commit and the branch that will be, once another branch is checked out. */
  readonly baseRev: string | undefined;
  readonly baseBranch: string | undefined;
  /** Another branch is to be checked out. */
  readonly isBranchChange: boolean;
  /** That branch does not exist yet. */
  readonly isNewBranch: boolean;
  /** The commit is the wanted one. */
  readonly isWanted: boolean;
  readonly hasChanges: boolean;
  readonly upstream: string | undefined;
  /** Where the remote is fetched from now. */
  readonly fetchUrl: string | undefined;
  /** The wanted commit is here, and needs no fetching. */
  readonly hasCommit: boolean;
  /** The wanted commit follows the one that is there; undefined as long as it was not fetched. */
  readonly isForward: boolean | undefined;
}

/** A checkout that is as it should be. */
export function upToDate(run: LatestRun, comments: readonly string[], hasChanges = false): StateResult {
  const { ctx, progress, target } = run;
  const kept = hasChanges
    ? ", but with uncommitted changes. Set 'force_reset' to True to purge uncommitted changes."
    : '';
  return resultOf(progress, true, `Repository ${target} is up-to-date${kept}${notedChanges(ctx, comments)}`);
}

/** What `git.latest` says when it must not move what is checked out. */
export function headIsKept(
  { progress, wanted }: LatestRun,
  { rev }: { readonly rev: string | undefined },
): StateResult {
  const place =
    wanted.rev === 'HEAD'
      ? wanted.place.charAt(0).toUpperCase() + wanted.place.slice(1).toLowerCase()
      : wanted.place;
  return resultOf(
    progress,
    true,
    `${place} is already present and local HEAD (${shortId(rev)}) does not match, but update_head=False. HEAD has not been updated locally.`,
  );
}

/** How a forced update could be avoided. */
function branchAdvice({ args, wanted }: LatestRun, branch: string | undefined): string {
  if (args.branch !== undefined) return '';
  const { rev, defaultBranch } = wanted;
  const local = branch ?? 'None';
  if (rev !== 'HEAD')
    return local === rev
      ? ''
      : ` The desired rev (${rev}) differs from the name of the local branch (${local}), if the desired rev is a branch name then a forced update could possibly be avoided by setting the 'branch' argument to '${rev}' instead.`;
  if (defaultBranch === undefined || local === defaultBranch) return '';
  return ` The default remote branch (${defaultBranch}) differs from the local branch (${local}). This could be caused by changing the default remote branch, or if the local branch was manually changed. Rather than forcing an update, it may be advisable to set the 'branch' argument to '${defaultBranch}' instead. To ensure that this state follows the '${defaultBranch}' branch instead of the remote HEAD, set the 'rev' argument to '${defaultBranch}'.`;
}

/** A failure: commits or changes of the checkout would be lost. */
export function notForward(
  run: LatestRun,
  facts: Pick<CheckoutFacts, 'baseRev' | 'branch' | 'isBranchChange' | 'hasChanges'>,
): StateResult {
  const { hasChanges, isBranchChange, branch } = facts;
  const [from, to] = [shortId(facts.baseRev), shortId(run.wanted.commit)];
  const where = hasChanges && from !== to ? `from ${from} to ${to}` : `to ${to}`;
  const after = isBranchChange ? ` (after checking out local branch '${run.args.branch ?? ''}')` : '';
  const why = hasChanges ? 'there are uncommitted changes' : 'this is not a fast-forward merge';
  const [or, and] = hasChanges ? [" (or 'remote-changes')", ' and discard these changes'] : ['', ''];
  return failed(
    run.progress,
    `Repository would be updated ${where}${after}, but ${why}. Set 'force_reset' to True${or} to force this update${and}.${branchAdvice(run, branch)}`,
  );
}

/** The commit and the branch that an update starts from, or the failure to find them. */
async function baseOf(
  { args, git, progress, target, wanted }: LatestRun,
  { branches, rev, branch }: Pick<CheckoutFacts, 'branches' | 'rev' | 'branch'>,
): Promise<Pick<CheckoutFacts, 'baseRev' | 'baseBranch' | 'isBranchChange' | 'isNewBranch'> | StateResult> {
  const isBranchChange = args.branch !== undefined && args.branch !== branch;
  if (!isBranchChange || args.branch === undefined)
    return { baseRev: rev, baseBranch: branch, isBranchChange, isNewBranch: isAbsent(args.branch, branches) };
  if (!branches.includes(args.branch))
    return { baseRev: wanted.commit, baseBranch: branch, isBranchChange, isNewBranch: true };
  try {
    const opts = { ignore_retcode: true };
    const baseRev = await git.text('rev_parse', [target, `${args.branch}^{commit}`], opts);
    return { baseRev, baseBranch: args.branch, isBranchChange, isNewBranch: false };
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return failed(progress, `Unable to get position of local branch '${args.branch}': ${reasonOf(error)}`);
  }
}

function isAbsent(branch: string | undefined, branches: readonly string[]): boolean {
  return branch !== undefined && !branches.includes(branch);
}

async function hasLocalChanges({ ctx, git, target, isBare }: LatestRun): Promise<boolean> {
  if (isBare) return false;
  try {
    return (await git.text('diff', [target, 'HEAD'])) !== '';
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    ctx.log.warning(`git.latest: Unable to determine if ${target} has local changes`);
    return false;
  }
}

/** Whether the wanted commit is here, or why it must not be fetched. */
async function findsCommit(
  run: LatestRun,
  { baseRev, tags, hasRemote }: Pick<CheckoutFacts, 'baseRev' | 'tags'> & { readonly hasRemote: boolean },
): Promise<boolean | StateResult> {
  const { git, progress, target, wanted, forceReset } = run;
  const { commit, kind, upstream, rev } = wanted;
  if (commit === undefined) return false;
  if (kind === 'sha1' && baseRev?.startsWith(commit) === true) return true;
  if ((await git.textIfAny('rev_parse', [target, `${commit}^{commit}`])) === undefined) return false;
  if (kind === 'sha1') return true;
  if (kind === 'branch')
    return hasRemote && (await git.textIfAny('rev_parse', [target, upstream ?? ''])) === commit;
  if (!tags.has(rev)) return false;
  const here = await git.textIfAny('rev_parse', [target, `${rev}^{commit}`]);
  if (here === commit) return true;
  return forceReset === false
    ? failed(
        progress,
        `'${rev}' is a tag, but the remote SHA1 for this tag (${shortId(commit)}) doesn't match the local SHA1 (${shortId(here)}). Set 'force_reset' to True to force this update.`,
      )
    : false;
}

/** True when one commit follows the other. */
export async function followsFrom(
  { git, target }: LatestRun,
  refs: readonly [from: string, to: string],
  ignoreRetcode: boolean,
): Promise<boolean> {
  return git.isTrue('merge_base', [target], {
    ...{ refs: [...refs], is_ancestor: true, ignore_retcode: ignoreRetcode },
  });
}

/** What is to be said about changes in a checkout that is as it should be otherwise. */
function uncommitted(run: LatestRun): StateResult | undefined {
  const { ctx, progress, target, forceReset } = run;
  if (forceReset !== true) return upToDate(run, progress.comments, true);
  if (!ctx.state.test) return undefined;
  progress.changes.set('forced update', true);
  return foretold(
    progress,
    `${target} is up-to-date, but with uncommitted changes. Since 'force_reset' is set to True, these local changes would be reset. To only reset when there are changes in the remote repository, set 'force_reset' to 'remote-changes'.${sentences(progress.comments)}`,
  );
}

const isResult = (value: object): value is StateResult => 'comment' in value;

/** Looks at a checkout. @returns what there is, or the result when nothing can or need be done */
export async function checkoutFacts(run: LatestRun): Promise<CheckoutFacts | StateResult> {
  const { args, git, progress, target, remote, isBare, wanted, forceReset } = run;
  const branches = await git.list('list_branches', [target]);
  const tags = new Set(await git.list('list_tags', [target]));
  const [rev, branch] = [await git.revision(target), await git.branch(target)];
  if (!isBare && wanted.commit === undefined && rev !== undefined)
    return failed(
      progress,
      'Remote repository is empty, cannot update from a non-empty to an empty repository',
    );
  const base = await baseOf(run, { branches, rev, branch });
  if (isResult(base)) return base;
  const urls = await git.fetchUrls(target);
  const isWanted = isRevision(rev, wanted);
  const hasChanges = await hasLocalChanges(run);
  const said = hasChanges && isWanted ? uncommitted(run) : undefined;
  if (said !== undefined) return said;
  const { baseRev, baseBranch } = base;
  // a new branch starts at the wanted commit, which may not have been fetched
  const known = base.isBranchChange && base.isNewBranch ? undefined : baseRev;
  const hasCommit = await findsCommit(run, { baseRev: known, tags, hasRemote: urls.has(remote) });
  if (typeof hasCommit !== 'boolean') return hasCommit;
  if (hasCommit && !isWanted && !args.update_head && (args.branch === undefined || args.branch === branch))
    return headIsKept(run, { rev });
  let isForward: boolean | undefined = hasChanges && forceReset !== 'remote-changes' ? false : undefined;
  if (hasCommit && isForward === undefined)
    isForward = baseRev === undefined || (await followsFrom(run, [baseRev, wanted.commit ?? ''], true));
  if (isForward === false && forceReset === false) return notForward(run, { ...base, branch, hasChanges });
  const upstream = await upstreamOf(git, target, baseBranch);
  const fetchUrl = urls.get(remote);
  return {
    ...{
      branches,
      tags,
      rev,
      branch,
      ...base,
      isWanted,
      hasChanges,
      upstream,
      fetchUrl,
      hasCommit,
      isForward,
    },
  };
}
