/** What `file.managed` answers in test mode. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';
import { encodedContents } from '../../shared/encode-text.ts';
import type { Plan } from './managed-plan.ts';
import { sourceArguments, type Source } from './managed-source.ts';
import type { FileOutcome } from './outcome.ts';

/** Test mode: what would change. */
export async function foretell(
  ctx: StateContext,
  plan: Plan,
  chosen: Source,
  outcome: FileOutcome,
): Promise<Dict> {
  const { name, args } = plan;
  let changes: Value;
  try {
    changes = await ctx.functions.call('file.check_managed_changes', [], {
      ...sourceArguments(plan, chosen),
      ...plan.selinux,
      contents: encodedContents(plan.contents, args.encoding, args.encoding_errors),
      keep_mode: plan.keepMode,
      follow_symlinks: args.follow_symlinks,
    });
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return outcome.fail(`Unable to manage file: ${error.message}`);
  }
  if (!isDict(changes)) {
    const [result = false, comment = ''] = Array.isArray(changes) ? changes : [];
    return outcome.end(result === null ? null : truthy(result), pyStr(comment));
  }
  outcome.changes = changes;
  if (changes.size === 0) return outcome.end(true, `The file ${name} is in the correct state`);
  if (changes.has('diff') && !args.show_changes) changes.set('diff', '<show_changes=False>');
  return outcome.end(
    null,
    `The file ${name} is set to be changed\nNote: No changes made, actual changes may\n` +
      'be different due to other states.',
  );
}
