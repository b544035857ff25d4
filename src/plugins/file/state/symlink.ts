/** `file.symlink`. Follows 3006.16 salt/states/file.py `symlink`. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import {
  baseName,
  dirName,
  isAbs,
  isDir,
  isFile,
  joinPath,
  linkExists,
  normPath,
  pathExists,
} from '../../../python/paths.ts';
import { isOsError } from '../../../python/os-errors.ts';
import { param } from '../../../runtime/loader/params.ts';
import { opt } from '../../shared/file-params.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, truthy, valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { askedUser, linkObstacles, ownerOrMinions, type Owner } from './checks.ts';
import { FileRefusal, untilRefused } from './managed-contents.ts';
import { errorText, FileOutcome } from './outcome.ts';
import { OWNER_PARAMS, S, type ArgsOf } from './params.ts';

/** The parameters of `file.symlink`. */
export const SYMLINK_PARAMS = {
  name: S.name,
  target: S.target,
  force: opt(S.force, false),
  backupname: opt(S.backupname, null),
  makedirs: opt(S.makedirs, false),
  ...OWNER_PARAMS,
  mode: opt({ ...S.mode, doc: 'The mode of folders that are created.' }, null),
  win_owner: opt(param.value({ type: 'str', doc: 'For Windows; without effect here.' }), null),
  win_perms: opt(param.value({ type: 'dict', doc: 'For Windows; without effect here.' }), null),
  win_deny_perms: opt(param.value({ type: 'dict', doc: 'For Windows; without effect here.' }), null),
  win_inheritance: opt(param.flag({ doc: 'For Windows; without effect here.' }), null),
  atomic: opt(param.flag({ doc: 'Take the place of what is there in one step.' }), false),
  disallow_copy_and_unlink: opt(
    param.flag({ doc: 'For backupname: only rename, never copy to another file system.' }),
    false,
  ),
  inherit_user_and_group: opt(
    param.flag({ doc: 'Where no owner is asked for, a link that is there keeps its owner.' }),
    false,
  ),
} as const;

type SymlinkArguments = ArgsOf<typeof SYMLINK_PARAMS>;

/** Makes a link, for the state and for `file.recurse`. */
export function makeSymlink(
  ctx: StateContext,
  args: SymlinkArguments,
  kwargs: Dict = new Map(),
): Promise<Dict> {
  const outcome = new FileOutcome(args.name);
  // `/srv/way/` is a folder to the system, which cannot be made a link
  const name = args.name.replace(/(?<=.)\/+$/, '');
  return untilRefused(
    () => make(ctx, { ...args, name }, kwargs, outcome),
    (comment, result) => outcome.end(result, comment),
  );
}

async function make(
  ctx: StateContext,
  args: SymlinkArguments,
  kwargs: Dict,
  outcome: FileOutcome,
): Promise<Dict> {
  const { name } = args;
  if (name === '') throw new FileRefusal('Must provide name to file.symlink');
  const { target, mode } = args;
  if (target === '') throw new FileRefusal('Must provide target to file.symlink');
  const owner = await wantedOwner(ctx, name, args, kwargs);
  const obstacles = await linkObstacles(ctx, owner, [['file', name]]);
  if (obstacles !== '') throw new FileRefusal(obstacles);
  if (ctx.state.test) return foretell(ctx, { name, target, owner }, args, outcome);
  const folder = dirName(name);
  if (!isDir(folder)) {
    if (!args.makedirs) throw new FileRefusal(`Directory ${folder} for symlink is not present`);
    await ctx.functions.call('file.makedirs', [], new Map([['path', name], ...dict({ ...owner, mode })]));
  }
  if (await isLinkTo(ctx, name, target)) return keepLink(ctx, name, owner, outcome);
  return replaceByLink(ctx, { name, target, owner }, args, outcome);
}

/** A link that is asked for. */
interface Wish {
  readonly name: string;
  readonly target: string;
  readonly owner: Owner;
}

/** A link, and where what is in its way goes. */
interface Backup extends Pick<Wish, 'name' | 'target'> {
  readonly backupname: string;
}

const backupIsThere = ({ name, target }: Pick<Wish, 'name' | 'target'>, backup: string): string =>
  `Symlink & backup dest exists and Force not set. ${name} -> ${target} - backup: ${backup}`;

async function wantedOwner(
  ctx: StateContext,
  name: string,
  args: SymlinkArguments,
  kwargs: Dict,
): Promise<Owner> {
  let [user, { group }] = [askedUser(ctx, args.user, kwargs), args];
  if (args.inherit_user_and_group && (user === null || group === null) && (await isLinkHere(ctx, name))) {
    const current = await currentOwner(ctx, name);
    user ??= current.user;
    group ??= current.group;
  }
  return ownerOrMinions(ctx, { user, group });
}

async function isLinkHere(ctx: StateContext, name: string): Promise<boolean> {
  return truthy(await ctx.functions.call('file.is_link', [name]));
}

async function currentOwner(ctx: StateContext, name: string): Promise<Owner> {
  const options = dict({ follow_symlinks: false });
  return {
    user: await ctx.functions.call('file.get_user', [name], options),
    group: await ctx.functions.call('file.get_group', [name], options),
  };
}

async function isOwnedBy(ctx: StateContext, name: string, owner: Owner): Promise<boolean> {
  const current = await currentOwner(ctx, name);
  const isSame = async (fun: string, found: Value, wanted: Value): Promise<boolean> =>
    valuesEqual(found, wanted) ||
    // a number is compared as one. Salt compat: Salt has it differ from the name each time, and fails
    (typeof wanted === 'number' && valuesEqual(await ctx.functions.call(fun, [found]), wanted));
  return (
    (await isSame('file.user_to_uid', current.user, owner.user)) &&
    isSame('file.group_to_gid', current.group, owner.group)
  );
}

async function giveTo(ctx: StateContext, name: string, { user, group }: Owner): Promise<boolean> {
  try {
    await ctx.functions.call('file.lchown', [name, user, group]);
  } catch (error) {
    if (!isOsError(error)) throw error;
  }
  return isOwnedBy(ctx, name, { user, group });
}

const ownerText = ({ user, group }: Owner): string => `${pyStr(user)}:${pyStr(group)}`;

/** Test mode: what would change. */
async function foretell(
  ctx: StateContext,
  wish: Wish,
  args: SymlinkArguments,
  outcome: FileOutcome,
): Promise<Dict> {
  await foretellLink(ctx, wish, args, outcome);
  const folder = dirName(wish.name);
  if (!isDir(folder)) {
    outcome.comment += args.makedirs
      ? `\n${folder} will be created`
      : `\nDirectory ${folder} for symlink is not present`;
  }
  return outcome.ret;
}

async function foretellLink(
  ctx: StateContext,
  { name, target, owner }: Wish,
  { force, atomic, backupname }: SymlinkArguments,
  outcome: FileOutcome,
): Promise<Dict> {
  if (!(await isLinkHere(ctx, name))) {
    if (!pathExists(name)) {
      outcome.changes.set('new', name);
      return outcome.end(null, `Symlink ${name} to ${target} is set for creation`);
    }
    if (backupname !== undefined) return foretellBackup({ name, target, backupname }, force, outcome);
    return force || atomic
      ? outcome.end(
          null,
          `The file or directory ${name} is set for removal to make way for a new symlink targeting ${target}`,
        )
      : outcome.fail(
          `File or directory exists where the symlink ${name} should be. Did you mean to use force?`,
        );
  }
  if ((await ctx.functions.call('file.readlink', [name])) !== target) {
    outcome.changes.set('change', name);
    return outcome.end(null, `Link ${name} target is set to be changed to ${target}`);
  }
  const sentence = `The symlink ${name} is present`;
  if (await isOwnedBy(ctx, name, owner)) return outcome.end(true, sentence);
  const current = ownerText(await currentOwner(ctx, name));
  outcome.changes.set('ownership', current);
  return outcome.end(
    null,
    `${sentence}, but the ownership of the symlink would be changed from ${current} to ${ownerText(owner)}`,
  );
}

/** Salt compat: Salt's test mode does not know of the backup, and says that the real run would fail. */
function foretellBackup({ name, target, backupname }: Backup, force: boolean, outcome: FileOutcome): Dict {
  const backup = backupPlace(name, backupname);
  if (linkExists(backup) && !force) throw new FileRefusal(backupIsThere({ name, target }, backup));
  outcome.changes.set('new', name);
  return outcome.end(
    null,
    `${kindOf(name)} ${name} is set to be renamed to ${backup} to make way for a new symlink targeting ${target}`,
  );
}

async function isLinkTo(ctx: StateContext, name: string, target: string): Promise<boolean> {
  if (!(await isLinkHere(ctx, name))) return false;
  const current = pyStr(await ctx.functions.call('file.readlink', [name]));
  return normPath(current) === normPath(target);
}

async function keepLink(ctx: StateContext, name: string, owner: Owner, outcome: FileOutcome): Promise<Dict> {
  const text = ownerText(owner);
  if (await isOwnedBy(ctx, name, owner))
    return outcome.end(true, `Symlink ${name} is present and owned by ${text}`);
  if (!(await giveTo(ctx, name, owner)))
    return outcome.fail(`Failed to set ownership of symlink ${name} to ${text}`);
  outcome.changes.set('ownership', text);
  return outcome.end(true, `Set ownership of symlink ${name} to ${text}`);
}

async function replaceByLink(
  ctx: StateContext,
  { name, target, owner }: Wish,
  args: SymlinkArguments,
  outcome: FileOutcome,
): Promise<Dict> {
  const [force, atomic] = [args.force, args.atomic];
  if (await isLinkHere(ctx, name)) {
    await ctx.functions.call('file.remove', [name]);
  } else if (pathExists(name)) {
    if (args.backupname !== undefined) await backUp(ctx, { name, target, backupname: args.backupname }, args);
    else if (!force && !atomic)
      throw new FileRefusal(`${kindOf(name)} exists where the symlink ${name} should be`);
    // Salt compat: Salt promises it, and fails since 3006
    else if (force && isDir(name)) await ctx.functions.call('file.remove', [name]);
  }
  try {
    await ctx.functions.call('file.symlink', [target, name], { force, atomic });
  } catch (error) {
    if (!(error instanceof CommandExecutionError) && !isOsError(error)) throw error;
    return outcome.fail(`Unable to create new symlink ${name} -> ${target}: ${errorText(error)}`);
  }
  outcome.comment = `Created new symlink ${name} -> ${target}`;
  outcome.changes.set('new', name);
  if (!(await isOwnedBy(ctx, name, owner)) && !(await giveTo(ctx, name, owner)))
    outcome.fail(`${outcome.comment}, but was unable to set ownership to ${ownerText(owner)}`);
  return outcome.ret;
}

function kindOf(path: string): string {
  if (isFile(path)) return 'File';
  return isDir(path) ? 'Directory' : 'File system entry';
}

/** @throws FileRefusal when what is in the way cannot be renamed */
async function backUp(
  ctx: StateContext,
  { name, target, backupname }: Backup,
  args: SymlinkArguments,
): Promise<void> {
  const backup = backupPlace(name, backupname);
  if (linkExists(backup)) {
    if (!args.force) throw new FileRefusal(backupIsThere({ name, target }, backup));
    await ctx.functions.call('file.remove', [backup]);
  }
  try {
    const options = dict({ disallow_copy_and_unlink: args.disallow_copy_and_unlink });
    await ctx.functions.call('file.move', [name, backup], options);
  } catch (error) {
    throw new FileRefusal(`Unable to rename ${name} to backup ${backup} -> : ${errorText(error)}`);
  }
}

function backupPlace(name: string, backup: string): string {
  if (isAbs(backup)) return backup;
  if (backup !== baseName(backup))
    throw new FileRefusal(`Backupname must be an absolute path or a file name: ${backup}`);
  return joinPath(dirName(normPath(name)), backup);
}

/** The state `symlink`. */
export const symlinkStates = {
  symlink: defineState({
    doc: 'Makes sure that there is a symbolic link.',
    params: SYMLINK_PARAMS,
    kwargs: 'kwargs',
    run: (ctx, args, kwargs) => makeSymlink(ctx, args, kwargs),
  }),
};
