/** Grains of some systems, as far as templates ask for them: what a check goes by when it is given none. */
import { dict, type Dict, type Value } from '../../python/values/value.ts';

interface System {
  readonly os: string;
  readonly family: string;
  readonly fullName: string;
  readonly release: string;
  readonly codename: string;
  readonly arch: string;
  readonly finger: string;
}

const SYSTEMS: ReadonlyMap<string, System> = new Map(
  (
    [
      ['debian', 'Debian', 'Debian', 'Debian GNU/Linux', '12', 'bookworm', 'amd64', 'Debian-12'],
      ['ubuntu', 'Ubuntu', 'Debian', 'Ubuntu', '24.04', 'noble', 'amd64', 'Ubuntu-24.04'],
      ['rocky', 'Rocky', 'RedHat', 'Rocky Linux', '9.4', 'Blue Onyx', 'x86_64', 'Rocky Linux-9'],
      ['centos', 'CentOS', 'RedHat', 'CentOS Linux', '7.9.2009', 'Core', 'x86_64', 'CentOS Linux-7'],
      ['opensuse', 'SUSE', 'Suse', 'Leap', '15.6', 'openSUSE Leap 15.6', 'x86_64', 'Leap-15'],
      ['arch', 'Arch', 'Arch', 'Arch Linux', 'rolling', 'rolling', 'x86_64', 'Arch Linux-rolling'],
      [
        'alpine',
        'Alpine',
        'Alpine',
        'Alpine Linux',
        '3.20.0',
        'Alpine Linux v3.20',
        'x86_64',
        'Alpine Linux-3',
      ],
    ] as const
  ).map(([name, os, family, fullName, release, codename, arch, finger]) => [
    name,
    { os, family, fullName, release, codename, arch, finger },
  ]),
);

/** The names of the systems. */
export const SYSTEM_NAMES: readonly string[] = [...SYSTEMS.keys()];

/** The grains of a system; undefined for a name that is none of {@link SYSTEM_NAMES}. */
export function grainsOfSystem(name: string): Dict | undefined {
  const system = SYSTEMS.get(name);
  return system === undefined ? undefined : new Map([...osGrains(system), ...MACHINE]);
}

function osGrains({ os, family, fullName, release, codename, arch, finger }: System): Dict {
  const parts: Value[] = release.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const isRedHat = family === 'RedHat';
  return dict({
    os,
    os_family: family,
    osfullname: fullName,
    osrelease: release,
    osmajorrelease: parts[0] ?? '',
    osrelease_info: parts,
    oscodename: codename,
    osfinger: finger,
    osarch: arch,
    init: os === 'Alpine' ? 'sysvinit' : 'systemd',
    selinux: dict({ enabled: isRedHat, enforced: isRedHat ? 'Enforcing' : 'Disabled' }),
  });
}

const MACHINE: Dict = dict({
  id: 'minion',
  host: 'minion',
  fqdn: 'minion.example.com',
  domain: 'example.com',
  localhost: 'minion',
  nodename: 'minion',
  master: 'salt',
  cpuarch: 'x86_64',
  kernel: 'Linux',
  kernelrelease: '6.1.0',
  virtual: 'kvm',
  num_cpus: 2,
  mem_total: 4096,
  ipv4: ['127.0.0.1', '192.0.2.10'],
  ipv6: ['::1'],
  fqdn_ip4: ['192.0.2.10'],
  ip4_interfaces: dict({ lo: ['127.0.0.1'], eth0: ['192.0.2.10'] }),
  ip_interfaces: dict({ lo: ['127.0.0.1', '::1'], eth0: ['192.0.2.10'] }),
  hwaddr_interfaces: dict({ lo: '00:00:00:00:00:00', eth0: '02:00:00:00:00:01' }),
  path: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  shell: '/bin/sh',
  ps: 'ps -efHww',
  pythonversion: [3, 10, 14, 'final', 0],
  pythonexecutable: '/opt/saltstack/salt/bin/python3.10',
  saltversion: '3006.16',
  saltversioninfo: [3006, 16],
  saltpath: '/opt/saltstack/salt/lib/python3.10/site-packages/salt',
  systemd: dict({ version: '252', features: '' }),
  locale_info: dict({ defaultlanguage: 'en_US', defaultencoding: 'UTF-8', timezone: 'UTC' }),
  manufacturer: 'QEMU',
  productname: 'Standard PC',
  uid: 0,
  gid: 0,
  username: 'root',
  groupname: 'root',
});
