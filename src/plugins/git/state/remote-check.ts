/**
 * In test mode: whether a repository can be cloned, and has what is asked for.
 * Salt compat: only `git.latest` asks the remote there; the others promise clones of what does not exist.
 */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { Value } from '../../../python/values/value.ts';
import { mayBeMade } from '../../shared/made-earlier.ts';
import type { StateContext } from '../../shared/state-function.ts';
import type { GitCalls } from './calls.ts';
import { looksLikeId } from './remote-revision.ts';
import { reasonOf } from './results.ts';

/** What is to be cloned. */
export interface CloneWish {
  /** The address, as `git clone` takes it. */
  readonly name: string;
  /** A branch, a tag or a commit; nothing in particular without it. */
  readonly rev: string | undefined;
  readonly identity: Value;
  readonly https_user: Value;
  readonly https_pass: Value;
}

/** Why a clone would fail; undefined where an earlier state of the run may bring what it needs. */
export async function cloneRefusal(
  ctx: StateContext,
  git: GitCalls,
  { name, rev, ...logIn }: CloneWish,
): Promise<string | undefined> {
  if (mayBeMade(ctx)) return undefined;
  try {
    const refs = await git.mapping('remote_refs', [name], { ...logIn });
    if (rev === undefined || looksLikeId(rev)) return undefined;
    const names = new Set([...refs.keys()].map(pyStr));
    return names.has(`refs/heads/${rev}`) || names.has(`refs/tags/${rev}`)
      ? undefined
      : `Revision '${rev}' does not exist`;
  } catch (error) {
    if (error instanceof CommandExecutionError) return `Failed to check remote refs: ${reasonOf(error)}`;
    throw error;
  }
}
