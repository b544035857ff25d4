/** What `archive.extracted` is asked for, checked (3006.16 salt/states/archive.py). */
import { isAbs, isFile, normPath, pathExists } from '../../../python/paths.ts';
import { archiveFormat } from '../module/listing.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { mayBeMade } from '../../shared/made-earlier.ts';
import type { StateContext } from '../../shared/state-function.ts';

/** The arguments of the state. */
export interface ArchiveArgs {
  readonly name: string;
  readonly source: Value;
  readonly source_hash: Value | undefined;
  readonly source_hash_name: Value;
  readonly source_hash_update: boolean;
  readonly skip_files_list_verify: boolean;
  readonly skip_verify: boolean;
  readonly password: string | undefined;
  readonly options: string | undefined;
  readonly list_options: Value;
  readonly force: boolean;
  readonly overwrite: boolean;
  readonly clean: boolean;
  readonly clean_parent: boolean;
  readonly user: Value | undefined;
  readonly group: Value | undefined;
  readonly if_missing: string | undefined;
  /** How many lines of output are kept: a number, or all; undefined for what is neither. */
  readonly trim_output: number | false | undefined;
  readonly use_cmd_unzip: boolean | undefined;
  readonly extract_perms: boolean;
  readonly enforce_toplevel: boolean;
  readonly enforce_ownership_on: string | undefined;
  readonly archive_format: string | undefined;
  readonly use_etag: boolean;
}

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
  const given = args.name;
  if (!isAbs(given)) throw new Ending(`${given} is not an absolute path`);
  const bare = given.replace(/\/+$/, '');
  if (isFile(bare)) throw new Ending(`${bare} exists and is not a directory`);
  return `${bare}/`;
}

/** @throws Ending for paths that cannot be used, and when `if_missing` is there */
export function checkPaths(args: ArchiveArgs, folder: string): void {
  if (args.if_missing !== undefined && !isAbs(args.if_missing))
    throw new Ending("Value for 'if_missing' is not an absolute path");
  const path = args.enforce_ownership_on;
  if (path !== undefined) {
    if (!isAbs(path)) throw new Ending("Value for 'enforce_ownership_on' is not an absolute path");
    if (!`${normPath(path)}/`.startsWith(folder))
      throw new Ending(`Value for 'enforce_ownership_on' must be within ${folder}`);
  }
  if (args.if_missing !== undefined && pathExists(args.if_missing))
    throw new Ending(`Path ${args.if_missing} exists`, true);
}

/** The ids of the owners that are asked for. @throws Ending when there are none such */
export async function ownerIds(
  ctx: StateContext,
  args: ArchiveArgs,
): Promise<{ readonly uid: number; readonly gid: number }> {
  const id = async (name: Value | undefined, fun: string, what: string): Promise<number> => {
    if (name === undefined) return -1;
    const found = toNumber(await ctx.functions.call(fun, [name]));
    if (found === undefined && !mayBeMade(ctx)) throw new Ending(`${what} ${pyStr(name)} does not exist`);
    return found ?? -1;
  };
  return {
    uid: await id(args.user, 'file.user_to_uid', 'User'),
    gid: await id(args.group, 'file.group_to_gid', 'Group'),
  };
}

const FORMATS = ['tar', 'rar', 'zip'];

/** The format of the archive: the one given, or by its name. @throws Ending */
export function formatOf(args: ArchiveArgs, path: string): string {
  if (args.archive_format === undefined) {
    const guessed = archiveFormat(path);
    if (guessed !== undefined) return guessed;
    throw new Ending(
      "Could not guess archive_format from the value of the 'source' argument. Please set this archive_format to one of the " +
        `following: ${FORMATS.join(', ')}`,
    );
  }
  const format = args.archive_format.toLowerCase();
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
  if (format !== 'zip' && args.password !== undefined)
    throw new Ending("The 'password' argument is only supported for zip archives");
  if (format === 'rar') {
    if (!(await has('archive.unrar')))
      throw new Ending('archive.unrar function not available, rar/unrar might not be installed on minion');
    if (args.options !== undefined)
      throw new Ending(
        "The 'options' argument is only compatible with the following archive formats: tar, zip",
      );
  }
  if (format !== 'zip') return false;
  const program = args.use_cmd_unzip ?? args.options !== undefined;
  if (args.options !== undefined && !program)
    throw new Ending(
      "'use_cmd_unzip' cannot be set to False if CLI options are being specified (via the 'options' argument). Either remove " +
        "'use_cmd_unzip', or set it to True.",
    );
  if (args.options !== undefined && !(await has('archive.cmd_unzip')))
    throw new Ending('archive.cmd_unzip function not available, unzip might not be installed on minion');
  if (args.password !== undefined && program)
    warnings.push(
      "Using a password in combination with setting 'use_cmd_unzip' to True is considered insecure. It is recommended to remove the " +
        "'use_cmd_unzip' argument (or set it to False) and allow Salt to extract the archive using Python's built-in ZIP file support.",
    );
  return program;
}

/** Reads `trim_output`; undefined for what is neither a truth nor a number. */
export function trimmedLines(given: Value): number | false | undefined {
  if (!truthy(given)) return false;
  if (given === true) return 100;
  const count = toNumber(given) ?? Number(pyStr(given));
  return Number.isInteger(count) ? count : undefined;
}

/** Whether the fetched archive stays in the cache. */
export function keepsSource(kwargs: Dict, warnings: string[]): boolean {
  if (kwargs.has('keep_source') && kwargs.has('keep'))
    warnings.push(
      "Both 'keep_source' and 'keep' were used. Since these both do the same thing, 'keep' was ignored.",
    );
  return truthy(kwargs.get('keep_source') ?? kwargs.get('keep') ?? true);
}
