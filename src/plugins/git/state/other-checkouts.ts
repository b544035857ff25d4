/** `git.present` and `git.cloned` (3006.16 salt/states/git.py). */
import { rmSync, unlinkSync } from 'node:fs';
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { listFolder } from '../../../host/file-operations.ts';
import { isAbs, isDir, isFile, isLink, joinPath, pathExists } from '../../../python/paths.ts';
import { isOsError, osErrorText } from '../../../python/os-errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, type Value } from '../../../python/values/value.ts';
import type { TypedArguments } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { redacted } from '../module/credentials.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { ADDRESS, ENCODING, LOG_IN, RUN_AS } from './arguments.ts';
import { GitCalls } from './calls.ts';
import { placeRefusal, refRefusal, sharedRefusal } from './refusals.ts';
import { cloneRefusal } from './remote-check.ts';
import {
  arrow,
  failed,
  foretold,
  progressOf,
  reasonOf,
  resultOf,
  sentences,
  type Progress,
} from './results.ts';

/** The parameters of `git.present`. */
export const PRESENT = {
  name: param.text({ doc: 'The folder of the repository.' }),
  force: param.flag({
    default: false,
    doc: 'Remove a folder that is no repository, with all that is in it.',
  }),
  bare: param.flag({ default: true, doc: 'Without a working tree.' }),
  template: param.textOrNone({ default: null, doc: 'A folder of templates.' }),
  separate_git_dir: param.textOrNone({ default: null, doc: 'Where the repository itself is kept.' }),
  shared: param.value({ default: null, type: 'str', doc: 'Who may use it: `group`, `all`, a mode.' }),
  ...{ ...RUN_AS, ...ENCODING },
} as const;

type PresentArgs = TypedArguments<typeof PRESENT>;

async function isRepository(git: GitCalls, { name, bare }: PresentArgs): Promise<boolean> {
  if (bare) return isFile(joinPath(name, 'HEAD'));
  return isDir(joinPath(name, '.git')) || git.isTrue('is_worktree', [name]);
}

/** Makes room for a repository. @returns a result when that is the end of it */
function clearPlace(
  ctx: StateContext,
  { name, force, bare }: PresentArgs,
  progress: Progress,
): StateResult | undefined {
  if (!force)
    return listFolder(name).length === 0
      ? undefined
      : failed(
          progress,
          `Target '${name}' exists, is non-empty, and is not a git repository. Set the 'force' option to True to remove this directory's contents and proceed with initializing a repository`,
        );
  if (ctx.state.test) {
    progress.changes.set('new', name).set('forced init', true);
    return foretold(
      progress,
      `Target directory ${name} exists. Since force=True, the contents of ${name} would be deleted, and a ${bare ? 'bare ' : ''}repository would be initialized in its place.`,
    );
  }
  try {
    if (isLink(name)) unlinkSync(name);
    else rmSync(name, { recursive: true });
  } catch (error) {
    if (!isOsError(error)) throw error;
    return failed(progress, `Unable to remove ${name}: ${osErrorText(error)}`);
  }
  progress.changes.set('forced init', true);
  return undefined;
}

/**
 * Why the arguments of `git.present` cannot be used.
 * Salt compat: Salt makes the repository of a path that is no whole one below the home folder, at each run.
 */
export function presentRefusal({
  name,
  bare,
  separate_git_dir: apart = '',
}: Pick<PresentArgs, 'name' | 'bare' | 'separate_git_dir'>): string | undefined {
  if (!isAbs(name)) return `Target '${name}' is not an absolute path`;
  if (apart === '') return undefined;
  if (!isAbs(apart)) return `separate_git_dir '${apart}' is not an absolute path`;
  return bare ? 'separate_git_dir is not compatible with a bare repository: set bare to False' : undefined;
}

/** `git.present` */
export async function present(ctx: StateContext, args: PresentArgs): Promise<StateResult> {
  const { name, bare, template, separate_git_dir, shared } = args;
  const progress = progressOf(name);
  const git = new GitCalls(ctx, args);
  if (isDir(name)) {
    if (await isRepository(git, args)) return resultOf(progress, true, '');
    const ended = clearPlace(ctx, args, progress);
    if (ended !== undefined) return ended;
  }
  const kind = bare ? 'bare ' : '';
  const refused = sharedRefusal(shared) ?? placeRefusal(name);
  if (refused !== undefined) return failed(progress, refused);
  if (ctx.state.test) {
    progress.changes.set('new', name);
    return foretold(progress, `New ${kind}repository would be created`);
  }
  await git.call('init', [], {
    ...{ cwd: name, bare, shared, template: template ?? null, separate_git_dir: separate_git_dir ?? null },
  });
  progress.changes.set('new', name);
  const actions = [`Initialized ${kind}repository in ${name}`];
  if (template !== undefined && template !== '') actions.push(`Template directory set to ${template}`);
  if (separate_git_dir !== undefined && separate_git_dir !== '')
    actions.push(`Gitdir set to ${separate_git_dir}`);
  return resultOf(progress, true, sentences(actions));
}

/** The parameters of `git.cloned`. */
export const CLONED = {
  ...ADDRESS,
  target: param.value({ default: null, type: 'str', doc: 'The folder of the checkout.' }),
  branch: param.textOrNone({
    default: null,
    doc: 'The branch that is checked out; whichever it is without it.',
  }),
  ...{ ...RUN_AS, ...LOG_IN, ...ENCODING },
} as const;

type ClonedArgs = TypedArguments<typeof CLONED>;

/** One checkout that `git.cloned` is about. */
interface Cloning {
  readonly ctx: StateContext;
  readonly args: Omit<ClonedArgs, 'target'>;
  readonly git: GitCalls;
  readonly progress: Progress;
  readonly target: string;
}

async function cloneOnce({ ctx, args, git, progress, target }: Cloning): Promise<StateResult> {
  const { name, branch, identity, https_user = null, https_pass = null } = args;
  const shown = redacted(name);
  const how = branch === undefined ? '' : ` with branch '${branch}'`;
  if (ctx.state.test) {
    const refused = await cloneRefusal(ctx, git, { name, rev: branch, identity, https_user, https_pass });
    if (refused !== undefined) return failed(progress, refused);
    progress.changes.set('new', arrow(shown, target));
    return foretold(progress, `${shown} would be cloned to ${target}${how}`);
  }
  const opts = branch === undefined ? null : ['--branch', branch];
  try {
    await git.call('clone', [target, name], { opts, identity, https_user, https_pass });
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return failed(progress, `Clone failed: ${reasonOf(error)}`);
  }
  progress.changes.set('new', arrow(shown, target));
  return resultOf(progress, true, `${shown} cloned to ${target}${how}`);
}

async function changeBranch(cloning: Cloning, from: string, branch: string): Promise<StateResult> {
  const { ctx, git, progress, target } = cloning;
  const note = (): void => void progress.changes.set('branch', dict({ old: from, new: branch }));
  if (ctx.state.test) {
    note();
    return foretold(progress, `Branch would be changed to '${branch}'`);
  }
  const isHere = (await git.textIfAny('rev_parse', [target], { rev: branch })) !== undefined;
  try {
    await git.call('checkout', [target], {
      rev: isHere ? branch : `origin/${branch}`,
      opts: isHere ? null : ['-b', branch],
    });
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return failed(progress, `Failed to change branch to '${branch}': ${error.message}`);
  }
  note();
  return resultOf(progress, true, `Branch changed to '${branch}'`);
}

/**
 * Whether a tag of this name is checked out. Salt compat: Salt takes each tag for a change of the branch, at each run.
 */
async function isAtTag({ git, target }: Cloning, name: string): Promise<boolean> {
  const tagged = await git.textIfAny('rev_parse', [target], { rev: `refs/tags/${name}^{commit}` });
  return tagged !== undefined && tagged === (await git.revision(target));
}

/** Why the arguments of `git.cloned` cannot be used. */
function refusal(target: Value, branch: string | undefined): string | undefined {
  if (target === null) return "'target' argument is required";
  if (!isAbs(pyStr(target))) return "'target' path must be absolute";
  if (branch === '') return "Invalid 'branch' argument";
  return refRefusal('branch', branch) ?? placeRefusal(pyStr(target));
}

/** `git.cloned` */
export async function cloned(ctx: StateContext, args: ClonedArgs): Promise<StateResult> {
  const progress = progressOf(args.name);
  const refused = refusal(args.target, args.branch);
  if (refused !== undefined) return resultOf(progress, false, refused);
  const [target, git] = [pyStr(args.target), new GitCalls(ctx, args)];
  const cloning: Cloning = { ctx, args, git, progress, target };
  if (!pathExists(target)) return cloneOnce(cloning);
  try {
    await git.call('status', [target]);
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    return resultOf(progress, false, messageOf(error));
  }
  const { branch } = args;
  const there = `Repository already exists at ${target}`;
  if (branch === undefined) return resultOf(progress, true, there);
  const current = await git.text('current_branch', [target]);
  if (current === branch)
    return resultOf(progress, true, `${there} and is checked out to branch '${branch}'`);
  // on no branch
  if (current === 'HEAD' && (await isAtTag(cloning, branch)))
    return resultOf(progress, true, `${there} and is checked out to tag '${branch}'`);
  return changeBranch(cloning, current, branch);
}
