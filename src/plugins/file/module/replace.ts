/** Replacing text by a regular expression, and searching. Follows 3006.16 salt/modules/file.py `replace`. */
import { isUtf8 } from 'node:buffer';
import { rmSync, symlinkSync } from 'node:fs';
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import {
  copyWithFacts,
  makeTempFile,
  movePath,
  readBytes,
  replaceFile,
  writeInPlace,
} from '../../../host/file-operations.ts';
import { expandUser } from '../../../host/expand-user.ts';
import { isLink, linkTarget, pathExists, realPath } from '../../../python/paths.ts';
import { isOsError, osErrorText } from '../../../python/os-errors.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { opt, P } from '../../shared/file-params.ts';
import { checkPermissions } from './permissions.ts';
import {
  bytesPattern,
  bytesText,
  escapePattern,
  guarded,
  MULTILINE,
  replaceAll,
} from '../../shared/regex.ts';
import { normalizeMode, statsOf } from './stats.ts';
import { diffOf, isTextFile, lineText, linesOf } from '../../shared/file-text.ts';
import { param } from '../../../runtime/loader/params.ts';

/** Options of a replacement by the names of `file.replace`. */
interface ReplaceOptions {
  readonly count: number;
  readonly flags: number;
  readonly append: boolean;
  readonly prepend: boolean;
  readonly notFoundContent: string | undefined;
  readonly backup: string;
  readonly dryRun: boolean;
  readonly showChanges: boolean;
  readonly ignoreMissing: boolean;
  readonly preserveInode: boolean;
  readonly backslashLiteral: boolean;
}

/** The file to edit, links followed. @returns undefined when it may be missing and is */
function editedFile(path: string, ignoreMissing: boolean): string | undefined {
  const real = realPath(expandUser(path));
  if (!pathExists(real)) {
    if (ignoreMissing) return undefined;
    throw new SaltInvocationError(`File not found: ${real}`);
  }
  if (!isTextFile(real))
    throw new SaltInvocationError(`Cannot perform string replacements on a binary file: ${real}`);
  return real;
}

/** `file.search` */
function search(path: string, pattern: string, flags: number, ignoreMissing: boolean): boolean {
  const real = editedFile(path, ignoreMissing);
  if (real === undefined) return false;
  const compiled = bytesPattern(pattern, flags);
  const text = readBytes(real).toString('latin1');
  return guarded(() => compiled.test(text, 'anywhere'));
}

/** `file.replace`; text stands for bytes, one character each. */
async function replace(
  ctx: ModuleContext,
  path: string,
  pattern: string,
  repl: string,
  options: ReplaceOptions,
): Promise<Value> {
  const real = editedFile(path, options.ignoreMissing);
  if (real === undefined) return false;
  if (options.append && options.prepend)
    throw new SaltInvocationError('Only one of append and prepend_if_not_found is permitted');
  const compiled = bytesPattern(pattern, options.flags);
  const owner = await currentOwner(real);
  const text = readBytes(real).toString('latin1');
  const replacement = bytesText(repl);
  const template = options.backslashLiteral ? replacement.replaceAll('\\', '\\\\') : replacement;
  const result = options.count < 0 ? { text, count: 0 } : replaceAll(compiled, template, text, options.count);
  requireWhole(real, pattern, [text, replacement], result.text);
  const before = linesOf(text);
  let after = linesOf(result.text);
  let hasChanges = result.count > 0 && text !== result.text;
  let found = result.count > 0;
  const isAdding = options.append || options.prepend;
  if (isAdding && !found) {
    const content = options.notFoundContent || repl;
    const present = bytesPattern(`^${escapePattern(content)}($|(?=\r\n))`, options.flags);
    found = guarded(() => present.test(text, 'anywhere'));
  }
  let temporary: string | undefined;
  if (hasChanges && !options.dryRun) {
    temporary = keepCopy(ctx, real, options.preserveInode);
    writeInPlace(real, Buffer.from(result.text, 'latin1'));
  }
  if (!found && isAdding) {
    after = withAddition(after, bytesText(options.notFoundContent ?? repl), options.prepend);
    hasChanges = true;
    if (!options.dryRun) {
      temporary = keepCopy(ctx, real, options.preserveInode);
      replaceFile(ctx.random, real, Buffer.from(after.join(''), 'latin1'));
    }
  }
  if (temporary !== undefined) finishCopy(path, real, temporary, options.backup);
  if (!options.dryRun) await checkPermissions(ctx, real, null, owner);
  const [from, to] = [before, after].map((lines) =>
    lines.map((line) => lineText(Buffer.from(line, 'latin1'))),
  );
  const difference = diffOf(from as string[], to as string[]);
  if (options.showChanges) return difference;
  return difference !== '' && hasChanges;
}

/**
 * Salt compat: Salt's patterns match between the bytes of one character as well, and leave a file that is no text any
 * more.
 * @throws SaltInvocationError where UTF-8 would be torn apart
 */
function requireWhole(path: string, pattern: string, before: readonly string[], after: string): void {
  const isWhole = (bytes: string): boolean => isUtf8(Buffer.from(bytes, 'latin1'));
  if (isWhole(after) || !before.every(isWhole)) return;
  throw new SaltInvocationError(
    `The pattern '${pattern}' would tear characters of ${path} apart: it matches between or within their bytes. ` +
      'Write one that matches whole characters, and not nothing.',
  );
}

function withAddition(lines: readonly string[], content: string, first: boolean): string[] {
  if (first) return [`${content}\n`, ...lines];
  const out = [...lines];
  const last = out.at(-1);
  if (last !== undefined && !last.endsWith('\n')) out[out.length - 1] = `${last}\n`;
  return [...out, `${content}\n`];
}

/** Owner, group and mode of a file, to be given back to it. */
export async function currentOwner(path: string): Promise<{ user: Value; group: Value; mode: Value }> {
  const facts: Dict = await statsOf(path);
  const [user, group] = [facts.get('user') ?? null, facts.get('group') ?? null];
  return { user, group, mode: normalizeMode(facts.get('mode') ?? null) };
}

/** Puts the old file aside. @returns where it is */
export function keepCopy(ctx: ModuleContext, path: string, preserveInode: boolean): string {
  const temporary = makeTempFile(ctx.random);
  try {
    if (preserveInode) copyWithFacts(path, temporary);
    else movePath(path, temporary);
    return temporary;
  } catch (error) {
    rmSync(temporary, { force: true });
    const verb = preserveInode ? 'copy' : 'move';
    throw new CommandExecutionError(
      `Exception: Unable to ${verb} file '${path}' to the temp file '${temporary}'. Exception: ${osErrorText(error)}`,
      { cause: error },
    );
  }
}

function finishCopy(given: string, real: string, temporary: string, backup: string): void {
  if (backup === '') {
    rmSync(temporary, { force: true });
    return;
  }
  moveToBackup(real, temporary, backup);
  if (!isLink(expandUser(given))) return;
  const link = expandUser(given);
  const target = linkTarget(link) ?? real;
  rmSync(`${link}${backup}`, { force: true });
  symlinkSync(`${target}${backup}`, `${link}${backup}`);
}

/** Makes the old file the backup of the new one. */
export function moveToBackup(path: string, temporary: string, backup: string): void {
  try {
    movePath(temporary, `${path}${backup}`);
  } catch (error) {
    if (!isOsError(error)) throw error;
    throw new CommandExecutionError(
      `Unable to move the temp file '${path}' to the backup file '${temporary}'. Exception: ${osErrorText(error)}`,
      { cause: error },
    );
  }
}

/** The end of a backup's name; empty for none. */
export function backupSuffix(value: Value): string {
  return truthy(value) ? pyStr(value) : '';
}

const FLAGS = opt(P.flags, MULTILINE);
const BUFSIZE = opt(P.bufsize, 1);

/** Functions that replace and search. */
export const replaceFunctions = {
  replace: defineFunction({
    doc: 'Replaces what a regular expression matches in a text file, everywhere. Classes know ASCII letters only.',
    params: {
      path: P.plainPath,
      pattern: P.pattern,
      repl: param.text({ doc: 'The replacement; `\\1` and `\\g<name>` stand for groups.' }),
      count: opt(param.wholeNumber({ doc: 'At most so many replacements; 0 for all.' }), 0),
      flags: FLAGS,
      bufsize: BUFSIZE,
      append_if_not_found: opt(param.flag({ doc: 'Without a match add a line at the end.' }), false),
      prepend_if_not_found: opt(param.flag({ doc: 'Without a match add a line at the start.' }), false),
      not_found_content: opt(
        param.textOrNone({ doc: 'The line to add; without it, the replacement.' }),
        null,
      ),
      backup: opt(P.backup, '.bak'),
      dry_run: opt(P.dry_run, false),
      search_only: opt(param.flag({ doc: 'Only tell whether there is a match.' }), false),
      show_changes: opt(P.show_changes, true),
      ignore_if_missing: opt(param.flag({ doc: 'A missing file is no error.' }), false),
      preserve_inode: opt(param.flag({ doc: 'Write into the file, so that hard links stay.' }), true),
      backslash_literal: opt(param.flag({ doc: 'A backslash in the replacement is just that.' }), false),
    },
    returns: 'the differences as text, empty without any; with show_changes=False true or false',
    examples: [
      `salt '*' file.replace /etc/httpd/httpd.conf pattern='LogLevel warn' repl='LogLevel info'`,
      `salt '*' file.replace /some/file pattern='before' repl='after' flags='[MULTILINE, IGNORECASE]'`,
    ],
    run: (ctx, args) => {
      const [path, pattern] = [args.path, args.pattern];
      const append = args.append_if_not_found;
      const prepend = args.prepend_if_not_found;
      const ignoreMissing = args.ignore_if_missing;
      if (args.search_only) {
        if (editedFile(path, ignoreMissing) !== undefined && (append || prepend))
          throw new SaltInvocationError('search_only cannot be used with append/prepend_if_not_found');
        return search(path, pattern, args.flags, ignoreMissing);
      }
      return replace(ctx, path, pattern, args.repl, {
        count: Number(args.count),
        flags: args.flags,
        append,
        prepend,
        notFoundContent: args.not_found_content,
        backup: backupSuffix(args.backup),
        dryRun: args.dry_run,
        showChanges: args.show_changes,
        ignoreMissing,
        preserveInode: args.preserve_inode,
        backslashLiteral: args.backslash_literal,
      });
    },
  }),
  search: defineFunction({
    doc: 'Returns whether a regular expression matches anywhere in a text file.',
    params: {
      path: P.plainPath,
      pattern: P.pattern,
      flags: FLAGS,
      bufsize: BUFSIZE,
      ignore_if_missing: opt(param.flag({ doc: 'A missing file is no error, but no match.' }), false),
      multiline: opt(param.flag({ doc: 'Let `^` and `$` match at each line.' }), false),
    },
    returns: 'true or false',
    examples: ["salt '*' file.search /etc/crontab 'mymaintenance.sh'"],
    run: (_ctx, { path, pattern, flags, ignore_if_missing, multiline }) => {
      const bits = flags | (multiline ? MULTILINE : 0);
      return search(path, pattern, bits, ignore_if_missing);
    },
  }),
};
