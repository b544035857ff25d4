/** `process`: processes that are not to run (3006.16 salt/states/process.py). */
import { isDict, truthy, dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState } from '../shared/state-function.ts';

const NONE = 'No matching processes running';

const countOf = (value: Value | undefined): number => (Array.isArray(value) ? value.length : 0);

/** The states of `process`. */
export const processStates = defineModule({
  name: 'process',
  file: 'process',
  doc: 'Processes that are not to run.',
  needs: { fun: 'ps.pkill', otherwise: 'ps module could not be loaded' },
  functions: {
    absent: defineState({
      doc: 'Ends all processes whose command lines have a text in them.',
      params: {
        name: param.text({ doc: 'The text.' }),
        user: param.by((value: Value) => value, {
          type: 'str',
          default: null,
          doc: 'Only processes of this user.',
        }),
        signal: param.valueIfGiven({
          type: 'int',
          default: null,
          doc: 'The number of the signal, TERM if none is said.',
        }),
      },
      run: async (ctx, { name, user, signal }) => {
        if (ctx.state.test) {
          // Salt compat: test mode looks at the names only, and not at whole command lines.
          const running = await ctx.functions.call('ps.pgrep', [name], { user });
          return outcome(name, null, truthy(running) ? `${countOf(running)} processes will be killed` : NONE);
        }
        const how = dict({ user, ...(signal === undefined ? {} : { signal }), full: true });
        const status = await ctx.functions.call('ps.pkill', [name], how);
        if (!isDict(status) || status.size === 0) return outcome(name, true, NONE);
        return outcome(name, true, `Killed ${countOf(status.get('killed'))} processes`, status);
      },
    }),
  },
});
