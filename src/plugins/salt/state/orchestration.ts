/**
 * What the states of `salt` share: the orchestration they belong to, and which minions may fail (3006.16
 * salt/states/saltmod.py).
 */
import { strip } from '../../../python/values/text.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { TypedArguments } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import type { StateContext } from '../../shared/state-function.ts';

/** What is said of `ssh: True`. Salt compat: `roster` without it has no effect there either. */
export const NO_SSH =
  'The option ssh is not available: minions are reached over their connection to this master. Leave it out.';

/** The parameters of a job for minions, as `salt.state` and `salt.function` have them. */
export const jobParams = {
  tgt: param.value({ type: 'str or list', doc: 'Which minions.' }),
  ssh: param.flag({ default: false, doc: 'Not available: refused when it is on.' }),
  tgt_type: param.value({ default: 'glob', type: 'str', doc: 'Kind of the target.' }),
  ret: param.value({ default: '', type: 'str or list', doc: 'Returners that get the results, too.' }),
  ret_config: param.valueIfGiven({ default: null, type: 'str', doc: 'Another configuration of them.' }),
  ret_kwargs: param.valueIfGiven({ default: null, type: 'dict', doc: 'Options of them for this job.' }),
} as const;

/** Those of them that come behind the parameters of the function. */
export const patienceParams = {
  timeout: param.value({
    default: null,
    type: 'int',
    doc: 'Seconds a minion may be silent before it is asked.',
  }),
  batch: param.textOrNone({ default: null, doc: 'How many minions at a time: `3`, `25%`.' }),
  subset: param.value({
    default: null,
    type: 'int',
    doc: 'How many minions of the target, chosen at random.',
  }),
  failhard: param.value({
    default: null,
    type: 'bool',
    doc: 'Stop when this fails, a batch at its first failure.',
  }),
} as const;

/** The minions that may fail, and what is wrong with the way they were given. */
export interface Excused {
  readonly minions: readonly Value[];
  readonly warning?: string;
}

/** Reads `fail_minions`: a list, or a text with commas. */
export function readExcused(given: Value): Excused {
  if (given === null) return { minions: [] };
  if (typeof given === 'string') return { minions: given.split(',').map((id) => strip(id)) };
  if (Array.isArray(given)) return { minions: given };
  return {
    minions: [],
    warning: "'fail_minions' needs to be a list or a comma separated string. Ignored.",
  };
}

/** The job of the orchestration that a state belongs to; null outside of one. */
export function orchestrationOf(ctx: StateContext): Value {
  return ctx.state.low.get('__orchestration_jid__') ?? null;
}

/** What a step has minions do. */
export interface MinionStep {
  readonly type: 'state' | 'function';
  readonly name: Value;
  readonly fun: string;
  readonly arg: Value;
  readonly kwarg: Dict;
  /** The step's own parameters about the job. */
  readonly given: TypedArguments<typeof jobParams & typeof patienceParams>;
  readonly expectMinions: Value;
}

/** The keywords of `saltutil.cmd` for a step. */
function commandFor(ctx: StateContext, { type, arg, kwarg, given, expectMinions }: MinionStep): Dict {
  const { ret, timeout, batch, subset, tgt_type, ssh, failhard, ret_config, ret_kwargs } = given;
  const isFailHard = failhard === true || truthy(ctx.opts.get('failhard'));
  return new Map<Value, Value>([
    ...Object.entries({ arg, kwarg, ret, timeout, tgt_type, ssh, expect_minions: expectMinions }),
    ...(batch === undefined ? [] : [['batch', batch] as const]),
    ...(subset === null ? [] : [['subset', subset] as const]),
    ...(type === 'function' ? [['_cmd_meta', true] as const] : []),
    ...(isFailHard ? [['failhard', true] as const] : []),
    ...(ret_config === undefined ? [] : [['ret_config', ret_config] as const]),
    ...(ret_kwargs === undefined ? [] : [['ret_kwargs', ret_kwargs] as const]),
  ]);
}

/**
 * Has minions do a step; an orchestration's is told on the bus before (3006.16 salt/utils/event.py `fire_args`).
 * @returns mapping of minion to `{ret, out, retcode, jid}` or `{failed: True, why}`
 * @throws CommandExecutionError, ClientError
 */
export async function runOnMinions(ctx: StateContext, step: MinionStep): Promise<Dict> {
  const { type, name, given, fun } = step;
  const args = commandFor(ctx, step);
  const jid = orchestrationOf(ctx);
  if (truthy(jid))
    await ctx.master?.fire(`salt/run/${pyStr(jid)}/args`, dict({ type, tgt: given.tgt, name, args }));
  const returns = await ctx.functions.call('saltutil.cmd', [given.tgt, fun], args);
  return isDict(returns) ? returns : new Map();
}

/** The job id that the first minion's entry names. */
export function jobIn(returns: Dict): Value | undefined {
  const [first] = returns.values();
  return isDict(first) ? first.get('jid') : undefined;
}

/** Whether a minion's entry is of one that has returned. */
export function hasReturned(entry: Value | undefined): boolean {
  return !isDict(entry) || entry.has('ret') || !truthy(entry.get('failed') ?? false);
}

/** Names of minions that failed, for a comment, and below them why those did that have not returned. */
export function failedMinions(failed: readonly string[], returns: Dict, ran = ''): string {
  const reasons = failed.flatMap((id) => {
    const entry = returns.get(id);
    const why = isDict(entry) ? entry.get('why') : undefined;
    return typeof why === 'string' ? [`${id}: ${why}`] : [];
  });
  return [`${failed.join(', ')}${ran}`, ...reasons].join('\n');
}
