/** `git.latest` (3006.16 salt/states/git.py): a checkout that is as its remote is. */
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { isAbs, isDir, joinPath } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Dict } from '../../../python/values/value.ts';
import { redacted } from '../module/credentials.ts';
import { mayBeMade } from '../../shared/made-earlier.ts';
import { stateEnvironment } from '../../shared/state-environment.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { checkedIdentity } from './arguments.ts';
import { GitCalls } from './calls.ts';
import { failed, foretold, keywordRefusal, progressOf, reasonOf, troubleOf } from './results.ts';
import { addressWithLogIn, type LatestArgs, type LatestRun } from './latest-run.ts';
import { placeRefusal, refRefusal } from './refusals.ts';
import { remoteRevision } from './remote-revision.ts';
import { cloneLatest } from './latest-clone.ts';
import { updateLatest } from './latest-update.ts';

/** Why the arguments cannot be used. */
function refusal({ remote, target, rev, branch, force_reset }: LatestArgs, kwargs: Dict): string | undefined {
  const keywords = keywordRefusal(kwargs);
  if (keywords !== undefined) return keywords;
  if (!truthy(remote)) return "'remote' argument is required";
  if (!truthy(target)) return "'target' argument is required";
  if (!truthy(rev)) return `'${pyStr(rev)}' is not a valid value for the 'rev' argument`;
  if (force_reset !== true && force_reset !== false && force_reset !== 'remote-changes')
    return "'force_reset' must be one of True, False, or 'remote-changes'";
  if (!isAbs(pyStr(target))) return `target '${pyStr(target)}' is not an absolute path`;
  return refRefusal('branch', branch) ?? refRefusal('remote', remote);
}

async function isCheckout(git: GitCalls, target: string, isBare: boolean): Promise<boolean> {
  return isDir(joinPath(target, isBare ? 'refs' : '.git')) || git.isTrue('is_worktree', [target]);
}

/** What can be said against a revision that the remote does not have. */
function revisionRefusal({ args, wanted, isBare }: LatestRun): string | undefined {
  if (args.depth !== undefined && wanted.kind !== 'branch' && wanted.kind !== 'tag')
    return "When 'depth' is used, 'rev' must be set to the name of a branch or tag on the remote repository";
  return wanted.commit === undefined && !isBare && wanted.rev !== 'HEAD'
    ? `No revision matching '${wanted.rev}' exists in the remote repository`
    : undefined;
}

/** `git.latest` */
export async function latest(ctx: StateContext, args: LatestArgs, kwargs: Dict): Promise<StateResult> {
  const progress = progressOf(args.name);
  const refused = refusal(args, kwargs);
  if (refused !== undefined) return failed(progress, refused);
  const saltenv = stateEnvironment(ctx);
  const keys = await checkedIdentity(ctx, args.identity, { word: 'identity', saltenv });
  if (keys.refusal !== undefined) return failed(progress, keys.refusal);
  const { identity } = keys;
  const [target, rev, remote] = [pyStr(args.target), pyStr(args.rev), pyStr(args.remote)];
  const git = new GitCalls(ctx, args);
  const largeFiles = await ctx.functions.call('git.config_get_regexp', ['filter\\.lfs\\.'], {
    global: true,
    ignore_retcode: true,
  });
  const inTheWay = placeRefusal(target);
  if (inTheWay !== undefined) return failed(progress, inTheWay);
  const address = addressWithLogIn(args.name, args);
  if ('refusal' in address) return failed(progress, address.refusal);
  const isBare = args.bare || args.mirror;
  if (rev !== 'HEAD' && isBare)
    return failed(progress, "'rev' is not compatible with the 'mirror' and 'bare' arguments");
  let refs: Dict;
  try {
    const { https_user = null, https_pass = null } = args;
    refs = await git.mapping('remote_refs', [args.name], { identity, https_user, https_pass, saltenv });
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    if (mayBeMade(ctx))
      return foretold(
        progress,
        `${redacted(args.name)} is to be made by an earlier state, and would be cloned then`,
      );
    return failed(progress, `Failed to check remote refs: ${reasonOf(error)}`);
  }
  const forceReset = args.force_reset === 'remote-changes' ? args.force_reset : args.force_reset === true;
  const run: LatestRun = {
    ...{ ctx, args, git, progress, target, remote, isBare, forceReset, identity, saltenv },
    fetchUrl: address.url,
    refspecs: args.fetch_tags
      ? [
          `refs/heads/${args.refspec_branch}:refs/remotes/${remote}/${args.refspec_branch}`,
          `+refs/tags/${args.refspec_tag}:refs/tags/${args.refspec_tag}`,
        ]
      : [],
    lfs: truthy(largeFiles) ? { identity } : {},
    wanted: remoteRevision(refs, { rev, remote, isBare }),
  };
  const unknown = revisionRefusal(run);
  if (unknown !== undefined) return failed(progress, unknown);
  const step = (await isCheckout(git, target, isBare)) ? updateLatest : cloneLatest;
  try {
    return await step(run);
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    ctx.log.error(`Unexpected exception in git.latest state: ${redacted(messageOf(error))}`);
    return failed(progress, redacted(troubleOf(error)));
  }
}
