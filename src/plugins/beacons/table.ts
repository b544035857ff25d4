/** The beacons of this program; each file is imported when it is first used. */
import type { BeaconSpec } from './beacon.ts';

/** By Salt's names, in the order in which `beacons.list_available` gives them. */
export const BEACON_TABLE: ReadonlyMap<string, () => Promise<BeaconSpec>> = new Map([
  ['btmp', async () => (await import('./login-records.ts')).btmpBeacon()],
  ['cert_info', async () => (await import('./cert-info.ts')).certInfoBeacon],
  ['diskusage', async () => (await import('./diskusage.ts')).diskusageBeacon],
  ['haproxy', async () => (await import('./haproxy.ts')).haproxyBeacon()],
  ['inotify', async () => (await import('./inotify.ts')).inotifyBeacon],
  ['journald', async () => (await import('./journald.ts')).journaldBeacon()],
  ['load', async () => (await import('./load.ts')).loadBeacon()],
  ['log', async () => (await import('./log.ts')).logBeacon],
  ['memusage', async () => (await import('./memusage.ts')).memusageBeacon],
  ['network_info', async () => (await import('./network-info.ts')).networkInfoBeacon],
  ['network_settings', async () => (await import('./network-settings.ts')).networkSettingsBeacon()],
  ['pkg', async () => (await import('./pkg.ts')).pkgBeacon],
  ['ps', async () => (await import('./ps.ts')).psBeacon()],
  ['salt_monitor', async () => (await import('./salt-monitor.ts')).saltMonitorBeacon],
  ['service', async () => (await import('./service.ts')).serviceBeacon],
  ['sh', async () => (await import('./sh.ts')).shBeacon],
  ['status', async () => (await import('./status.ts')).statusBeacon],
  ['swapusage', async () => (await import('./swapusage.ts')).swapusageBeacon],
  ['watchdog', async () => (await import('./watchdog.ts')).watchdogBeacon],
  ['wtmp', async () => (await import('./login-records.ts')).wtmpBeacon()],
]);
