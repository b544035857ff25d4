/** `archive.list`: the names in tar, zip and rar archives (3006.16 salt/modules/archive.py). */
import { accessSync, constants, rmSync } from 'node:fs';
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { runProcess } from '../../../host/process.ts';
import { splitWords } from '../../../python/shell-words.ts';
import { findProgram } from '../../../host/which.ts';
import { pyInt } from '../../../python/conversions.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { describeOsError, PythonError } from '../../../python/exceptions.ts';
import { compareText } from '../../../python/values/order.ts';
import { dict, truthy, type Dict, type DictInit, type Value } from '../../../python/values/value.ts';
import { CommandProblem } from '../../shared/command-problem.ts';
import { runText } from '../../shared/program.ts';
import { parseUrl } from '../../shared/source-url.ts';
import { isSaltUrl, parseSaltUrl } from '../../../storage/fileclient/salt-url.ts';
import type { ArchiveMember } from './members.ts';
import { LIST_BYTES_MAX, listTar } from './tar-list.ts';
import { readRarList } from './rar-list.ts';
import { BadZipError } from './zip-format.ts';
import { ZipReader } from './zip-reader.ts';
import { cachedFile } from '../../shared/served-files.ts';

const TYPE = 0o170000;
const LINK = 0o120000;
const FOLDER = 0o040000;

/** Names by kind; folders end with a slash. */
interface Names {
  readonly dirs: string[];
  readonly files: string[];
  readonly links: string[];
}

/** What is asked. */
export interface ListRequest {
  readonly name: string;
  readonly archive_format: string | undefined;
  readonly options: string | undefined;
  readonly strip_components: Value;
  readonly clean: boolean;
  readonly verbose: boolean;
  readonly saltenv: Value;
  readonly source_hash: Value;
  readonly use_etag: Value;
}

/** The archive as a file here. @throws CommandExecutionError `Failed to cache X` */
export async function cachedArchive(
  ctx: ModuleContext,
  name: string,
  { saltenv, source_hash, use_etag }: Pick<ListRequest, 'saltenv' | 'source_hash' | 'use_etag'>,
): Promise<string> {
  const cached = await cachedFile(ctx, [name, saltenv], { source_hash, use_etag });
  if (cached === undefined) throw new CommandExecutionError(`Failed to cache ${name}`);
  return cached;
}

/** An error that tells where the fetched archive lies, so that it can be looked at. */
export function archiveProblem(message: string, cached: string, more: DictInit = {}): CommandExecutionError {
  return new CommandProblem(message, dict({ ...more, 'archive location': cached }));
}

/** A failure with more to say of it. */
class ListFailure extends Error {
  readonly info: DictInit;
  constructor(message: string, info: DictInit = {}) {
    super(message);
    this.info = info;
  }
}

/** Lists the names in an archive. */
export async function listArchive(ctx: ModuleContext, request: ListRequest): Promise<Value> {
  const name = request.name;
  const cached = await cachedArchive(ctx, request.name, request);
  try {
    const strip = stripCount(request.strip_components);
    const names = await namesIn(ctx, formatOf(name, request.archive_format), {
      name,
      cached,
      options: request.options,
    });
    if (request.clean) rmSync(cached, { force: true });
    return present(strip === 0 ? names : stripped(names, strip), request.verbose);
  } catch (error) {
    if (error instanceof ListFailure) throw archiveProblem(error.message, cached, error.info);
    throw error;
  }
}

function stripCount(given: Value): number {
  if (!truthy(given)) return 0;
  let count = -1;
  try {
    count = Number(pyInt(given));
  } catch (error) {
    if (!(error instanceof PythonError)) throw error;
  }
  if (count <= 0) throw new ListFailure("'strip_components' must be a positive integer");
  return count;
}

function formatOf(name: string, given: string | undefined): string {
  const format = given ?? archiveFormat(name);
  if (format === undefined)
    throw new ListFailure("Unable to guess archive format, please pass an 'archive_format' argument.");
  return format;
}

/** The format of an archive by the name of its file, or by its address; undefined when that tells nothing. */
export function archiveFormat(name: string): string | undefined {
  const path = fileNameIn(name).toLowerCase();
  if (/\.(tar|tar\.gz|tgz|tar\.bz2|tbz2|tbz|tar\.xz|txz|tar\.lzma|tlz)$/.test(path)) return 'tar';
  return /\.(zip|rar)$/.exec(path)?.[1];
}

/**
 * An address up to the end of its file's name, of which `?` and `#` may be a part on this machine and on the file
 * server.
 */
function fileNameIn(address: string): string {
  if (isSaltUrl(address)) return parseSaltUrl(address).path;
  const { host, path } = parseUrl(address);
  return `${host}${path}`;
}

interface ArchiveFile {
  readonly name: string;
  readonly cached: string;
  readonly options: string | undefined;
}

async function namesIn(ctx: ModuleContext, format: string, archive: ArchiveFile): Promise<Names> {
  try {
    switch (format) {
      case 'tar':
        return await tarNames(archive);
      case 'zip':
        return zipNames(archive);
      case 'rar':
        return await rarNames(ctx, archive);
      default:
        throw new ListFailure(`Unsupported archive format '${format}'`);
    }
  } catch (error) {
    const system = error instanceof Error ? describeOsError(error) : undefined;
    if (system !== undefined)
      throw new ListFailure(`Failed to list contents of ${archive.name}: ${system.message}`);
    throw error;
  }
}

async function tarNames({ name, cached, options }: ArchiveFile): Promise<Names> {
  if (findProgram('tar') === undefined) throw new ListFailure("'tar' command not available");
  accessSync(cached, constants.R_OK); // tar itself says only that it cannot
  const { members } = await listTar(cached);
  if (members !== undefined) return byKind(members);
  if (options !== undefined && options !== '') {
    const unpacked = await runProcess([...splitWords(options), cached], { outputLimitBytes: LIST_BYTES_MAX });
    if (unpacked.retcode !== 0)
      throw new ListFailure(`Failed to decompress ${name}`, { error: unpacked.stderr.toString() });
    const second = await listTar('-', [], unpacked.stdout);
    if (second.members !== undefined) return byKind(second.members);
  }
  throw new ListFailure(
    `Unable to list contents of ${name}. If this is an XZ-compressed tar archive, install XZ Utils to enable listing its ` +
      'contents. If it is compressed using something other than XZ, it may be necessary to specify CLI options to ' +
      'decompress the archive. See the documentation for details.',
  );
}

function byKind(members: readonly ArchiveMember[]): Names {
  const names: Names = { dirs: [], files: [], links: [] };
  for (const { name, kind } of members)
    if (kind === 'folder') names.dirs.push(`${name.replace(/\/+$/, '')}/`);
    else (kind === 'symlink' ? names.links : names.files).push(name);
  return names;
}

function zipNames({ name, cached }: ArchiveFile): Names {
  let zip: ZipReader;
  try {
    zip = new ZipReader(cached);
  } catch (error) {
    if (error instanceof BadZipError) throw new ListFailure(`${name} is not a ZIP file`);
    throw error;
  }
  zip.close();
  const [dirs, files, links] = [new Set<string>(), new Set<string>(), [] as string[]];
  for (const { name: path, mode } of zip.entries) {
    if ((mode & TYPE) === LINK) links.push(path);
    else ((mode & TYPE) === FOLDER ? dirs : files).add(path);
  }
  // archives made on Windows have no entries for folders
  for (const path of [...files]) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    if (folder === '') continue;
    dirs.add(folder);
    files.delete(folder);
  }
  return { dirs: [...dirs], files: [...files], links };
}

async function rarNames(ctx: ModuleContext, { name }: ArchiveFile): Promise<Names> {
  if (findProgram('rar') === undefined) throw new ListFailure('rar command not available, is it installed?');
  const output = await runText(ctx, ['rar', 'lt', '--', name], { ignore_retcode: false });
  const names: Names = { dirs: [], files: [], links: [] };
  for (const { name: path, kind } of readRarList(output))
    if (kind === 'folder') names.dirs.push(`${path}/`);
    else names.files.push(path);
  if (names.dirs.length + names.files.length > 0) return names;
  throw new ListFailure(
    `Failed to list ${name}, is it a rar file? If so, the installed version of rar may be too old to list data in a ` +
      'parsable format. Installing the rarfile Python module may be an easier workaround if newer rar is not readily available.',
    { error: output },
  );
}

function stripped({ dirs, files, links }: Names, count: number): Names {
  const strip = (paths: readonly string[]): string[] =>
    paths
      .map((path) => path.split('/').slice(count).join('/'))
      .filter((path) => path !== '')
      .sort(compareText);
  return { dirs: strip(dirs), files: strip(files), links: strip(links) };
}

function present({ dirs, files, links }: Names, isVerbose: boolean): Value {
  if (!isVerbose) return [...dirs, ...files, ...links].sort(compareText);
  const out: Dict = dict({
    dirs: [...dirs].sort(compareText),
    files: [...files].sort(compareText),
    links: [...links].sort(compareText),
  });
  const list = (key: string): string[] => out.get(key) as string[];
  const slashes = (path: string): number => path.split('/').length - 1;
  const top = list('dirs').filter((path) => slashes(path) === 1);
  const prefix = commonPrefix(list('dirs'));
  if (prefix.includes('/')) {
    const first = `${prefix.split('/')[0] ?? ''}/`;
    if (!top.includes(first)) top.push(first);
  }
  out.set('top_level_dirs', top);
  out.set(
    'top_level_files',
    list('files').filter((path) => slashes(path) === 0),
  );
  out.set(
    'top_level_links',
    list('links').filter((path) => slashes(path) === 0),
  );
  return out;
}

/** `os.path.commonprefix`: character by character. */
function commonPrefix(paths: readonly string[]): string {
  const [first = '', ...others] = paths;
  let length = first.length;
  for (const other of others)
    while (length > 0 && other.slice(0, length) !== first.slice(0, length)) length--;
  return first.slice(0, length);
}

/** The text of an error as Python's `str(exc)` gives it. */
export function exceptionText(error: unknown): string {
  if (error instanceof Error && 'code' in error && /^Z_/.test(String(error.code)) && 'errno' in error)
    return `Error ${String(error.errno)} while decompressing data: ${error.message}`;
  return (error instanceof Error ? describeOsError(error)?.message : undefined) ?? messageOf(error);
}
