/** `quota`: whether the quotas of file systems are on (3006.16 salt/states/quota.py). */
import { pyRepr } from '../../python/values/repr.ts';
import { dict, isDict } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState } from '../shared/state-function.ts';

/** The states of `quota`. */
export const quotaStates = defineModule({
  name: 'quota',
  file: 'quota',
  doc: 'Whether the quotas of file systems are on.',
  needs: { fun: 'quota.report', otherwise: 'quota module could not be loaded' },
  words: {},
  functions: {
    mode: defineState({
      doc: 'Makes sure that the quotas of a file system are on, or off.',
      params: {
        name: param.text({ doc: 'Where it is mounted.' }),
        mode: param.trueOnly({ doc: 'True for on.' }),
        quotatype: param.text({ doc: 'Whose: user or group.' }),
      },
      run: async (ctx, { name, mode, quotatype }) => {
        const wanted = mode ? 'on' : 'off';
        const modes = await ctx.functions.call('quota.get_mode', [name]);
        const here = isDict(modes) ? (modes.get(name) ?? null) : null;
        // Salt compat: an exception there
        if (!isDict(here) || !here.has(quotatype))
          return failure(name, `There is no quota of kind ${quotatype} for ${name}: ${pyRepr(modes)}`);
        if (here.get(quotatype) === wanted)
          return outcome(name, true, `Quota for ${name} already set to ${wanted}`);
        if (ctx.state.test) return outcome(name, null, `Quota for ${name} needs to be set to ${wanted}`);
        if ((await ctx.functions.call(`quota.${wanted}`, [name])) !== true)
          return failure(name, `Failed to set quota for ${name} to ${wanted}`);
        return outcome(name, true, `Set quota for ${name} to ${wanted}`, dict({ quota: name }));
      },
    }),
  },
});
