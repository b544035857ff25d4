/**
 * The functions of `saltutil` by which a function on the master, such as a state of an orchestration, has the master do
 * something (3006.16 salt/modules/saltutil.py `cmd`, `cmd_iter`, `runner`, `wheel`). A minion asks the master whose
 * configuration lies beside its own: for runners and wheel functions that need not be up.
 */
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { pyCount } from '../../../python/conversions.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { MasterBeside } from '../../../runtime/loader/master-services.ts';
import { defineFunction, type FunctionSpec, type ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { stateTag } from '../../../runtime/state/state-tag.ts';

const NOT_ON_MASTER = 'This command can only be executed on a minion that is located on the master.';
const NO_SSH =
  'The option ssh is not available: minions are reached over their connection to this master. Leave it out.';

/** The runners that are told the orchestration they belong to. */
const ORCHESTRATING: ReadonlySet<string> = new Set(['state.orchestrate', 'state.orch', 'state.sls']);

/** @throws CommandExecutionError where neither runs on a master nor beside one */
function masterOf(ctx: ModuleContext): MasterBeside {
  const master = ctx.master ?? ctx.masterBeside;
  if (master === undefined) throw new CommandExecutionError(NOT_ON_MASTER);
  return master;
}

/** The state on whose behalf a function is called, if it is one's. */
function stepOf({ state }: ModuleContext): string | undefined {
  return state === undefined ? undefined : stateTag(state.low);
}

/** An optional text; what is false in Python is none. */
const textOf = (value: Value | undefined): string | undefined =>
  value !== undefined && truthy(value) ? pyStr(value) : undefined;

const NO_ARGUMENTS: Value = [];
const clientParams = {
  tgt: param.value({ type: 'str', doc: 'Which minions.' }),
  fun: param.text({ doc: 'The function.' }),
  arg: param.list({ default: NO_ARGUMENTS, doc: 'Its positional arguments.' }),
  timeout: param.by((value) => (truthy(value) ? pyCount(value) * 1000 : undefined), {
    default: null,
    type: 'int',
    doc: 'Seconds a minion may be silent before it is asked.',
  }),
  tgt_type: param.text({ default: 'glob', doc: 'Kind of the target.' }),
  ret: param.by((value) => (Array.isArray(value) ? value.map(pyStr).join(',') : (textOf(value) ?? '')), {
    default: '',
    type: 'str or list',
    doc: 'Returners that get the results, too.',
  }),
  kwarg: param.mapping({ default: null, doc: 'Its keywords.' }),
  ssh: param.flag({ default: false, doc: 'Not available: refused when it is on.' }),
} as const;

function publishing(doc: string, examples: readonly string[]): FunctionSpec {
  return defineFunction({
    doc,
    params: clientParams,
    kwargs: 'kwargs',
    returns:
      'mapping of minion to `{ret: value}`, with `out`, `retcode` and `jid` where they are known; further keywords: `batch`, ' +
      '`subset`, `failhard`, `expect_minions`, `ret_config`, `ret_kwargs`',
    examples,
    run: async (ctx, args, _rest, kwargs) => {
      const { tgt, fun, arg, timeout, tgt_type, ret, kwarg, ssh } = args;
      const master = masterOf(ctx);
      if (master.publish === undefined) throw new CommandExecutionError(NOT_ON_MASTER);
      if (ssh) throw new CommandExecutionError(NO_SSH);
      const subset = kwargs.get('subset') ?? null;
      return master.publish({
        ...{ tgt, fun, arg, ret, kwarg, tgtType: tgt_type, timeoutMs: timeout },
        batch: textOf(kwargs.get('batch')),
        subset: truthy(subset) ? pyCount(subset) : undefined,
        failHard: truthy(kwargs.get('failhard')),
        expectMinions: truthy(kwargs.get('expect_minions')),
        withMeta: truthy(kwargs.get('_cmd_meta')),
        publishKwargs: new Map([...kwargs].filter(([key]) => key === 'ret_config' || key === 'ret_kwargs')),
        step: stepOf(ctx),
      });
    },
  });
}

/** Whether a keyword is one of the system's own, and not meant for the function. */
const isInternal = ([key]: readonly [Value, Value]): boolean => pyStr(key).startsWith('__');

/** @throws SaltInvocationError in Salt's words (3006.16 salt/client/mixins.py `SyncClientMixin.cmd`) */
function argumentsOf(value: Value): Value[] {
  if (value === null) return [];
  if (!Array.isArray(value)) throw new SaltInvocationError('arg must be formatted as a list/tuple');
  return value;
}

/** @throws SaltInvocationError for what is no mapping */
function keywordsOf(value: Value): Dict {
  if (isDict(value)) return value;
  if (value === null) return new Map();
  throw new SaltInvocationError('kwarg must be formatted as a dictionary');
}

const runner = defineFunction({
  doc: 'Runs a runner, with the configuration and the files of the master on this machine.',
  params: {
    name: param.text({ doc: 'Full name of the runner function.' }),
    arg: param.by(argumentsOf, { default: null, type: 'list', doc: 'Its positional arguments.' }),
    kwarg: param.by(keywordsOf, { default: null, type: 'dict', doc: 'Its keywords.' }),
    full_return: param.flag({ default: false, doc: 'Give the whole return with its job id.' }),
    saltenv: param.value({ default: 'base', type: 'str', doc: 'Environment, for runners that take one.' }),
    jid: param.value({ default: null, type: 'str', doc: 'The job of the orchestration that asks.' }),
  },
  kwargs: 'kwargs',
  returns: 'what the runner returns; with `full_return` `{fun, jid, user, fun_args, return, success}`',
  examples: ['salt master_minion saltutil.runner jobs.list_jobs'],
  run: async (ctx, { name, arg, kwarg, full_return, saltenv, jid }, _rest, kwargs) => {
    const master = masterOf(ctx);
    const orchestration = kwargs.get('__orchestration_jid__') ?? jid;
    const named = new Map([...kwarg, ...[...kwargs].filter((entry) => !isInternal(entry))]);
    const ended = await master.run({
      ...{ kind: 'runner', fun: name, arg, step: stepOf(ctx) },
      kwarg: ORCHESTRATING.has(name) ? named.set('orchestration_jid', orchestration) : named,
      user: textOf(kwargs.get('__pub_user')),
      saltenv: kwargs.get('__env__') ?? saltenv,
      orchestrationJid: textOf(orchestration),
    });
    return full_return ? ended : (ended.get('return') ?? null);
  },
});

const wheel = defineFunction({
  doc: 'Runs a wheel function, with the configuration and the keys of the master on this machine.',
  params: { name: param.text({ doc: 'Full name of the wheel function.' }) },
  varargs: 'args',
  kwargs: 'kwargs',
  returns: '`{fun, jid, user, fun_args, return, success}`',
  examples: ['salt master_minion saltutil.wheel key.accept jerry'],
  run: (ctx, { name }, rest, kwargs) =>
    masterOf(ctx).run({
      ...{ kind: 'wheel', fun: name, arg: rest, step: stepOf(ctx) },
      kwarg: new Map([...kwargs].filter((entry) => !isInternal(entry))),
      saltenv: kwargs.get('__env__') ?? 'base',
      orchestrationJid: textOf(kwargs.get('__orchestration_jid__')),
    }),
});

/** The functions of `saltutil` that need a master at hand. */
export const masterFunctions: Readonly<Record<string, FunctionSpec>> = {
  cmd: publishing(
    'Runs a function on minions. It works on a master, as in the SLS of an orchestration, and on a minion beside one.',
    ["salt master_minion saltutil.cmd '*' test.ping"],
  ),
  cmd_iter: publishing(
    'Runs a function on minions as `saltutil.cmd` does; Salt gives the returns one by one, here they come at the end.',
    ["salt master_minion saltutil.cmd_iter '*' test.ping"],
  ),
  runner,
  wheel,
};
