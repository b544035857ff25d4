/** `file.directory`: a folder with owner and mode. Follows 3006.16 salt/states/file.py `directory`. */
import { renameSync, rmSync } from 'node:fs';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { dirName, isAbs, isDir, isFile, isLink, linkExists, pathExists } from '../../../python/paths.ts';
import { param } from '../../../runtime/loader/params.ts';
import { expandUser } from '../../../host/expand-user.ts';
import { depthOf, opt } from '../../shared/file-params.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { askedUser, missingOwner } from './checks.ts';
import { folderChanges, insideOf, isNamed, recurses, recurseSet, type FolderWish } from './folder-checks.ts';
import { cleanFolder, keptByRequired } from './keep.ts';
import { FileRefusal, untilRefused } from './managed-contents.ts';
import { FileOutcome } from './outcome.ts';
import { OWNER_PARAMS, S, wantedMode, type ArgsOf } from './params.ts';
import { gidOf, uidOf } from '../../shared/accounts.ts';
import { checkedPermissions } from '../../shared/file-answers.ts';

/** The parameters of `file.directory`. */
export const DIRECTORY_PARAMS = {
  name: S.name,
  ...OWNER_PARAMS,
  recurse: opt(
    param.by(recurseSet, {
      type: 'list',
      doc: 'What is made so below the folder, too: user, group, mode; ignore_files, ignore_dirs, silent.',
    }),
    null,
  ),
  max_depth: opt(param.by(depthOf, { type: 'int', doc: 'How many levels recurse goes down.' }), null),
  dir_mode: opt(
    param.by(wantedMode, { type: 'str', doc: 'The mode of folders; `mode` says the same.' }),
    null,
  ),
  file_mode: opt(
    param.by(wantedMode, { type: 'str', doc: 'The mode of files below; as dir_mode when it is not given.' }),
    null,
  ),
  makedirs: opt(S.makedirs, false),
  clean: opt(S.clean, false),
  require: opt(S.require, null),
  exclude_pat: opt(S.exclude_pat, null),
  follow_symlinks: opt(S.follow_symlinks, false),
  force: opt(S.force, false),
  backupname: opt(S.backupname, null),
  allow_symlink: opt(param.flag({ doc: 'A link to a folder counts as one.' }), true),
  children_only: opt(param.flag({ doc: 'Leave the folder itself alone.' }), false),
  win_owner: opt(param.value({ type: 'str', doc: 'For Windows; without effect here.' }), null),
  win_perms: opt(param.value({ type: 'dict', doc: 'For Windows; without effect here.' }), null),
  win_deny_perms: opt(param.value({ type: 'dict', doc: 'For Windows; without effect here.' }), null),
  win_inheritance: opt(param.flag({ doc: 'For Windows; without effect here.' }), true),
  win_perms_reset: opt(param.flag({ doc: 'For Windows; without effect here.' }), false),
} as const;

type DirectoryArguments = ArgsOf<typeof DIRECTORY_PARAMS>;

/** Manages a folder, for the state and for `file.recurse`. */
export async function manageFolder(
  ctx: StateContext,
  args: DirectoryArguments,
  kwargs: Dict = new Map(),
): Promise<Dict> {
  const outcome = new FileOutcome(args.name);
  return untilRefused(
    () => manage(ctx, args, kwargs, outcome),
    (comment, result) => outcome.end(result, comment),
  );
}

function folderName(name: string): string {
  return name.endsWith('/') && name !== '/' ? name.slice(0, -1) : name;
}

async function manage(
  ctx: StateContext,
  args: DirectoryArguments,
  kwargs: Dict,
  outcome: FileOutcome,
): Promise<Dict> {
  const wish = await wishOf(ctx, args, kwargs);
  if (await clearWay(ctx, wish.name, args, outcome)) return outcome.ret;
  const foretold = await folderChanges(ctx, wish);
  for (const [path, change] of foretold.changes) outcome.changes.set(path, change);
  // what stands in the way hides what the folder would be
  if (ctx.state.test && foretold.result === true && outcome.changes.has('forced'))
    return outcome.end(null, `${pyStr(outcome.changes.get('forced') ?? '')}: ${wish.name} is to be a folder`);
  if (ctx.state.test || outcome.changes.size === 0) return outcome.end(foretold.result, foretold.comment);
  if (!isDir(wish.name)) return createFolder(ctx, wish, args.makedirs, outcome);
  const { name, user, group, dirMode, followLinks } = wish;
  if (!wish.childrenOnly)
    await checkPermissions(ctx, outcome, [name, user, group, dirMode, null, followLinks]);
  const errors = recurses(wish) ? await applyInside(ctx, wish, outcome) : [];
  if (wish.clean) {
    const kept = await keptByRequired(ctx, name, wish.require);
    const removed = await cleanFolder(ctx, name, kept, wish.excludePattern);
    if (removed.length > 0) {
      outcome.changes.set('removed', removed);
      outcome.comment = `Files cleaned from directory ${name}`;
    }
  }
  return summary(wish, errors, outcome);
}

async function wishOf(ctx: StateContext, args: DirectoryArguments, kwargs: Dict): Promise<FolderWish> {
  const name = folderName(args.name);
  if (name === '') throw new FileRefusal('Must provide name to file.directory');
  const { clean } = args;
  if (args.max_depth !== undefined && clean) throw new FileRefusal('Cannot specify both max_depth and clean');
  const user = askedUser(ctx, args.user, kwargs);
  const dirMode =
    kwargs.has('mode') && !args.dir_mode.isGiven ? wantedMode(kwargs.get('mode') ?? null) : args.dir_mode;
  const missing = await missingOwner(ctx, { user, group: args.group });
  if (missing !== '') throw new FileRefusal(missing);
  if (!isAbs(name)) throw new FileRefusal(`Specified file ${name} is not an absolute path`);
  return {
    name,
    user,
    group: args.group,
    recurse: args.recurse,
    dirMode: dirMode.digits,
    fileMode: args.file_mode.isGiven ? args.file_mode.digits : dirMode.digits,
    clean,
    require: args.require,
    excludePattern: args.exclude_pat,
    maxDepth: args.max_depth,
    followLinks: args.follow_symlinks,
    childrenOnly: args.children_only,
  };
}

/**
 * Renames or removes what is where the folder is to be.
 * @returns true when the state has ended with that, as in test mode
 * @throws FileRefusal when it is not to be removed
 */
async function clearWay(
  ctx: StateContext,
  name: string,
  args: DirectoryArguments,
  outcome: FileOutcome,
): Promise<boolean> {
  const { force } = args;
  const leadsNowhere = isLink(name) && !pathExists(name);
  const isInTheWay = isFile(name) || ((!args.allow_symlink || force || leadsNowhere) && isLink(name));
  if (!isInTheWay) return false;
  if (args.backupname !== undefined)
    return backUp(ctx, name, expandUser(args.backupname), { force, outcome });
  if (!force) {
    throw new FileRefusal(
      isFile(name)
        ? `Specified location ${name} exists and is a file`
        : `Specified location ${name} exists and is a symlink${leadsNowhere ? ' that leads nowhere' : ''}`,
    );
  }
  const what = isFile(name) ? 'File' : isLink(name) ? 'Symlink' : 'Directory';
  if (ctx.state.test) {
    outcome.changes.set('forced', `${what} would be forcibly replaced`);
    return false;
  }
  if (what === 'File') rmSync(name);
  else await ctx.functions.call('file.remove', [name]);
  outcome.changes.set('forced', `${what} was forcibly replaced`);
  return false;
}

async function backUp(
  ctx: StateContext,
  name: string,
  backup: string,
  { force, outcome }: { readonly force: boolean; readonly outcome: FileOutcome },
): Promise<boolean> {
  if (linkExists(backup)) {
    if (!force) throw new FileRefusal(`File exists where the backup target ${backup} should go`);
    if (ctx.state.test)
      outcome.changes.set('forced', `Existing file at backup path ${backup} would be removed`);
    else await ctx.functions.call('file.remove', [backup]);
  }
  if (!ctx.state.test) {
    renameSync(name, backup);
    return false;
  }
  outcome.changes.set('backup', `${name} would be renamed to ${backup}`);
  outcome.changes.set(name, dict({ directory: 'new' }));
  outcome.end(null, `${name} would be backed up and replaced with a new directory`);
  return true;
}

async function createFolder(
  ctx: StateContext,
  { name, user, group, dirMode }: FolderWish,
  makesParents: boolean,
  outcome: FileOutcome,
): Promise<Dict> {
  const owner = dict({ user, group, mode: dirMode });
  if (!isDir(dirName(name))) {
    if (!makesParents) return outcome.fail(`No directory to create ${name} in`);
    await ctx.functions.call('file.makedirs', [], new Map([['path', name], ...owner]));
  }
  await ctx.functions.call('file.mkdir', [name], owner);
  if (!isDir(name)) return outcome.fail(`Failed to create directory ${name}`);
  outcome.changes.set(name, dict({ directory: 'new' }));
  return outcome.ret;
}

async function checkPermissions(ctx: StateContext, outcome: FileOutcome, args: Value[]): Promise<void> {
  const [name = null, ...rest] = args;
  outcome.adopt((await checkedPermissions(ctx, [name, outcome.ret, ...rest])).ret);
}

/** Makes what is below the folder so as well. @returns what went wrong */
async function applyInside(ctx: StateContext, wish: FolderWish, outcome: FileOutcome): Promise<string[]> {
  const set = wish.recurse;
  if (typeof set === 'string') {
    outcome.fail(set);
    return [];
  }
  const user = set.has('user') ? wish.user : null;
  const group = set.has('group') ? wish.group : null;
  await checkOwner(ctx, wish, set, outcome);
  if (set.has('silent')) outcome.changes = dict({ recursion: 'Changes silenced' });
  const modes = set.has('mode') ? wish : { dirMode: null, fileMode: null };
  const errors: string[] = [];
  for (const { path, isFolder } of insideOf(wish.name, wish.maxDepth)) {
    if (set.has(isFolder ? 'ignore_dirs' : 'ignore_files')) continue;
    const leadsNowhere = isLink(path) && !pathExists(path);
    const mode = leadsNowhere ? null : isFolder ? modes.dirMode : modes.fileMode;
    try {
      await checkPermissions(ctx, outcome, [path, user, group, mode, null, wish.followLinks]);
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      if (!error.message.startsWith('Path not found')) errors.push(error.message);
    }
  }
  return errors;
}

async function checkOwner(
  ctx: StateContext,
  { user, group }: FolderWish,
  set: ReadonlySet<string>,
  outcome: FileOutcome,
): Promise<void> {
  const missing = (what: string): string =>
    `${what} not specified, but configured as a target for recursive ownership management`;
  if (set.has('user')) {
    if (!isNamed(user)) outcome.fail(missing('user'));
    else if ((await uidOf(ctx, [user])) === undefined)
      outcome.fail(`Failed to enforce ownership for user ${pyStr(user)} (user does not exist)`);
  }
  if (set.has('group')) {
    if (!isNamed(group)) outcome.fail(missing('group'));
    else if ((await gidOf(ctx, [group])) === undefined)
      outcome.fail(`Failed to enforce group ownership for group ${pyStr(group)}`);
  }
}

function summary({ name, childrenOnly }: FolderWish, errors: readonly string[], outcome: FileOutcome): Dict {
  if (outcome.comment === '') {
    if (childrenOnly) outcome.comment = `Directory ${name}/* updated`;
    else if (outcome.changes.size > 0) outcome.comment = `Directory ${name} updated`;
  }
  if (outcome.changes.size === 0 && outcome.succeeds) {
    const before = outcome.comment;
    outcome.comment = [`Directory ${name} is in the correct state`, ...(before === '' ? [] : [before])].join(
      '\n',
    );
  }
  if (errors.length > 0) {
    const lines = errors.map((error) => `\n- ${error}`).join('');
    outcome.fail(`${outcome.comment}\n\nThe following errors were encountered:\n${lines}`);
  }
  return outcome.ret;
}

/** The state `directory`. */
export const directoryStates = {
  directory: defineState({
    doc: 'Makes sure that there is a folder, with owner and mode, and that what is in it has them.',
    params: DIRECTORY_PARAMS,
    kwargs: 'kwargs',
    run: (ctx, args, kwargs) => manageFolder(ctx, args, kwargs),
  }),
};
