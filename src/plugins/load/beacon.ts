/** `load`: tells when the load of this host leaves its limits (salt/beacons/load.py, 3006.16). */
import { loadavg } from 'node:os';
import { float, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import {
  defineBeacon,
  limitOf,
  listToDict,
  VALID,
  type BeaconSpec,
  type Verdict,
} from '../shared/beacon/beacon.ts';

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

type Limits = readonly [low: number, high: number];

/** `{1m: [low, high], …}` in the order of {@link AVERAGES}. */
function readLimits(value: Value): (Limits | undefined)[] {
  return AVERAGES.map((name) => {
    const pair = isDict(value) ? value.get(name) : undefined;
    return Array.isArray(pair) ? [limitOf(pair[0] ?? null), limitOf(pair[1] ?? null)] : undefined;
  });
}

/** Whether an average is to be told; with `last` only when it has crossed a limit since. */
function isOutside(now: number, [low, high]: Limits, last: number | undefined): boolean {
  if (last === undefined) return now < low || now > high;
  return (now > high && last < high) || (now < low && last > low);
}

/** The beacon. `read` gives the three averages. */
export function loadBeacon(read: () => readonly number[] = loadavg): BeaconSpec {
  return defineBeacon({
    name: 'load',
    doc: 'Fires an event when the load average leaves its limits.',
    params: {
      averages: param.by(readLimits, {
        type: 'dict',
        default: null,
        doc: 'lower and upper limit of `1m`, `5m`, `15m`',
      }),
      onchangeonly: param.flag({ default: false, doc: 'only when an average has crossed a limit' }),
      emitatstartup: param.flag({ default: true, doc: 'with onchangeonly: also at the first look' }),
    },
    validate,
    start: () => {
      let last: readonly number[] | undefined;
      return {
        look: ({ averages: limits, onchangeonly: onChange, emitatstartup }) => {
          const now = read();
          if (onChange && last === undefined) {
            last = now;
            if (!emitatstartup) return [];
          }
          const isTold = limits.some(
            (pair, i) =>
              pair !== undefined && isOutside(now[i] as number, pair, onChange ? last?.[i] : undefined),
          );
          if (onChange) last = now;
          const averages: Dict = new Map(AVERAGES.map((name, i) => [name, float(now[i] as number)]));
          return isTold ? [averages] : [];
        },
      };
    },
  });
}
