/** `tuned`: the profile of the machine's tuning (3006.16 salt/states/tuned.py). */
import { SaltInvocationError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext } from '../shared/state-function.ts';

const active = async (ctx: StateContext): Promise<string> => pyStr(await ctx.functions.call('tuned.active'));

/** The states of `tuned`. */
export const tunedStates = defineModule({
  name: 'tuned',
  file: 'tuned',
  doc: "The profile of the machine's tuning, by tuned-adm.",
  needs: { fun: 'tuned.active', otherwise: 'tuned module could not be loaded' },
  words: {},
  functions: {
    profile: defineState({
      doc: 'Makes sure that a profile is active.',
      params: { name: param.text({ doc: 'The profile.' }) },
      // Salt compat: the name is the profile's, which Salt puts under its own name into the result and leaves `name`
      // empty; one that is a part of the active one's name is not taken for it, and one that tuned-adm refuses is a
      // failure
      run: async (ctx, { name }) => {
        const now = await active(ctx);
        const known = await ctx.functions.call('tuned.list');
        if (!Array.isArray(known) || !known.includes(name))
          throw new SaltInvocationError('Invalid Profile Name');
        if (now.split(/\s+/).includes(name))
          return outcome(name, true, 'System already in the correct state');
        if (ctx.state.test) {
          const changes = dict({ old: now, new: `Profile will be set to ${name}` });
          return outcome(name, null, `The state of "${now}" will be changed.`, changes);
        }
        const made = await ctx.functions.call('tuned.profile', [name]);
        if (made === false) return outcome(name, false, `The profile ${name} could not be activated`);
        return outcome(name, true, `The state of "${name}" was changed!`, dict({ old: now, new: made }));
      },
    }),
    off: defineState({
      doc: 'Makes sure that no profile is active.',
      params: { name: param.value({ default: null, doc: 'A name of the state.' }) },
      run: async (ctx) => {
        const now = await active(ctx);
        // Salt compat: Salt asks for the word `off`, which tuned-adm never says, and turns it off each time
        if (now === 'off' || now === 'none')
          return outcome('off', true, 'System already in the correct state');
        if (ctx.state.test) {
          const changes = dict({ old: now, new: 'Profile will be set to off' });
          return outcome('off', null, `The state of "${now}" will be changed.`, changes);
        }
        if ((await ctx.functions.call('tuned.off')) !== true) return outcome('off', false, 'off');
        return outcome('off', true, 'off', dict({ old: now, new: 'off' }));
      },
    }),
  },
});
