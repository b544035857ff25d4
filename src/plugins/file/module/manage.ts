/** Putting a file in its place with its content, owner and mode. Follows 3006.16 salt/modules/file.py `manage_file`. */
import { optionOf } from '../../../runtime/loader/option-of.ts';
import { chmodSync, chownSync, rmSync, statSync } from 'node:fs';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { diskRefusal } from '../../../host/disk-refusal.ts';
import { copyContent, makeTempFile, movePath } from '../../../host/file-operations.ts';
import {
  absPath,
  baseName,
  dirName,
  isDir,
  isFile,
  isLink,
  joinPath,
  pathExists,
  realPath,
} from '../../../python/paths.ts';
import { isOsError, osErrorText } from '../../../python/os-errors.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isBytes, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { keepBackup } from '../../shared/backups.ts';
import { touchFile } from './content.ts';
import { differenceOf, hidesTemplates, OBFUSCATED } from './difference.ts';
import { encodeText } from '../../shared/encode-text.ts';
import { hashBytes, hashFile } from '../../shared/hash-kinds.ts';
import { opt, P, SELINUX_PARAMS } from '../../shared/file-params.ts';
import { checkPermissions, makeParents } from './permissions.ts';
import { removeTemporary } from './places.ts';
import type { SelinuxContext } from './selinux.ts';
import { cacheSource, sourceMode } from './fetch-source.ts';
import { environmentOf } from './sources.ts';
import { parseUrl } from '../../shared/source-url.ts';
import { param } from '../../../runtime/loader/params.ts';

/** Everything `file.manage_file` is told. */
interface Order {
  readonly name: string;
  readonly source: string;
  readonly user: Value;
  readonly group: Value;
  readonly attrs: Value;
  readonly saltenv: string;
  readonly backup: Value;
  readonly makedirs: boolean;
  readonly showChanges: boolean;
  readonly contents: Uint8Array | undefined;
  readonly dirMode: Value;
  readonly followLinks: boolean;
  /** The source came by http or from this machine, and its hash is to be checked. */
  readonly isChecked: boolean;
  readonly verifySsl: boolean;
  readonly useEtag: boolean;
  readonly selinux: SelinuxContext;
}

/** What is known so far. */
interface Progress {
  readonly ret: Dict;
  readonly changes: Dict;
  /** The source on this machine; empty when it has not been fetched yet. */
  sfn: string;
  /** What the source's path stands for, when there is nothing at it. */
  readonly content: Uint8Array | undefined;
  sourceSum: Dict;
  mode: Value;
}

/** An end with a sentence; carried by an exception, so that every step can end the whole. */
class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** @returns the path of the source, or its content */
async function fetched(ctx: ModuleContext, order: Order, progress: Progress): Promise<string | Uint8Array> {
  if (progress.content !== undefined) return progress.content;
  if (progress.sfn === '') {
    progress.sfn = await cacheSource(ctx, order.source, {
      saltenv: order.saltenv,
      verifySsl: order.verifySsl,
      useEtag: order.useEtag,
    });
  }
  if (progress.sfn === '' || !pathExists(progress.sfn))
    throw new Refusal(`Source file '${order.source}' not found`);
  return progress.sfn;
}

function hashType(ctx: ModuleContext, progress: Progress): string {
  return pyStr(progress.sourceSum.get('hash_type') ?? optionOf(ctx.opts, 'hash_type'));
}

function removeSource({ sfn, content }: Progress): void {
  if (content === undefined) removeTemporary(sfn);
}

function sourceHash({ content, sfn }: Progress, type: string): string | Promise<string> {
  return content === undefined ? hashFile(sfn, type) : hashBytes(content, type);
}

/** @throws FileRefusal when a source that has to have a certain hash has another one */
async function assertHash(
  ctx: ModuleContext,
  order: Order,
  progress: Progress,
  what: string,
  hint = '',
): Promise<void> {
  if (!order.isChecked) return;
  const type = hashType(ctx, progress);
  const actual = await sourceHash(progress, type);
  const wanted = progress.sourceSum.get('hsum');
  if (wanted === undefined || actual === wanted) return;
  throw new Refusal(
    `Specified ${type} checksum for ${what} (${pyStr(wanted)}) does not match actual checksum (${actual})${hint}`,
  );
}

/**
 * Salt's `copyfile`: a copy beside the target takes its place in one step; owner and mode of an old file are kept.
 * @param from a path, or the content itself
 * @throws FileRefusal `Failed to commit change: …`
 */
async function commit(
  ctx: ModuleContext,
  order: Order,
  from: string | Uint8Array,
  to: string,
): Promise<void> {
  const mode = await ctx.functions.call('config.backup_mode', [order.backup]);
  let temporary = '';
  try {
    if (typeof from === 'string' && !isFile(from)) throw noSuchFile(from);
    if (!isDir(dirName(to))) throw noSuchFile(to);
    // Salt compat: Salt would leave the file under a name of its own inside the folder
    if (isDir(to)) throw new NoSuchFile(`[Errno 21] Is a directory: ${to}`);
    const place = { prefix: baseName(to), folder: dirName(absPath(to)) };
    temporary = makeTempFile(ctx.random, typeof from === 'string' ? place : { ...place, content: from });
    if (typeof from === 'string') copyContent(from, temporary);
    const cachedir = optionOf(ctx.opts, 'cachedir');
    if ((mode === 'minion' || mode === 'both') && pathExists(to))
      keepBackup(ctx, to, joinPath(cachedir, 'file_backup'));
    const facts = statSync(to, { throwIfNoEntry: false });
    movePath(temporary, to);
    if (facts !== undefined) {
      chownSync(to, facts.uid, facts.gid);
      chmodSync(to, facts.mode & 0o7777);
    }
  } catch (error) {
    if (temporary !== '') rmSync(temporary, { force: true });
    if (!isOsError(error) && !(error instanceof NoSuchFile)) throw error;
    throw new Refusal(`Failed to commit change: ${diskRefusal(error, to)?.message ?? osErrorText(error)}`);
  }
}

class NoSuchFile extends Error {}

function noSuchFile(path: string): NoSuchFile {
  return new NoSuchFile(`[Errno 2] No such file or directory: ${path}`);
}

/** The file is there already. */
async function updateFile(ctx: ModuleContext, order: Order, progress: Progress): Promise<void> {
  const { name, contents } = order;
  const isLinkReplaced = isLink(name) && !order.followLinks;
  const real = isLink(name) && order.followLinks ? realPath(name) : name;
  if (order.source !== '') {
    const current = isLinkReplaced ? null : await hashFile(real, hashType(ctx, progress));
    if (current === null || progress.sourceSum.get('hsum') !== current)
      await replaceBySource(ctx, order, progress, real);
  }
  if (contents !== undefined) await replaceByContents(ctx, order, progress, real, contents);
  if (isLink(name) && !order.followLinks) {
    // contents do not take its place above when it leads nowhere, since there is nothing to compare them with
    const source = contents ?? (await fetched(ctx, order, progress));
    if (contents === undefined) await assertHash(ctx, order, progress, name);
    await commit(ctx, order, source, name);
    progress.changes.set('diff', 'Replace symbolic link with regular file');
  }
  const wanted = { ...order, mode: progress.mode, followLinks: order.followLinks };
  await checkPermissions(ctx, name, progress.ret, wanted);
  if (progress.changes.size > 0) progress.ret.set('comment', `File ${name} updated`);
  else if (truthy(progress.ret.get('result')))
    progress.ret.set('comment', `File ${name} is in the correct state`);
}

async function replaceBySource(
  ctx: ModuleContext,
  order: Order,
  progress: Progress,
  real: string,
): Promise<void> {
  const source = await fetched(ctx, order, progress);
  await assertHash(
    ctx,
    order,
    progress,
    order.source,
    ". If the 'source_hash' value refers to a remote file with multiple possible matches, then it may be necessary " +
      "to set 'source_hash_name'.",
  );
  if (await hidesTemplates(ctx)) progress.changes.set('diff', OBFUSCATED);
  else if (!order.showChanges) progress.changes.set('diff', '<show_changes=False>');
  else {
    try {
      const difference = await differenceOf(ctx, real, source, { showFilenames: false });
      if (difference !== '') progress.changes.set('diff', difference);
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      progress.changes.set('diff', error.message);
    }
  }
  try {
    await commit(ctx, order, source, real);
  } catch (error) {
    removeSource(progress);
    throw error;
  }
}

async function replaceByContents(
  ctx: ModuleContext,
  order: Order,
  progress: Progress,
  real: string,
  contents: Uint8Array,
): Promise<void> {
  let difference = '';
  try {
    const { showChanges } = order;
    difference = await differenceOf(ctx, real, contents, {
      showFilenames: false,
      showChanges,
      isTemplate: true,
    });
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    const warnings = progress.ret.get('warnings');
    const sentence = `Failed to detect changes to file: ${error.message}`;
    progress.ret.set('warnings', [...(Array.isArray(warnings) ? warnings : []), sentence]);
  }
  if (difference === '') return;
  progress.changes.set('diff', difference);
  await commit(ctx, order, contents, real);
}

/** The mode for folders that hold a file: whoever may read the file may enter them. */
function folderMode(order: Order, mode: Value): Value {
  if (order.dirMode !== null || mode === null) return order.dirMode;
  const digits = pyStr(mode).slice(-3);
  return [...digits].map((digit) => (digit === '0' ? digit : String(Number(digit) | 1))).join('');
}

async function makeRoom(ctx: ModuleContext, order: Order, progress: Progress): Promise<void> {
  if (isDir(dirName(order.name))) return;
  if (!order.makedirs) {
    removeSource(progress);
    progress.changes.delete('diff');
    throw new Refusal('Parent directory not present');
  }
  const { user, group } = order;
  await makeParents(ctx, order.name, { user, group, mode: folderMode(order, progress.mode) });
}

/** The file is not there yet. */
async function createFile(ctx: ModuleContext, order: Order, progress: Progress): Promise<void> {
  const { name, contents } = order;
  const { ret, changes } = progress;
  const isTest = truthy(ctx.opts.get('test'));
  if (order.source !== '') {
    await fetched(ctx, order, progress);
    await assertHash(ctx, order, progress, name);
    changes.set('diff', 'New file');
    await makeRoom(ctx, order, progress);
  } else {
    await makeRoom(ctx, order, progress);
    if (!isTest) touchNew(ctx, name, truthy(progress.mode));
    if (!isTest && contents === undefined) {
      changes.set('new', `file ${name} created`);
      ret.set('comment', 'Empty file');
    } else if (!isTest) {
      changes.set('diff', 'New file');
    }
  }
  if (contents !== undefined) await commit(ctx, order, contents, name);
  else if (progress.sfn !== '') await commit(ctx, order, progress.content ?? progress.sfn, name);
  const mode = progress.mode ?? `0${(0o666 & ~process.umask()).toString(8)}`;
  await checkPermissions(ctx, name, ret, { ...order, mode, followLinks: false });
  if (!truthy(ret.get('comment'))) ret.set('comment', `File ${name} updated`);
  if (isTest) ret.set('comment', `File ${name} not updated`);
  else if (changes.size === 0 && truthy(ret.get('result')))
    ret.set('comment', `File ${name} is in the correct state`);
}

/** A file that is to have a mode of its own is never readable by others meanwhile. */
function touchNew(ctx: ModuleContext, name: string, isPrivate: boolean): void {
  const mask = isPrivate ? process.umask(0o077) : undefined;
  try {
    touchFile(ctx, name);
  } finally {
    if (mask !== undefined) process.umask(mask);
  }
}

async function manage(
  ctx: ModuleContext,
  order: Order,
  progress: Progress,
  keepMode: boolean,
): Promise<Dict> {
  try {
    if (order.source !== '') {
      if (progress.sfn === '') {
        await fetched(ctx, order, progress);
        const type = hashType(ctx, progress);
        progress.sourceSum = dict({ hash_type: type, hsum: await hashFile(progress.sfn, type) });
      }
      if (keepMode && ['salt', 'file', ''].includes(parseUrl(order.source).scheme))
        progress.mode = (await sourceMode(ctx, order.source, order.saltenv)) ?? progress.mode;
    }
    const leadsNowhere = isLink(order.name) && order.followLinks && !pathExists(order.name);
    const isDangling = leadsNowhere && order.source === '';
    // Salt compat: Salt compares with what is not there, finds no difference, and writes nothing
    if (isDangling) await createFile(ctx, { ...order, name: realPath(order.name) }, progress);
    else if (isFile(order.name) || isLink(order.name)) await updateFile(ctx, order, progress);
    else await createFile(ctx, order, progress);
    removeSource(progress);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    progress.ret.set('result', false).set('comment', error.message);
  }
  return progress.ret;
}

function startReturn(name: string, given: Value): { ret: Dict; changes: Dict } {
  const ret: Dict =
    isDict(given) && given.size > 0 ? given : dict({ name, changes: {}, comment: '', result: true });
  const known = ret.get('changes');
  const changes: Dict = isDict(known) ? known : new Map();
  ret.set('changes', changes);
  return { ret, changes };
}

function contentBytes(contents: Value, encoding: string | undefined, errors: string): Uint8Array | undefined {
  if (contents === null) return undefined;
  if (isBytes(contents)) return contents;
  return encodeText(pyStr(contents), encoding ?? 'utf-8', errors);
}

/** The function `manage_file`. */
export const manageFunctions = {
  manage_file: defineFunction({
    doc: 'Makes a file what it is to be: content from a source or given, owner, group, mode, attributes.',
    params: {
      name: P.name,
      sfn: P.sfn,
      ret: P.ret,
      source: param.textIfGiven({ doc: P.source.doc }),
      source_sum: P.source_sum,
      user: P.user,
      group: P.group,
      mode: P.mode,
      attrs: P.attrs,
      saltenv: P.saltenv,
      backup: param.value({
        type: 'str',
        doc: 'minion keeps a copy of the old file, see file.list_backups.',
      }),
      makedirs: opt(P.makedirs, false),
      template: opt(P.template, null),
      show_changes: opt(P.show_changes, true),
      contents: opt(P.contents, null),
      dir_mode: opt(param.value({ type: 'str', doc: 'The mode of folders that are created.' }), null),
      follow_symlinks: opt(P.follow_symlinks, true),
      skip_verify: opt(P.skip_verify, false),
      keep_mode: opt(P.keep_mode, false),
      encoding: opt(param.textIfGiven({ doc: 'The encoding of the contents; default: UTF-8.' }), null),
      encoding_errors: opt(
        param.text({ doc: 'What becomes of characters that do not fit: strict, ignore, replace.' }),
        'strict',
      ),
      ...SELINUX_PARAMS,
      verify_ssl: opt(P.verify_ssl, true),
      use_etag: opt(P.use_etag, false),
    },
    kwargs: 'kwargs',
    knowsHeld: true,
    returns: '`{name, changes, comment, result}`, the differences as `changes.diff`',
    examples: [
      "salt '*' file.manage_file /etc/httpd/conf.d/httpd.conf '' '{}' salt://http/httpd.conf '{hash_type: md5, hsum: <md5sum>}' root root '755' '' base ''",
    ],
    run: (ctx, args) => {
      const name = args.name;
      const source = args.source ?? '';
      const { seuser, serole, setype, serange, user, group, attrs } = args;
      const sum = args.source_sum;
      const hsum = sum.get('hsum');
      const progress: Progress = {
        ...startReturn(name, args.ret),
        sfn: args.sfn ?? '',
        content: ctx.held?.content(args.sfn ?? ''),
        sourceSum:
          typeof hsum === 'string' ? new Map<Value, Value>([...sum, ['hsum', hsum.toLowerCase()]]) : sum,
        mode: args.mode,
      };
      const order: Order = {
        name,
        source,
        user,
        group,
        attrs,
        saltenv: environmentOf(args.saltenv),
        backup: args.backup,
        makedirs: args.makedirs,
        showChanges: args.show_changes,
        contents: contentBytes(args.contents, args.encoding, args.encoding_errors),
        dirMode: args.dir_mode,
        followLinks: args.follow_symlinks,
        isChecked: source !== '' && parseUrl(source).scheme !== 'salt' && !args.skip_verify && !args.use_etag,
        verifySsl: args.verify_ssl,
        useEtag: args.use_etag,
        selinux: { user: seuser, role: serole, type: setype, range: serange },
      };
      return manage(ctx, order, progress, args.keep_mode);
    },
  }),
};
