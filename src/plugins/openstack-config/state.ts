/** `openstack_config`: settings in files of OpenStack (3006.16 salt/states/openstack_config.py). */
import { CommandExecutionError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext } from '../shared/state-function.ts';

const FILE = {
  name: param.text({ doc: 'The name of the setting, where no parameter is given.' }),
  filename: param.text({ doc: 'The file.' }),
  section: param.text({ doc: 'The section.' }),
} as const;
const PARAMETER = {
  parameter: param.textOrNone({ default: null, doc: 'The name of the setting.' }),
} as const;

/** The arguments of the function by name. */
type Setting = { readonly filename: string; readonly section: string; readonly parameter: string };

/** What is set; undefined for nothing. */
async function current(ctx: StateContext, setting: Setting): Promise<Value | undefined> {
  try {
    return await ctx.functions.call('openstack_config.get', [], dict(setting));
  } catch (error) {
    const isMissing =
      error instanceof CommandExecutionError &&
      error.message.toLowerCase().startsWith('parameter not found:');
    if (isMissing) return undefined;
    throw error;
  }
}

/** The states of `openstack_config`. */
export const openstackConfigStates = defineModule({
  name: 'openstack_config',
  file: 'openstack_config',
  doc: 'Settings in files of OpenStack.',
  functions: {
    present: defineState({
      doc: 'Makes sure that a setting has a value.',
      params: { ...FILE, value: param.value({ type: 'str', doc: 'The value.' }), ...PARAMETER },
      run: async (ctx, { name, filename, section, value, parameter }) => {
        const setting = { filename, section, parameter: parameter ?? name };
        const old = await current(ctx, setting);
        // Salt compat: a value that is no text never equals what the file has; here it does
        if (old === pyStr(value)) return outcome(name, true, 'The value is already set to the correct value');
        // Salt compat: Salt sets what is not there yet in test mode, too
        if (ctx.state.test)
          return outcome(
            name,
            null,
            `Value '${old === undefined ? 'None' : pyStr(old)}' is set to be changed to '${pyStr(value)}'.`,
          );
        await ctx.functions.call('openstack_config.set', [], { ...setting, value });
        return outcome(name, true, 'The value has been updated', dict({ Value: 'Updated' }));
      },
    }),
    absent: defineState({
      doc: 'Makes sure that a setting is not there.',
      params: { ...FILE, ...PARAMETER },
      run: async (ctx, { name, filename, section, parameter }) => {
        const setting = { filename, section, parameter: parameter ?? name };
        const old = await current(ctx, setting);
        if (old === undefined) return outcome(name, true, 'The value is already absent');
        if (ctx.state.test) return outcome(name, null, `Value '${pyStr(old)}' is set to be deleted.`);
        await ctx.functions.call('openstack_config.delete', [], dict(setting));
        return outcome(name, true, 'The value has been deleted', dict({ Value: 'Deleted' }));
      },
    }),
  },
});
