/** The states of `selinux` about the contexts of files (3006.16 salt/states/selinux.py, `fcontext_*`). */
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { outcomeResultFirst } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';

/** A rule for files, as it was given. */
export interface FileOrder {
  readonly name: Value;
  readonly filetype: Value;
  readonly sel_type: Value;
  readonly sel_user: Value;
  readonly sel_level: Value;
}

async function ruleNow(ctx: StateContext, order: FileOrder): Promise<Dict | undefined> {
  const found = await ctx.functions.call('selinux.fcontext_get_policy', [], { ...order });
  return isDict(found) && truthy(found) ? found : undefined;
}

const hasFailed = (ended: Value): boolean => !isDict(ended) || ended.get('retcode') !== 0;

/** Makes sure of a rule. */
export async function filesPresent(ctx: StateContext, order: FileOrder): Promise<StateResult> {
  const { name, sel_type } = order;
  const filetype = await ctx.functions.call('selinux.filetype_id_to_string', [order.filetype]);
  if ((await ruleNow(ctx, order)) !== undefined)
    return outcomeResultFirst(
      name,
      true,
      `SELinux policy for "${pyStr(name)}" already present with specified filetype "${pyStr(filetype)}" and sel_type "${pyStr(sel_type)}".`,
    );
  if (ctx.state.test) return outcomeResultFirst(name, null, '');
  const ended = await ctx.functions.call('selinux.fcontext_add_policy', [], { ...order });
  if (hasFailed(ended)) return outcomeResultFirst(name, false, `Error adding new rule: ${pyStr(ended)}`);
  const added = new Map<Value, Value>([[name, dict({ filetype, sel_type })]]);
  return outcomeResultFirst(name, true, '', dict({ old: dict(), new: added }));
}

/** Makes sure that there is no such rule. */
export async function filesAbsent(ctx: StateContext, order: FileOrder): Promise<StateResult> {
  const { name, filetype, sel_type } = order;
  const before = await ruleNow(ctx, order);
  if (before === undefined)
    return outcomeResultFirst(
      name,
      true,
      `SELinux policy for "${pyStr(name)}" already absent with specified filetype "${pyStr(filetype)}" and sel_type "${pyStr(sel_type)}".`,
    );
  const changes = dict({ old: new Map<Value, Value>([[name, before]]), new: dict() });
  if (ctx.state.test) return outcomeResultFirst(name, null, '', changes);
  const type = truthy(sel_type) ? sel_type : (before.get('sel_type') ?? null);
  const words = dict({ ...order, sel_type: type });
  const ended = await ctx.functions.call('selinux.fcontext_delete_policy', [], words);
  // Salt compat: Salt tells the changes where nothing was changed, too.
  return hasFailed(ended)
    ? outcomeResultFirst(name, false, `Error removing policy: ${pyStr(ended)}`)
    : outcomeResultFirst(name, true, '', changes);
}

/** Makes sure that files have the contexts of the rules. */
export async function filesApplied(ctx: StateContext, name: Value, recursive: Value): Promise<StateResult> {
  const foretold = await ctx.functions.call('selinux.fcontext_policy_is_applied', [name, recursive]);
  if (foretold === '')
    return outcomeResultFirst(
      name,
      true,
      `SElinux policies are already applied for filespec "${pyStr(name)}"`,
    );
  if (ctx.state.test) return outcomeResultFirst(name, null, '');
  const ended = await ctx.functions.call('selinux.fcontext_apply_policy', [name, recursive]);
  if (hasFailed(ended)) return outcomeResultFirst(name, false, ended);
  const changes = isDict(ended) ? ended.get('changes') : undefined;
  return outcomeResultFirst(name, true, '', isDict(changes) ? changes : dict());
}
