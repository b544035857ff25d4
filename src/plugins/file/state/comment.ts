/** `file.comment` and `file.uncomment`. Follows 3006.16 salt/states/file.py. */
import { param } from '../../../runtime/loader/params.ts';
import { opt } from '../../shared/file-params.ts';
import { byteLines, lineText, readText } from '../../shared/file-text.ts';
import { readBytes } from '../../../host/file-operations.ts';
import { splitLines } from '../../../python/values/text.ts';
import { truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { editObstacle, endForeseen } from './checks.ts';
import { isToBeMade } from '../../shared/made-earlier.ts';
import { showDifference } from './difference.ts';
import { FileOutcome } from './outcome.ts';
import { S } from './params.ts';

const COMMENT_PARAMS = {
  name: S.file_name,
  regex: param.text({ doc: 'An expression that finds the lines.' }),
  char: opt(param.text(S.char), '#'),
  backup: opt(S.edit_backup, '.bak'),
} as const;

/** What comment and uncomment differ in. */
interface Direction {
  readonly comments: boolean;
  readonly backup: Value;
  readonly char: string;
  readonly regex: string;
  /** Finds lines that are as they are to be. */
  readonly wanted: string;
  readonly lines: (path: string) => string[];
}

async function has(ctx: StateContext, name: string, expression: string): Promise<boolean> {
  return truthy(await ctx.functions.call('file.search', [name, expression], { multiline: true }));
}

/** Edits, after it is known that there is something to edit. */
async function apply(
  ctx: StateContext,
  name: string,
  direction: Direction,
  outcome: FileOutcome,
): Promise<Dict> {
  if (ctx.state.test) {
    outcome.changes.set(name, 'updated');
    return outcome.end(null, `File ${name} is set to be updated`);
  }
  const { comments, regex, char, backup, wanted, lines } = direction;
  const before = lines(name);
  await ctx.functions.call('file.comment_line', [name, regex, char, comments, backup]);
  const after = lines(name);
  const isDone = await has(ctx, name, wanted);
  showDifference(outcome, name, { before, after });
  const what = comments ? 'ommented' : 'ncommented';
  return isDone
    ? outcome.end(true, `${comments ? 'C' : 'U'}${what} lines successfully`)
    : outcome.fail(`Expected ${comments ? 'c' : 'u'}${what} lines not found`);
}

/** Starts a state: the file has to be there. */
function begin(
  { name }: { readonly name: string },
  fun: string,
): { name: string; outcome: FileOutcome; error?: string } {
  const outcome = new FileOutcome(name, { result: false });
  const error = name === '' ? `Must provide name to file.${fun}` : editObstacle(name);
  return error === undefined ? { name, outcome } : { name, outcome, error };
}

/** States that comment lines out, and in again. */
export const commentStates = {
  comment: defineState({
    doc: 'Makes sure that lines are commented out.',
    params: {
      ...COMMENT_PARAMS,
      ignore_missing: opt(param.flag({ doc: 'Succeed when there is no such line.' }), false),
    },
    run: async (ctx, args) => {
      const { name, outcome, error } = begin(args, 'comment');
      if (isToBeMade(ctx, name)) return endForeseen(outcome, name);
      if (error !== undefined) return outcome.fail(error);
      const { regex, char } = args;
      const inner = regex.replace(/^(\(\?[iLmsux]\))?\^?([^\n]*?)\$?$/, '$2');
      // the comment stands before the blanks that a line begins with. Salt compat: Salt does not find it there, and
      // fails
      const wanted = `${char}[ \t]*${inner}`;
      if (!(await has(ctx, name, `^(?!\\s*${char})\\s*${inner}`))) {
        if (await has(ctx, name, wanted)) return outcome.end(true, 'Pattern already commented');
        return args.ignore_missing
          ? outcome.end(true, 'Pattern not found and ignore_missing set to True')
          : outcome.fail(`${inner}: Pattern not found`);
      }
      const lines = (path: string): string[] => splitLines(readText(path), true);
      return apply(ctx, name, { comments: true, backup: args.backup, char, regex, wanted, lines }, outcome);
    },
  }),
  uncomment: defineState({
    doc: 'Makes sure that lines are not commented out.',
    params: COMMENT_PARAMS,
    run: async (ctx, args) => {
      const { name, outcome, error } = begin(args, 'uncomment');
      if (isToBeMade(ctx, name)) return endForeseen(outcome, name);
      if (error !== undefined) return outcome.fail(error);
      const { regex, char } = args;
      const inner = regex.replace(/^\^+/, '');
      const wanted = `^[ \t]*${inner}`;
      if (!(await has(ctx, name, `${char}[ \t]*${inner}`))) {
        return (await has(ctx, name, wanted))
          ? outcome.end(true, 'Pattern already uncommented')
          : outcome.fail(`${regex}: Pattern not found`);
      }
      const lines = (path: string): string[] => byteLines(readBytes(path)).map(lineText);
      return apply(ctx, name, { comments: false, backup: args.backup, char, regex, wanted, lines }, outcome);
    },
  }),
};
