/** Names in the file system: links, renaming, copying, moving, removing. Follows 3006.16 salt/modules/file.py. */
import { linkSync, renameSync, rmdirSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import {
  copyContent,
  copyTree,
  movePath,
  statFacts,
  TEMP_PREFIX,
  tempFolder,
  walk,
} from '../../../host/file-operations.ts';
import { globPaths } from '../../../host/glob.ts';
import {
  baseName,
  dirName,
  expandVariables,
  isAbs,
  isDir,
  isLink,
  joinPath,
  linkTarget,
  normPath,
  pathExists,
  realPath,
} from '../../../python/paths.ts';
import { isOsError, osErrorText } from '../../../python/os-errors.ts';
import { pyInt } from '../../../python/conversions.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { fnmatch } from '../../../python/text/fnmatch.ts';
import { dict, truthy, type Value } from '../../../python/values/value.ts';
import { P, opt, pathOf, textArgument } from '../../shared/file-params.ts';
import { checkPermissions } from './permissions.ts';
import { currentOwner } from './replace.ts';
import { makeFolders } from '../../../host/make-folders.ts';
import { param } from '../../../runtime/loader/params.ts';

const LINK_TRIES = 5;

/** Runs something; an error of the system becomes one sentence. */
function orFail<T>(run: () => T, sentence: (error: unknown) => string): T {
  try {
    return run();
  } catch (error) {
    if (!isOsError(error)) throw error;
    throw new CommandExecutionError(sentence(error), { cause: error });
  }
}

function assertAbsolute(path: string, sentence = 'File path must be absolute.'): void {
  if (!isAbs(path)) throw new SaltInvocationError(sentence);
}

function makeLink(
  ctx: ModuleContext,
  src: string,
  path: string,
  how: { readonly force: boolean; readonly atomic: boolean },
): boolean {
  assertAbsolute(path, `Link path must be absolute: ${path}`);
  if (isLink(path)) {
    if (normPath(linkTarget(path) ?? '') === normPath(src)) {
      ctx.log.debug(`link already in correct state: ${path} -> ${src}`);
      return true;
    }
    if (!how.force && !how.atomic) throw new CommandExecutionError(`Found existing symlink: ${path}`);
  }
  if (pathExists(path) && !how.force && !how.atomic)
    throw new CommandExecutionError(`Existing path is not a symlink: ${path}`);
  if ((isLink(path) || pathExists(path)) && how.force && !how.atomic) unlinkSync(path);
  else if (how.atomic) return swapLink(ctx, src, path);
  return orFail(
    () => {
      symlinkSync(src, path);
      return true;
    },
    (error) => `Could not create '${path}': ${osErrorText(error)}`,
  );
}

/** A link of a new name takes the place of whatever is there in one step. */
function swapLink(ctx: ModuleContext, src: string, path: string): true {
  let temporary = '';
  for (let tries = 0; ; tries++) {
    temporary = joinPath(dirName(path), `tmp${ctx.random.bytes(6).toString('base64url')}`);
    try {
      symlinkSync(src, temporary);
      break;
    } catch (error) {
      if (tries + 1 >= LINK_TRIES || (error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  try {
    renameSync(temporary, path);
    return true;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new CommandExecutionError(`Could not create '${path}': ${osErrorText(error)}`, { cause: error });
  }
}

function renamePath(src: string, dst: string): true {
  assertAbsolute(src);
  return orFail(
    () => {
      renameSync(src, dst);
      return true as const;
    },
    (error) => `Could not rename '${src}' to '${dst}': ${osErrorText(error)}`,
  );
}

async function copyPath(
  ctx: ModuleContext,
  src: string,
  dst: string,
  how: { readonly recurse: boolean; readonly removeExisting: boolean },
): Promise<true> {
  assertAbsolute(src);
  if (!pathExists(src)) throw new CommandExecutionError(`No such file or directory '${src}'`);
  const owner = await currentOwner(src);
  orFail(
    () => {
      if (!isDir(dst) && !isDir(src)) return copyContent(src, dst);
      if (!how.recurse) {
        throw new SaltInvocationError(
          'Cannot copy overwriting a directory without recurse flag set to true!',
        );
      }
      if (!how.removeExisting) return copyInto(src, dst);
      if (pathExists(dst)) rmSync(dst, { recursive: true });
      return copyTree(src, dst);
    },
    (error) => `Could not copy '${src}' to '${dst}': ${osErrorText(error)}`,
  );
  await checkPermissions(ctx, dst, null, owner);
  return true;
}

/** Copies the content of all files below a folder into another one, which may exist. */
function copyInto(src: string, dst: string): void {
  for (const { path, files } of walk(src)) {
    const below = path.slice(src.length).replace(/^\/+/, '');
    const target = joinPath(dst, below);
    if (!pathExists(target)) makeFolders(target);
    for (const name of files) copyContent(joinPath(path, name), joinPath(target, name));
  }
}

function removePath(path: string): boolean {
  assertAbsolute(path, `File path must be absolute: ${path}`);
  return orFail(
    () => {
      if (isLink(path) || (pathExists(path) && !isDir(path))) unlinkSync(path);
      else if (isDir(path)) rmSync(path, { recursive: true });
      else return false;
      return true;
    },
    (error) => `Could not remove '${path}': ${osErrorText(error)}`,
  );
}

/** `file.rmdir`: empty folders only, with `recurse` from the bottom up. */
function removeFolder(
  ctx: ModuleContext,
  path: string,
  how: { readonly recurse: boolean; readonly verbose: boolean; readonly olderThan: Value },
): Value {
  assertAbsolute(path);
  if (!isDir(path)) throw new SaltInvocationError('A valid directory was not specified.');
  const limit = ageLimit(ctx, how.olderThan);
  const deleted: string[] = [];
  const errors: string[][] = [];
  const remove = (folder: string): boolean => {
    if (limit !== undefined && statFacts(folder).mtime >= limit) return true;
    try {
      rmdirSync(folder);
      deleted.push(folder);
      return true;
    } catch (error) {
      errors.push([folder, osErrorText(error)]);
      ctx.log.error(`Could not remove '${folder}': ${osErrorText(error)}`);
      return false;
    }
  };
  if (how.recurse)
    for (const { path: parent, folders } of [...walk(path)].reverse())
      for (const name of folders) remove(joinPath(parent, name));
  let result = how.recurse && errors.length === 0;
  const isDue = limit === undefined || statFacts(path).mtime < limit;
  if (isDue) result = remove(path) && (result || !how.recurse);
  return how.verbose ? dict({ deleted, errors, result }) : result;
}

/** The time before which a folder is old, in seconds; undefined for any. */
export function ageLimit(ctx: ModuleContext, olderThan: Value): number | undefined {
  if (!truthy(olderThan)) return undefined;
  try {
    return ctx.clock.nowMs() / 1000 - Number(pyInt(olderThan)) * 86_400;
  } catch (error) {
    ctx.log.error(`Unable to set 'older_than'. Defaulting to 0 days. (${(error as Error).message})`);
    return undefined;
  }
}

function readLink(path: string, canonicalize: boolean): string {
  assertAbsolute(path, `Path to link must be absolute: ${path}`);
  if (!isLink(path)) throw new SaltInvocationError(`A valid link was not specified: ${path}`);
  return canonicalize ? realPath(path) : (linkTarget(path) ?? '');
}

/** Removes a temporary file of ours; anything else is left alone. */
export function removeTemporary(sfn: string): void {
  const isOurs = baseName(sfn).startsWith(TEMP_PREFIX) && sfn.startsWith(joinPath(tempFolder(), TEMP_PREFIX));
  if (isOurs) rmSync(sfn, { force: true });
}

const PLAIN_PATH = { path: P.plainPath } as const;

/** Functions about places. */
export const placeFunctions = {
  link: defineFunction({
    doc: 'Gives a file one more name (a hard link).',
    params: { src: P.src, path: param.by(textArgument, { type: 'str', doc: 'The new name.' }) },
    returns: 'true',
    examples: ["salt '*' file.link /path/to/file /path/to/link"],
    run: (_ctx, { src, path }) => {
      const [from, to] = [src, path];
      assertAbsolute(from);
      orFail(
        () => linkSync(from, to),
        (error) => `Could not create '${to}': ${osErrorText(error)}`,
      );
      return true;
    },
  }),
  symlink: defineFunction({
    doc: 'Creates a symbolic link.',
    params: {
      src: param.by(textArgument, { type: 'str', doc: 'What the link points to.' }),
      path: param.by(pathOf, { type: 'str', doc: 'The link.' }),
      force: opt(param.flag({ doc: 'Remove what is in the way.' }), false),
      atomic: opt(param.flag({ doc: 'Take its place in one step.' }), false),
    },
    returns: 'true',
    examples: ["salt '*' file.symlink /path/to/file /path/to/link"],
    run: (ctx, { src, path, force, atomic }) => makeLink(ctx, src, path, { force, atomic }),
  }),
  readlink: defineFunction({
    doc: 'Returns what a symbolic link points to.',
    params: {
      path: P.path,
      canonicalize: opt(param.flag({ doc: 'Follow links to the end.' }), false),
    },
    returns: 'a path',
    examples: ["salt '*' file.readlink /path/to/link"],
    run: (_ctx, { path, canonicalize }) => readLink(expandVariables(path), canonicalize),
  }),
  rename: defineFunction({
    doc: 'Renames a file or folder within one file system.',
    params: { src: P.src, dst: P.dst },
    returns: 'true',
    examples: ["salt '*' file.rename /path/to/src /path/to/dst"],
    run: (_ctx, { src, dst }) => renamePath(src, dst),
  }),
  move: defineFunction({
    doc: 'Moves a file or folder, also to another file system.',
    params: {
      src: P.src,
      dst: P.dst,
      disallow_copy_and_unlink: opt(param.flag({ doc: 'Only rename, as file.rename does.' }), false),
    },
    returns: '`{result: true, comment}`',
    examples: ["salt '*' file.move /path/to/src /path/to/dst"],
    run: (_ctx, { src, dst, disallow_copy_and_unlink }) => {
      const [from, to] = [src, dst];
      if (disallow_copy_and_unlink) return renamePath(from, to);
      assertAbsolute(from, 'Source path must be absolute.');
      assertAbsolute(to, 'Destination path must be absolute.');
      orFail(
        () => movePath(from, to),
        (error) => `Unable to move '${from}' to '${to}': ${osErrorText(error)}`,
      );
      return dict({ result: true, comment: `'${from}' moved to '${to}'` });
    },
  }),
  copy: defineFunction({
    doc: 'Copies a file or, with recurse, a folder; owner and mode are kept.',
    params: {
      src: P.src,
      dst: P.dst,
      recurse: opt(param.flag({ doc: 'Copy folders.' }), false),
      remove_existing: opt(param.flag({ doc: 'Remove the destination first.' }), false),
    },
    returns: 'true',
    examples: [
      "salt '*' file.copy /path/to/src /path/to/dst",
      "salt '*' file.copy /path/to/src_dir /path/to/dst_dir recurse=True remove_existing=True",
    ],
    run: (ctx, { src, dst, recurse, remove_existing }) =>
      copyPath(ctx, src, dst, {
        recurse,
        removeExisting: remove_existing,
      }),
  }),
  remove: defineFunction({
    doc: 'Removes a file, or a folder with all that is in it.',
    params: { path: P.path },
    kwargs: 'kwargs',
    returns: 'true; false when there was nothing',
    examples: ["salt '*' file.remove /tmp/foo"],
    run: (_ctx, { path }) => removePath(path),
  }),
  rmdir: defineFunction({
    doc: 'Removes an empty folder or, with recurse, a tree of empty folders.',
    params: {
      path: P.path,
      recurse: opt(param.flag({ doc: 'Folders below, too.' }), false),
      verbose: opt(param.flag({ doc: 'Tell what was removed and what was not.' }), false),
      older_than: opt(
        param.value({ type: 'int', doc: 'Only folders that have not changed for so many days.' }),
        null,
      ),
    },
    returns: 'true or false; with verbose `{deleted, errors, result}`',
    examples: ["salt '*' file.rmdir /tmp/foo/"],
    run: (ctx, { path, recurse, verbose, older_than }) =>
      removeFolder(ctx, path, {
        recurse,
        verbose,
        olderThan: older_than,
      }),
  }),
  path_exists_glob: defineFunction({
    doc: 'Returns whether a glob finds anything.',
    params: { path: param.by(pathOf, { type: 'str', doc: 'The glob.' }) },
    returns: 'true or false',
    examples: ["salt '*' file.path_exists_glob '/etc/pam*/pass*'"],
    run: (_ctx, { path }) => globPaths(path, fnmatch).length > 0,
  }),
  basename: defineFunction({
    doc: 'Gives the last part of a path.',
    params: PLAIN_PATH,
    returns: 'text',
    examples: ["salt '*' file.basename 'test/test.config'"],
    run: (_ctx, { path }) => baseName(path),
  }),
  dirname: defineFunction({
    doc: 'Gives a path without its last part.',
    params: PLAIN_PATH,
    returns: 'text',
    examples: ["salt '*' file.dirname 'test/path/filename.config'"],
    run: (_ctx, { path }) => dirName(path),
  }),
  join: defineFunction({
    doc: 'Joins parts of a path.',
    varargs: 'args',
    returns: 'text',
    examples: ["salt '*' file.join 'usr' 'local' 'bin'"],
    run: (_ctx, _args, rest) => {
      const [first = '', ...others] = rest.map(textArgument);
      return joinPath(first, ...others);
    },
  }),
  normpath: defineFunction({
    doc: 'Takes double slashes, `.` and `..` out of a path, without looking at the file system.',
    params: PLAIN_PATH,
    returns: 'text',
    examples: ["salt '*' file.normpath 'a/b/c/..'"],
    run: (_ctx, { path }) => normPath(path),
  }),
  pardir: defineFunction({
    doc: 'Gives the name of the parent folder: two dots.',
    returns: 'text',
    examples: ["salt '*' file.pardir"],
    run: () => '..',
  }),
};
