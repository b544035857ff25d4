/** `file.copy` and `file.rename`. Follows 3006.16 salt/states/file.py. */
import { chmodSync, statSync, symlinkSync, unlinkSync } from 'node:fs';
import { diskRefusal } from '../../../host/disk-refusal.ts';
import { copyContent, copyTree, movePath, walk } from '../../../host/file-operations.ts';
import {
  baseName,
  dirName,
  expandVariables,
  isAbs,
  isDir,
  isFile,
  isLink,
  joinPath,
  linkExists,
  linkTarget,
  normPath,
  pathExists,
} from '../../../python/paths.ts';
import { isOsError } from '../../../python/os-errors.ts';
import { param } from '../../../runtime/loader/params.ts';
import { opt, pathOf } from '../../shared/file-params.ts';
import { statsOf } from '../module/stats.ts';
import { hashFile } from '../../shared/hash-kinds.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { askedUser, missingOwner, ownerOrMinions, type Owner } from './checks.ts';
import { FileRefusal, untilRefused } from './managed-contents.ts';
import { FileOutcome } from './outcome.ts';
import { OWNER_PARAMS, S, type ArgsOf } from './params.ts';
import { checkedPermissions } from '../../shared/file-answers.ts';

const MOVED_PARAMS = {
  name: S.name,
  source: param.by(pathOf, { type: 'str', doc: 'The path that is there.' }),
  force: opt(param.flag({ doc: 'Replace what is at the new place.' }), false),
  makedirs: opt(S.makedirs, false),
} as const;

const COPY_PARAMS = {
  ...MOVED_PARAMS,
  preserve: opt(param.flag({ doc: 'Keep the owner and mode that the source has.' }), false),
  ...OWNER_PARAMS,
  // as given: what folders get is made of its digits
  mode: opt(S.mode, null),
  dir_mode: opt(S.dir_mode, null),
  subdir: opt(param.flag({ doc: 'Copy into a folder that is there.' }), false),
} as const;

interface Facts extends Owner {
  readonly mode: Value;
}

/** @throws FileRefusal for a user or group that there is not */
async function factsFor(
  ctx: StateContext,
  source: string,
  args: ArgsOf<typeof COPY_PARAMS>,
  kwargs: Dict,
): Promise<Facts> {
  const fact = (name: string): Promise<Value> => ctx.functions.call(`file.get_${name}`, [source]);
  if (args.preserve)
    return { user: await fact('user'), group: await fact('group'), mode: await fact('mode') };
  const asked = { user: askedUser(ctx, args.user, kwargs), group: args.group };
  const owner = await ownerOrMinions(ctx, asked);
  const missing = await missingOwner(ctx, owner);
  if (missing !== '') throw new FileRefusal(missing);
  return { ...owner, mode: args.mode ?? (await fact('mode')) };
}

async function removeFirst(ctx: StateContext, name: string): Promise<void> {
  try {
    await ctx.functions.call('file.remove', [name], { force: true });
  } catch (error) {
    if (!isOsError(error)) throw error;
    throw new FileRefusal(`Failed to delete "${name}" in preparation for forced move`);
  }
}

async function copy(
  ctx: StateContext,
  args: ArgsOf<typeof COPY_PARAMS>,
  kwargs: Dict,
  outcome: FileOutcome,
): Promise<Dict> {
  const { source } = args;
  // a folder is copied to `/srv/new`, whether or not a slash follows
  let name = isDir(source) ? args.name.replace(/(?<=.)\/+$/, '') : args.name;
  if (name === '') throw new FileRefusal('Must provide name to file.copy');
  if (!isAbs(name)) throw new FileRefusal(`Specified file ${name} is not an absolute path`);
  if (!pathExists(source)) throw new FileRefusal(`Source file "${source}" is not present`);
  const facts = await factsFor(ctx, source, args, kwargs);
  outcome.comment = `Copied "${source}" to "${name}"`;
  if (isDir(name) && args.subdir) name = joinPath(name, baseName(source));
  if (linkExists(name)) {
    if (!args.force) return outcome.end(true, `The target file "${name}" exists and will not be overwritten`);
    if (await isCopyOf(source, name, facts)) return keepCopy(ctx, { source, name, facts }, outcome);
    if (!ctx.state.test) await removeFirst(ctx, name);
  }
  if (ctx.state.test) return outcome.end(null, `File "${source}" is set to be copied to "${name}"`);
  await makeFolder(ctx, name, facts, args);
  try {
    return await copyThere(ctx, { source, name, facts, preserves: args.preserve }, outcome);
  } catch (error) {
    if (!isOsError(error)) throw error;
    const refusal = diskRefusal(error, name);
    const reason = refusal === undefined ? '' : `: ${refusal.message}`;
    throw new FileRefusal(`Failed to copy "${source}" to "${name}"${reason}`);
  }
}

/** The contents of a file, or where a link leads; a folder has none. */
async function contentOf(path: string): Promise<string | undefined> {
  if (isLink(path)) return `-> ${linkTarget(path) ?? ''}`;
  return isFile(path) ? hashFile(path, 'sha256') : undefined;
}

/** All that is below a folder, by its path there. */
async function contentsBelow(folder: string): Promise<Map<string, string | undefined>> {
  const found = new Map<string, string | undefined>();
  for (const { path, folders, files } of walk(folder))
    for (const entry of [...folders, ...files]) {
      const whole = joinPath(path, entry);
      found.set(whole.slice(folder.length + 1), await contentOf(whole));
    }
  return found;
}

/** Whether what is at a path is what a copy would put there. */
async function isCopyOf(source: string, name: string, { user, group }: Facts): Promise<boolean> {
  if (isLink(name)) return false;
  if (!isDir(source))
    return isFile(name) && isFile(source) && (await contentOf(name)) === (await hashFile(source, 'sha256'));
  if (!isDir(name)) return false;
  const [from, to] = [await contentsBelow(source.replace(/(?<=.)\/+$/, '')), await contentsBelow(name)];
  if (from.size !== to.size) return false;
  for (const [path, content] of from) {
    if (!to.has(path) || to.get(path) !== content) return false;
    const facts = await statsOf(joinPath(name, path), { followLinks: false });
    const isOwned = (wanted: Value, kinds: readonly string[]): boolean =>
      kinds.some((kind) => valuesEqual(facts.get(kind) ?? null, wanted));
    if (!isOwned(user, ['user', 'uid']) || !isOwned(group, ['group', 'gid'])) return false;
  }
  return true;
}

/**
 * A copy that is there stays, and gets its owner and mode. Salt compat: Salt copies it again at each run when force is
 * set.
 */
async function keepCopy(
  ctx: StateContext,
  { source, name, facts }: { readonly source: string; readonly name: string; readonly facts: Facts },
  outcome: FileOutcome,
): Promise<Dict> {
  outcome.comment = '';
  const { user, group, mode } = facts;
  outcome.adopt((await checkedPermissions(ctx, [name, outcome.ret, user, group, mode])).ret);
  const sentence = `"${name}" is a copy of "${source}" already`;
  outcome.comment = outcome.comment === '' ? sentence : `${sentence}; ${pyStr(outcome.comment)}`;
  return outcome.ret;
}

/** @throws FileRefusal when there is no folder for the copy, and none is to be created */
async function makeFolder(
  ctx: StateContext,
  name: string,
  { user, group, mode }: Facts,
  args: ArgsOf<typeof COPY_PARAMS>,
): Promise<void> {
  const folder = dirName(name);
  if (isDir(folder)) return;
  if (!args.makedirs) throw new FileRefusal(`The target directory ${folder} is not present`);
  const folderMode = args.dir_mode ?? enterable(mode);
  await ctx.functions.call('file.makedirs', [], { path: name, user, group, mode: folderMode });
}

/** The mode for folders that hold a file: whoever may read the file may enter them. */
function enterable(mode: Value): string {
  return [...pyStr(mode).slice(-3)]
    .map((digit) => (digit === '0' ? digit : String(Number(digit) | 1)))
    .join('');
}

async function copyThere(
  ctx: StateContext,
  {
    source,
    name,
    facts,
    preserves,
  }: { readonly source: string; readonly name: string; readonly facts: Facts; readonly preserves: boolean },
  outcome: FileOutcome,
): Promise<Dict> {
  const { user, group, mode } = facts;
  if (isDir(source)) {
    copyTree(source, name, true);
    for (const { path, folders, files } of walk(name))
      for (const entry of [...folders, ...files])
        await ctx.functions.call('file.lchown', [joinPath(path, entry), user, group]);
  } else {
    copyContent(source, name);
    chmodSync(name, statSync(source).mode & 0o7777);
  }
  outcome.changes = new Map([[name, source]]);
  if (preserves) return outcome.ret;
  outcome.adopt((await checkedPermissions(ctx, [name, outcome.ret, user, group, mode])).ret);
  return outcome.ret;
}

async function rename(
  ctx: StateContext,
  args: ArgsOf<typeof MOVED_PARAMS>,
  name: string,
  outcome: FileOutcome,
): Promise<Dict> {
  const source = expandVariables(args.source);
  if (name === '') throw new FileRefusal('Must provide name to file.rename');
  if (!isAbs(name)) throw new FileRefusal(`Specified file ${name} is not an absolute path`);
  if (!linkExists(source))
    return outcome.end(true, `Source file "${source}" has already been moved out of place`);
  if (linkExists(name)) {
    if (!args.force) return outcome.end(true, `The target file "${name}" exists and will not be overwritten`);
    if (!ctx.state.test) await removeFirst(ctx, name);
  }
  if (normPath(name).startsWith(`${normPath(source)}/`))
    throw new FileRefusal(`Failed to move "${source}" to "${name}", which is within it`);
  if (ctx.state.test) return outcome.end(null, `File "${source}" is set to be moved to "${name}"`);
  if (!isDir(dirName(name))) {
    if (!args.makedirs) throw new FileRefusal(`The target directory ${dirName(name)} is not present`);
    await ctx.functions.call('file.makedirs', [], { path: name, user: null, group: null, mode: null });
  }
  try {
    move(source, name);
  } catch (error) {
    if (!isOsError(error)) throw error;
    throw new FileRefusal(`Failed to move "${source}" to "${name}"`);
  }
  outcome.changes = new Map([[name, source]]);
  return outcome.end(true, `Moved "${source}" to "${name}"`);
}

function move(source: string, name: string): void {
  if (!isLink(source)) {
    movePath(source, name);
    return;
  }
  symlinkSync(linkTarget(source) ?? '', name);
  unlinkSync(source);
}

/** States that copy and move. */
export const copyStates = {
  copy: defineState({
    doc: 'Makes sure that there is a copy of a file or folder of this machine.',
    params: COPY_PARAMS,
    kwargs: 'kwargs',
    run: (ctx, args, kwargs) => {
      const outcome = new FileOutcome(args.name, { order: 'moved' });
      return untilRefused(
        () => copy(ctx, args, kwargs, outcome),
        (comment) => outcome.fail(comment),
      );
    },
  }),
  rename: defineState({
    doc: 'Makes sure that a file or folder of this machine has moved.',
    params: MOVED_PARAMS,
    kwargs: 'kwargs',
    run: (ctx, args) => {
      const name = expandVariables(args.name);
      const outcome = new FileOutcome(name, { order: 'moved' });
      return untilRefused(
        () => rename(ctx, args, name, outcome),
        (comment) => outcome.fail(comment),
      );
    },
  }),
};
