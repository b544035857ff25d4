/** Putting lines in comments and taking them out. Follows 3006.16 salt/modules/file.py `comment_line`. */
import { rmSync } from 'node:fs';
import { SaltInvocationError } from '../../../errors/errors.ts';
import { readBytes, writeInPlace } from '../../../host/file-operations.ts';
import { expandUser } from '../../../host/expand-user.ts';
import { isFile, realPath } from '../../../python/paths.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import type { Value } from '../../../python/values/value.ts';
import { P, opt, textArgument } from '../../shared/file-params.ts';
import { checkPermissions } from './permissions.ts';
import { guarded, textPattern } from '../../shared/regex.ts';
import { backupSuffix, currentOwner, keepCopy, moveToBackup } from './replace.ts';
import { byteLines, decodeText, diffOf, isTextFile } from '../../shared/file-text.ts';
import { param } from '../../../runtime/loader/params.ts';

interface CommentOptions {
  readonly regex: string;
  readonly char: string;
  readonly isComment: boolean;
  readonly backup: string;
}

/**
 * The state looks for lines with blanks in front, too. Salt compat: Salt's function does not know those, and the state
 * fails.
 */
const BLANKS = '[ \\t]*';

/** The whole expression: the given one in a group, with the comment's characters in front when they are to go. */
function lineExpression({ regex, char, isComment }: CommentOptions, lead = ''): string {
  const bare = regex.replace(/^\^+/, '').replace(/\$+$/, '');
  const end = regex.endsWith('$') ? '$' : '';
  if (isComment) return `${regex.startsWith('^') || lead !== '' ? '^' : ''}${lead}(${bare})${end}`;
  return `^${lead}${char}\\s*(${bare})${end}`;
}

/**
 * A line without the comment's characters in front, which may stand behind blanks. Salt compat: Salt takes only those
 * at its start.
 */
function withoutLeading(line: string, chars: string): string {
  const start = /^[ \t]*/.exec(line)?.[0].length ?? 0;
  let at = start;
  while (at < line.length && chars.includes(line.charAt(at))) at++;
  return line.slice(0, start) + line.slice(at);
}

async function commentLines(ctx: ModuleContext, given: string, options: CommentOptions): Promise<Value> {
  const expression = lineExpression(options);
  const path = realPath(expandUser(given));
  if (!isFile(path)) throw new SaltInvocationError(`File not found: ${path}`);
  if (!isTextFile(path))
    throw new SaltInvocationError(`Cannot perform string replacements on a binary file: ${path}`);
  textPattern(expression); // what is wrong with it is said without the blanks
  const pattern = textPattern(lineExpression(options, BLANKS));
  const lines = byteLines(readBytes(path)).map(decodeText);
  const isHit = lines.map((line) => guarded(() => pattern.test(line)));
  const before = lines.filter((_, i) => isHit[i]);
  if (before.length === 0) return false;
  const changed = (line: string): string =>
    options.isComment ? `${options.char}${line}` : withoutLeading(line, options.char);
  const owner = await currentOwner(path);
  const temporary = keepCopy(ctx, path, false);
  writeInPlace(path, lines.map((line, i) => (isHit[i] ? changed(line) : line)).join(''));
  if (options.backup === '') rmSync(temporary, { force: true });
  else moveToBackup(path, temporary, options.backup);
  await checkPermissions(ctx, path, null, owner);
  return diffOf(before, before.map(changed));
}

const PARAMS = {
  path: P.plainPath,
  regex: param.by(textArgument, {
    type: 'str',
    doc: 'The lines: a regular expression that matches from their start.',
  }),
  char: opt(P.char, '#'),
  backup: opt(P.backup, '.bak'),
} as const;
const RETURNS = 'the differences of these lines as text; false without any such line';

/** Functions about comments. */
export const commentFunctions = {
  comment_line: defineFunction({
    doc: 'Makes comments of lines in a text file, or takes them out of comments.',
    params: {
      path: PARAMS.path,
      regex: PARAMS.regex,
      char: PARAMS.char,
      cmnt: opt(param.flag({ doc: 'True makes comments, false takes lines out of them.' }), true),
      backup: PARAMS.backup,
    },
    returns: RETURNS,
    examples: ["salt '*' file.comment_line /etc/modules '^net' cmnt=False"],
    run: (ctx, { path, regex, char, cmnt, backup }) =>
      commentLines(ctx, path, {
        regex,
        char,
        isComment: cmnt,
        backup: backupSuffix(backup),
      }),
  }),
  comment: defineFunction({
    doc: 'Makes comments of lines in a text file.',
    params: PARAMS,
    returns: RETURNS,
    examples: ["salt '*' file.comment /etc/modules pcspkr"],
    run: (ctx, { path, regex, char, backup }) =>
      commentLines(ctx, path, {
        regex,
        char,
        isComment: true,
        backup: backupSuffix(backup),
      }),
  }),
  uncomment: defineFunction({
    doc: 'Takes lines of a text file out of comments.',
    params: PARAMS,
    returns: RETURNS,
    examples: ["salt '*' file.uncomment /etc/hosts.deny 'ALL: PARANOID'"],
    run: (ctx, { path, regex, char, backup }) =>
      commentLines(ctx, path, {
        regex,
        char,
        isComment: false,
        backup: backupSuffix(backup),
      }),
  }),
};
