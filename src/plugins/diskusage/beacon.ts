/** `diskusage`: tells when a file system gets full (salt/beacons/diskusage.py, 3006.16). */
import { readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { messageOf } from '../../errors/errors.ts';
import { compilePattern, type PyPattern } from '../../python/regex/pattern.ts';
import { dict, float, type Dict, type Value } from '../../python/values/value.ts';
import { percentOf, VALID, withoutHidden, type BeaconSpec } from '../shared/beacon/beacon.ts';

/** The mount points of this host, in the order of the kernel's table. */
function mountPoints(): string[] {
  const lines = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  const unescape = (text: string): string =>
    text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));
  return lines.flatMap((line) => {
    const path = line.split(' ')[1];
    return path === undefined ? [] : [unescape(path)];
  });
}

/** What is used of what users may use, in percent, as `df` and psutil count it. */
async function usedPercent(path: string): Promise<number> {
  const { blocks, bfree, bavail } = await statfs(path);
  const used = blocks - bfree;
  const usable = used + bavail;
  return usable === 0 ? 0 : Math.round((used / usable) * 1000) / 10;
}

/** The beacon. */
export const diskusageBeacon: BeaconSpec = {
  name: 'diskusage',
  doc: 'Reports mount points (texts or regular expressions) that are as full as their limit.',
  validate: (config) =>
    Array.isArray(config) ? VALID : [false, 'Configuration for diskusage beacon must be a list.'],
  start: ({ log }) => ({
    look: async (config) => {
      const events: Dict[] = [];
      const mounts = mountPoints();
      for (const item of withoutHidden(config)) {
        const [[key, limit]] = [...item] as [[Value, Value]];
        const pattern = toPattern(String(key));
        for (const mount of mounts.filter((path) => pattern.matchStart(path) !== undefined)) {
          try {
            const used = await usedPercent(mount);
            if (used >= percentOf(limit)) events.push(dict({ diskusage: float(used), mount }));
          } catch (error) {
            log.warning(`${mount} is not a valid mount point: ${messageOf(error)}`);
          }
        }
      }
      return events;
    },
  }),
};

function toPattern(text: string): PyPattern {
  return compilePattern(text.endsWith('$') ? text : `${text}$`);
}
