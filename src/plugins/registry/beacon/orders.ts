/**
 * What may be asked of running beacons over the bus (`manage_beacons`), and the event that answers
 * (salt/beacons/__init__.py, 3006.16).
 */
import type { Logger } from '../../../host/log.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { Beacons } from './beacons.ts';

/** The event that says an order was carried out. */
export interface BeaconAnswer {
  readonly tag: string;
  readonly data: Dict;
}

type Order = (beacons: Beacons, order: Dict) => BeaconAnswer | Promise<BeaconAnswer>;

const nameOf = (order: Dict): Value => order.get('name') ?? null;
const tagOf = (what: string): string => `/salt/minion/minion_${what}_complete`;

function answer(what: string, beacons: Beacons, complete: boolean, comment?: string): BeaconAnswer {
  const data = dict({ complete });
  if (comment !== undefined) data.set('comment', comment);
  return { tag: tagOf(what), data: data.set('beacons', beacons.configured) };
}

/** An order that a beacon of the pillar refuses. */
function change(
  what: string,
  refusal: (name: string) => string,
  carryOut: (beacons: Beacons, name: Value, order: Dict) => string,
): Order {
  return (beacons, order) => {
    const name = nameOf(order);
    if (beacons.isFromPillar(name)) return answer(what, beacons, false, refusal(pyStr(name)));
    const comment = carryOut(beacons, name, order);
    return answer(what, beacons, true, comment);
  };
}

const inPillar =
  (verb: string) =>
  (name: string): string =>
    `Cannot ${verb} beacon item ${name}, it is configured in pillar.`;

function toggle(isEnabled: boolean): Order {
  const [verb, word] = isEnabled ? ['enable', 'Enabling'] : ['disable', 'Disabling'];
  const refusal = (name: string): string =>
    isEnabled
      ? `Cannot enable beacon item ${name}, it is configured in pillar.`
      : `Cannot disable beacon item ${name}, because it is configured in pillar.`;
  return change(`beacon_${verb}d`, refusal, (beacons, name) => {
    beacons.setEnabled(name, isEnabled);
    return `${word} beacon item ${pyStr(name)}`;
  });
}

function toggleAll(isEnabled: boolean): Order {
  return (beacons) => {
    beacons.set('enabled', isEnabled);
    return answer(`beacons_${isEnabled ? 'enabled' : 'disabled'}`, beacons, true);
  };
}

const ORDERS: ReadonlyMap<string, Order> = new Map<string, Order>([
  [
    'add',
    change(
      'beacon_add',
      (name) => `Cannot update beacon item ${name}, because it is configured in pillar.`,
      (beacons, name, order) => {
        const isKnown = beacons.configured.has(name);
        beacons.set(name, order.get('beacon_data') ?? null);
        return isKnown
          ? `Updating settings for beacon item: ${pyStr(name)}`
          : `Added new beacon item: ${pyStr(name)}`;
      },
    ),
  ],
  [
    'modify',
    change('beacon_modify', inPillar('modify'), (beacons, name, order) => {
      beacons.set(name, order.get('beacon_data') ?? null);
      return `Updating settings for beacon item: ${pyStr(name)}`;
    }),
  ],
  [
    'delete',
    change('beacon_delete', inPillar('delete'), (beacons, name) =>
      beacons.remove(name) ? `Deleting beacon item: ${pyStr(name)}` : `Beacon item ${pyStr(name)} not found.`,
    ),
  ],
  ['enable', toggleAll(true)],
  ['disable', toggleAll(false)],
  ['enable_beacon', toggle(true)],
  ['disable_beacon', toggle(false)],
  [
    'list',
    (beacons, order) => ({
      tag: tagOf('beacons_list'),
      data: dict({
        complete: true,
        beacons: beacons.list({
          pillar: truthy(order.get('include_pillar') ?? true),
          configured: truthy(order.get('include_opts') ?? true),
        }),
      }),
    }),
  ],
  [
    'list_available',
    async (beacons) => ({
      tag: tagOf('beacons_list_available'),
      data: dict({ complete: true, beacons: await beacons.available() }),
    }),
  ],
  [
    'validate_beacon',
    async (beacons, order) => {
      const [valid, vcomment] = await beacons.validate(nameOf(order), order.get('beacon_data') ?? null);
      return { tag: tagOf('beacon_validation'), data: dict({ complete: true, vcomment, valid }) };
    },
  ],
  [
    'reset',
    (beacons) => {
      beacons.reset();
      return answer('beacon_reset', beacons, true, 'Beacons have been reset');
    },
  ],
]);

/**
 * Carries out an order.
 * @param order `{func, name, beacon_data, include_pillar, include_opts}`
 */
export async function orderBeacons(
  beacons: Beacons,
  order: Dict,
  log: Logger,
): Promise<BeaconAnswer | undefined> {
  const func = order.get('func');
  const run = typeof func === 'string' ? ORDERS.get(func) : undefined;
  if (run === undefined) {
    log.error(`Function "${pyStr(func ?? null)}" is unavailable in salt.utils.beacons`);
    return undefined;
  }
  return run(beacons, order);
}
