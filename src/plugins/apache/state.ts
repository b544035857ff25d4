/** `apache`: files of Apache's configuration (3006.16 salt/states/apache.py). */
import { BrineError } from '../../errors/errors.ts';
import { writeInPlace } from '../../host/file-operations.ts';
import { readTextIfExists } from '../../host/files.ts';
import { isOsError } from '../../python/os-errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { strip } from '../../python/values/text.ts';
import { dict } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState } from '../shared/state-function.ts';

/** The states of `apache`. */
export const apacheStates = defineModule({
  name: 'apache',
  file: 'apache',
  doc: "Files of Apache's configuration.",
  needs: { fun: 'apache.config', otherwise: 'apache module could not be loaded' },
  functions: {
    configfile: defineState({
      doc: 'Makes sure that a file has a configuration.',
      params: {
        name: param.text({ doc: 'The file.' }),
        config: param.value({ type: 'list', doc: 'The configuration, as apache.config takes it.' }),
      },
      run: async (ctx, { name, config }) => {
        const wanted = pyStr(await ctx.functions.call('apache.config', [name, config], { edit: false }));
        const old = readTextIfExists(name) ?? '';
        if (strip(wanted) === strip(old)) return outcome(name, true, 'Configuration is up to date.');
        const changes = dict({ old, new: wanted });
        if (ctx.state.test) return outcome(name, null, 'Configuration will update.', changes);
        try {
          writeInPlace(name, `${wanted}\n`);
        } catch (error) {
          if (!(error instanceof BrineError) && !isOsError(error)) throw error;
          return failure(name, 'Failed to create apache configuration.');
        }
        return outcome(name, true, 'Successfully created configuration.', changes);
      },
    }),
  },
});
