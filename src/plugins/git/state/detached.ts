/** `git.detached` (3006.16 salt/states/git.py): a checkout of one commit, on no branch. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { listFolder } from '../../../host/file-operations.ts';
import { isAbs, isDir, isFile, joinPath } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { TypedArguments } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { redacted } from '../module/credentials.ts';
import { stateEnvironment } from '../../shared/state-environment.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { ADDRESS, checkedIdentity, emptyFolder, ENCODING, LOG_IN, RUN_AS } from './arguments.ts';
import { GitCalls } from './calls.ts';
import { addressWithLogIn } from './latest-run.ts';
import { placeRefusal, refRefusal } from './refusals.ts';
import { cloneRefusal } from './remote-check.ts';
import { looksLikeId } from './remote-revision.ts';
import {
  failed,
  foretold,
  keywordRefusal,
  progressOf,
  reasonOf,
  resultOf,
  sentences,
  troubleOf,
  type Progress,
} from './results.ts';

/** The parameters of `git.detached`. */
export const DETACHED = {
  ...ADDRESS,
  rev: param.value({ type: 'str', doc: 'The branch, tag or commit.' }),
  target: param.value({ type: 'str', doc: 'The folder of the checkout.' }),
  remote: param.text({ default: 'origin', doc: 'The name of the remote.' }),
  ...RUN_AS,
  force_clone: param.flag({ default: false, doc: 'Empty a folder that is no checkout.' }),
  force_checkout: param.flag({ default: false, doc: 'Discard changes when another commit is checked out.' }),
  fetch_remote: param.flag({ default: true, doc: 'Fetch before looking for a branch or a tag.' }),
  hard_reset: param.flag({ default: false, doc: 'Discard changes in any case.' }),
  submodules: param.flag({ default: false, doc: 'Update submodules.' }),
  ...{ ...LOG_IN, ...ENCODING },
} as const;

type DetachedArgs = TypedArguments<typeof DETACHED>;

/** What the steps share. */
interface DetachedRun {
  readonly ctx: StateContext;
  readonly args: DetachedArgs;
  readonly git: GitCalls;
  readonly progress: Progress;
  readonly target: string;
  readonly rev: string;
  readonly isId: boolean;
  readonly identity: Value;
  readonly saltenv: string;
}

function refusal({ rev, target, remote }: DetachedArgs, kwargs: Dict): string | undefined {
  const keywords = keywordRefusal(kwargs);
  if (keywords !== undefined) return keywords;
  if (!truthy(rev)) return `'${pyStr(rev)}' is not a valid value for the 'rev' argument`;
  if (!truthy(target)) return `'${pyStr(target)}' is not a valid value for the 'target' argument`;
  if (!isAbs(pyStr(target))) return `Target '${pyStr(target)}' is not an absolute path`;
  return refRefusal('remote', remote);
}

/** What was found in a checkout, for the steps behind. */
interface Found {
  readonly commit: string | undefined;
  readonly hasId: boolean;
}

async function lookAtCheckout(run: DetachedRun): Promise<Found | StateResult> {
  const { ctx, args, git, progress, target, rev, isId } = run;
  const { name, remote, https_user = null, https_pass = null } = args;
  const commit = await git.revision(target);
  if (isId) return { commit, hasId: (await git.textIfAny('describe', [target, rev])) !== undefined };
  const current = (await git.fetchUrls(target)).get(remote);
  if (current?.includes(name) === true) return { commit, hasId: false };
  const shown = redacted(name);
  if (ctx.state.test) return foretold(progress, `Remote ${remote} would be set to ${shown}`);
  await git.call('remote_set', [target], { url: name, remote, https_user, https_pass });
  const before = current === undefined ? 'None' : redacted(current);
  progress.comments.push(`Remote ${remote} updated from '${before}' to '${shown}'`);
  return { commit, hasId: false };
}

/** Makes room for a clone. @returns a result when that is the end of it */
function makeRoom({ ctx, args, progress, target }: DetachedRun): StateResult | undefined {
  const inTheWay = placeRefusal(target);
  if (inTheWay !== undefined) return failed(progress, inTheWay);
  if (!isDir(target)) return undefined;
  if (!args.force_clone)
    return listFolder(target).length === 0
      ? undefined
      : failed(
          progress,
          `Target '${target}' exists, is non-empty and is not a git repository. Set the 'force_clone' option to True to remove this directory's contents and proceed with cloning the remote repository`,
        );
  if (ctx.state.test)
    return foretold(
      progress,
      `Target directory ${target} exists. Since force_clone=True, the contents of ${target} would be deleted, and ${redacted(args.name)} would be cloned into this directory.`,
    );
  const kept = emptyFolder(target);
  if (kept !== undefined) return failed(progress, kept);
  progress.changes.set('forced clone', true);
  return undefined;
}

async function clone(run: DetachedRun): Promise<StateResult | undefined> {
  const { ctx, args, git, progress, target, identity, saltenv } = run;
  const ended = makeRoom(run);
  if (ended !== undefined) return ended;
  const shown = redacted(args.name);
  const { name, remote, https_user = null, https_pass = null } = args;
  if (ctx.state.test) {
    const refused = await cloneRefusal(ctx, git, { name, rev: run.rev, identity, https_user, https_pass });
    return refused === undefined
      ? foretold(progress, `Repository ${shown} would be cloned to ${target}`)
      : failed(progress, refused);
  }
  const opts = ['--no-checkout', ...(remote === 'origin' ? [] : ['--origin', remote])];
  try {
    await git.call('clone', [target, name], { opts, identity, https_user, https_pass, saltenv });
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    return failed(progress, redacted(troubleOf(error)));
  }
  progress.comments.push(`${shown} cloned to ${target}`);
  return undefined;
}

async function fetch(run: DetachedRun): Promise<StateResult | undefined> {
  const { ctx, args, git, progress, target, identity, saltenv } = run;
  const { remote } = args;
  if (ctx.state.test) return foretold(progress, `Repository remote ${remote} would be fetched`);
  const refspecs = [`refs/heads/*:refs/remotes/${remote}/*`, '+refs/tags/*:refs/tags/*'];
  try {
    const found = await git.mapping('fetch', [target], { remote, force: true, refspecs, identity, saltenv });
    if (found.size > 0) progress.comments.push(`Remote ${remote} was fetched, resulting in updated refs`);
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return failed(progress, `Fetch failed:\n\n${error.message}`);
  }
}

/** The commit that is to be checked out, or the failure to find it. */
async function commitOf(run: DetachedRun): Promise<string | StateResult> {
  const { args, git, progress, target, rev, isId, identity } = run;
  const missing = resultOf(progress, false, `Revision '${rev}' does not exist`);
  if (isId) return (await git.text('describe', [target, rev])) === '' ? missing : rev;
  const { remote, https_user = null, https_pass = null } = args;
  try {
    const refs = await git.mapping('remote_refs', [target], { identity, https_user, https_pass });
    // an annotated tag is an object of its own: what it points to is the commit
    const tag = refs.get(`refs/tags/${rev}^{}`) ?? refs.get(`refs/tags/${rev}`);
    const found = refs.get(`refs/remotes/${remote}/${rev}`) ?? tag;
    return found === undefined ? missing : pyStr(found);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return resultOf(progress, false, `Failed to list refs for ${remote}: ${reasonOf(error)}`);
  }
}

/** Checks the commit out. @returns the commit that is checked out now, undefined when it was already; or a result */
async function checkOut(
  run: DetachedRun,
  wanted: string,
  current: string | undefined,
): Promise<string | undefined | StateResult> {
  const { ctx, args, git, progress, target } = run;
  if (args.hard_reset) {
    if (ctx.state.test) return foretold(progress, `Hard reset to HEAD would be performed on ${target}`);
    await git.call('reset', [target], { opts: ['--hard', 'HEAD'] });
    progress.comments.push('Repository was reset to HEAD before checking out revision');
  }
  // Salt compat: Salt compares the beginning of an id, too, as if it were a whole one, and checks out at each run.
  const commit = (await git.textIfAny('rev_parse', [target], { rev: `${wanted}^{commit}` })) ?? wanted;
  if (commit === current) return undefined;
  if (ctx.state.test) {
    progress.changes.set('HEAD', dict({ old: current ?? null, new: wanted }));
    return foretold(progress, `Commit ID ${wanted} would be checked out at ${target}`);
  }
  await git.call('checkout', [target, wanted], { force: args.force_checkout });
  progress.comments.push(`Commit ID ${wanted} was checked out at ${target}`);
  return git.revision(target);
}

async function apply(run: DetachedRun): Promise<StateResult> {
  const { ctx, args, git, progress, target, identity } = run;
  const isThere = isDir(joinPath(target, '.git')) || (await git.isTrue('is_worktree', [target]));
  const found = isThere ? await lookAtCheckout(run) : await clone(run);
  if (found !== undefined && 'comment' in found) return found;
  const { commit, hasId } = found ?? { commit: undefined, hasId: false };
  const unfetched = hasId || !args.fetch_remote ? undefined : await fetch(run);
  if (unfetched !== undefined) return unfetched;
  const wanted = await commitOf(run);
  if (typeof wanted !== 'string') return wanted;
  const now = await checkOut(run, wanted, commit);
  if (typeof now === 'object') return now;
  if (args.submodules && !ctx.state.test) {
    await git.call('submodule', [target, 'update'], { opts: ['--init', '--recursive'], identity });
    progress.comments.push('Submodules were updated');
  }
  if (now === undefined) progress.comments.push('Already checked out at correct revision');
  else progress.changes.set('HEAD', dict({ old: commit ?? null, new: now }));
  return resultOf(progress, true, sentences(progress.comments));
}

/** `git.detached` */
export async function detached(ctx: StateContext, args: DetachedArgs, kwargs: Dict): Promise<StateResult> {
  const progress = progressOf(args.name);
  const refused = refusal(args, kwargs);
  if (refused !== undefined) return failed(progress, refused);
  const saltenv = stateEnvironment(ctx);
  const keys = await checkedIdentity(ctx, args.identity, { word: 'Identity', saltenv });
  if (keys.refusal !== undefined) return failed(progress, keys.refusal);
  const [target, given] = [pyStr(args.target), pyStr(args.rev)];
  if (isFile(target))
    return failed(progress, `Target '${target}' exists and is a regular file, cannot proceed`);
  const address = addressWithLogIn(args.name, args);
  if ('refusal' in address) return failed(progress, address.refusal);
  const isId = looksLikeId(given);
  const { identity } = keys;
  const git = new GitCalls(ctx, args);
  const rev = isId ? given.toLowerCase() : given;
  return apply({ ctx, args, git, progress, target, rev, isId, identity, saltenv });
}
