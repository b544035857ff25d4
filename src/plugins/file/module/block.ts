/** Keeping a block between two marker lines. Follows 3006.16 salt/modules/file.py `blockreplace`. */
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { copyWithFacts, readBytes, replaceFile } from '../../../host/file-operations.ts';
import { isFile, pathExists } from '../../../python/paths.ts';
import { isOsError, osErrorText } from '../../../python/os-errors.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Value } from '../../../python/values/value.ts';
import { opt, P, writtenText } from '../../shared/file-params.ts';
import { checkPermissions } from './permissions.ts';
import { guarded, textPattern } from '../../shared/regex.ts';
import { currentOwner } from './replace.ts';
import { decodeAs, diffOf, encodeAs, encodingOf, isBinaryFile, linesOf } from '../../shared/file-text.ts';
import { param } from '../../../runtime/loader/params.ts';

/** What to write, and where when there is no block yet. */
interface BlockOptions {
  readonly markerStart: string;
  readonly markerEnd: string;
  readonly content: readonly string[];
  readonly appendNewline: boolean;
  readonly append: boolean;
  readonly prepend: boolean;
  readonly before: string;
  readonly after: string;
}

/** The lines of a block, with or without the line that starts it. */
function blockLines(
  options: BlockOptions,
  lineEnd: string,
  withStart: boolean,
  endLine = options.markerEnd,
): string[] {
  const lines = withStart ? [options.markerStart + lineEnd] : [];
  const end = endLine.replace(/[\r\n]+$/, '') + lineEnd;
  options.content.forEach((line, i) => {
    if (i < options.content.length - 1) lines.push(line + lineEnd);
    else if (options.appendNewline) lines.push(line + lineEnd, end);
    else lines.push(line + end);
  });
  return lines;
}

interface Edited {
  readonly lines: readonly string[];
  readonly found: boolean;
  readonly lineEnd: string;
}

/** Replaces the blocks that are there. @throws CommandExecutionError when one has no end */
function replaceBlocks(lines: readonly string[], options: BlockOptions): Edited {
  const out: string[] = [];
  let [inBlock, found] = [false, false];
  const [first] = lines;
  const lineEnd = first?.endsWith('\r\n') === true ? '\r\n' : '\n';
  for (const line of lines) {
    if (line.includes(options.markerStart)) {
      inBlock = true;
      out.push(line);
    } else if (!inBlock) {
      out.push(line);
    } else {
      const at = line.indexOf(options.markerEnd);
      if (at < 0) continue;
      inBlock = false;
      found = true;
      out.push(...blockLines(options, lineEnd, false, line.slice(at)));
    }
  }
  if (inBlock)
    throw new CommandExecutionError('Unterminated marked block. End of file reached before marker_end.');
  return { lines: out, found, lineEnd };
}

/** Adds a block where the options say. @throws CommandExecutionError when there is no such place */
function insertBlock({ lines, lineEnd }: Edited, options: BlockOptions): string[] {
  const block = blockLines(options, lineEnd, true);
  if (options.prepend) return [...block, ...lines];
  if (options.append) {
    const out = [...lines];
    const last = out.at(-1);
    if (last !== undefined && !last.endsWith(lineEnd)) out[out.length - 1] = last + lineEnd;
    return [...out, ...block];
  }
  const expression = options.before || options.after;
  if (expression !== '') {
    const pattern = textPattern(expression);
    const at = lines.findIndex((line) => guarded(() => pattern.test(line, 'anywhere')));
    if (at >= 0) {
      const place = options.after === '' ? at : at + 1;
      return [...lines.slice(0, place), ...block, ...lines.slice(place)];
    }
  }
  throw new CommandExecutionError('Cannot edit marked block. Markers were not found in file.');
}

function expressionOf(value: Value, name: string): string {
  if (!truthy(value)) return '';
  if (typeof value === 'string') return value;
  throw new CommandExecutionError(`RegEx expected in ${name} parameter.`);
}

async function replaceBlock(
  ctx: ModuleContext,
  path: string,
  options: BlockOptions,
  how: { readonly backup: Value; readonly dryRun: boolean; readonly showChanges: boolean },
): Promise<Value> {
  const encoding = isFile(path) ? encodingOf(path) : undefined;
  let before: string[];
  try {
    before = linesOf(decodeAs(readBytes(path), encoding));
  } catch (error) {
    if (!isOsError(error)) throw error;
    throw new CommandExecutionError(`Failed to read from ${path}: ${osErrorText(error)}`, { cause: error });
  }
  const edited = replaceBlocks(before, options);
  const after = edited.found ? edited.lines : insertBlock(edited, options);
  const difference = diffOf(before, after);
  if (difference !== '' && !how.dryRun) {
    const owner = await currentOwner(path);
    if (how.backup !== false) {
      const backup = `${path}${pyStr(how.backup)}`;
      copyWithFacts(path, backup);
      await checkPermissions(ctx, backup, null, owner);
    }
    replaceFile(ctx.random, path, encodeAs(after.join(''), encoding));
    await checkPermissions(ctx, path, null, owner);
  }
  return how.showChanges ? difference : difference !== '';
}

/** Functions about blocks. */
export const blockFunctions = {
  blockreplace: defineFunction({
    doc: 'Replaces what stands between two marker lines of a text file; the markers stay.',
    params: {
      path: P.path,
      marker_start: opt(
        param.by(writtenText, { type: 'str', doc: 'Text of the line above the block.' }),
        '#-- start managed zone --',
      ),
      marker_end: opt(
        param.by(writtenText, { type: 'str', doc: 'Text of the line below the block.' }),
        '#-- end managed zone --',
      ),
      content: opt(param.by(writtenText, { type: 'str', doc: P.content.doc }), ''),
      append_if_not_found: opt(param.flag({ doc: 'Without markers add the block at the end.' }), false),
      prepend_if_not_found: opt(param.flag({ doc: 'Without markers add the block at the start.' }), false),
      backup: opt(P.backup, '.bak'),
      dry_run: opt(P.dry_run, false),
      show_changes: opt(P.show_changes, true),
      append_newline: opt(
        param.by((value) => (value === null ? undefined : truthy(value)), {
          type: 'bool',
          doc: 'End the content with a line end; None does so where there is none.',
        }),
        false,
      ),
      insert_before_match: opt(
        param.value({
          type: 'str',
          doc: 'Without markers add the block above the first line that this matches.',
        }),
        null,
      ),
      insert_after_match: opt(
        param.value({
          type: 'str',
          doc: 'Without markers add the block below the first line that this matches.',
        }),
        null,
      ),
    },
    returns: 'the differences as text, empty without any; with show_changes=False true or false',
    examples: [
      `salt '*' file.blockreplace /etc/hosts '#-- start managed zone foobar --' '#-- end managed zone foobar --' ` +
        `'10.0.1.1 foo.foobar' append_if_not_found=True`,
    ],
    run: (ctx, args) => {
      const places = [args.append_if_not_found, args.prepend_if_not_found, args.insert_before_match];
      if ([...places, args.insert_after_match].filter((place) => truthy(place)).length > 1) {
        throw new SaltInvocationError(
          'Only one of append_if_not_found, prepend_if_not_found, insert_before_match, and insert_after_match is permitted',
        );
      }
      const path = args.path;
      if (!pathExists(path)) throw new SaltInvocationError(`File not found: ${path}`);
      if (isBinaryFile(path) && encodingOf(path) === undefined)
        throw new SaltInvocationError(`Cannot perform string replacements on a binary file: ${path}`);
      const before = expressionOf(args.insert_before_match, 'insert_before_match');
      const after = expressionOf(args.insert_after_match, 'insert_after_match');
      const content = args.content;
      const options = {
        markerStart: args.marker_start,
        markerEnd: args.marker_end,
        content: content.split(/\r\n|\n/),
        appendNewline: args.append_newline ?? !content.endsWith('\n'),
        append: args.append_if_not_found,
        prepend: args.prepend_if_not_found,
        before,
        after,
      };
      return replaceBlock(ctx, path, options, {
        backup: args.backup,
        dryRun: args.dry_run,
        showChanges: args.show_changes,
      });
    },
  }),
};
