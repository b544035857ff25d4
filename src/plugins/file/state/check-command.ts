/** The `check_cmd` of `file.managed`: a command that looks at the new file before it takes its place. */
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { FunctionCaller } from '../../../runtime/loader/module.ts';
import type { StateContext } from '../../shared/state-function.ts';
import { manageFile } from './manage-file.ts';
import type { Plan } from './managed-plan.ts';
import type { Fetched } from './managed-source.ts';
import { errorText, FileOutcome } from './outcome.ts';
import { fileExists } from '../../shared/file-answers.ts';
import { lineEnded } from '../../shared/program.ts';

/** The command, the new file's path, and the functions that the source passes through. */
interface Trial {
  readonly functions: FunctionCaller;
  readonly command: string;
  readonly trial: string;
}

/**
 * Makes the new file beside the old one and has `check_cmd` look at it.
 * @returns true: it is to take its place; false: nothing would change; undefined: the state has ended
 */
export async function passesCheck(
  ctx: StateContext,
  plan: Plan,
  fetched: Fetched,
  { functions, command, trial }: Trial,
  outcome: FileOutcome,
): Promise<boolean | undefined> {
  const { name } = plan;
  if (await fileExists(ctx, [name])) {
    try {
      await ctx.functions.call('file.copy', [name, trial]);
    } catch (error) {
      outcome.fail(`Unable to copy file ${name} to ${trial}: ${errorText(error)}`);
      return undefined;
    }
  }
  let tried: Value;
  try {
    tried = await manageFile(functions, plan, trial, fetched, outcome.ret);
  } catch (error) {
    outcome.changes = new Map();
    outcome.fail(`Unable to check_cmd file: ${errorText(error)}`);
    return undefined;
  }
  outcome.adopt(new FileOutcome(name, { order: 'managed' }).ret);
  if (!isDict(tried) || !truthy(tried.get('changes'))) return false;
  const shell = ctx.grains.get('shell');
  const refusal = await runCheck(ctx, command, trial, shell === undefined ? new Map() : dict({ shell }));
  if (refusal === undefined) return true;
  for (const [key, value] of refusal) outcome.ret.set(key, value);
  return undefined;
}

/** Runs a command on a file. @returns what becomes part of the result when it fails */
export async function runCheck(
  ctx: StateContext,
  command: string,
  path: string,
  options: Dict,
): Promise<Dict | undefined> {
  const { retcode, stdout, stderr } = await lineEnded(ctx, [`${command} ${path}`], options);
  if (retcode === 0) return undefined;
  const lines = ['check_cmd execution failed', ...[stdout, stderr].filter((text) => text !== '')];
  return dict({ comment: lines.join('\n'), skip_watch: true, result: false });
}
