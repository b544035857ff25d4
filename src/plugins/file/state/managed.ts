/** `file.managed`: a file with its content, owner and mode. Follows 3006.16 salt/states/file.py `managed`. */
import { pathExists } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict } from '../../../python/values/value.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { gatheredTexts } from './accumulators.ts';
import { put } from './managed-applied.ts';
import { runCheck } from './check-command.ts';
import { untilRefused } from './managed-contents.ts';
import { foretell } from './managed-foretold.ts';
import { MANAGED_PARAMS, type ManagedArguments } from './managed-params.ts';
import { planOf, type Plan } from './managed-plan.ts';
import { sourceAhead } from './managed-source.ts';
import { FileOutcome } from './outcome.ts';
import { param } from '../../../runtime/loader/params.ts';
import { checkedPermissions } from '../../shared/file-answers.ts';

/** Manages a file, for the state and for the others that are made of it. */
export async function manageFile(
  ctx: StateContext,
  args: ManagedArguments,
  kwargs: Dict = new Map(),
): Promise<Dict> {
  const outcome = new FileOutcome(args.name, { order: 'managed' });
  return untilRefused(
    () => manage(ctx, args, kwargs, outcome),
    (comment, result) => outcome.end(result, comment),
  );
}

async function manage(
  ctx: StateContext,
  args: ManagedArguments,
  kwargs: Dict,
  outcome: FileOutcome,
): Promise<Dict> {
  const plan = await planOf(ctx, args, kwargs, outcome);
  const chosen = await sourceAhead(ctx, plan);
  const { name } = plan;
  if (!chosen.replaces && pathExists(name)) return onlyPermissions(ctx, plan, outcome);
  const gathered = gatheredTexts(ctx).get(name);
  const context =
    gathered === undefined
      ? plan.context
      : new Map([...(isDict(plan.context) ? plan.context : []), ...dict({ accumulator: gathered })]);
  const work = { ...plan, context };
  if (ctx.state.test) return foretell(ctx, work, chosen, outcome);
  return put(ctx, work, chosen, outcome);
}

async function onlyPermissions(ctx: StateContext, plan: Plan, outcome: FileOutcome): Promise<Dict> {
  const { name, args, user, mode } = plan;
  const { ret, found: perms } = await checkedPermissions(
    ctx,
    [name, outcome.ret, user, args.group, mode, args.attrs, args.follow_symlinks],
    plan.selinux,
  );
  outcome.adopt(ret);
  if (ctx.state.test) {
    const found = perms?.get('lmode');
    outcome.comment =
      truthy(mode) && found !== undefined && mode !== found
        ? `File ${name} will be updated with permissions ${pyStr(mode)} from its current state of ${pyStr(found)}`
        : `File ${name} not updated`;
  } else if (outcome.changes.size === 0 && outcome.succeeds) {
    outcome.comment = `File ${name} exists with proper permissions. No changes made.`;
  }
  return outcome.ret;
}

/** The state `managed`, and the check that tells the run that this module has a meaning of its own for check_cmd. */
export const managedStates = {
  managed: defineState({
    doc: 'Makes sure that a file is there with the content, owner and mode that it is to have.',
    params: MANAGED_PARAMS,
    kwargs: 'kwargs',
    run: (ctx, args, kwargs) => manageFile(ctx, args, kwargs),
  }),
  mod_run_check_cmd: defineState({
    doc: 'Runs the check_cmd of managed on a file.',
    params: {
      cmd: param.text({ doc: 'The command; the path is put behind it.' }),
      filename: param.text({ doc: 'The path.' }),
    },
    kwargs: 'check_cmd_opts',
    run: async (ctx, { cmd, filename }, kwargs) =>
      (await runCheck(ctx, cmd, filename, kwargs)) ?? dict({ result: true, comment: '', changes: {} }),
  }),
};
