/** The beacons of this program; each file is imported when it is first used. */
import type { BeaconSpec } from './beacon.ts';

/** By Salt's names, in the order in which `beacons.list_available` gives them. */
export const BEACON_TABLE: ReadonlyMap<string, () => Promise<BeaconSpec>> = new Map([
  ['cert_info', async () => (await import('./cert-info.ts')).certInfoBeacon],
  ['diskusage', async () => (await import('./diskusage.ts')).diskusageBeacon],
  ['inotify', async () => (await import('./inotify.ts')).inotifyBeacon],
  ['load', async () => (await import('./load.ts')).loadBeacon()],
  ['log', async () => (await import('./log.ts')).logBeacon],
  ['memusage', async () => (await import('./memusage.ts')).memusageBeacon],
  ['network_info', async () => (await import('./network-info.ts')).networkInfoBeacon],
  ['ps', async () => (await import('./ps.ts')).psBeacon()],
  ['service', async () => (await import('./service.ts')).serviceBeacon],
  ['status', async () => (await import('./status.ts')).statusBeacon],
  ['swapusage', async () => (await import('./swapusage.ts')).swapusageBeacon],
]);
