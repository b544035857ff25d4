/** `load`: tells when the load of this host leaves its limits (salt/beacons/load.py, 3006.16). */
import { loadavg } from 'node:os';
import { float, isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { listToDict, VALID, type BeaconSpec, type Verdict } from './beacon.ts';

const AVERAGES = ['1m', '5m', '15m'] as const;

function validate(config: Value): Verdict {
  if (!Array.isArray(config)) return [false, 'Configuration for load beacon must be a list.'];
  const options = listToDict(config);
  for (const name of ['emitatstartup', 'onchangeonly']) {
    const value = options.get(name);
    if (value !== undefined && typeof value !== 'boolean')
      return [false, `Configuration for load beacon option ${name} must be a boolean.`];
  }
  const averages = options.get('averages');
  if (averages === undefined) return [false, 'Averages configuration is required for load beacon.'];
  const limits = isDict(averages) ? averages : new Map<Value, Value>();
  if (!AVERAGES.some((name) => limits.has(name)))
    return [false, 'Averages configuration for load beacon must contain 1m, 5m or 15m items.'];
  for (const name of AVERAGES) {
    const pair = limits.get(name);
    // Salt compat: Salt fails here when one of the three is left out
    if (pair === undefined) continue;
    if (!Array.isArray(pair))
      return [
        false,
        'Averages configuration for load beacon: 1m, 5m and 15m items must be a list of two items.',
      ];
    if (pair.length !== 2)
      return [false, 'Configuration for load beacon: 1m, 5m and 15m items must be a list of two items.'];
  }
  return VALID;
}

/** Whether an average is to be told; with `last` only when it has crossed a limit since. */
function isOutside(now: number, [low, high]: readonly [number, number], last: number | undefined): boolean {
  if (last === undefined) return now < low || now > high;
  return (now > high && last < high) || (now < low && last > low);
}

/** The beacon. `read` gives the three averages. */
export function loadBeacon(read: () => readonly number[] = loadavg): BeaconSpec {
  return {
    name: 'load',
    doc: 'Fires an event when the load average leaves its limits.',
    validate,
    start: () => {
      let last: readonly number[] | undefined;
      return {
        look: (config) => {
          const options = listToDict(config);
          const onChange = truthy(options.get('onchangeonly') ?? false);
          const now = read();
          if (onChange && last === undefined) {
            last = now;
            if (!truthy(options.get('emitatstartup') ?? true)) return [];
          }
          const limits = options.get('averages');
          const isTold = AVERAGES.some((name, i) => {
            const pair = isDict(limits) ? limits.get(name) : undefined;
            if (!Array.isArray(pair)) return false;
            const bounds = pair.map((value) => toNumber(value) ?? Number(value)) as [number, number];
            return isOutside(now[i] as number, bounds, onChange ? last?.[i] : undefined);
          });
          if (onChange) last = now;
          const averages: Dict = new Map(AVERAGES.map((name, i) => [name, float(now[i] as number)]));
          return isTold ? [averages] : [];
        },
      };
    },
  };
}
