/**
 * `salt.runner` and `salt.wheel`: functions of the master as steps of an orchestration (3006.16
 * salt/states/saltmod.py).
 */
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { param } from '../../../runtime/loader/params.ts';
import { stateEnvironment } from '../../shared/state-environment.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { orchestrationOf } from './orchestration.ts';

/** The keywords by which `saltutil` knows on whose behalf a function of the master is called. */
export function callerKeywords(ctx: StateContext): Dict {
  return dict({ __orchestration_jid__: orchestrationOf(ctx), __env__: stateEnvironment(ctx) });
}

/** The result of a step that was a function of the master. */
function resultOf(word: string, name: string, ended: Dict): Dict {
  const value = ended.get('return') ?? null;
  const hasError = isDict(value) && value.has('Error');
  const success = hasError ? false : (ended.get('success') ?? true);
  const result: Dict = new Map<Value, Value>([
    ['name', name],
    ['changes', new Map<Value, Value>([['return', value]])],
    ['result', success],
    ['comment', `${word} function '${name}' ${truthy(success) ? 'executed' : 'failed'}.`],
  ]);
  const jid = ended.get('jid');
  if (jid !== undefined) result.set('__jid__', jid);
  return result;
}

function wouldRun(word: string, name: string): Dict {
  return dict({ name, result: null, changes: {}, comment: `${word} function '${name}' would be executed.` });
}

/** The state `salt.runner`. */
export const runnerState = defineState({
  doc: 'Runs a runner on the master; what fits no parameter is a keyword for it.',
  params: { name: param.text({ doc: 'Full name of the runner function.' }) },
  kwargs: 'kwargs',
  run: async (ctx, { name }, kwargs) => {
    if (truthy(ctx.opts.get('test'))) return wouldRun('Runner', name);
    const named: Dict = new Map([...kwargs, ...callerKeywords(ctx), ['full_return', true]]);
    if (ctx.master !== undefined) named.set('__pub_user', ctx.master.user);
    const ended = await ctx.functions.call('saltutil.runner', [name], named);
    return resultOf('Runner', name, isDict(ended) ? ended : new Map());
  },
});

/** The state `salt.wheel`. */
export const wheelState = defineState({
  doc: 'Runs a wheel function on the master; what fits no parameter is a keyword for it.',
  params: { name: param.text({ doc: 'Full name of the wheel function.' }) },
  kwargs: 'kwargs',
  run: async (ctx, { name }, kwargs) => {
    if (truthy(ctx.opts.get('test'))) return wouldRun('Wheel', name);
    const named: Dict = new Map([...kwargs, ...callerKeywords(ctx)]);
    const ended = await ctx.functions.call('saltutil.wheel', [name], named);
    return resultOf('Wheel', name, isDict(ended) ? ended : new Map());
  },
});
