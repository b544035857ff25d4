/** `alias`: addresses of local mail (3006.16 salt/states/alias.py). */
import { pyStr } from '../../python/values/repr.ts';
import { dict, truthy } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

/** A result with its fields in the order in which this state makes them. */
function aliasResult(name: string, result: boolean | null, comment: string, isChanged = false): StateResult {
  return { name, changes: isChanged ? dict({ alias: name }) : dict(), result, comment };
}

async function isDone(ctx: StateContext, fun: string, args: string[]): Promise<boolean> {
  return truthy(await ctx.functions.call(`aliases.${fun}`, args));
}

const NAME = { name: param.text({ doc: 'The name that mail is sent to.' }) } as const;

/** The states of `alias`. */
export const aliasStates = defineModule({
  name: 'alias',
  file: 'alias',
  doc: 'Addresses of local mail (`/etc/aliases`).',
  functions: {
    present: defineState({
      doc: 'Makes sure that an alias has a target.',
      params: {
        ...NAME,
        target: param.value({ type: 'str or list', doc: 'Who gets it: users, addresses.' }),
      },
      run: async (ctx, { name, target }) => {
        const shown = pyStr(target);
        const has = await ctx.functions.call('aliases.has_target', [name, target]);
        if (truthy(has)) return aliasResult(name, true, `Alias ${name} already present`);
        if (ctx.state.test) return aliasResult(name, null, `Alias ${name} -> ${shown} is set to be added`);
        const set = await ctx.functions.call('aliases.set_target', [name, target]);
        return truthy(set)
          ? aliasResult(name, true, `Set email alias ${name} -> ${shown}`, true)
          : aliasResult(name, false, `Failed to set alias ${name} -> ${shown}`);
      },
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such alias.',
      params: NAME,
      run: async (ctx, { name }) => {
        if (!(await isDone(ctx, 'get_target', [name])))
          return aliasResult(name, true, `Alias ${name} already absent`);
        if (ctx.state.test) return aliasResult(name, null, `Alias ${name} is set to be removed`);
        return (await isDone(ctx, 'rm_alias', [name]))
          ? aliasResult(name, true, `Removed alias ${name}`, true)
          : aliasResult(name, false, `Failed to remove alias ${name}`);
      },
    }),
  },
});
