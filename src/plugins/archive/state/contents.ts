/** What is in an archive, against what is there already (3006.16 salt/states/archive.py). */
import { lstatSync, rmSync, type Stats } from 'node:fs';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { joinPath } from '../../../python/paths.ts';
import { hasErrorCode } from '../../../python/os-errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, type Dict } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';
import { Ending, type ArchiveArgs } from './order.ts';

/** The members of an archive. */
export type Contents = Readonly<
  Record<
    'dirs' | 'files' | 'links' | 'top_level_dirs' | 'top_level_files' | 'top_level_links',
    readonly string[]
  >
>;

/** The number of folders that the options of tar leave out. */
function strippedComponents(args: ArchiveArgs, format: string): number | null {
  if (format !== 'tar' || args.options === undefined) return null;
  const count = /--strip(?:-components)?(?:\s+|=)["']?(\d+)["']?/.exec(args.options)?.[1];
  return count === undefined ? null : Number(count);
}

/** Lists an archive. @throws Ending with what to do when that cannot be done */
export async function listContents(
  ctx: StateContext,
  args: ArchiveArgs,
  cached: string,
  format: string,
): Promise<Contents> {
  const words = dict({
    archive_format: format,
    options: args.list_options,
    strip_components: strippedComponents(args, format),
    clean: false,
    verbose: true,
    use_etag: args.use_etag,
  });
  try {
    const listed = await ctx.functions.call('archive.list', [cached], words);
    const part = (key: string): string[] => {
      const list = isDict(listed) ? listed.get(key) : undefined;
      return Array.isArray(list) ? list.map(pyStr) : [];
    };
    return {
      dirs: part('dirs'),
      files: part('files'),
      links: part('links'),
      top_level_dirs: part('top_level_dirs'),
      top_level_files: part('top_level_files'),
      top_level_links: part('top_level_links'),
    };
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    throw new Ending(`${error.message}${workarounds(args, format)}`);
  }
}

function workarounds(args: ArchiveArgs, format: string): string {
  const needed = [
    ...(args.if_missing !== undefined ? [] : ["'if_missing' must be set"]),
    ...(args.enforce_ownership_on === undefined && (args.user !== undefined || args.group !== undefined)
      ? ["Ownership cannot be managed without setting 'enforce_ownership_on'."]
      : []),
  ];
  if (needed.length === 0) return '';
  const why =
    format === 'tar'
      ? 'If the source archive is a tar archive compressed using a compression type not natively supported by the tar command, then ' +
        "setting the 'list_options' argument may allow the contents to be listed. Otherwise, if Salt is unable to determine the " +
        'files/directories in the archive, the following workaround(s) would need to be used for this state to proceed'
      : 'The following workarounds must be used for this state to proceed';
  const list = needed.map((each) => `\n- ${each}`).join('');
  return `\n\n${why} (assuming the source file is a valid ${format} archive):\n${list}`;
}

/** @throws Ending for archives that do not have one folder at the top, where that is asked for */
export function checkTopLevel(args: ArchiveArgs, contents: Contents, folder: string, format: string): void {
  if (!args.enforce_toplevel) return;
  if (contents.top_level_dirs.length <= 1 && contents.top_level_files.length === 0) return;
  throw new Ending(
    'Archive does not have a single top-level directory. To allow this archive to be extracted, set ' +
      `'enforce_toplevel' to False. To avoid a '${format}-bomb' it may also be advisable to set a top-level directory by adding it ` +
      `to the 'name' value (for example, setting 'name' to ${joinPath(folder, 'some_dir')} instead of ${folder}).`,
  );
}

/** What of an archive is not there, and what is there as something else. */
export interface Standing {
  readonly isMissing: boolean;
  readonly wrong: readonly string[];
}

/** Looks for the members of an archive. @throws Ending when that fails */
export function compareContents(contents: Contents, folder: string): Standing {
  let isMissing = false;
  const wrong: string[] = [];
  const kinds: readonly (readonly [readonly string[], (stat: Stats) => boolean])[] = [
    [contents.dirs, (stat) => stat.isDirectory()],
    [contents.files, (stat) => !stat.isDirectory() && !stat.isSymbolicLink()],
    [contents.links, (stat) => stat.isSymbolicLink()],
  ];
  for (const [paths, isRight] of kinds) {
    for (const path of paths) {
      try {
        if (!isRight(lstatSync(joinPath(folder, path).replace(/\/+$/, '')))) wrong.push(path);
      } catch (error) {
        if (hasErrorCode(error, 'ENOENT')) isMissing = true;
        else if (!hasErrorCode(error, 'ENOTDIR')) throw error;
      }
    }
  }
  return { isMissing, wrong };
}

/** Removes what is there as something else, or says why not. @returns whether something was removed */
export function removeWrong(
  ctx: StateContext,
  args: ArchiveArgs,
  { folder, wrong }: { readonly folder: string; readonly wrong: readonly string[] },
  changes: Dict,
): boolean {
  if (wrong.length === 0) return false;
  const list = `\n\n${wrong.map((path) => `- ${path}`).join('\n')}`;
  const comment =
    `The below paths (relative to ${folder}) exist, but are the incorrect type (file instead of directory, symlink instead of ` +
    'file, etc.).';
  if (ctx.state.test && args.clean)
    throw new Ending(
      `${comment} Since the 'clean' option is enabled, the destination paths would be cleared and the archive would be extracted.${list}`,
      null,
    );
  if (ctx.state.test && args.clean_parent)
    throw new Ending(
      `${comment} Since the 'clean_parent' option is enabled, the destination parent directory would be removed first and then ` +
        're-created and the archive would be extracted',
      null,
    );
  if (args.clean) return false;
  if (!args.force)
    throw new Ending(
      `${comment} To proceed with extraction, set 'force' to True. Note that this will remove these paths before extracting.${list}`,
    );
  const paths = wrong.map((path) => joinPath(folder, path));
  // Salt compat: Salt removes them in test mode, too.
  if (ctx.state.test) {
    changes.set('removed', paths);
    throw new Ending(
      `${comment} Since the 'force' option is enabled, these paths would be removed and the archive would be extracted.${list}`,
      null,
    );
  }
  changes.set('removed', removeAll(paths));
  return true;
}

/** Removes paths that are there. @returns those */
export function removeAll(paths: readonly string[]): string[] {
  return paths.filter((path) => {
    const bare = path.replace(/\/+$/, '');
    if (lstatSync(bare, { throwIfNoEntry: false }) === undefined) return false;
    rmSync(bare, { recursive: true, force: true });
    return true;
  });
}
