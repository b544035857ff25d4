/** `file.blockreplace`. Follows 3006.16 salt/states/file.py `blockreplace`. */
import { opt, writtenText } from '../../shared/file-params.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { gatheredFor, gatheredTexts } from './accumulators.ts';
import { editObstacle, endForeseen } from './checks.ts';
import { isToBeMade } from '../../shared/made-earlier.ts';
import { edited } from './edit.ts';
import { FileRefusal } from './managed-contents.ts';
import { errorText, type FileOutcome } from './outcome.ts';
import { S, TEXT_SOURCE_PARAMS, type ArgsOf } from './params.ts';
import { templateTexts, textSources, untilSourcesFail } from './template-texts.ts';
import { param } from '../../../runtime/loader/params.ts';

const BLOCK_PARAMS = {
  name: S.file_name,
  marker_start: opt(
    param.value({ type: 'str', doc: 'The line before the block.' }),
    '#-- start managed zone --',
  ),
  marker_end: opt(param.value({ type: 'str', doc: 'The line behind the block.' }), '#-- end managed zone --'),
  ...TEXT_SOURCE_PARAMS,
  content: opt(
    param.by(writtenText, {
      type: 'str',
      doc: 'The block; texts of sources and accumulators are put behind it.',
    }),
    '',
  ),
  append_if_not_found: opt(S.append_if_not_found, false),
  prepend_if_not_found: opt(S.prepend_if_not_found, false),
  backup: opt(S.edit_backup, '.bak'),
  show_changes: opt(S.show_changes, true),
  append_newline: opt(param.value({ type: 'bool', doc: 'Put a line end behind the content.' }), null),
  insert_before_match: opt(
    param.value({ type: 'str', doc: 'A missing block comes before this line.' }),
    null,
  ),
  insert_after_match: opt(param.value({ type: 'str', doc: 'A missing block comes behind this line.' }), null),
} as const;

/** The content with what the accumulators that are meant for this state have gathered for the file. */
function withGathered(ctx: StateContext, name: string, content: Value): Value {
  const texts = gatheredTexts(ctx).get(name);
  if (!isDict(texts)) return content;
  const meant = gatheredFor(ctx, name);
  const id = ctx.state.low.get('__id__') ?? null;
  const mine = [...texts.keys()].filter((key) => {
    const ids = meant.get(key);
    return Array.isArray(ids) && ids.includes(id);
  });
  let all = content;
  for (const key of mine.length > 0 ? mine : texts.keys()) {
    const lines = texts.get(key);
    for (const line of Array.isArray(lines) ? lines : [])
      all = all === '' ? line : `${pyStr(all)}\n${pyStr(line)}`;
  }
  return all;
}

async function replaceBlock(
  ctx: StateContext,
  args: ArgsOf<typeof BLOCK_PARAMS>,
  name: string,
  outcome: FileOutcome,
): Promise<Dict> {
  if (name === '') throw new FileRefusal('Must provide name to file.blockreplace');
  const sources = textSources(args);
  if (isToBeMade(ctx, name)) return endForeseen(outcome, name);
  const obstacle = editObstacle(name);
  if (obstacle !== undefined) throw new FileRefusal(obstacle);
  const gathered = withGathered(ctx, name, args.content);
  const texts = await templateTexts(ctx, sources, args);
  const content = texts.length === 0 ? gathered : pyStr(gathered) + texts.join('');
  let changes: Value;
  try {
    changes = await ctx.functions.call('file.blockreplace', [name, args.marker_start, args.marker_end], {
      content,
      append_if_not_found: args.append_if_not_found,
      prepend_if_not_found: args.prepend_if_not_found,
      insert_before_match: args.insert_before_match,
      insert_after_match: args.insert_after_match,
      backup: args.backup,
      dry_run: ctx.state.test,
      show_changes: args.show_changes,
      append_newline: args.append_newline,
    });
  } catch (error) {
    ctx.log.error('Encountered error managing block', error);
    return outcome.fail(`Encountered error managing block: ${errorText(error)}. See the log for details.`);
  }
  return edited(ctx, outcome, changes, 'Changes would be made');
}

/** The state `blockreplace`. */
export const blockStates = {
  blockreplace: defineState({
    doc: 'Makes sure of what stands between two lines of a file.',
    params: BLOCK_PARAMS,
    run: (ctx, args) => {
      const { name } = args;
      return untilSourcesFail(name, (outcome) => replaceBlock(ctx, args, name, outcome));
    },
  }),
};
