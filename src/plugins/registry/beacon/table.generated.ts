/** Written by scripts/generate-plugins.mjs, of the definitions in `src/plugins`. */
import type { BeaconSpec } from '../../shared/beacon/beacon.ts';

/** Every beacon, in the order in which `beacons.list_available` gives them. */
export const BEACON_TABLE: ReadonlyMap<string, () => Promise<BeaconSpec>> = new Map([
  ['btmp', async () => (await import('../../login-records/beacon.ts')).btmpBeacon()],
  ['cert_info', async () => (await import('../../cert-info/beacon.ts')).certInfoBeacon],
  ['diskusage', async () => (await import('../../diskusage/beacon.ts')).diskusageBeacon],
  ['haproxy', async () => (await import('../../haproxy/beacon.ts')).haproxyBeacon()],
  ['inotify', async () => (await import('../../inotify/beacon.ts')).inotifyBeacon],
  ['journald', async () => (await import('../../journald/beacon.ts')).journaldBeacon()],
  ['load', async () => (await import('../../load/beacon.ts')).loadBeacon()],
  ['log', async () => (await import('../../log/beacon.ts')).logBeacon],
  ['memusage', async () => (await import('../../memory/memusage.beacon.ts')).memusageBeacon],
  ['network_info', async () => (await import('../../network/info.beacon.ts')).networkInfoBeacon],
  [
    'network_settings',
    async () => (await import('../../network/settings.beacon.ts')).networkSettingsBeacon(),
  ],
  ['pkg', async () => (await import('../../pkg/beacon.ts')).pkgBeacon],
  ['ps', async () => (await import('../../ps/beacon.ts')).psBeacon()],
  ['salt_monitor', async () => (await import('../../salt-monitor/beacon.ts')).saltMonitorBeacon],
  ['service', async () => (await import('../../service/beacon.ts')).serviceBeacon],
  ['sh', async () => (await import('../../sh/beacon.ts')).shBeacon],
  ['status', async () => (await import('../../status/beacon.ts')).statusBeacon],
  ['swapusage', async () => (await import('../../memory/swapusage.beacon.ts')).swapusageBeacon],
  ['watchdog', async () => (await import('../../watchdog/beacon.ts')).watchdogBeacon],
  ['wtmp', async () => (await import('../../login-records/beacon.ts')).wtmpBeacon()],
]);
