/** `archive`: archives, unpacked (3006.16 salt/states/archive.py). */
import { rmdirSync } from 'node:fs';
import { CommandExecutionError, CommandNotFoundError } from '../../errors/errors.ts';
import { isDir } from '../../python/paths.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { archiveLimits, inspectRar, inspectTar, inspectZip, type Unpacked } from './module/inspect.ts';
import { UnsafeArchiveError } from './module/members.ts';
import { ZipError } from './module/zip-format.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { archiveSum, rememberedSum, rememberSum } from './state/checksums.ts';
import {
  checkTopLevel,
  compareContents,
  listContents,
  removeAll,
  removeWrong,
  type Contents,
} from './state/contents.ts';
import { tarWords, TarFailure, unpack } from './state/extract.ts';
import {
  checkFormat,
  checkPaths,
  Ending,
  formatOf,
  keepsSource,
  ownerIds,
  targetFolder,
  trimmedLines,
  type ArchiveArgs,
} from './state/order.ts';
import { enforceOwnership } from './state/ownership.ts';
import { cachedCopy, fetchSource, findSource, wantedHash, type ArchiveSource } from './state/source.ts';
import { missingSource } from '../shared/missing-source.ts';
import { stateEnvironment } from '../shared/state-environment.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { param } from '../../runtime/loader/params.ts';
import { textIfSaid } from '../shared/optional-params.ts';

/** One run of the state. */
interface Extraction {
  readonly ctx: StateContext;
  readonly args: ArchiveArgs;
  readonly kwargs: Dict;
  readonly folder: string;
  readonly ids: { readonly uid: number; readonly gid: number };
  readonly source: ArchiveSource;
  readonly format: string;
  readonly usesUnzip: boolean;
  readonly trim: number | false;
  readonly hash: string | undefined;
  readonly changes: Dict;
  readonly warnings: string[];
}

const ended = (name: Value, result: boolean | null, changes: Dict, comment: string): StateResult => ({
  name,
  result,
  changes,
  comment,
});

async function extracted(ctx: StateContext, args: ArchiveArgs, kwargs: Dict): Promise<StateResult> {
  const [changes, warnings]: [Dict, string[]] = [new Map(), []];
  const finish = (result: StateResult): StateResult =>
    warnings.length > 0 ? { ...result, warnings } : result;
  try {
    return finish(await extract(await prepare(ctx, args, kwargs, { changes, warnings })));
  } catch (error) {
    if (error instanceof Ending) return finish(ended(args.name, error.result, changes, error.message));
    if (error instanceof TarFailure) return finish(ended(args.name, false, error.changes, ''));
    throw error;
  }
}

/** Checks the arguments and finds the archive. @throws Ending */
async function prepare(
  ctx: StateContext,
  args: ArchiveArgs,
  kwargs: Dict,
  { changes, warnings }: { readonly changes: Dict; readonly warnings: string[] },
): Promise<Extraction> {
  if (args.skip_files_list_verify && args.skip_verify)
    throw new Ending('Only one of "skip_files_list_verify" and "skip_verify" can be set to True');
  const folder = targetFolder(args);
  checkPaths(args, folder);
  const ids = await ownerIds(ctx, args);
  if (args.source_hash_update && args.source_hash === undefined)
    warnings.push("The 'source_hash_update' argument is ignored when 'source_hash' is not also specified.");
  const source = await findSource(ctx, args);
  const format = formatOf(args, source.path);
  const usesUnzip = await checkFormat(ctx, args, format, warnings);
  const trim = args.trim_output;
  if (trim === undefined) throw new Ending('Invalid value for trim_output, must be True/False or an integer');
  const hash = await wantedHash(ctx, args, source);
  return { ctx, args, kwargs, folder, ids, source, format, usesUnzip, trim, hash, changes, warnings };
}

async function extract(extraction: Extraction): Promise<StateResult> {
  const { ctx, args, kwargs, source, warnings } = extraction;
  const keeps = keepsSource(kwargs, warnings);
  await checkRemembered(extraction);
  if (!source.isLocal && ctx.state.test) {
    const missing = await missingSource(ctx, source.path, stateEnvironment(ctx));
    if (missing !== undefined) throw new Ending(missing);
    throw new Ending(
      `Archive ${source.shown} would be cached (if necessary) and checked to discover if extraction is needed`,
      null,
    );
  }
  const cached = source.isLocal ? source.path : await fetchSource(ctx, args, source);
  if (typeof cached !== 'string') return cached;
  await checkHash(extraction, cached);
  const remembered = rememberedSum(ctx, cached);
  const updates = args.source_hash !== undefined && args.source_hash_update;
  await refuseEncrypted(extraction, cached);
  const contents = await listContents(ctx, args, cached, extraction.format);
  await refuseUnsafe(extraction, cached, contents);
  // an archive that was never remembered may be another one than what lies there
  const isNew = updates && (await archiveSum(ctx, cached)) !== remembered;
  const result = await unpackNeeded(extraction, { cached, contents, isNew });
  if (result.result === true && !ctx.state.test && extraction.hash !== undefined)
    await rememberSum(ctx, cached);
  if (!source.isLocal && !keeps) {
    const words = dict({ name: source.path, saltenv: stateEnvironment(ctx) });
    const dropped = await ctx.state.call('file.not_cached', words);
    if (isDict(dropped) && !truthy(dropped.get('result'))) warnings.push(pyStr(dropped.get('comment') ?? ''));
  }
  return result;
}

/** @throws Ending when the archive is as it was used before and its members are not to be looked for */
async function checkRemembered({ ctx, args, source, hash }: Extraction): Promise<void> {
  if (!args.skip_files_list_verify || hash === undefined) return;
  const cached = source.isLocal ? source.path : await cachedCopy(ctx, source);
  if (cached !== '' && rememberedSum(ctx, cached) === hash)
    throw new Ending(
      `Archive ${source.shown} existing source sum is the same as the expected one and skip_files_list_verify argument was set to ` +
        'True. Extraction is not needed',
      // Salt compat: in test mode Salt says None, as if something would be done.
      true,
    );
}

/** @throws Ending for an archive that is not what its hash says, wherever it comes from */
async function checkHash({ ctx, args, source, hash }: Extraction, cached: string): Promise<void> {
  if (hash === undefined || args.skip_verify) return;
  if (!truthy(await ctx.functions.call('file.check_hash', [cached, hash])))
    throw new Ending(`${source.shown} does not match the desired source_hash ${hash}`);
}

async function refuseEncrypted({ ctx, args, source, format }: Extraction, cached: string): Promise<void> {
  if (format !== 'zip' || args.password !== undefined) return;
  const words = dict({ clean: false, saltenv: stateEnvironment(ctx), use_etag: args.use_etag });
  let isEncrypted: Value;
  try {
    isEncrypted = await ctx.functions.call('archive.is_encrypted', [cached], words);
  } catch (error) {
    if (error instanceof CommandExecutionError) return;
    throw error;
  }
  if (truthy(isEncrypted))
    throw new Ending(
      `Archive ${source.shown} is password-protected, but no password was specified. Please set the 'password' argument.`,
    );
}

/** @throws Ending for an archive that would reach out of the folder, or be too large for it, when it is unpacked */
async function refuseUnsafe(
  { ctx, args, format, folder }: Extraction,
  cached: string,
  contents: Contents,
): Promise<void> {
  const unpacked: Unpacked = {
    path: cached,
    folder,
    limits: archiveLimits(ctx.opts),
    replaced: new Set(contents.dirs.map((dir) => dir.replace(/\/+$/, ''))),
    cleans: args.clean || args.clean_parent || args.force,
  };
  try {
    if (format === 'zip') await inspectZip(unpacked, args.password);
    else if (format === 'rar') await inspectRar(unpacked);
    else await inspectTar(unpacked, args.options === undefined ? [] : tarWords(args.options));
  } catch (error) {
    if (error instanceof UnsafeArchiveError || error instanceof ZipError) throw new Ending(error.message);
    throw error;
  }
}

/** Unpacks what is not there, and gives it to its owner. */
async function unpackNeeded(
  extraction: Extraction,
  given: { readonly cached: string; readonly contents: Contents; readonly isNew: boolean },
): Promise<StateResult> {
  const { ctx, args, folder, source, changes, ids, format, trim } = extraction;
  const { cached, contents } = given;
  checkTopLevel(args, contents, folder, format);
  if (args.clean && args.clean_parent)
    throw new Ending("Only one of 'clean' and 'clean_parent' can be set to True");
  const { isMissing, wrong } = compareContents(contents, folder);
  const isRemoved = removeWrong(ctx, args, { folder, wrong }, changes);
  const isOld = isMissing || isRemoved || args.overwrite;
  const isUpdate = !isOld && given.isNew;
  const why = isUpdate
    ? ', due to source_hash update'
    : isMissing
      ? ', due to absence of one or more files/dirs'
      : '';
  const needsWork = isOld || isUpdate;
  const { files, isCreated } = needsWork
    ? await work(extraction, { cached, contents, why })
    : { files: null, isCreated: false };
  const disowned = await enforceOwnership(ctx, { args, folder, contents, ids }, changes);
  const told = needsWork
    ? extractedResult(extraction, {
        files,
        isCreated,
        why: `${why}. Output was trimmed to ${pyStr(trim)} number of lines`,
      })
    : presentResult(extraction);
  let { comment } = told;
  let result = told.result;
  const list = (paths: readonly string[]): string => paths.map((path) => `\n- ${path}`).join('');
  const trying = '\n\nWhile trying to enforce user/group ownership,';
  if (disowned.missing.length > 0) {
    if (args.if_missing === undefined) result = false;
    comment += `${trying} the following paths were missing:\n${list(disowned.missing)}`;
  }
  if (disowned.failed.length > 0) {
    result = false;
    comment += `${trying} Salt was unable to change ownership on the following paths:\n${list(disowned.failed)}`;
  }
  ctx.log.debug(`archive.extracted: ${source.shown}`);
  return ended(args.name, result, changes, comment);
}

function presentResult({ ctx, changes }: Extraction): {
  readonly result: boolean | null;
  readonly comment: string;
} {
  const comment = 'All files in archive are already present';
  return ctx.state.test && truthy(changes.get('updated ownership'))
    ? { result: null, comment: `${comment}. Ownership would be updated on one or more files/directories.` }
    : { result: true, comment };
}

function extractedResult(
  { folder, source, changes }: Extraction,
  { files, isCreated, why }: { readonly files: Value; readonly isCreated: boolean; readonly why: string },
): { readonly result: boolean | null; readonly comment: string } {
  if (!truthy(files)) return { result: false, comment: `No files were extracted from ${source.shown}` };
  if (isCreated) changes.set('directories_created', [folder]);
  changes.set('extracted_files', files);
  return { result: true, comment: `${source.shown} extracted to ${folder}${why}` };
}

/** Cleans and unpacks. @returns what was unpacked, and whether the folder had to be made @throws Ending */
async function work(
  extraction: Extraction,
  given: { readonly cached: string; readonly contents: Contents; readonly why: string },
): Promise<{ readonly files: Value; readonly isCreated: boolean }> {
  const { ctx, args, folder, source, changes } = extraction;
  const { cached, contents, why } = given;
  if (ctx.state.test) {
    const cleaning = args.clean ? ', after cleaning destination path(s)' : '';
    throw new Ending(`Archive ${source.shown} would be extracted to ${folder}${cleaning}${why}`, null);
  }
  if (args.clean_parent) {
    removeAll([folder]);
    if (!changes.has('removed'))
      changes.set('removed', `Directory ${folder} was removed prior to the extraction`);
  }
  if (args.clean) {
    const tops = [...contents.top_level_dirs, ...contents.top_level_files];
    const removed = removeAll(tops.map((path) => `${folder}${path}`));
    if (removed.length > 0) changes.set('removed', removed);
  }
  const isCreated = !isDir(folder);
  if (isCreated)
    await ctx.state.call(
      'file.directory',
      dict({ name: folder, user: args.user, group: args.group, makedirs: true }),
    );
  try {
    return { files: await unpack(ctx, { ...extraction, cached }), isCreated };
  } catch (error) {
    if (error instanceof CommandExecutionError || error instanceof CommandNotFoundError)
      throw new Ending(error.message);
    if (error instanceof Ending && isCreated) removeEmpty(folder);
    throw error;
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // what was unpacked before the failure stays
  }
}

const flag = (value: boolean, doc: string) => param.flag({ default: value, doc });
const text = (doc: string) => param.value({ default: null, type: 'str', doc });
const ifGiven = (doc: string) => param.valueIfGiven({ default: null, type: 'str', doc });

/** The states of `archive`. */
export const archiveStates = defineModule({
  name: 'archive',
  file: 'archive',
  doc: 'Archives, unpacked.',
  functions: {
    extracted: defineState({
      doc: 'Makes sure that an archive is unpacked: all its members are there. Keyword `keep_source=False` does not keep a fetched archive in the cache.',
      params: {
        name: param.textOrEmpty({ doc: 'The folder to unpack into.' }),
        source: param.value({ type: 'str', doc: 'The archive, or a list of places where it may be.' }),
        source_hash: ifGiven('Its hash, or a file of hashes.'),
        source_hash_name: text('The name of the archive in that file.'),
        source_hash_update: flag(false, 'Unpack anew when the archive is another one than before.'),
        skip_files_list_verify: flag(
          false,
          'Do not look for members when the archive is the same as before.',
        ),
        skip_verify: flag(false, 'Do without a hash.'),
        password: textIfSaid('The password of a zip archive.'),
        options: textIfSaid('Options of `tar` or `unzip`.'),
        list_options: text('A command that unpacks unusual compression to its standard output, for listing.'),
        force: flag(false, 'Remove what is there as something else.'),
        overwrite: flag(false, 'Unpack although all members are there.'),
        clean: flag(false, 'Remove what the archive has at its top before it is unpacked.'),
        clean_parent: flag(false, 'Remove the whole folder before.'),
        user: ifGiven('The owner.'),
        group: ifGiven('The group.'),
        if_missing: param.textOrNone({ default: null, doc: 'Do nothing when this path is there.' }),
        trim_output: param.by(trimmedLines, {
          default: false,
          type: 'int',
          doc: 'How many members the changes list.',
        }),
        use_cmd_unzip: param.flagIfGiven({ default: null, doc: 'Use the program `unzip`.' }),
        extract_perms: flag(true, 'Keep the modes that a zip archive has.'),
        enforce_toplevel: flag(true, 'Refuse archives without one single folder at the top.'),
        enforce_ownership_on: param.textOrNone({
          default: null,
          doc: 'The path that owner and group are for, instead of all members.',
        }),
        archive_format: textIfSaid('`tar`, `zip` or `rar`; without it the name decides.'),
        use_etag: flag(false, 'Let the web server tell whether the archive is another one.'),
      },
      kwargs: 'kwargs',
      run: (ctx, args, kwargs) => extracted(ctx, args, kwargs),
    }),
  },
});
