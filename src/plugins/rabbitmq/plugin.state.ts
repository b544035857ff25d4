/** `rabbitmq_plugin`: plugins of RabbitMQ (3006.16 salt/states/rabbitmq_plugin.py). */
import { dict, truthy, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { nameOf, orFailure, rabbit, RUNAS, switched, withoutRabbitmq } from './state/parts.ts';

const PARAMS = { ...nameOf('plugin'), ...RUNAS } as const;

function switchTo(ctx: StateContext, name: string, runas: Value, isOn: boolean): Promise<StateResult> {
  const keywords = dict({ runas });
  const done = isOn ? 'enabled' : 'disabled';
  return orFailure(name, async () =>
    switched(ctx, {
      name,
      isRight: truthy(await rabbit(ctx, 'plugin_is_enabled', [name], keywords)) === isOn,
      changes: isOn ? dict({ old: '', new: name }) : dict({ old: name, new: '' }),
      right: `Plugin '${name}' is already ${done}.`,
      foretold: `Plugin '${name}' is set to be ${done}.`,
      done: () => `Plugin '${name}' was ${done}.`,
      run: () => rabbit(ctx, isOn ? 'enable_plugin' : 'disable_plugin', [name], keywords),
    }),
  );
}

/** The states of `rabbitmq_plugin`. */
export const rabbitmqPluginStates = defineModule({
  name: 'rabbitmq_plugin',
  file: 'rabbitmq_plugin',
  doc: 'Plugins of RabbitMQ.',
  unavailable: withoutRabbitmq,
  words: { dashes: 'any' },
  functions: {
    enabled: defineState({
      doc: 'Makes sure that a plugin is enabled.',
      params: PARAMS,
      run: (ctx, { name, runas }) => switchTo(ctx, name, runas, true),
    }),
    disabled: defineState({
      doc: 'Makes sure that a plugin is not enabled.',
      params: PARAMS,
      run: (ctx, { name, runas }) => switchTo(ctx, name, runas, false),
    }),
  },
});
