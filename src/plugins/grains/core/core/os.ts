/** The grains of the operating system (salt/grains/core.py, os_data). */
import { dict, type Dict, type Value } from '../../../../python/values/value.ts';
import type { GrainsContext } from '../context.ts';
import { linuxCpuGrains, linuxMemoryGrains, portableCpuMemoryGrains } from './cpu-memory.ts';
import { distributionGrains, osReleaseGrains } from './distribution.ts';
import { linuxGpuGrains } from './gpu.ts';
import { deviceTreeGrains, hardwareGrains } from './hardware.ts';
import { initSystem, selinuxGrain, systemdGrain } from './init-system.ts';
import { osArchitecture } from './os-architecture.ts';
import { hypervisorGrains, virtualGrains } from './virtual.ts';

/** Everything from `kernel` to `osfinger`. */
export async function osGrains(ctx: GrainsContext): Promise<Dict> {
  const uname = ctx.host.uname();
  const grains = dict({
    num_gpus: 0,
    gpus: [],
    kernel: uname.kernel,
    nodename: uname.nodename,
    kernelrelease: uname.release,
    kernelversion: uname.version,
    cpuarch: uname.machine,
  });
  if (uname.kernel === 'Linux') await addLinux(ctx, grains);
  else if (uname.kernel === 'Darwin') addMac(ctx, grains);
  else if (uname.kernel === 'Windows') addWindows(ctx, grains);
  else addOther(ctx, grains);
  return grains;
}

async function addLinux(ctx: GrainsContext, grains: Dict): Promise<void> {
  const { host } = ctx;
  // programs first: they run while files are read
  const systemd = systemdGrain(ctx);
  const hardware = hardwareGrains(ctx);
  const virtual = hardware.then((x) => virtualGrains(ctx, text(x, 'productname')));
  const [selinux, gpus, distribution] = [selinuxGrain(ctx), linuxGpuGrains(ctx), distributionGrains(ctx)];

  setIfKnown(grains, 'selinux', await selinux);
  setIfKnown(grains, 'systemd', await systemd);
  grains.set('init', initSystem(ctx));
  merge(grains, await distribution);
  merge(grains, linuxCpuGrains(host));
  merge(grains, await gpus);
  merge(grains, deviceTreeGrains(host));
  grains.set('osarch', await osArchitecture(ctx, text(grains, 'os_family'), text(grains, 'cpuarch')));
  merge(grains, linuxMemoryGrains(host));
  merge(grains, await hardware);
  merge(grains, await virtual);
  merge(grains, hypervisorGrains(host, text(grains, 'virtual')));
  grains.set('ps', psCommand(grains));
  const release = text(grains, 'osrelease');
  if (release !== '') merge(grains, osReleaseGrains(text(grains, 'os'), text(grains, 'osfullname'), release));
}

/** macOS, from its version file and from what Node tells; no program is run. */
function addMac(ctx: GrainsContext, grains: Dict): void {
  const plist = ctx.host.readText('/System/Library/CoreServices/SystemVersion.plist') ?? '';
  const value = (key: string): string =>
    new RegExp(`<key>${key}</key>\\s*<string>([^<]*)</string>`).exec(plist)?.[1] ?? '';
  const release = value('ProductVersion');
  merge(
    grains,
    dict({
      os: 'MacOS',
      os_family: 'MacOS',
      osfullname: `${value('ProductName')} ${release}`,
      osrelease: release,
      osbuild: value('ProductBuildVersion'),
      init: 'launchd',
      osarch: text(grains, 'cpuarch'),
      manufacturer: 'Apple Inc.',
      virtual: 'physical',
    }),
  );
  merge(grains, portableCpuMemoryGrains(ctx));
  grains.set('ps', psCommand(grains));
  if (release !== '') merge(grains, osReleaseGrains('MacOS', text(grains, 'osfullname'), release));
}

/** Windows, as far as Node tells: no WMI, and so no manufacturer, BIOS or domain grains. */
function addWindows(ctx: GrainsContext, grains: Dict): void {
  const caption = text(grains, 'kernelversion');
  const year = /Server (\d+)( R2)?/.exec(caption);
  const desktop = /\b(\d+(?:\.\d+)?|Vista|XP)\b/.exec(caption)?.[1] ?? 'Unknown';
  const release = year ? `${year[1] ?? ''}Server${year[2] ? 'R2' : ''}` : desktop;
  const info = year
    ? [Number(year[1]), ...(year[2] ? [2] : [])]
    : release.split('.').map((x) => (/^\d+$/.test(x) ? Number(x) : x));
  merge(grains, portableCpuMemoryGrains(ctx));
  merge(
    grains,
    dict({
      os: 'Windows',
      os_family: 'Windows',
      osfullname: caption.startsWith('Microsoft') ? caption : `Microsoft ${caption}`,
      osrelease: release,
      osversion: text(grains, 'kernelrelease'),
      kernelversion: text(grains, 'kernelrelease'),
      virtual: 'physical',
      ps: 'tasklist.exe',
      osrelease_info: info,
      osfinger: `Windows-${release}`,
      init: 'Windows',
    }),
  );
}

function addOther(ctx: GrainsContext, grains: Dict): void {
  const kernel = text(grains, 'kernel');
  const isBsd = ['FreeBSD', 'OpenBSD', 'NetBSD'].includes(kernel);
  merge(grains, dict({ os: kernel, os_family: isBsd ? kernel : 'Unknown', osfullname: kernel }));
  merge(grains, portableCpuMemoryGrains(ctx));
  grains.set('osarch', text(grains, 'cpuarch'));
  grains.set('virtual', 'physical');
  grains.set('ps', psCommand(grains));
  if (!isBsd) return;
  const [release = ''] = text(grains, 'kernelrelease').split('-');
  grains.set('osrelease', release);
  merge(grains, osReleaseGrains(kernel, kernel, release));
}

/** The `ps` grain: the command line that lists processes. */
function psCommand(grains: Dict): string {
  if (['FreeBSD', 'NetBSD', 'OpenBSD', 'MacOS'].includes(text(grains, 'os'))) return 'ps auxwww';
  if (grains.get('virtual') === 'openvzhn') {
    return (
      'ps -fH -p $(grep -l "^envID:[[:space:]]*0\\$" ' +
      '/proc/[0-9]*/status | sed -e "s=/proc/\\([0-9]*\\)/.*=\\1=")  ' +
      '| awk \'{ $7=""; print }\''
    );
  }
  return grains.get('os_family') === 'NILinuxRT' ? 'ps -o user,pid,ppid,tty,time,comm' : 'ps -efHww';
}

function text(grains: Dict, key: string): string {
  const value = grains.get(key);
  return typeof value === 'string' ? value : '';
}

function merge(into: Dict, from: ReadonlyMap<Value, Value>): void {
  for (const [key, value] of from) into.set(key, value);
}

function setIfKnown(grains: Dict, key: string, value: Value | undefined): void {
  if (value !== undefined) grains.set(key, value);
}
