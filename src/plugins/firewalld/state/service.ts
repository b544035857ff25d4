/** `firewalld.service`: ports and protocols under one name (3006.16 salt/states/firewalld.py). */
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import { outcomeResultFirst } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { complaintOf, firewalld } from './calls.ts';
import { itemsOf, listedItems, settle } from './items.ts';

/** What a service is to consist of. */
export interface ServiceOrder {
  readonly ports: Value;
  readonly protocols: Value;
}

async function configure(ctx: StateContext, name: string, order: ServiceOrder, changes: Dict): Promise<void> {
  const wanted = {
    port: itemsOf('ports', order.ports),
    protocol: itemsOf('protocols', order.protocols),
  };
  const known = await firewalld(ctx, 'get_services');
  const isNew = !(Array.isArray(known) && known.includes(name));
  // Salt compat: Salt makes the service in test mode, too.
  if (isNew && !ctx.state.test) await firewalld(ctx, 'new_service', [name], dict({ restart: false }));
  for (const what of ['port', 'protocol'] as const) {
    const list = `get_service_${what}s`;
    const current = isNew && ctx.state.test ? [] : await firewalld(ctx, list, [name]);
    await settle(changes, ctx.state.test, {
      ...{ key: `${what}s`, wanted: wanted[what], prune: true, current: listedItems(current) },
      add: (item) => firewalld(ctx, `add_service_${what}`, [name, ...item.args]),
      remove: (item) => firewalld(ctx, `remove_service_${what}`, [name, ...item.args]),
    });
  }
  // Salt compat: Salt calls a new service without ports no change, and leaves it unknown to the running firewall.
  if (isNew && changes.size === 0) changes.set('service', dict({ old: '', new: name }));
}

/** Makes sure of a service. The rules are read again after any change, and in test mode never. */
export async function servicePresent(
  ctx: StateContext,
  name: string,
  order: ServiceOrder,
): Promise<StateResult> {
  const changes = dict();
  const configuring = await complaintOf(() => configure(ctx, name, order, changes));
  if (configuring !== undefined) return outcomeResultFirst(name, false, `Error: ${configuring}`, changes);
  if (changes.size === 0) return outcomeResultFirst(name, true, `'${name}' is already in the desired state.`);
  if (ctx.state.test)
    return outcomeResultFirst(name, null, `Configuration for '${name}' will change.`, changes);
  const reloading = await complaintOf(() => firewalld(ctx, 'reload_rules'));
  return reloading === undefined
    ? outcomeResultFirst(name, true, `'${name}' was configured.`, changes)
    : outcomeResultFirst(name, false, `Error: ${reloading}`, changes);
}
