/** `file.line` and `file.replace`. Follows 3006.16 salt/states/file.py. */
import { isAbs, pathExists } from '../../../python/paths.ts';
import { param } from '../../../runtime/loader/params.ts';
import { opt } from '../../shared/file-params.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { editObstacle, endForeseen } from './checks.ts';
import { isToBeMade } from '../../shared/made-earlier.ts';
import { manageFile } from './managed.ts';
import { MANAGED_PARAMS } from './managed-params.ts';
import { FileOutcome, withDefaults } from './outcome.ts';
import { OWNER_PARAMS, S } from './params.ts';

/** The end of a state that has edited a file, or would have. @param changes the difference, or false */
export function edited(ctx: StateContext, outcome: FileOutcome, changes: Value, inTest: string): Dict {
  if (!truthy(changes)) return outcome.end(true, 'No changes needed to be made');
  outcome.changes.set('diff', changes);
  return ctx.state.test ? outcome.end(null, inTest) : outcome.end(true, 'Changes were made');
}

/** A text in small letters; what is false in Python stays as it is. */
function smallLetters(value: Value): Value {
  return truthy(value) ? pyStr(value).toLowerCase() : value;
}

const LINE_PARAMS = {
  name: S.file_name,
  content: opt(param.value({ type: 'str', doc: S.content.doc }), null),
  match: opt(
    param.value({ type: 'str', doc: 'Text or expression that finds the line to replace or delete.' }),
    null,
  ),
  mode: opt(
    param.by(smallLetters, { type: 'str', doc: 'What to do: ensure, insert, replace or delete.' }),
    null,
  ),
  location: opt(param.value({ type: 'str', doc: 'For insert: `start` or `end`.' }), null),
  before: opt(
    param.value({ type: 'str', doc: 'The line that is to come behind, as text or expression.' }),
    null,
  ),
  after: opt(
    param.value({ type: 'str', doc: 'The line that is to come before, as text or expression.' }),
    null,
  ),
  show_changes: opt(S.show_changes, true),
  backup: opt(param.flag({ doc: 'Keep a copy of the old file beside it.' }), false),
  quiet: opt(param.flag({ doc: 'No error when match is missing.' }), false),
  indent: opt(param.flag({ doc: 'Keep the indentation of the lines around.' }), true),
  create: opt(S.create, false),
  ...OWNER_PARAMS,
  file_mode: opt(S.file_mode, null),
} as const;

const REPLACE_PARAMS = {
  name: S.file_name,
  pattern: param.value({ type: 'str', doc: S.pattern.doc }),
  repl: param.value({ type: 'str', doc: 'What takes the place; `\\1` is the first group.' }),
  count: opt(param.value({ type: 'int', doc: 'How many at most; 0 for all.' }), 0),
  flags: opt(param.value({ type: S.flags.type, doc: S.flags.doc }), 8),
  bufsize: opt(S.bufsize, 1),
  append_if_not_found: opt(S.append_if_not_found, false),
  prepend_if_not_found: opt(S.prepend_if_not_found, false),
  not_found_content: opt(param.value({ type: 'str', doc: 'What is added then, in place of repl.' }), null),
  backup: opt(S.edit_backup, '.bak'),
  show_changes: opt(S.show_changes, true),
  ignore_if_missing: opt(S.ignore_if_missing, false),
  backslash_literal: opt(param.flag({ doc: 'Backslashes in repl mean themselves.' }), false),
} as const;

/** The end in test mode for a file that would be made. */
function endCreated(outcome: FileOutcome, name: string, content: Value): Dict {
  outcome.changes.set('diff', `+${pyStr(content)}`);
  return outcome.end(null, `File ${name} is set to be created, and the line to be put into it`);
}

/** The keywords of a call out of a state's arguments, some left out. */
function keywordsOf(args: Readonly<Record<string, Value>>, except: readonly string[]): Dict {
  return new Map(Object.entries(args).filter(([key]) => !except.includes(key)));
}

/** States that edit lines. */
export const editStates = {
  line: defineState({
    doc: 'Makes sure of one line of a file.',
    params: LINE_PARAMS,
    run: async (ctx, args) => {
      const { name } = args;
      const outcome = new FileOutcome(name);
      if (name === '') return outcome.fail('Must provide name to file.line');
      const { create, user, group, file_mode } = args;
      const wanted = { name, create, user, group, mode: file_mode, replace: false };
      await manageFile(ctx, withDefaults(MANAGED_PARAMS, wanted));
      if (isToBeMade(ctx, name)) return endForeseen(outcome, name);
      const { mode } = args;
      // the real run has just made it. Salt compat: Salt's test mode fails
      if (ctx.state.test && create && isAbs(name) && !pathExists(name) && mode !== null)
        return endCreated(outcome, name, args.content);
      const obstacle = editObstacle(name);
      if (obstacle !== undefined) return outcome.fail(obstacle);
      if (mode === null) return outcome.fail('Mode was not defined. How to process the file?');
      if (mode !== 'delete' && args.content === null)
        return outcome.fail("Content can only be empty if mode is ['delete']");
      const others = ['name', 'content', 'mode', 'create', 'user', 'group', 'file_mode'];
      const keywords = keywordsOf(args, others).set('mode', mode);
      const changes = await ctx.functions.call('file.line', [name, args.content], keywords);
      return edited(ctx, outcome, changes, 'Changes would be made');
    },
  }),
  replace: defineState({
    doc: 'Replaces what an expression matches in a file.',
    params: REPLACE_PARAMS,
    run: async (ctx, args) => {
      const { name } = args;
      const outcome = new FileOutcome(name);
      if (name === '') return outcome.fail('Must provide name to file.replace');
      if (isToBeMade(ctx, name)) return endForeseen(outcome, name);
      const obstacle = editObstacle(name);
      if (obstacle !== undefined) {
        return args.ignore_if_missing && obstacle.includes('file not found')
          ? outcome.end(true, 'No changes needed to be made')
          : outcome.fail(obstacle);
      }
      const keywords = keywordsOf(args, ['name', 'pattern', 'repl']).set('dry_run', ctx.state.test);
      const changes = await ctx.functions.call('file.replace', [name, args.pattern, args.repl], keywords);
      return edited(ctx, outcome, changes, 'Changes would have been made');
    },
  }),
};
