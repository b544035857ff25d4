/** `file.managed` at work: the source is fetched, checked where a check is given, and takes the file's place. */
import { rmSync } from 'node:fs';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { makeTempFile } from '../../../host/file-operations.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Dict } from '../../../python/values/value.ts';
import type { FunctionCaller } from '../../../runtime/loader/module.ts';
import type { StateContext } from '../../shared/state-function.ts';
import { fileFunctions } from './held-functions.ts';
import { manageFile } from './manage-file.ts';
import { passesCheck } from './check-command.ts';
import type { Plan } from './managed-plan.ts';
import { chooseSource, dropSource, sourceArguments, type Fetched, type Source } from './managed-source.ts';
import { errorText, type FileOutcome } from './outcome.ts';
import { managedContent } from '../../shared/file-answers.ts';

/** Makes the file what the plan says. */
export async function put(ctx: StateContext, plan: Plan, ahead: Source, outcome: FileOutcome): Promise<Dict> {
  const { args } = plan;
  const functions = await fileFunctions(ctx);
  let chosen: Source;
  let managed: Awaited<ReturnType<typeof managedContent>>;
  try {
    chosen = await chooseSource(ctx, plan, ahead);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return outcome.fail(`Unable to manage file: ${error.message}`);
  }
  try {
    managed = await managedContent({ functions }, [], {
      ...sourceArguments(plan, chosen),
      use_etag: args.use_etag,
    });
  } catch (error) {
    outcome.changes = new Map();
    return outcome.fail(`Unable to manage file: ${errorText(error)}`);
  }
  const { sfn, sum, problem: comment } = managed;
  const fetched = { sfn: truthy(sfn) ? pyStr(sfn) : '', source: chosen.source, sum };
  let checked = '';
  try {
    if (args.check_cmd !== undefined) {
      checked = makeTempFile(ctx.random, {
        suffix: args.tmp_ext ?? '',
        ...(args.tmp_dir === undefined ? {} : { folder: args.tmp_dir }),
      });
      const isReady = await passesCheck(
        ctx,
        plan,
        fetched,
        { functions, command: args.check_cmd, trial: checked },
        outcome,
      );
      if (isReady === undefined) return outcome.ret;
      if (isReady) return await place(functions, plan, { ...fetched, sfn: checked }, outcome);
    }
    if (truthy(comment) && plan.contents === null) return outcome.fail(pyStr(comment));
    return await place(functions, plan, fetched, outcome);
  } finally {
    if (checked !== '') rmSync(checked, { force: true });
    if (!args.keep_source) await dropSource(ctx, plan, fetched);
  }
}

async function place(
  functions: FunctionCaller,
  plan: Plan,
  fetched: Fetched,
  outcome: FileOutcome,
): Promise<Dict> {
  try {
    outcome.adopt(await manageFile(functions, plan, plan.name, fetched, outcome.ret));
    return outcome.ret;
  } catch (error) {
    outcome.changes = new Map();
    return outcome.fail(`Unable to manage file: ${errorText(error)}`);
  }
}
