/** `network_info`: tells the counters of network interfaces (salt/beacons/network_info.py, 3006.16). */
import { readFileSync } from 'node:fs';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineBeacon, limitOf, listToDict, VALID, type Verdict } from '../shared/beacon/beacon.ts';

/** The counters, and their columns in `/proc/net/dev`. */
const COLUMNS: ReadonlyMap<string, number> = new Map([
  ['bytes_sent', 8],
  ['bytes_recv', 0],
  ['packets_sent', 9],
  ['packets_recv', 1],
  ['errin', 2],
  ['errout', 10],
  ['dropin', 3],
  ['dropout', 11],
]);

/** The counters of each interface. */
export function readCounters(text: string): Map<string, Map<string, number>> {
  const out = new Map<string, Map<string, number>>();
  for (const line of text.split('\n').slice(2)) {
    const colon = line.lastIndexOf(':');
    if (colon < 0) continue;
    const values = line
      .slice(colon + 1)
      .trim()
      .split(/\s+/)
      .map(Number);
    const counters = new Map([...COLUMNS].map(([name, column]) => [name, values[column] ?? 0]));
    out.set(line.slice(0, colon).trim(), counters);
  }
  return out;
}

function validate(config: Value): Verdict {
  if (!Array.isArray(config)) return [false, 'Configuration for network_info beacon must be a list.'];
  const interfaces = listToDict(config).get('interfaces');
  for (const item of isDict(interfaces) ? interfaces.values() : []) {
    if (!isDict(item))
      return [false, 'Configuration for network_info beacon must be a list of dictionaries.'];
    if (!item.has('type') && ![...COLUMNS.keys()].some((name) => item.has(name)))
      return [false, 'Invalid configuration item in Beacon configuration.'];
  }
  return VALID;
}

/** What is wanted of one interface. */
interface Wanted {
  readonly interface: Value;
  /** `type: greater`: above the limit, not at it. */
  readonly isGreater: boolean;
  /** Limits by counter. */
  readonly limits: ReadonlyMap<string, number>;
}

/** `{eth0: {type: greater, errin: 100}}`. */
function readInterfaces(value: Value): Wanted[] {
  return [...(isDict(value) ? value : [])].flatMap(([name, options]): Wanted[] => {
    if (!isDict(options)) return [];
    const limits = [...COLUMNS.keys()]
      .filter((counter) => options.has(counter))
      .map((counter): [string, number] => [counter, Math.trunc(limitOf(options.get(counter) ?? null))]);
    return [{ interface: name, isGreater: options.get('type') === 'greater', limits: new Map(limits) }];
  });
}

/** Whether any counter is at its limit, or above it. */
function isTold({ isGreater, limits }: Wanted, counters: ReadonlyMap<string, number>): boolean {
  return [...limits].some(([name, limit]) => {
    const now = counters.get(name) ?? NaN;
    return isGreater ? now > limit : now === limit;
  });
}

/** The beacon. */
export const networkInfoBeacon = defineBeacon({
  name: 'network_info',
  doc: 'Reports the counters of interfaces when one is at its limit.',
  params: {
    interfaces: param.by(readInterfaces, {
      type: 'dict',
      default: null,
      doc: 'limits of counters by interface; `type`: `equal` or `greater`',
    }),
  },
  validate,
  start: () => ({
    look: ({ interfaces }) => {
      const all = readCounters(readFileSync('/proc/net/dev', 'utf8'));
      const events: Dict[] = [];
      for (const wanted of interfaces) {
        const counters = all.get(String(wanted.interface));
        if (counters === undefined || !isTold(wanted, counters)) continue;
        events.push(
          new Map<Value, Value>([
            ['interface', wanted.interface],
            ['network_info', new Map<Value, Value>(counters)],
          ]),
        );
      }
      return events;
    },
  }),
});
