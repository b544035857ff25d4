/** `file.hardlink`. Follows 3006.16 salt/states/file.py `hardlink`. */
import { rmSync } from 'node:fs';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { dirName, isDir, isFile, pathExists } from '../../../python/paths.ts';
import { opt, textArgument } from '../../shared/file-params.ts';
import { dict, truthy, valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { askedUser, linkObstacles, ownerOrMinions } from './checks.ts';
import { FileOutcome } from './outcome.ts';
import { param } from '../../../runtime/loader/params.ts';
import { OWNER_PARAMS, S } from './params.ts';
import { fileStats } from '../../shared/file-answers.ts';

async function isHardLink(ctx: StateContext, name: string): Promise<boolean> {
  return truthy(await ctx.functions.call('file.is_hardlink', [name]));
}

async function inodeOf(ctx: StateContext, path: string): Promise<Value> {
  return (await fileStats(ctx, [path, null], { follow_symlinks: false }))?.get('inode') ?? null;
}

async function isSameFile(ctx: StateContext, name: string, target: string): Promise<boolean> {
  const inode = await inodeOf(ctx, name);
  return inode !== null && valuesEqual(inode, await inodeOf(ctx, target));
}

/** Test mode: what would change. */
async function foretell(
  ctx: StateContext,
  { name, target, force }: { readonly name: string; readonly target: string; readonly force: boolean },
  outcome: FileOutcome,
): Promise<Dict> {
  if (!pathExists(target)) return outcome.fail(`Target ${target} for hard link does not exist`);
  if (isDir(target)) return outcome.fail(`Unable to hard link from directory ${target}`);
  if (isDir(name)) return outcome.fail(`Unable to hard link to directory ${name}`);
  if (!pathExists(name)) {
    outcome.changes.set('new', name);
    return outcome.end(null, `Hard link ${name} to ${target} is set for creation`);
  }
  if (await isHardLink(ctx, name)) {
    if (await isSameFile(ctx, name, target))
      return outcome.end(true, `The hard link ${name} is presently targetting ${target}`);
    outcome.changes.set('change', name);
    return outcome.end(null, `Link ${name} target is set to be changed to ${target}`);
  }
  return force
    ? outcome.end(
        null,
        `The file or directory ${name} is set for removal to make way for a new hard link targeting ${target}`,
      )
    : outcome.fail(
        `File or directory exists where the hard link ${name} should be. Did you mean to use force?`,
      );
}

/** What stands in the way; the parent folder is created when that is asked for. */
async function obstacle(
  ctx: StateContext,
  { name, target }: { readonly name: string; readonly target: string },
  makedirs: boolean,
  owner: Dict,
): Promise<string | undefined> {
  if (isDir(name)) return `Unable to hard link to directory ${name}`;
  if (isDir(target)) return `Unable to hard link from directory ${target}`;
  if (!pathExists(target)) return `Target ${target} for hard link does not exist`;
  if (isDir(dirName(name))) return undefined;
  if (!makedirs) return `Directory ${dirName(name)} for hard link is not present`;
  await ctx.functions.call('file.makedirs', [name], owner);
  return undefined;
}

async function link(ctx: StateContext, name: string, target: string, outcome: FileOutcome): Promise<Dict> {
  const isChanged = await isHardLink(ctx, name);
  if (isChanged) {
    if (await isSameFile(ctx, name, target))
      return outcome.end(true, `Target of hard link ${name} is already pointing to ${target}`);
    rmSync(name);
  } else if (pathExists(name)) {
    return outcome.ret;
  }
  try {
    await ctx.functions.call('file.link', [target, name]);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    const what = isChanged ? 'set target of hard link' : 'create new hard link';
    return outcome.fail(`Unable to ${what} ${name} -> ${target}: ${error.message}`);
  }
  outcome.changes.set('new', name);
  return outcome.end(true, `${isChanged ? 'Set target of' : 'Created new'} hard link ${name} -> ${target}`);
}

/** The state `hardlink`. */
export const hardlinkStates = {
  hardlink: defineState({
    doc: 'Makes sure that a file has one more name.',
    params: {
      name: S.file_name,
      target: param.by(textArgument, { type: 'str', doc: 'The file.' }),
      force: opt(S.force, false),
      makedirs: opt(S.makedirs, false),
      ...OWNER_PARAMS,
      dir_mode: opt(S.dir_mode, null),
    },
    kwargs: 'kwargs',
    run: async (ctx, args, kwargs) => {
      const { name } = args;
      const outcome = new FileOutcome(name);
      if (name === '') return outcome.fail('Must provide name to file.hardlink');
      const { target } = args;
      const asked = { user: askedUser(ctx, args.user, kwargs), group: args.group };
      const owner = await ownerOrMinions(ctx, asked);
      const obstacles = await linkObstacles(ctx, owner, [
        ['file', name],
        ['target', target],
      ]);
      if (obstacles !== '') return outcome.fail(obstacles);
      const { force } = args;
      if (ctx.state.test) return foretell(ctx, { name, target, force }, outcome);
      const folderOwner = dict({ ...owner, mode: args.dir_mode });
      const inTheWay = await obstacle(ctx, { name, target }, args.makedirs, folderOwner);
      if (inTheWay !== undefined) return outcome.fail(inTheWay);
      if (isFile(name) && !(await isHardLink(ctx, name))) {
        if (!force) return outcome.fail(`File exists where the hard link ${name} should be`);
        rmSync(name);
        outcome.changes.set('forced', 'File for hard link was forcibly replaced');
      }
      return link(ctx, name, target, outcome);
    },
  }),
};
