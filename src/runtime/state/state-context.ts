/**
 * What a state function is called with besides its arguments: its run, as `ctx.state` tells it (salt/state.py
 * `State.call`, 3006.16).
 */
import { CommandExecutionError } from '../../errors/errors.ts';
import type { FunctionSource, ModuleContext, StateFacts } from '../loader/module.ts';
import { callFunction } from '../loader/registry.ts';
import { truthy, type Value } from '../../python/values/value.ts';

/**
 * The context of one state call. The functions that the state function calls see the call, too.
 * @param states the state functions it may call as parts of itself
 * @param memory what the states of the run share
 */
export function stateContext(
  base: ModuleContext,
  states: FunctionSource,
  facts: StateFacts,
  memory: Map<string, Value> = new Map(),
): ModuleContext {
  const isBase = facts.test === truthy(base.opts.get('test'));
  const context: ModuleContext = {
    ...base,
    opts: isBase ? base.opts : new Map<Value, Value>([...base.opts, ['test', facts.test]]),
    functions: base.functions.within(() => context),
    get retcode() {
      return base.retcode;
    },
    state: {
      ...facts,
      memory,
      find: (fun) => states.find(fun),
      call: async (fun, kwargs, args = []) => {
        const { spec, missing } = await states.find(fun);
        if (spec === undefined) throw new CommandExecutionError(missing);
        return callFunction(fun, spec, context, args, kwargs);
      },
    },
  };
  return context;
}
