/** `memusage`: tells when memory gets scarce (salt/beacons/memusage.py, 3006.16). */
import { memoryPercent, shareBeacon } from './beacon/memory.ts';

/** The beacon. */
export const memusageBeacon = shareBeacon(
  'memusage',
  'Fires an event when more of the memory is used than `percent`.',
  memoryPercent,
);
