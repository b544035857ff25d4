/** `file.append` and `file.prepend`. Follows 3006.16 salt/states/file.py. */
import { dirName } from '../../../python/paths.ts';
import { param } from '../../../runtime/loader/params.ts';
import { opt, P } from '../../shared/file-params.ts';
import { escapePattern } from '../../shared/regex.ts';
import { readText } from '../../shared/file-text.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { splitLines } from '../../../python/values/text.ts';
import { truthy, type Dict } from '../../../python/values/value.ts';
import { whitespaceWords } from '../../../python/text/whitespace-words.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { editObstacle } from './checks.ts';
import { showDifference } from './difference.ts';
import { FileRefusal } from './managed-contents.ts';
import { withDefaults, type FileOutcome } from './outcome.ts';
import { S, TEXT_SOURCE_PARAMS, type ArgsOf } from './params.ts';
import { templateTexts, textSources, untilSourcesFail } from './template-texts.ts';
import { TOUCH_PARAMS, touchFile } from './touch.ts';
import { folderExists } from '../../shared/file-answers.ts';

const TEXT_PARAMS = {
  name: S.file_name,
  text: opt(S.text, null),
  // as given: a missing folder is made here for `true` alone, and by touch for all that is true in Python
  makedirs: opt(P.makedirs, false),
  ...TEXT_SOURCE_PARAMS,
} as const;

type TextArguments = ArgsOf<typeof TEXT_PARAMS>;

/** The texts to add, and the file that they are to be in. */
interface Prepared {
  readonly name: string;
  readonly texts: readonly string[];
}

/**
 * Finds the texts, and makes sure of the file.
 * @returns a result instead, when the state has ended with that, as for a missing file in test mode
 */
async function prepare(
  ctx: StateContext,
  args: TextArguments,
  fun: string,
  outcome: FileOutcome,
): Promise<Prepared | Dict> {
  const { name } = args;
  if (name === '') throw new FileRefusal(`Must provide name to file.${fun}`);
  const sources = textSources(args);
  if (args.makedirs === true) await makeRoom(ctx, name, outcome);
  const obstacle = editObstacle(name);
  if (obstacle !== undefined) {
    const touched = await touchFile(ctx, withDefaults(TOUCH_PARAMS, { name, makedirs: args.makedirs }));
    if (ctx.state.test) return touched;
    if (editObstacle(name) !== undefined) throw new FileRefusal(obstacle);
  }
  const given = sources.length > 0 ? await templateTexts(ctx, sources, args) : args.text;
  return { name, texts: (Array.isArray(given) ? given : [given]).map(pyStr) };
}

async function makeRoom(ctx: StateContext, name: string, outcome: FileOutcome): Promise<void> {
  const folder = dirName(name);
  if (ctx.state.test) outcome.end(null, `Directory ${folder} is set to be updated`);
  else if (!(await folderExists(ctx, [folder]))) await ctx.functions.call('file.makedirs', [name]);
}

/** The texts that a file does not have yet. */
async function missingTexts(
  ctx: StateContext,
  { name, texts }: Prepared,
  expression: (text: string) => string,
): Promise<string[]> {
  const missing: string[] = [];
  for (const text of texts) {
    const has = await ctx.functions.call('file.search', [name, expression(text)], { multiline: true });
    if (!truthy(has)) missing.push(text);
  }
  return missing;
}

/** An expression for a text in which any white space, or none, stands where the text has some. */
function ignoringSpace(text: string): string {
  const space = '(?:[\\s]+)?';
  const lines = splitLines(text).map(
    (line) => space + whitespaceWords(line).map(escapePattern).join(space) + space,
  );
  return `(?m)^${lines.join('')}$`;
}

async function append(
  ctx: StateContext,
  args: TextArguments & { readonly ignore_whitespace: boolean },
  outcome: FileOutcome,
): Promise<Dict> {
  const prepared = await prepare(ctx, args, 'append', outcome);
  if (prepared instanceof Map) return prepared;
  const { name } = prepared;
  const linesNow = (): string[] => splitLines(readText(name));
  const before = linesNow();
  const expression = args.ignore_whitespace ? ignoringSpace : (text: string): string => text;
  const added = (await missingTexts(ctx, prepared, expression)).flatMap((text) => splitLines(text));
  if (ctx.state.test) {
    showDifference(outcome, name, { before, after: [...before, ...added], joint: '\n' });
    return added.length > 0
      ? outcome.end(null, `File ${name} is set to be updated`)
      : outcome.end(true, `File ${name} is in correct state`);
  }
  if (added.length > 0) await ctx.functions.call('file.append', [name], { args: added });
  showDifference(outcome, name, { before, after: linesNow(), joint: '\n' });
  return outcome.end(
    true,
    added.length > 0 ? `Appended ${added.length} lines` : `File ${name} is in correct state`,
  );
}

async function prepend(
  ctx: StateContext,
  args: TextArguments & { readonly header: boolean },
  outcome: FileOutcome,
): Promise<Dict> {
  const prepared = await prepare(ctx, args, 'prepend', outcome);
  if (prepared instanceof Map) return prepared;
  const { name } = prepared;
  const linesNow = (): string[] => splitLines(readText(name), true);
  const before = linesNow();
  const isHeader = args.header;
  const texts = isHeader ? prepared.texts : await missingTexts(ctx, prepared, ignoringSpace);
  const wanted = texts.flatMap((text) => splitLines(text));
  const head = before.slice(0, wanted.length).flatMap((line) => splitLines(line));
  const isThere = isHeader && head.length === wanted.length && head.every((line, i) => line === wanted[i]);
  const lines = isThere ? [] : wanted;
  if (ctx.state.test) {
    showDifference(outcome, name, { before, after: [...lines.map((line) => `${line}\n`), ...before] });
    return lines.length > 0
      ? outcome.end(null, `File ${name} is set to be updated`)
      : outcome.end(true, `File ${name} is in correct state`);
  }
  if (!isThere) await ctx.functions.call('file.prepend', [name, ...lines]);
  showDifference(outcome, name, { before, after: linesNow() });
  return outcome.end(
    true,
    lines.length > 0 ? `Prepended ${lines.length} lines` : `File ${name} is in correct state`,
  );
}

/** States that add lines. */
export const appendStates = {
  append: defineState({
    doc: 'Makes sure that a text is in a file; it is put at the end when it is not.',
    params: {
      ...TEXT_PARAMS,
      ignore_whitespace: opt(param.flag({ doc: 'A text that differs in white space only is there.' }), true),
    },
    run: (ctx, args) => untilSourcesFail(args.name, (outcome) => append(ctx, args, outcome)),
  }),
  prepend: defineState({
    doc: 'Makes sure that a text is in a file; it is put at the start when it is not.',
    params: {
      ...TEXT_PARAMS,
      header: opt(param.flag({ doc: 'The text has to be at the very start.' }), null),
    },
    run: (ctx, args) => untilSourcesFail(args.name, (outcome) => prepend(ctx, args, outcome)),
  }),
};
