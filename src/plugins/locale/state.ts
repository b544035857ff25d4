/** `locale`: the locale of the system, and those there are (3006.16 salt/states/locale.py). */
import { CommandExecutionError } from '../../errors/errors.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, truthy } from '../../python/values/value.ts';
import { isAvailable } from './module.ts';
import { mayBeMade } from '../shared/made-earlier.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState } from '../shared/state-function.ts';

const NAME = param.value({ type: 'str', isLine: true, doc: 'The locale: `en_US.UTF-8`.' });

/** The states of `locale`. */
export const localeStates = defineModule({
  name: 'locale',
  file: 'locale',
  doc: 'Language and country of the system.',
  functions: {
    system: defineState({
      doc: 'Makes sure that the system uses a locale.',
      params: { name: NAME },
      run: async (ctx, { name }) => {
        const text = pyStr(name);
        try {
          if ((await ctx.functions.call('locale.get_locale')) === name)
            return outcome(name, true, `System locale ${text} already set`);
          if (ctx.state.test) return outcome(name, null, `System locale ${text} needs to be set`);
          return truthy(await ctx.functions.call('locale.set_locale', [name]))
            ? outcome(name, true, `Set system locale ${text}`, dict({ locale: name }))
            : failure(name, `Failed to set system locale to ${text}`);
        } catch (error) {
          if (!(error instanceof CommandExecutionError)) throw error;
          return failure(name, `Failed to set system locale: ${error.message}`);
        }
      },
    }),
    present: defineState({
      doc: 'Makes sure that the system has a locale.',
      params: { name: NAME },
      run: async (ctx, { name }) => {
        const text = pyStr(name);
        if (truthy(await ctx.functions.call('locale.avail', [name])))
          return outcome(name, true, `Locale ${text} is already present`);
        try {
          if (ctx.state.test)
            return mayBeMade(ctx) || isAvailable(ctx, text)
              ? outcome(name, null, `Locale ${text} needs to be generated`)
              : failure(name, `Failed to generate locale ${text}: this system has none of that name`);
          return truthy(await ctx.functions.call('locale.gen_locale', [name]))
            ? outcome(name, true, `Generated locale ${text}`, dict({ locale: name }))
            : failure(name, `Failed to generate locale ${text}`);
        } catch (error) {
          if (!(error instanceof CommandExecutionError)) throw error;
          return failure(name, `Failed to generate locale ${text}: ${error.message}`);
        }
      },
    }),
  },
});
