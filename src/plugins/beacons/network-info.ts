/** `network_info`: tells the counters of network interfaces (salt/beacons/network_info.py, 3006.16). */
import { readFileSync } from 'node:fs';
import { isDict, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { listToDict, VALID, type BeaconSpec, type Verdict } from './beacon.ts';

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

/** Whether any counter is at its limit (`type: greater`: above it). */
function isTold(options: Dict, counters: ReadonlyMap<string, number>): boolean {
  const isGreater = options.get('type') === 'greater';
  return [...counters].some(([name, now]) => {
    if (!options.has(name)) return false;
    const limit = Math.trunc(toNumber(options.get(name)) ?? Number(options.get(name)));
    return isGreater ? now > limit : now === limit;
  });
}

/** The beacon. */
export const networkInfoBeacon: BeaconSpec = {
  name: 'network_info',
  doc: 'Reports the counters of interfaces when one is at its limit.',
  validate,
  start: () => ({
    look: (config) => {
      const all = readCounters(readFileSync('/proc/net/dev', 'utf8'));
      const interfaces = listToDict(config).get('interfaces');
      const events: Dict[] = [];
      for (const [name, options] of isDict(interfaces) ? interfaces : []) {
        const counters = all.get(String(name));
        if (counters === undefined || !isDict(options) || !isTold(options, counters)) continue;
        events.push(
          new Map<Value, Value>([
            ['interface', name],
            ['network_info', new Map<Value, Value>(counters)],
          ]),
        );
      }
      return events;
    },
  }),
};
