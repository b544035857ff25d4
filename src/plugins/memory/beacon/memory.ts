/** The use of memory and of swap, as psutil counts it from `/proc/meminfo`. */
import { readFileSync } from 'node:fs';
import { param } from '../../../runtime/loader/params.ts';
import { float, type Dict } from '../../../python/values/value.ts';
import { defineBeacon, listToDict, percentOf, VALID, type BeaconSpec } from '../../shared/beacon/beacon.ts';

const round = (percent: number): number => Math.round(percent * 10) / 10;

/** `/proc/meminfo` as numbers of kilobytes. */
function readMemory(text: string): (name: string) => number {
  const values = new Map(
    [...text.matchAll(/^(\w+(?:\(\w+\))?):\s+(\d+)/gm)].map((line) => [line[1], Number(line[2])]),
  );
  return (name) => values.get(name) ?? 0;
}

/** Share of the memory that is not available, in percent. */
export function memoryPercent(meminfo: string): number {
  const get = readMemory(meminfo);
  const total = get('MemTotal');
  return total === 0 ? 0 : round(((total - get('MemAvailable')) / total) * 100);
}

/** Share of the swap space in use, in percent. */
export function swapPercent(meminfo: string): number {
  const get = readMemory(meminfo);
  const total = get('SwapTotal');
  return total === 0 ? 0 : round(((total - get('SwapFree')) / total) * 100);
}

/** A beacon that tells when a share of something is at its limit or above. */
export function shareBeacon(name: string, doc: string, percent: (meminfo: string) => number): BeaconSpec {
  return defineBeacon({
    name,
    doc,
    params: {
      percent: param.by(percentOf, { type: 'str', default: null, doc: 'the limit, such as `63%`' }),
    },
    validate: (config) => {
      if (!Array.isArray(config)) return [false, `Configuration for ${name} beacon must be a list.`];
      if (!listToDict(config).has('percent'))
        return [false, `Configuration for ${name} beacon requires percent.`];
      return VALID;
    },
    start: () => ({
      look: ({ percent: limit }) => {
        const used = percent(readFileSync('/proc/meminfo', 'utf8'));
        const event: Dict = new Map([[name, float(used)]]);
        return used >= limit ? [event] : [];
      },
    }),
  });
}
