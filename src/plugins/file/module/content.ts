/** Reading and writing what is in files, without an editor's cleverness. Follows 3006.16 salt/modules/file.py. */
import {
  appendFileSync,
  closeSync,
  fsyncSync,
  openSync,
  readSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { diskRefusal, writing } from '../../../host/disk-refusal.ts';
import { readBytes, statFacts, writeInPlace } from '../../../host/file-operations.ts';
import { globPaths } from '../../../host/glob.ts';
import { isDir, pathExists } from '../../../python/paths.ts';
import { isOsError, osErrorText } from '../../../python/os-errors.ts';
import { splitWords } from '../../../python/shell-words.ts';
import { findProgram } from '../../../host/which.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { fnmatch } from '../../../python/text/fnmatch.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { strip } from '../../../python/values/text.ts';
import { isBytes, isFloat, isInt, toNumber, type Dict, type Value } from '../../../python/values/value.ts';
import { P, opt, textArgument } from '../../shared/file-params.ts';
import { guarded, textPattern } from '../../shared/regex.ts';
import { linesOf, readText } from '../../shared/file-text.ts';
import { param } from '../../../runtime/loader/params.ts';
import { pathOperand, ranAll } from '../../shared/program.ts';

/** The lines to write: positional arguments, or the keyword `args` in their place. */
function givenLines(rest: readonly Value[], kwargs: Dict): string[] {
  const args = kwargs.get('args');
  const lines = args === undefined ? rest : Array.isArray(args) ? args : [args];
  return lines.map(pyStr);
}

function appendLines(path: string, lines: readonly string[]): string {
  const fd = openSync(path, 'r+'); // the file has to be there
  let needsEnd = false;
  try {
    const { size } = statFacts(path);
    const last = Buffer.alloc(1);
    needsEnd = size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 10;
  } finally {
    closeSync(fd);
  }
  writing(path, () =>
    appendFileSync(path, (needsEnd ? '\n' : '') + lines.map((line) => `${line}\n`).join('')),
  );
  return `Wrote ${lines.length} lines to "${path}"`;
}

function prependLines(path: string, lines: readonly string[]): string {
  let before = '';
  try {
    before = readText(path);
  } catch (error) {
    if (!isOsError(error)) throw error;
  }
  writeInPlace(path, lines.map((line) => `${line}\n`).join('') + before);
  return `Prepended ${lines.length} lines to "${path}"`;
}

/** The first part of a file that Salt looks at in one go; beyond it, it looks at a window that moves on. */
const WINDOW = 256 * 1024;
const STEP = 32 * 1024;

/** The windows of a file's text in which Salt searches; a small file is one window. */
function* windows(path: string): Generator<string, void> {
  const text = readText(path);
  for (let end = WINDOW; ; end += STEP) {
    if (end - STEP >= text.length && end > WINDOW) return;
    if (text === '') return;
    yield text.slice(Math.max(0, end - WINDOW), end);
    if (end >= text.length) return;
  }
}

function isContained(path: string, found: (window: string) => boolean): boolean {
  if (!pathExists(path)) return false;
  try {
    for (const window of windows(path)) if (found(window)) return true;
    return false;
  } catch (error) {
    if (isOsError(error)) return false;
    throw error;
  }
}

function containsExpression(path: string, regex: string, leading: string): boolean {
  if (!pathExists(path)) return false;
  const pattern = textPattern(regex);
  const strippedLine = (line: string): string => {
    let at = 0;
    while (at < line.length && leading.includes(line.charAt(at))) at++;
    return line.slice(at);
  };
  try {
    return linesOf(readText(path)).some((line) =>
      guarded(() => pattern.test(leading === '' ? line : strippedLine(line), 'anywhere')),
    );
  } catch (error) {
    if (isOsError(error)) return false;
    throw error;
  }
}

/** Seconds out of an argument: digits in text count as a number. */
function timeOf(value: Value): number | undefined {
  if (value === null) return undefined;
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (isInt(number) || isFloat(number)) return toNumber(number);
  throw new SaltInvocationError('atime and mtime must be integers');
}

function touch(ctx: ModuleContext, name: string, atime: Value, mtime: Value): boolean {
  const now = ctx.clock.nowMs() / 1000;
  try {
    if (!pathExists(name)) writeFileSync(name, '', { flag: 'a' });
    utimesSync(name, timeOf(atime) ?? now, timeOf(mtime) ?? now);
  } catch (error) {
    if (!isOsError(error)) throw error;
    throw new CommandExecutionError(diskRefusal(error, name)?.message ?? osErrorText(error), {
      cause: error,
    });
  }
  return pathExists(name);
}

/** `file.touch` for other functions: creates an empty file. @returns true when it is there */
export function touchFile(ctx: ModuleContext, name: string): boolean {
  return touch(ctx, name, null, null);
}

function seekRead(path: string, size: number, offset: number): Uint8Array {
  const fd = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(size);
    return buffer.subarray(0, readSync(fd, buffer, 0, size, offset));
  } finally {
    closeSync(fd);
  }
}

function seekWrite(path: string, data: Value, offset: number): number {
  // Salt compat: Salt takes bytes only, which no command line can give.
  const bytes = isBytes(data) ? data : Buffer.from(pyStr(data));
  const fd = openSync(path, 1); // O_WRONLY
  try {
    return writing(path, () => {
      const count = writeSync(fd, bytes, 0, bytes.length, offset);
      fsyncSync(fd);
      return count;
    });
  } finally {
    closeSync(fd);
  }
}

async function grep(
  ctx: ModuleContext,
  given: string,
  pattern: string,
  options: readonly Value[],
): Promise<Value> {
  const found = globPaths(given, fnmatch);
  const words = options.flatMap((option) => {
    const parts = splitWords(pyStr(option));
    if (parts.length > 1) {
      throw new SaltInvocationError(
        'Passing multiple command line arguments in a single string is not supported, please pass the following ' +
          `arguments separately: ${pyStr(option)}`,
      );
    }
    return parts;
  });
  const files = (found.length > 0 ? found : [given]).map(pathOperand);
  const isOption = pattern.startsWith('-');
  const argv = ['grep', ...words, ...(isOption ? ['-e'] : []), pattern, ...files];
  return ranAll(ctx, [argv], { python_shell: false });
}

async function patch(
  ctx: ModuleContext,
  original: string,
  patchFile: Value,
  options: Value,
  isDry: boolean,
): Promise<Value> {
  const program = findProgram('patch');
  if (program === undefined) {
    throw new CommandExecutionError(
      "patch executable not found. Is the distribution's patch package installed?",
    );
  }
  const argv: Value[] = [program, ...(Array.isArray(options) ? options : splitWords(pyStr(options)))];
  if (isDry) argv.push('--dry-run');
  if (!argv.includes('-N') && !argv.includes('--forward')) argv.push('--forward');
  const has = (pattern: RegExp): boolean => argv.some((word) => pattern.test(pyStr(word)));
  if (!has(/^(-r$|-r |--reject-file)/)) argv.push('--reject-file=-');
  argv.push('-i', patchFile);
  if (isDir(original)) {
    argv.push('-d', pathOperand(original));
    if (!has(/^(-p|--strip=)/)) argv.push('--strip=0');
  } else {
    argv.push(pathOperand(original));
  }
  return ranAll(ctx, [argv], { python_shell: false });
}

const LINES = {
  params: { path: P.path },
  varargs: 'args',
  kwargs: 'kwargs',
} as const;
const COUNTED = 'a sentence with the number of lines';

/** Functions about content. */
export const contentFunctions = {
  append: defineFunction({
    doc: 'Adds lines at the end of a file, which must exist. A list may be given as the keyword args.',
    ...LINES,
    returns: COUNTED,
    examples: [`salt '*' file.append /etc/motd "With all thine offerings thou shalt offer salt."`],
    run: (_ctx, { path }, rest, kwargs) => appendLines(path, givenLines(rest, kwargs)),
  }),
  prepend: defineFunction({
    doc: 'Adds lines at the start of a file, which is created when it is missing.',
    ...LINES,
    returns: COUNTED,
    examples: [`salt '*' file.prepend /etc/motd "With all thine offerings thou shalt offer salt."`],
    run: (_ctx, { path }, rest, kwargs) => prependLines(path, givenLines(rest, kwargs)),
  }),
  write: defineFunction({
    doc: 'Writes lines into a file in place of what was there.',
    ...LINES,
    returns: COUNTED,
    examples: [`salt '*' file.write /etc/motd "With all thine offerings thou shalt offer salt."`],
    run: (_ctx, { path }, rest, kwargs) => {
      const [file, lines] = [path, givenLines(rest, kwargs)];
      writeInPlace(file, lines.map((line) => `${line}\n`).join(''));
      return `Wrote ${lines.length} lines to "${file}"`;
    },
  }),
  touch: defineFunction({
    doc: 'Makes sure that a file exists and sets its times.',
    params: {
      name: P.name,
      atime: opt(
        param.value({ type: 'int', doc: 'Time of access, seconds since 1970; default: now.' }),
        null,
      ),
      mtime: opt(
        param.value({ type: 'int', doc: 'Time of modification, seconds since 1970; default: now.' }),
        null,
      ),
    },
    returns: 'true',
    examples: ["salt '*' file.touch /var/log/emptyfile"],
    run: (ctx, { name, atime, mtime }) => touch(ctx, name, atime || null, mtime || null),
  }),
  read: defineFunction({
    doc: 'Gives the content of a file.',
    params: {
      path: P.plainPath,
      binary: opt(param.value({ type: 'bool', doc: 'As bytes, not as text.' }), false),
    },
    returns: 'text, or bytes',
    examples: ["salt '*' file.read /path/to/file"],
    run: (_ctx, { path, binary }) => {
      const file = path;
      return binary === true ? new Uint8Array(readBytes(file)) : readText(file);
    },
  }),
  seek_read: defineFunction({
    doc: 'Reads a piece of a file.',
    params: {
      path: P.path,
      size: param.wholeNumber({ doc: 'How many bytes.' }),
      offset: param.wholeNumber({ doc: 'From which byte on.' }),
    },
    returns: 'bytes',
    examples: ["salt '*' file.seek_read /path/to/file 4096 0"],
    run: (_ctx, { path, size, offset }) => seekRead(path, Number(size), Number(offset)),
  }),
  seek_write: defineFunction({
    doc: 'Writes into the middle of a file.',
    params: {
      path: P.path,
      data: param.value({ type: 'str or bytes', doc: 'What to write.' }),
      offset: param.wholeNumber({ doc: 'From which byte on.' }),
    },
    returns: 'number of bytes written',
    examples: ["salt '*' file.seek_write /path/to/file 'some data' 4096"],
    run: (_ctx, { path, data, offset }) => seekWrite(path, data, Number(offset)),
  }),
  truncate: defineFunction({
    doc: 'Cuts a file, or lengthens it with zeros.',
    params: { path: P.path, length: param.wholeNumber({ doc: 'Bytes to keep.' }) },
    returns: 'nothing',
    examples: ["salt '*' file.truncate /path/to/file 512"],
    run: (_ctx, { path, length }) => {
      truncateSync(path, Number(length));
      return null;
    },
  }),
  contains: defineFunction({
    doc: 'Returns whether a file contains a text, white space around the text left out.',
    params: { path: P.path, text: param.text({ doc: 'The text.' }) },
    returns: 'true or false',
    examples: ["salt '*' file.contains /etc/crontab 'mymaintenance.sh'"],
    run: (_ctx, { path, text }) => {
      const wanted = strip(text);
      return isContained(path, (window) => window.includes(wanted));
    },
  }),
  contains_regex: defineFunction({
    doc: 'Returns whether a regular expression matches in any line of a file.',
    params: {
      path: P.path,
      regex: P.regex,
      lchar: opt(param.textIfGiven({ doc: 'Characters to take off the start of each line first.' }), ''),
    },
    returns: 'true or false',
    examples: ["salt '*' file.contains_regex /etc/crontab"],
    run: (_ctx, { path, regex, lchar }) => containsExpression(path, regex, lchar ?? ''),
  }),
  contains_glob: defineFunction({
    doc: 'Returns whether a glob fits the content of a file as a whole.',
    params: { path: P.path, glob_expr: param.by(textArgument, { type: 'str', doc: 'The glob.' }) },
    returns: 'true or false',
    examples: ["salt '*' file.contains_glob /etc/foobar '*cheese*'"],
    run: (_ctx, { path, glob_expr }) => {
      const glob = glob_expr;
      return isContained(path, (window) => fnmatch(window, glob));
    },
  }),
  grep: defineFunction({
    doc: 'Runs grep on a file, or on the files that a glob finds.',
    params: { path: P.path, pattern: param.text({ doc: 'What to look for.' }) },
    varargs: 'opts',
    returns: 'the mapping of cmd.run_all',
    examples: ["salt '*' file.grep /etc/passwd nobody", `salt '*' file.grep "/etc/*" mail -- -l`],
    run: (ctx, { path, pattern }, options) => grep(ctx, path, pattern, options),
  }),
  patch: defineFunction({
    doc: 'Applies a patch to a file or folder with the program patch.',
    params: {
      originalfile: param.by(textArgument, { type: 'str', doc: 'The file or folder.' }),
      patchfile: param.value({ type: 'str', doc: 'The patch, a path on the minion.' }),
      options: opt(param.value({ type: 'str or list', doc: 'Options of the program.' }), ''),
      dry_run: opt(P.dry_run, false),
    },
    returns: 'the mapping of cmd.run_all',
    examples: ["salt '*' file.patch /opt/file.txt /tmp/file.txt.patch"],
    run: (ctx, { originalfile, patchfile, options, dry_run }) =>
      patch(ctx, originalfile, patchfile, options, dry_run),
  }),
};
