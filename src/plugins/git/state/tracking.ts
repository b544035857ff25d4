/** Which branch of the remote a local branch tracks, and changing that (3006.16 salt/states/git.py). */
import type { GitCalls } from './calls.ts';
import type { RemoteRevision } from './remote-revision.ts';

/** How tracking is changed, and what is said about it. */
export interface TrackingChange {
  /** Options of `git branch`; undefined where checking a new branch out does it. */
  readonly opts: string[] | undefined;
  /** What was done: `Tracking branch was set to origin/main`. */
  readonly comment: string;
  /** What would be done. */
  readonly foretold: string;
}

/** The branch that a local one tracks. */
export async function upstreamOf(
  git: GitCalls,
  target: string,
  branch: string | undefined,
): Promise<string | undefined> {
  if (branch === undefined) return undefined;
  const found = await git.textIfAny('rev_parse', [target, `${branch}@{upstream}`], {
    opts: ['--abbrev-ref'],
  });
  return found === '' ? undefined : found;
}

/**
 * What is to be done about tracking.
 * @param upstream what is tracked now
 * @param isNewBranch the branch does not exist yet, and tracks from the moment it is checked out
 */
export function trackingChange(
  { upstream: wanted, isUntracked }: RemoteRevision,
  upstream: string | undefined,
  isNewBranch: boolean,
): TrackingChange | undefined {
  if (wanted === undefined) {
    if (upstream === undefined || !isUntracked || isNewBranch) return undefined;
    const said = (words: string): string => `Tracking branch ${words} unset`;
    return { opts: ['--unset-upstream'], comment: said('was'), foretold: said('would be') };
  }
  if (upstream === wanted) return undefined;
  const verb = upstream === undefined ? 'set' : 'updated';
  return {
    opts: isNewBranch ? undefined : ['--set-upstream-to', wanted],
    comment: `Tracking branch was ${verb} to ${wanted}`,
    foretold: `Tracking branch would be ${verb} to ${wanted}`,
  };
}
