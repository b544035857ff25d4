/** `sysrc`: variables of FreeBSD's rc configuration (3006.16 salt/states/sysrc.py). */
import { findProgram } from '../../host/which.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { sysrcValue } from './module.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext } from '../shared/state-function.ts';

const NAME = {
  name: param.text({ doc: 'The variable. Further: `file` for a file, `jail` for a jail.' }),
} as const;

/** What sysrc is handed of the further keywords. */
const placeOf = (kwargs: Dict): [Value, Value][] =>
  [...kwargs].filter(([key]) => key === 'file' || key === 'jail');

const current = (ctx: StateContext, name: string, kwargs: Dict): Promise<Value> =>
  ctx.functions.call('sysrc.get', [], new Map<Value, Value>([['name', name], ...placeOf(kwargs)]));

/** The states of `sysrc`. */
export const sysrcStates = defineModule({
  name: 'sysrc',
  file: 'sysrc',
  doc: "Variables of FreeBSD's rc configuration.",
  unavailable: () => (findProgram('sysrc') === undefined ? 'Command not found: sysrc' : undefined),
  functions: {
    managed: defineState({
      doc: 'Makes sure that a variable has a value.',
      params: {
        ...NAME,
        // Salt compat: a value that YAML reads as truth or as a number is never the same for Salt, which sets it each
        // time
        value: param.by(sysrcValue, { doc: 'Its value; true and false are YES and NO.' }),
      },
      kwargs: 'kwargs',
      run: async (ctx, { name, value }, kwargs) => {
        const now = await current(ctx, name, kwargs);
        const files = isDict(now) ? [...now.values()] : [];
        if (files.some((variables) => isDict(variables) && variables.get(name) === value))
          return outcome(name, true, `${name} is already set to the desired value.`);
        if (ctx.state.test) {
          const changes = dict({ old: now, new: `${name} = ${value} will be set.` });
          return outcome(name, null, `The value of "${name}" will be changed!`, changes);
        }
        const words = new Map<Value, Value>([['name', name], ['value', value], ...placeOf(kwargs)]);
        const made = await ctx.functions.call('sysrc.set', [], words);
        return outcome(name, true, `The value of "${name}" was changed!`, dict({ old: now, new: made }));
      },
    }),
    absent: defineState({
      doc: 'Makes sure that a variable is not set.',
      params: NAME,
      kwargs: 'kwargs',
      run: async (ctx, { name }, kwargs) => {
        const now = await current(ctx, name, kwargs);
        if (now === null) return outcome(name, true, `"${name}" is already absent.`);
        if (ctx.state.test) {
          const changes = dict({ old: now, new: `"${name}" will be removed.` });
          return outcome(name, null, `"${name}" will be removed!`, changes);
        }
        const words = new Map<Value, Value>([['name', name], ...placeOf(kwargs)]);
        const made = await ctx.functions.call('sysrc.remove', [], words);
        return outcome(name, true, `"${name}" was removed!`, dict({ old: now, new: made }));
      },
    }),
  },
});
