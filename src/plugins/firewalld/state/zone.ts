/** `firewalld.present`: a zone and what it holds (3006.16 salt/states/firewalld.py). */
import { dict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { renderNested } from '../../outputters/nested.ts';
import { outcomeResultFirst } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { currentForward, forwardOf, itemsOf, listedItems, richRuleOf, settle, type Item } from './items.ts';
import { complaintOf, firewalld } from './calls.ts';

/** The arguments of the state but for the name. */
export interface ZoneOrder {
  readonly block_icmp: Value;
  readonly prune_block_icmp: boolean;
  readonly default: boolean;
  readonly masquerade: boolean;
  readonly ports: Value;
  readonly prune_ports: boolean;
  readonly port_fwd: Value;
  readonly prune_port_fwd: boolean;
  readonly services: Value;
  readonly prune_services: boolean;
  readonly interfaces: Value;
  readonly prune_interfaces: boolean;
  readonly sources: Value;
  readonly prune_sources: boolean;
  readonly rich_rules: Value;
  readonly prune_rich_rules: boolean;
}

const PERMANENT = dict({ permanent: true });
const QUIETLY = dict({ permanent: true, force_masquerade: false });

/** A zone on its way: what has changed, and whether there is one to look into. */
interface ZoneWork {
  readonly ctx: StateContext;
  readonly name: string;
  readonly changes: Dict;
  /** Not there yet: in test mode there is nothing to look into. */
  readonly isMissing: boolean;
}

/** Things of one kind, with the functions of the module that list, add and remove them. */
interface Kind {
  readonly key: string;
  readonly wanted: readonly Item[];
  readonly prune: boolean;
  readonly list: string;
  readonly add: string;
  readonly remove: string;
  readonly read?: (value: Value) => Item;
  /** The keywords of the function that adds. */
  readonly adding?: Dict;
  /** Whether the zone comes behind the thing. */
  readonly zoneLast?: boolean;
}

const listed = async ({ ctx, name, isMissing }: ZoneWork, fun: string): Promise<Value> =>
  isMissing ? [] : firewalld(ctx, fun, [name], PERMANENT);

async function settleKind(work: ZoneWork, kind: Kind): Promise<void> {
  const { ctx, name, changes } = work;
  const { key, wanted, prune, list, add, remove, read, adding = PERMANENT, zoneLast = false } = kind;
  if (wanted.length === 0 && !prune) return;
  const place = (item: Item): Value[] => (zoneLast ? [...item.args, name] : [name, ...item.args]);
  await settle(changes, ctx.state.test, {
    ...{ key, wanted, prune },
    current: listedItems(await listed(work, list), read),
    add: (item) => firewalld(ctx, add, place(item), adding),
    remove: (item) => firewalld(ctx, remove, place(item), PERMANENT),
  });
}

/** The types of ICMP that this firewall knows. */
async function knownTypes(ctx: StateContext, wanted: readonly Item[]): Promise<Item[]> {
  if (wanted.length === 0) return [];
  const types = listedItems(await firewalld(ctx, 'get_icmp_types', [], PERMANENT));
  const known = new Set(types.map(({ key }) => key));
  for (const { key } of wanted) if (!known.has(key)) ctx.log.error(`${key} is an invalid ICMP type`);
  return wanted.filter(({ key }) => known.has(key));
}

async function settleDefault({ ctx, name, changes }: ZoneWork): Promise<void> {
  const before = await firewalld(ctx, 'default_zone');
  if (before === name) return;
  if (!ctx.state.test) await firewalld(ctx, 'set_default_zone', [name]);
  changes.set('default', dict({ old: before, new: name }));
}

async function settleMasquerade(work: ZoneWork, isWanted: boolean): Promise<void> {
  const { ctx, name, changes, isMissing } = work;
  const isOn = !isMissing && truthy(await firewalld(ctx, 'get_masquerade', [name], PERMANENT));
  if (isOn === isWanted) return;
  if (!ctx.state.test)
    await firewalld(ctx, isWanted ? 'add_masquerade' : 'remove_masquerade', [name], PERMANENT);
  const done = `Masquerading successfully ${isWanted ? 'set' : 'disabled'}.`;
  changes.set('masquerade', dict({ old: '', new: done }));
}

/** What a zone is to hold besides types of ICMP, in the order in which it is looked at. */
function kindsOf(order: ZoneOrder): Kind[] {
  const { ports, port_fwd, services, interfaces, sources, rich_rules } = order;
  return [
    {
      ...{ key: 'ports', wanted: itemsOf('ports', ports), prune: order.prune_ports },
      ...{ list: 'list_ports', add: 'add_port', remove: 'remove_port', adding: QUIETLY },
    },
    {
      ...{ key: 'port_fwd', wanted: itemsOf('port_fwd', port_fwd, forwardOf), prune: order.prune_port_fwd },
      ...{ list: 'list_port_fwd', add: 'add_port_fwd', remove: 'remove_port_fwd', adding: QUIETLY },
      read: currentForward,
    },
    {
      ...{ key: 'services', wanted: itemsOf('services', services), prune: order.prune_services },
      ...{ list: 'list_services', add: 'add_service', remove: 'remove_service', zoneLast: true },
    },
    {
      ...{ key: 'interfaces', wanted: itemsOf('interfaces', interfaces), prune: order.prune_interfaces },
      ...{ list: 'get_interfaces', add: 'add_interface', remove: 'remove_interface' },
    },
    {
      ...{ key: 'sources', wanted: itemsOf('sources', sources), prune: order.prune_sources },
      ...{ list: 'get_sources', add: 'add_source', remove: 'remove_source' },
    },
    {
      ...{
        key: 'rich_rules',
        wanted: itemsOf('rich_rules', rich_rules, richRuleOf),
        prune: order.prune_rich_rules,
      },
      ...{ list: 'get_rich_rules', add: 'add_rich_rule', remove: 'remove_rich_rule' },
    },
  ];
}

async function configure(ctx: StateContext, name: string, order: ZoneOrder, changes: Dict): Promise<void> {
  const [types, kinds] = [itemsOf('block_icmp', order.block_icmp), kindsOf(order)];
  const zones = await firewalld(ctx, 'get_zones', [], PERMANENT);
  const isNew = !(Array.isArray(zones) && zones.includes(name));
  if (isNew) {
    if (!ctx.state.test) await firewalld(ctx, 'new_zone', [name]);
    changes.set(name, dict({ old: zones, new: name }));
  }
  const work = { ctx, name, changes, isMissing: isNew && ctx.state.test };
  if (types.length > 0 || order.prune_block_icmp)
    await settleKind(work, {
      ...{ key: 'icmp_types', wanted: await knownTypes(ctx, types), prune: order.prune_block_icmp },
      ...{ list: 'list_icmp_block', add: 'block_icmp', remove: 'allow_icmp' },
    });
  if (order.default) await settleDefault(work);
  await settleMasquerade(work, order.masquerade);
  for (const kind of kinds) await settleKind(work, kind);
}

/** Makes sure of a zone. The rules are read again after any change, and in test mode never. */
export async function zonePresent(ctx: StateContext, name: string, order: ZoneOrder): Promise<StateResult> {
  const changes = dict();
  const configuring = await complaintOf(() => configure(ctx, name, order, changes));
  const isChanged = changes.size > 0;
  const reloading =
    isChanged && !ctx.state.test ? await complaintOf(() => firewalld(ctx, 'reload_rules')) : undefined;
  const complaint = configuring ?? reloading;
  if (complaint !== undefined) return outcomeResultFirst(name, false, `Error: ${complaint}`, changes);
  if (!isChanged) return outcomeResultFirst(name, true, `'${name}' is already in the desired state.`);
  if (!ctx.state.test) return outcomeResultFirst(name, true, `'${name}' was configured.`, changes);
  const shown = renderNested(changes, { color: false }).trimEnd();
  return outcomeResultFirst(name, null, `Configuration for '${name}' will change:\n${shown}`);
}
