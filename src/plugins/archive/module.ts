/** `archive`: packing, unpacking and listing archives. Follows 3006.16 salt/modules/archive.py. */
import { rmSync } from 'node:fs';
import { CommandExecutionError, CommandNotFoundError, SaltInvocationError } from '../../errors/errors.ts';
import { globPaths } from '../../host/glob.ts';
import { isAbs, isFile, joinPath } from '../../python/paths.ts';
import { splitWords } from '../../python/shell-words.ts';
import { findUser } from '../../host/users.ts';
import { findProgram } from '../../host/which.ts';
import { pyCount } from '../../python/conversions.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { fnmatch } from '../../python/text/fnmatch.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { toNumber, type Value } from '../../python/values/value.ts';
import { archiveProblem, cachedArchive, exceptionText, listArchive } from './module/listing.ts';
import { archiveLimits, inspectRar, inspectTar, inspectZip } from './module/inspect.ts';
import { UnsafeArchiveError } from './module/members.ts';
import { unpacks } from './module/tar-list.ts';
import { decryptedCopy, type DecryptedCopy } from './module/zip-decrypted.ts';
import { BadZipError, ZipError } from './module/zip-format.ts';
import { packZip, readWholeZip, unpackZip } from './module/unpack.ts';
import { renderPaths } from '../shared/render-file.ts';
import { runAll, runText } from '../shared/program.ts';
import { param, type TypedArguments } from '../../runtime/loader/params.ts';

const GLOB = /[*?[]/;

/** @throws CommandNotFoundError `The 'tar' binary was not found in $PATH.` */
function need(program: string): void {
  if (findProgram(program) === undefined)
    throw new CommandNotFoundError(`The '${program}' binary was not found in $PATH.`);
}

/** Names with commas between, or a list of them, as texts. */
function nameList(given: Value): string[] {
  if (Array.isArray(given)) return given.map(pyStr);
  if (typeof given === 'string') return given.split(',').map((name) => name.trim());
  return toNumber(given) === undefined ? [] : [pyStr(given)];
}

/** Sources with their wildcards expanded. */
function expandSources(sources: Value): string[] {
  return nameList(sources).flatMap((path) => (GLOB.test(path) ? globPaths(path, fnmatch) : [path]));
}

interface RunLike {
  readonly template: Value | undefined;
  readonly runas: Value | undefined;
  readonly cwd?: Value | undefined;
}

async function lines(ctx: ModuleContext, words: readonly string[], args: RunLike): Promise<string[]> {
  const { template = null, runas = null, cwd = null } = args;
  return splitLines(await runText(ctx, words, { cwd, template, runas }));
}

/** The first hundred names, or as many as are asked for, where a shorter answer is wanted. */
function trimmed(names: readonly string[], trim: Value): string[] {
  const count = typeof trim === 'boolean' ? 100 : pyCount(trim);
  if (trim === false || names.length <= count) return [...names];
  return [...names.slice(0, count), `List trimmed after ${count} files.`];
}

/** Works as another user. Only functions that have a process of their own may do so. */
async function asUser<T>(runas: Value | undefined, work: () => Promise<T>): Promise<T> {
  if (runas === undefined) return work();
  const user = await findUser(pyStr(runas));
  if (user === undefined) throw new SaltInvocationError(`User '${pyStr(runas)}' does not exist`);
  const [uid, gid] = [process.geteuid?.(), process.getegid?.()];
  if (uid === user.uid && gid === user.gid) return work();
  process.setegid?.(user.gid);
  process.seteuid?.(user.uid);
  try {
    return await work();
  } finally {
    if (uid !== undefined) process.seteuid?.(uid);
    if (gid !== undefined) process.setegid?.(gid);
  }
}

interface ZipRequest extends RunLike {
  readonly zip_file: string;
  readonly sources: Value;
  readonly zip64: boolean;
}

async function zip(ctx: ModuleContext, args: ZipRequest): Promise<string[]> {
  const { cwd } = args;
  const [file, given] =
    args.template !== undefined
      ? await renderPaths(ctx, [args.zip_file, args.sources], args.template, {
          saltenv: 'base',
          kwargs: new Map(),
        })
      : [args.zip_file, args.sources];
  const sources = expandSources(given ?? '');
  if (cwd === undefined) {
    if (sources.some((source) => !isAbs(source)))
      throw new SaltInvocationError("Relative paths require the 'cwd' parameter");
  } else if (typeof cwd !== 'string' || !isAbs(cwd)) throw new SaltInvocationError('cwd must be absolute');
  try {
    return await asUser(args.runas, () =>
      packZip(file ?? '', sources, {
        cwd,
        allowsBig: args.zip64,
      }),
    );
  } catch (error) {
    if (error instanceof SaltInvocationError) throw error;
    // Salt compat: meant by Salt, which loses the error and returns what it had
    throw new CommandExecutionError(`Exception encountered creating zipfile: ${exceptionText(error)}`);
  }
}

/** @throws UnsafeArchiveError for an archive that `tar` is to unpack */
async function inspectForTar(
  ctx: ModuleContext,
  options: readonly string[],
  args: RunLike & { readonly tarfile: string; readonly dest: string | undefined },
): Promise<void> {
  const cwd = args.cwd === undefined ? process.cwd() : pyStr(args.cwd);
  const path = joinPath(cwd, args.tarfile);
  const folder = args.dest !== undefined ? joinPath(cwd, args.dest) : cwd;
  await inspectTar({ path, folder, limits: archiveLimits(ctx.opts) }, options);
}

interface UnzipRequest extends RunLike {
  readonly zip_file: string;
  readonly dest: string;
  /** Undefined where nothing was said at all. */
  readonly excludes: readonly string[] | undefined;
  readonly trim_output: Value;
  readonly password: string | undefined;
  readonly extract_perms: boolean;
}

async function unzip(ctx: ModuleContext, args: UnzipRequest): Promise<string[]> {
  const paths = [args.zip_file, args.dest];
  const [file = '', dest = ''] = await renderPaths(ctx, paths, args.template ?? null, {
    saltenv: 'base',
    kwargs: new Map(),
  });
  try {
    const names = await asUser(args.runas, () =>
      unpackZip(file, dest, {
        excludes: args.excludes ?? [],
        password: args.password,
        keepsModes: args.extract_perms,
        limits: archiveLimits(ctx.opts),
      }),
    );
    return trimmed(names, args.trim_output);
  } catch (error) {
    if (error instanceof SaltInvocationError || error instanceof UnsafeArchiveError) throw error;
    throw new CommandExecutionError(`Exception encountered unpacking zipfile: ${exceptionText(error)}`);
  }
}

async function cmdUnzip(
  ctx: ModuleContext,
  args: UnzipRequest & { options: string | undefined },
): Promise<string[]> {
  need('unzip');
  const { password } = args;
  const [given = '', folder = ''] = await renderPaths(
    ctx,
    [args.zip_file, args.dest],
    args.template ?? null,
    { saltenv: 'base', kwargs: new Map() },
  );
  const path = foundByUnzip(given);
  if (path !== undefined) await inspectForProgram(ctx, { path, folder, password });
  const copy =
    password === undefined
      ? undefined
      : await asUser(args.runas, async () => openedCopy(given, path, password));
  try {
    // an empty one keeps it from asking for what the password has not opened
    const words = ['unzip', ...(password === undefined ? [] : ['-P', ''])];
    if (args.options !== undefined) words.push(...splitWords(args.options));
    words.push(
      copy?.path ?? (path === undefined ? args.zip_file : nameForUnzip(path, args.zip_file)),
      '-d',
      args.dest,
    );
    if (args.excludes !== undefined) words.push('-x', ...args.excludes);
    const { retcode, stdout } = await runAll(ctx, words, {
      template: args.template ?? null,
      runas: args.runas ?? null,
      redirect_stderr: true,
    });
    const said = copy === undefined ? stdout : stdout.replaceAll(copy.path, path ?? given);
    if (retcode !== 0) throw new CommandExecutionError(said);
    return trimmed(splitLines(said), args.trim_output);
  } finally {
    copy?.release();
  }
}

/** The archive that `unzip` takes for a name: it looks for the name with an ending, too. */
function foundByUnzip(name: string): string | undefined {
  return [name, `${name}.zip`, `${name}.ZIP`].find((path) => isFile(path));
}

/**
 * What `unzip` is given so that it reads just this file: it takes the last part of a name with `*`, `?` or `[` anywhere
 * in it for a pattern, and would unpack others, which nobody has looked into.
 * @param given what it is called where it is no pattern
 */
function nameForUnzip(path: string, given: string): string {
  if (!GLOB.test(path)) return given;
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return (
    folder + path.slice(folder.length).replace(/[*?[]|\\/g, (char) => (char === '\\' ? '\\\\' : `[${char}]`))
  );
}

/**
 * What `unzip` is to read where there is a password, which it would take as an argument only.
 *
 * Salt compat: Salt hands it over there, where every user of the machine reads it.
 * @returns undefined where it reads the archive itself
 */
function openedCopy(given: string, path: string | undefined, password: string): DecryptedCopy | undefined {
  if (path !== undefined) return decryptedCopy(path, password);
  if (GLOB.test(given))
    throw new SaltInvocationError(`A password opens one archive, and ${given} is a pattern for several.`);
  return undefined;
}

/** What `unzip` cannot read either, it says itself. @throws UnsafeArchiveError */
async function inspectForProgram(
  ctx: ModuleContext,
  { path, folder, password }: { path: string; folder: string; password: string | undefined },
): Promise<void> {
  const limits = archiveLimits(ctx.opts);
  try {
    await inspectZip({ path, folder, limits }, password);
  } catch (error) {
    if (error instanceof UnsafeArchiveError) throw error;
    throw new UnsafeArchiveError(path, `its members could not be looked at first: ${exceptionText(error)}`);
  }
}

interface CheckRequest {
  readonly name: string;
  readonly clean: boolean;
  readonly saltenv: Value;
  readonly source_hash: Value;
  readonly use_etag: Value;
}

async function isEncrypted(ctx: ModuleContext, args: CheckRequest): Promise<boolean> {
  const cached = await cachedArchive(ctx, args.name, args);
  let encrypted = false;
  try {
    await readWholeZip(cached);
  } catch (error) {
    if (error instanceof BadZipError) throw archiveProblem(`${args.name} is not a ZIP file`, cached);
    if (!(error instanceof ZipError)) throw archiveProblem(exceptionText(error), cached);
    encrypted = true;
  }
  if (args.clean) rmSync(cached, { force: true });
  return encrypted;
}

async function unrar(
  ctx: ModuleContext,
  args: RunLike & {
    rarfile: string;
    dest: string;
    excludes: readonly string[] | undefined;
    trim_output: Value;
  },
): Promise<string[]> {
  const program = ['unrar', 'rar'].map((name) => findProgram(name)).find((path) => path !== undefined);
  if (program === undefined)
    throw new CommandNotFoundError(`None of provided binaries(["'unrar'", "'rar'"]) were found in $PATH.`);
  await inspectRar({ path: args.rarfile, folder: args.dest, limits: archiveLimits(ctx.opts) });
  const words = [program, 'x', '-idp', args.rarfile];
  for (const name of args.excludes ?? []) words.push('-x', name);
  return trimmed(await lines(ctx, [...words, args.dest], args), args.trim_output);
}

const template = param.valueIfGiven({
  default: null,
  type: 'str',
  doc: 'Render the paths with this template engine first (`jinja`).',
});
const runas = param.valueIfGiven({ default: null, type: 'str', doc: 'The user to work as.' });
const cwd = param.valueIfGiven({
  default: null,
  type: 'str',
  doc: 'The folder that relative sources are below, and that names in the archive begin at.',
});
const sources = param.value({
  type: 'str or list',
  doc: 'Paths with commas between, or a list; wildcards are expanded.',
});
const excludes = param.by((value: Value) => (value === null ? undefined : nameList(value)), {
  default: null,
  type: 'str or list',
  doc: 'Names that are left out, with commas between or as a list.',
});
const trim_output = param.value({
  default: false,
  type: 'bool or int',
  doc: 'Answer with so many names at most; True is a hundred.',
});
const fetched = {
  saltenv: param.value({ default: 'base', type: 'str', doc: 'The environment of `salt://` archives.' }),
  source_hash: param.value({
    default: null,
    type: 'str',
    doc: 'The sum of an archive that is fetched from a web server.',
  }),
  use_etag: param.value({
    default: false,
    type: 'bool',
    doc: "Ask a web server by the file's ETag whether it is new.",
  }),
} as const;
const clean = param.flag({ default: false, doc: 'Remove the archive afterwards.' });
const password = param.textIfGiven({ default: null, doc: 'The password of the archive.' });
const unzipOptions = param.textIfGiven({ default: null, doc: 'Options of the program `unzip`.' });

const squeezed = {
  template,
  runas,
  options: param.textIfGiven({ default: null, doc: 'A further option of the program.' }),
} as const;
const file = param.text({ doc: 'The file.' });

function squeeze(
  ctx: ModuleContext,
  [program, path]: readonly [string, string],
  args: TypedArguments<typeof squeezed>,
): Promise<string[]> {
  need(program);
  const option = args.options === undefined ? [] : [args.options];
  return lines(ctx, [program, ...option, path], args);
}

/** The module. */
export const archiveModule = defineModule({
  name: 'archive',
  file: 'archive',
  doc: 'Packs, unpacks and lists archives.',
  words: { lines: 'any', dashes: ['options', 'password'] },
  functions: {
    list: defineFunction({
      doc: 'Lists the names in a tar, zip or rar archive.',
      pythonName: 'list_',
      params: {
        name: param.text({ doc: 'Path or URL.' }),
        archive_format: param.textIfGiven({
          default: null,
          doc: '`tar`, `zip` or `rar`; without it the name decides.',
        }),
        options: param.textAlone({
          default: null,
          doc: 'For tar archives: a command that unpacks unusual compression to its standard output.',
        }),
        strip_components: param.value({
          default: null,
          type: 'int',
          doc: 'Leave out so many folders at the top.',
        }),
        clean,
        verbose: param.flag({ default: false, doc: 'Tell folders, files and links apart.' }),
        ...fetched,
      },
      returns:
        'sorted list; with `verbose` mapping of `dirs`, `files`, `links`, `top_level_dirs`, `top_level_files`, `top_level_links`',
      examples: [
        "salt '*' archive.list /path/to/myfile.tar.gz strip_components=1",
        "salt '*' archive.list salt://foo.zip",
      ],
      run: (ctx, args) => listArchive(ctx, args),
    }),
    tar: defineFunction({
      doc: 'Packs or unpacks with the program `tar`. An archive with names or links that lead out of the folder is not unpacked.',
      params: {
        options: param.textIfGiven({ doc: 'Options of `tar`, such as `cjvf` or `xf`.' }),
        tarfile: param.text({ doc: 'The archive.' }),
        sources: { ...sources, default: null },
        dest: param.textIfGiven({ default: null, doc: 'The folder to unpack into.' }),
        cwd,
        template,
        runas,
      },
      returns: 'lines of output',
      examples: [
        "salt '*' archive.tar cjvf /tmp/tarfile.tar.bz2 '/tmp/file_*'",
        "salt '*' archive.tar xf foo.tar dest=/target/directory",
      ],
      run: async (ctx, args) => {
        need('tar');
        if (args.options === undefined) throw new SaltInvocationError('Tar options can not be empty');
        const options = args.options.split(/\s+/).filter((word) => word !== '');
        // Salt compat: 3006.16 writes it behind the members, where it holds for none of them (57847)
        const folder = args.dest === undefined ? [] : ['-C', args.dest];
        const words = ['tar', ...options, args.tarfile, ...folder, ...expandSources(args.sources)];
        if (unpacks(options)) await inspectForTar(ctx, options, args);
        return lines(ctx, words, args);
      },
    }),
    gzip: defineFunction({
      doc: 'Compresses a file with `gzip`.',
      params: { sourcefile: file, ...squeezed },
      returns: 'lines of output',
      examples: ["salt '*' archive.gzip /tmp/sourcefile.txt"],
      run: (ctx, args) => squeeze(ctx, ['gzip', args.sourcefile], args),
    }),
    gunzip: defineFunction({
      doc: 'Unpacks a file with `gunzip`.',
      params: { gzipfile: file, ...squeezed },
      returns: 'lines of output',
      examples: ["salt '*' archive.gunzip /tmp/sourcefile.txt.gz"],
      run: (ctx, args) => squeeze(ctx, ['gunzip', args.gzipfile], args),
    }),
    cmd_zip: defineFunction({
      doc: 'Makes a zip archive with the program `zip`.',
      params: { zip_file: param.text({ doc: 'The archive.' }), sources, template, cwd, runas },
      returns: 'lines of output',
      examples: ["salt '*' archive.cmd_zip /tmp/zipfile.zip /tmp/sourcefile1,/tmp/sourcefile2"],
      run: (ctx, args) => {
        need('zip');
        return lines(ctx, ['zip', '-r', args.zip_file, ...expandSources(args.sources)], args);
      },
    }),
    zip: defineFunction({
      doc: 'Makes a zip archive.',
      pythonName: 'zip_',
      isolation: 'process',
      params: {
        zip_file: param.text({ doc: 'The archive.' }),
        sources,
        template,
        cwd,
        runas,
        zip64: param.flag({ default: false, doc: 'Allow archives of more than 2 GB.' }),
      },
      returns: 'the names in the archive',
      examples: ["salt '*' archive.zip /tmp/zipfile.zip '/tmp/sourcefile*'"],
      run: (ctx, args) => zip(ctx, args),
    }),
    cmd_unzip: defineFunction({
      doc: 'Unpacks a zip archive with the program `unzip`.',
      params: {
        zip_file: param.text({ doc: 'The archive.' }),
        dest: param.text({ doc: 'The folder to unpack into.' }),
        excludes,
        options: unzipOptions,
        template,
        runas,
        trim_output,
        password,
      },
      returns: 'lines of output',
      examples: ["salt '*' archive.cmd_unzip /tmp/zipfile.zip /home/strongbad/ excludes=file_1,file_2"],
      run: (ctx, args) => cmdUnzip(ctx, { ...args, extract_perms: true }),
    }),
    unzip: defineFunction({
      doc: 'Unpacks a zip archive. One with names or links that lead out of the folder is refused.',
      isolation: 'process',
      params: {
        zip_file: param.text({ doc: 'The archive.' }),
        dest: param.text({ doc: 'The folder to unpack into.' }),
        excludes,
        options: { ...unzipOptions, doc: 'Is not looked at.' },
        template,
        runas,
        trim_output,
        password,
        extract_perms: param.flag({
          default: true,
          doc: 'Give files the modes that the archive has for them.',
        }),
      },
      returns: 'the names of what was unpacked',
      examples: ["salt '*' archive.unzip /tmp/zipfile.zip /home/strongbad/ password='BadPassword'"],
      run: (ctx, args) => unzip(ctx, args),
    }),
    is_encrypted: defineFunction({
      doc: 'Returns whether a zip archive needs a password.',
      isolation: 'process',
      params: { name: param.text({ doc: 'Path or URL.' }), clean, ...fetched },
      returns: 'bool',
      examples: ["salt '*' archive.is_encrypted /path/to/myfile.zip"],
      run: (ctx, args) => isEncrypted(ctx, args),
    }),
    rar: defineFunction({
      doc: 'Makes a rar archive with the program `rar`.',
      params: { rarfile: param.text({ doc: 'The archive.' }), sources, template, cwd, runas },
      returns: 'lines of output',
      examples: ["salt '*' archive.rar /tmp/rarfile.rar '/tmp/sourcefile*'"],
      run: (ctx, args) => {
        need('rar');
        return lines(ctx, ['rar', 'a', '-idp', args.rarfile, ...expandSources(args.sources)], args);
      },
    }),
    unrar: defineFunction({
      doc: 'Unpacks a rar archive with the program `unrar` or `rar`.',
      params: {
        rarfile: param.text({ doc: 'The archive.' }),
        dest: param.text({ doc: 'The folder to unpack into.' }),
        excludes,
        template,
        runas,
        trim_output,
      },
      returns: 'lines of output',
      examples: ["salt '*' archive.unrar /tmp/rarfile.rar /home/strongbad/ excludes=file_1,file_2"],
      run: (ctx, args) => unrar(ctx, args),
    }),
  },
});
