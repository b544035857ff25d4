/** `swapusage`: tells when swap space gets scarce (salt/beacons/swapusage.py, 3006.16). */
import { shareBeacon, swapPercent } from './beacon/memory.ts';

/** The beacon. */
export const swapusageBeacon = shareBeacon(
  'swapusage',
  'Fires an event when more of the swap is used than `percent`.',
  swapPercent,
);
