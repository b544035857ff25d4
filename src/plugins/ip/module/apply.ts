/** Applying the settings of the whole system: host name, then the service of the network. */
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { isIn, ON } from './settings.ts';

/**
 * `apply_network_settings` of all families.
 * @param restart has the settings used, and says whether that went well
 */
export async function applyNetworkSettings(
  ctx: ModuleContext,
  settings: Dict,
  restart: () => Promise<Value>,
): Promise<Value> {
  let isNamed: Value = true;
  if (isIn(ON, settings.get('apply_hostname') ?? false)) {
    const hostname = settings.get('hostname');
    if (hostname === undefined)
      ctx.log.warning(
        'The network settings are to change the host name, but they have none: set hostname, or take out apply_hostname.',
      );
    isNamed = hostname === undefined ? false : await ctx.functions.call('network.mod_hostname', [hostname]);
  }
  let isDone: Value = true;
  if (isIn(ON, settings.get('require_reboot') ?? false))
    ctx.log.warning('The network settings hold after the next start of this system (require_reboot).');
  else isDone = await restart();
  return truthy(isNamed) ? isDone : isNamed;
}
