/** Making sure of one line. Follows 3006.16 salt/modules/file.py `line`. */
import { statSync } from 'node:fs';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { movePath, replaceFile } from '../../../host/file-operations.ts';
import { expandUser } from '../../../host/expand-user.ts';
import { isFile, realPath } from '../../../python/paths.ts';
import { isOsError, osErrorText } from '../../../python/os-errors.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { compilePattern, PatternError } from '../../../python/regex/pattern.ts';
import { lstrip, rstrip, splitLines } from '../../../python/values/text.ts';
import type { Value } from '../../../python/values/value.ts';
import { opt, P } from '../../shared/file-params.ts';
import { keepCopy } from './replace.ts';
import { diffOf, linesOf, readText } from '../../shared/file-text.ts';
import { param } from '../../../runtime/loader/params.ts';

const ENDS = ['start', 'end'];
const MODES = ['insert', 'ensure', 'delete', 'replace'];

/** What is to be done with the line. */
interface LineOptions {
  readonly content: string | undefined;
  readonly match: string | undefined;
  readonly mode: string;
  readonly location: string | undefined;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly indent: boolean;
}

function lineEnd(line: string): string {
  return /((?<!\r)\n|\r(?!\n)|\r\n)$/.exec(line)?.[0] ?? '';
}

function withEnd(like: string, line: string): string {
  return rstrip(line) + (lineEnd(like) || '\n');
}

function indented(like: string, line: string, indent: boolean): string {
  return indent ? (/^[\t ]*/.exec(like)?.[0] ?? '') + lstrip(line) : line;
}

/** The lines that an expression matches, or that contain it as it stands. */
function matching(lines: readonly string[], expression: string | undefined): string[] | undefined {
  if (lines.length === 0 || expression === undefined || expression === '') return undefined;
  try {
    const pattern = compilePattern(expression, { dotAll: true });
    return lines.filter((line) => pattern.test(line, 'anywhere') || line.includes(expression));
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new CommandExecutionError(`${error.pythonMessage}: '${expression}'`, { cause: error });
  }
}

/** The one line that was found. @throws CommandExecutionError when there are none or several */
function single(found: readonly string[], name: string): string {
  if (found.length === 1) return found[0] as string;
  const many = found.length > 1 ? 'more than' : 'less than';
  throw new CommandExecutionError(`Found ${many} expected occurrences in "${name}" expression`);
}

/** Whether a line is there, which is given the indentation of its neighbour unless that is not wanted. */
function sameLine(a: string | undefined, b: string, isIndented: boolean): boolean {
  if (a === undefined) return false;
  return isIndented
    ? rstrip(lstrip(a)) === rstrip(lstrip(b))
    : a.replace(/[\r\n]+$/, '') === b.replace(/[\r\n]+$/, '');
}

function insertAt(lines: readonly string[], index: number, line: string): string[] {
  return [...lines.slice(0, index), line, ...lines.slice(index)];
}

/** Applies the options to the lines. */
function editLines(ctx: ModuleContext, lines: readonly string[], options: LineOptions): string[] {
  const { content = '', mode, indent } = options;
  const after = matching(lines, options.after);
  const before = matching(lines, options.before);
  const match = matching(lines, options.match);
  if (lines.length === 0 && (mode === 'delete' || mode === 'replace')) {
    ctx.log.warning(`Cannot find text to ${mode}. File is empty.`);
    return [];
  }
  // Salt compat: Salt takes one line in each run, until all of them are gone or replaced; a state has to be done after
  // one
  const hits = match ?? [];
  if (mode === 'delete') return lines.filter((line) => !hits.includes(line));
  if (mode === 'replace') {
    const first = lines.findIndex((line) => hits.includes(line));
    const replaced = lines.map((line) => (hits.includes(line) ? indented(line, content, indent) : line));
    const isFound = (matching([replaced[first] ?? ''], options.match) ?? []).length > 0;
    return isFound ? lines.map((line, i) => (i === first ? (replaced[i] as string) : line)) : replaced;
  }
  return mode === 'insert'
    ? insertLine(lines, { ...options, content, found: { before, after } })
    : before === undefined && after === undefined && ENDS.includes(options.location ?? '')
      ? ensureAtEnd(lines, content, { indent, location: options.location })
      : ensureLine(lines, { content, indent, before, after });
}

function insertLine(
  lines: readonly string[],
  options: LineOptions & {
    readonly content: string;
    readonly found: { readonly before: string[] | undefined; readonly after: string[] | undefined };
  },
): string[] {
  const { content, location, indent } = options;
  const { before = [], after = [] } = options.found;
  if (options.before === undefined && options.after === undefined && location === undefined) {
    throw new CommandExecutionError('On insert either "location" or "before/after" conditions are required.');
  }
  // what stands there already is not put there again. Salt compat: Salt does, at each run
  if (location === 'end' && sameLine(lines.at(-1) === '' ? lines.at(-2) : lines.at(-1), content, indent))
    return [...lines];
  if (location === 'start' && sameLine(lines[0], content, indent)) return [...lines];
  if (location === 'end')
    return [...lines, lines.length > 0 ? indented(lines.at(-1) as string, content, indent) : content];
  if (location === 'start')
    return lines.length > 0 ? [withEnd(lines[0] as string, content), ...lines] : [`${content}\n`];
  if (location !== undefined) return [...lines];
  if (before.length > 0 && after.length > 0) {
    const last = lines.indexOf(single(before, 'before'));
    single(after, 'after');
    if (last > 0 && sameLine(lines[last - 1], content, indent)) return [...lines];
    return insertAt(lines, last, indented(lines[last] as string, content, indent));
  }
  if (after.length > 0) {
    const at = lines.indexOf(single(after, 'after'));
    if (sameLine(lines[at + 1], content, indent)) return [...lines];
    return insertAt(lines, at + 1, indented(lines[at] as string, content, indent));
  }
  if (before.length > 0) {
    const at = lines.indexOf(single(before, 'before'));
    if (at > 0 && sameLine(lines[at - 1], content, indent)) return [...lines];
    return insertAt(lines, at, indented(lines[at] as string, content, indent));
  }
  throw new CommandExecutionError('Neither before or after was found in file');
}

/** Makes sure of a line at the start or the end of a file that does not have it anywhere. Salt compat: Salt fails. */
function ensureAtEnd(
  lines: readonly string[],
  content: string,
  { indent, location }: Pick<LineOptions, 'indent' | 'location'>,
): string[] {
  if (lines.some((line) => sameLine(line, content, indent))) return [...lines];
  const last = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  return insertAt(lines, location === 'start' ? 0 : last, `${content}\n`);
}

function ensureLine(
  lines: readonly string[],
  options: {
    readonly content: string;
    readonly indent: boolean;
    readonly before: string[] | undefined;
    readonly after: string[] | undefined;
  },
): string[] {
  const { content, indent, before = [], after = [] } = options;
  if (before.length > 0 && after.length > 0) {
    const first = lines.indexOf(single(after, 'after'));
    const last = lines.indexOf(single(before, 'before'));
    if (lines.some((line) => lstrip(line) === content)) return [...lines];
    const line = indented(lines[first] as string, content, indent);
    if (first + 1 === last) return insertAt(lines, first + 1, line);
    if (first + 2 === last) return lines.map((old, i) => (i === first + 1 ? line : old));
    throw new CommandExecutionError('Found more than one line between boundaries "before" and "after".');
  }
  if (before.length > 0) {
    const at = lines.indexOf(single(before, 'before'));
    if (at > 0 && sameLine(lines[at - 1], content, indent)) return [...lines];
    return insertAt(lines, at, indented(lines.at(at - 1) as string, content, indent));
  }
  if (after.length > 0) {
    const at = lines.indexOf(single(after, 'after'));
    if (sameLine(lines[at + 1], content, indent)) return [...lines];
    return insertAt(lines, at + 1, indented(lines[at] as string, content, indent));
  }
  throw new CommandExecutionError(
    'Wrong conditions? Unable to ensure line without knowing where to put it before and/or after.',
  );
}

/** Gives every line but the last an end. */
function withEnds(lines: readonly string[]): string[] {
  const out = [...lines];
  out.forEach((line, i) => {
    if (lineEnd(line) === '' && i + 1 < out.length)
      out[i] = withEnd(out[i === 0 ? 1 : i - 1] as string, line);
  });
  if (out.at(-1) === '') out.pop();
  return out;
}

/** The name of the backup: the path and the local time. */
function backupName(ctx: ModuleContext, path: string): string {
  const now = new Date(ctx.clock.nowMs());
  const parts = [now.getFullYear(), now.getMonth() + 1, now.getDate()].concat([
    now.getHours(),
    now.getMinutes(),
    now.getSeconds(),
  ]);
  return `${path}.${parts.map((part) => String(part).padStart(2, '0')).join('-')}`;
}

function editFile(
  ctx: ModuleContext,
  path: string,
  options: LineOptions,
  how: { readonly showChanges: boolean; readonly backup: boolean },
): Value {
  const text = readText(path);
  let body = linesOf(text);
  if (body.length > 0 && lineEnd(body.at(-1) as string) !== '') body.push('');
  if (statSync(path).size === 0 && (options.mode === 'delete' || options.mode === 'replace')) {
    ctx.log.warning(`Cannot find text to ${options.mode}. File '${path}' is empty.`);
    body = [];
  }
  body = withEnds(editLines(ctx, body, options));
  const isChanged = body.join('') !== text;
  const isTest = ctx.opts.get('test') !== undefined && ctx.opts.get('test') !== false;
  if (how.backup && isChanged && !isTest) {
    try {
      movePath(keepCopy(ctx, path, true), backupName(ctx, path));
    } catch (error) {
      if (!isOsError(error)) throw error;
      throw new CommandExecutionError(
        `Unable to create the backup file of ${path}. Exception: ${osErrorText(error)}`,
        { cause: error },
      );
    }
  }
  if (!isChanged) return false;
  const difference = how.showChanges ? diffOf(splitLines(text, true), body) : '';
  if (!isTest) replaceFile(ctx.random, path, body.join(''));
  return difference === '' ? true : difference;
}

/** Functions about single lines. */
export const lineFunctions = {
  line: defineFunction({
    doc: 'Makes sure that a text file has a line in a certain place, or has it no more.',
    params: {
      path: P.plainPath,
      content: opt(param.textOrNone({ doc: 'The line.' }), null),
      match: opt(
        param.textOrNone({ doc: 'The line to replace or delete: a regular expression or a part of it.' }),
        null,
      ),
      mode: opt(param.textOrNone({ doc: 'ensure, insert, replace or delete.' }), null),
      location: opt(param.textIfGiven({ doc: 'With insert: start or end.' }), null),
      before: opt(
        param.textOrNone({ doc: 'The line above which it goes: a regular expression or a part of it.' }),
        null,
      ),
      after: opt(
        param.textOrNone({ doc: 'The line below which it goes: a regular expression or a part of it.' }),
        null,
      ),
      show_changes: opt(P.show_changes, true),
      backup: opt(param.flag({ doc: 'Keep a copy with the time in its name.' }), false),
      quiet: opt(param.flag({ doc: 'A missing file is no error.' }), false),
      indent: opt(param.flag({ doc: 'Indent the line as its neighbour.' }), true),
    },
    returns: 'the differences as text, or true; false without any',
    examples: [
      `salt '*' file.line /etc/nsswitch.conf "networks:\\tfiles dns" after="hosts:.*?" mode='ensure'`,
    ],
    run: (ctx, args) => {
      const path = realPath(expandUser(args.path));
      if (!isFile(path)) {
        if (args.quiet) return false;
        throw new CommandExecutionError(`File "${path}" does not exists or is not a file.`);
      }
      const mode = args.mode?.toLowerCase();
      if (mode === undefined)
        throw new CommandExecutionError('Mode was not defined. How to process the file?');
      if (!MODES.includes(mode)) throw new CommandExecutionError(`Unknown mode: "${mode}"`);
      const content = args.content;
      if (mode !== 'delete' && content === undefined)
        throw new CommandExecutionError('Content can only be empty if mode is "delete"');
      const [before, after] = [args.before, args.after];
      const isAlone = before === undefined && after === undefined && (args.match ?? '') === '';
      const options = {
        content,
        match: isAlone ? content : args.match,
        mode,
        location: args.location,
        before,
        after,
        indent: args.indent,
      };
      return editFile(ctx, path, options, {
        showChanges: args.show_changes,
        backup: args.backup,
      });
    },
  }),
};
