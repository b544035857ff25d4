/** What `archive.extracted` is asked for, checked (3006.16 salt/states/archive.py). */
import { isAbs, isFile, normPath, pathExists } from '../../host/py-path.ts';
import { archiveFormat } from '../../modules/archive/listing.ts';
import { pyStr } from '../../values/repr.ts';
import { toNumber, truthy, type Dict, type Value } from '../../values/value.ts';
import type { StateContext } from '../state-function.ts';

/** The arguments of the state. */
export type ArchiveArgs = Readonly<
  Record<
    | 'name'
    | 'source'
    | 'source_hash'
    | 'source_hash_name'
    | 'source_hash_update'
    | 'skip_files_list_verify'
    | 'skip_verify'
    | 'password'
    | 'options'
    | 'list_options'
    | 'force'
    | 'overwrite'
    | 'clean'
    | 'clean_parent'
    | 'user'
    | 'group'
    | 'if_missing'
    | 'trim_output'
    | 'use_cmd_unzip'
    | 'extract_perms'
    | 'enforce_toplevel'
    | 'enforce_ownership_on'
    | 'archive_format'
    | 'use_etag',
    Value
  >
>;

/** A result before anything is done: why the state ends here. */
export class Ending extends Error {
  readonly result: boolean | null;
  constructor(comment: string, result: boolean | null = false) {
    super(comment);
    this.result = result;
  }
}

/** The folder to extract into, with a slash at its end. @throws Ending */
export function targetFolder(args: ArchiveArgs): string {
  const given = args.name === null ? '' : pyStr(args.name);
  if (!isAbs(given)) throw new Ending(`${given} is not an absolute path`);
  const bare = given.replace(/\/+$/, '');
  if (isFile(bare)) throw new Ending(`${bare} exists and is not a directory`);
  return `${bare}/`;
}

/** @throws Ending for paths that cannot be used, and when `if_missing` is there */
export function checkPaths(args: ArchiveArgs, folder: string): void {
  if (args.if_missing !== null && !isAbs(pyStr(args.if_missing)))
    throw new Ending("Value for 'if_missing' is not an absolute path");
  if (args.enforce_ownership_on !== null) {
    const path = pyStr(args.enforce_ownership_on);
    if (!isAbs(path)) throw new Ending("Value for 'enforce_ownership_on' is not an absolute path");
    if (!`${normPath(path)}/`.startsWith(folder))
      throw new Ending(`Value for 'enforce_ownership_on' must be within ${folder}`);
  }
  if (args.if_missing !== null && pathExists(pyStr(args.if_missing)))
    throw new Ending(`Path ${pyStr(args.if_missing)} exists`, true);
}

/** The ids of the owners that are asked for. @throws Ending when there are none such */
export async function ownerIds(
  ctx: StateContext,
  args: ArchiveArgs,
): Promise<{ readonly uid: number; readonly gid: number }> {
  const id = async (name: Value, fun: string, what: string): Promise<number> => {
    if (!truthy(name)) return -1;
    const found = toNumber(await ctx.functions.call(fun, [name]));
    if (found === undefined) throw new Ending(`${what} ${pyStr(name)} does not exist`);
    return found;
  };
  return {
    uid: await id(args.user, 'file.user_to_uid', 'User'),
    gid: await id(args.group, 'file.group_to_gid', 'Group'),
  };
}

const FORMATS = ['tar', 'rar', 'zip'];

/** The format of the archive: the one given, or by its name. @throws Ending */
export function formatOf(args: ArchiveArgs, path: string): string {
  if (!truthy(args.archive_format)) {
    const guessed = archiveFormat(path);
    if (guessed !== undefined) return guessed;
    throw new Ending(
      "Could not guess archive_format from the value of the 'source' argument. Please set this archive_format to one of the " +
        `following: ${FORMATS.join(', ')}`,
    );
  }
  const format = pyStr(args.archive_format).toLowerCase();
  if (FORMATS.includes(format)) return format;
  throw new Ending(
    `Invalid archive_format '${format}'. Either set it to a supported value (${FORMATS.join(', ')}) or remove this argument and ` +
      'the archive format will be guessed based on file extension.',
  );
}

/** Whether the program `unzip` is to be used. @throws Ending for options that a format does not know */
export async function checkFormat(
  ctx: StateContext,
  args: ArchiveArgs,
  format: string,
  warnings: string[],
): Promise<boolean> {
  const has = (fun: string): Promise<boolean> => ctx.functions.has(fun);
  if (format !== 'zip' && truthy(args.password))
    throw new Ending("The 'password' argument is only supported for zip archives");
  if (format === 'rar') {
    if (!(await has('archive.unrar')))
      throw new Ending('archive.unrar function not available, rar/unrar might not be installed on minion');
    if (truthy(args.options))
      throw new Ending(
        "The 'options' argument is only compatible with the following archive formats: tar, zip",
      );
  }
  if (format !== 'zip') return false;
  const program = args.use_cmd_unzip === null ? truthy(args.options) : truthy(args.use_cmd_unzip);
  if (truthy(args.options) && !program)
    throw new Ending(
      "'use_cmd_unzip' cannot be set to False if CLI options are being specified (via the 'options' argument). Either remove " +
        "'use_cmd_unzip', or set it to True.",
    );
  if (truthy(args.options) && !(await has('archive.cmd_unzip')))
    throw new Ending('archive.cmd_unzip function not available, unzip might not be installed on minion');
  if (truthy(args.password) && program)
    warnings.push(
      "Using a password in combination with setting 'use_cmd_unzip' to True is considered insecure. It is recommended to remove the " +
        "'use_cmd_unzip' argument (or set it to False) and allow Salt to extract the archive using Python's built-in ZIP file support.",
    );
  return program;
}

/** How many lines of output are kept: a number, or all. @throws Ending */
export function trimmedLines(given: Value): number | false {
  if (!truthy(given)) return false;
  if (given === true) return 100;
  const count = toNumber(given) ?? Number(pyStr(given));
  if (Number.isInteger(count)) return count;
  throw new Ending('Invalid value for trim_output, must be True/False or an integer');
}

/** Whether the fetched archive stays in the cache. */
export function keepsSource(kwargs: Dict, warnings: string[]): boolean {
  if (kwargs.has('keep_source') && kwargs.has('keep'))
    warnings.push(
      "Both 'keep_source' and 'keep' were used. Since these both do the same thing, 'keep' was ignored.",
    );
  return truthy(kwargs.get('keep_source') ?? kwargs.get('keep') ?? true);
}
