/** `git.latest` where there is no checkout yet (3006.16 salt/states/git.py). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { listFolder } from '../../../host/file-operations.ts';
import { isDir } from '../../../python/paths.ts';
import { dict } from '../../../python/values/value.ts';
import { redacted } from '../module/credentials.ts';
import type { StateResult } from '../../shared/state-function.ts';
import { emptyFolder } from './arguments.ts';
import type { LatestRun } from './latest-run.ts';
import { isRevision } from './remote-revision.ts';
import { arrow, failed, foretold, reasonOf, resultOf, sentences } from './results.ts';
import { trackingChange, upstreamOf } from './tracking.ts';

/** Makes room for a clone. @returns a result when that is the end of it */
function makeRoom({ ctx, args, progress, target }: LatestRun): StateResult | undefined {
  if (!isDir(target)) return undefined;
  if (args.force_clone) {
    if (ctx.state.test) {
      progress.changes.set('forced clone', true).set('new', arrow(redacted(args.name), target));
      return foretold(
        progress,
        `Target directory ${target} exists. Since force_clone=True, the contents of ${target} would be deleted, and ${redacted(args.name)} would be cloned into this directory.`,
      );
    }
    const kept = emptyFolder(target);
    if (kept !== undefined) return failed(progress, kept);
    progress.changes.set('forced clone', true);
    return undefined;
  }
  return listFolder(target).length === 0
    ? undefined
    : failed(
        progress,
        `Target '${target}' exists, is non-empty and is not a git repository. Set the 'force_clone' option to True to remove this directory's contents and proceed with cloning the remote repository`,
      );
}

async function clone({ args, git, target, remote, identity, saltenv, wanted }: LatestRun): Promise<void> {
  const kind = args.mirror ? ['--mirror'] : args.bare ? ['--bare'] : [];
  const origin = remote === 'origin' ? [] : ['--origin', remote];
  const depth = args.depth === undefined ? [] : ['--depth', args.depth, '--branch', wanted.rev];
  const { https_user = null, https_pass = null } = args;
  await git.call('clone', [target, args.name], {
    ...{ opts: [...kind, ...origin, ...depth], identity, https_user, https_pass, saltenv },
  });
}

/** Checks the wanted revision out. @returns a result when that is impossible */
async function checkOut(run: LatestRun): Promise<StateResult | undefined> {
  const { args, git, progress, target, wanted } = run;
  const { rev, kind, commit, upstream, place } = wanted;
  if (commit === undefined) return undefined;
  if (kind === 'tag' && !(await git.list('list_tags', [target])).includes(rev))
    return failed(progress, `Revision '${rev}' does not exist in clone`);
  const { branch } = args;
  if (branch !== undefined && !(await git.list('list_branches', [target])).includes(branch)) {
    const start = rev === 'HEAD' ? commit : (upstream ?? rev);
    await git.call('checkout', [target, start], { opts: ['-b', branch] });
    progress.comments.push(`Branch '${branch}' checked out, with ${place} as a starting point`);
  }
  const [localRev, localBranch] = [await git.revision(target), await git.branch(target)];
  if (localBranch === undefined && !wanted.hasHead)
    return failed(
      progress,
      "Remote HEAD refers to a ref that does not exist. This can happen when the default branch on the remote repository is renamed or deleted. If you are unable to fix the remote repository, you can work around this by setting the 'branch' argument (which will ensure that the named branch is created if it does not already exist).",
    );
  if (!isRevision(localRev, wanted)) {
    await git.call('reset', [target], { opts: ['--hard', commit] });
    progress.comments.push(`Repository was reset to ${place}`);
  }
  const now = await upstreamOf(git, target, localBranch);
  const change = trackingChange(wanted, now, false);
  if (change?.opts !== undefined) {
    await git.call('branch', [target], { opts: change.opts });
    progress.comments.push(change.comment);
  }
  return undefined;
}

/** Updates submodules. @returns a result when that fails */
export async function updateSubmodules(run: LatestRun): Promise<StateResult | undefined> {
  const { args, git, progress, target, identity, saltenv } = run;
  if (!args.submodules) return undefined;
  try {
    await git.call('submodule', [target, 'update'], { opts: ['--init', '--recursive'], identity, saltenv });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return failed(progress, `Failed to update submodules: ${reasonOf(error)}`);
  }
}

/** Clones the repository. */
export async function cloneLatest(run: LatestRun): Promise<StateResult> {
  const { ctx, args, git, progress, target, isBare, wanted } = run;
  const ended = makeRoom(run);
  if (ended !== undefined) return ended;
  const name = redacted(args.name);
  const { changes, comments } = progress;
  if (ctx.state.test) {
    changes.set('new', arrow(name, target));
    return foretold(progress, `Repository ${name} would be cloned to ${target}`);
  }
  try {
    await clone(run);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return failed(progress, `Clone failed: ${reasonOf(error)}`);
  }
  changes.set('new', arrow(name, target));
  const kind = args.mirror ? ' as mirror' : args.bare ? ' as bare repository' : '';
  comments.push(`${name} cloned to ${target}${kind}`);
  const refused = isBare ? undefined : await checkOut(run);
  if (refused !== undefined) return refused;
  const broken = wanted.commit === undefined ? undefined : await updateSubmodules(run);
  if (broken !== undefined) return broken;
  const commit = await git.revision(target);
  if (commit !== undefined) changes.set('revision', dict({ old: null, new: commit }));
  return resultOf(progress, true, sentences(comments));
}
