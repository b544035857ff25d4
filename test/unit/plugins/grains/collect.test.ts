import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectGrains, type CollectInput } from '../../../../src/plugins/grains/core/collect.ts';
import { softwareGrains } from '../../../../src/plugins/grains/core/core/software.ts';
import { systemClock, type Clock } from '../../../../src/host/clock.ts';
import { createLogger, silentLogger, type LogRecord } from '../../../../src/host/log.ts';
import { dict, type Dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { fakeHost, type Machine } from './fake-host.ts';
import { toPlain } from './vectors.ts';

const debian: Machine = {
  files: {
    '/etc/os-release':
      'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nNAME="Debian GNU/Linux"\nVERSION_ID="12"\nID=debian\n',
    '/etc/machine-id': '0123456789abcdef0123456789abcdef\n',
    '/etc/group': 'daemon:x:1:\nroot:x:0:\n',
    '/etc/resolv.conf': 'nameserver 192.0.2.53\n',
    '/proc/cpuinfo': 'processor\t: 0\nmodel name\t: X\nflags\t: a b\n',
    '/proc/meminfo': 'MemTotal:        2097152 kB\nSwapTotal:       1048575 kB\n',
    '/proc/cmdline': 'quiet root=/dev/vda1\n',
    '/proc/mdstat':
      'Personalities : [raid1]\nmd1 : active raid1 a b\nmd0 : active raid1 c d\nunused devices: <none>\n',
    '/run/systemd/system/x': '',
    '/sys/block/vda/queue/rotational': '1\n',
    '/sys/block/nvme0n1/queue/rotational': '0\n',
    '/sys/block/loop0/queue/rotational': '1\n',
    '/sys/class/dmi/id/product_name': ' KVM \n',
    '/sys/class/dmi/id/product_uuid': 'ABCDEF00-0000-4000-8000-000000000000\n',
  },
  links: { '/sys/block/loop0': '../devices/virtual/block/loop0', '/sys/block/vda': '../devices/pci/vda' },
  programs: {
    dpkg: 'amd64',
    ip: ([command = '']) => ({
      retcode: 0,
      stdout:
        command === 'addr'
          ? '1: lo: <UP> mtu 1\n    inet 127.0.0.1/8 scope host lo\n2: eth0: <UP> mtu 1\n    link/ether 52:54:00:00:00:01 brd ff\n    inet 192.0.2.7/24 scope global eth0'
          : command === '-4'
            ? 'default via 192.0.2.1 dev eth0'
            : '',
    }),
    systemctl: 'systemd 252 (252.39)\n+PAM -X',
    localectl: '',
    lvm: ([command = '']) => ({
      retcode: 0,
      stdout: command === 'vgs' ? '  vg0\n  vg1' : '  vg0 root\n  vg0 swap',
    }),
    'systemd-detect-virt': 'kvm',
  },
  env: { PATH: '/usr/bin', SHELL: '/bin/zsh', LANG: 'C.UTF-8' },
  names: {
    canonicalName: () => Promise.resolve('web1.example.com'),
    addresses: (_name, family) => Promise.resolve(family === 4 ? ['192.0.2.7'] : []),
    namesOf: (address) => Promise.resolve(address === '192.0.2.7' ? ['web1', 'web1.example.com'] : []),
  },
};

function collect(machine: Machine, opts: DictInit = {}, more: Partial<CollectInput> = {}): Promise<Dict> {
  const input = { opts: dict({ id: 'web1', ...opts }), log: silentLogger, clock: systemClock };
  return collectGrains({ ...input, host: fakeHost(machine), ...more });
}

function pick(grains: Dict, ...keys: string[]): unknown {
  return toPlain(new Map<Value, Value>(keys.map((key) => [key, grains.get(key) ?? 'missing'])));
}

test('grains - version, program and path of Python are those of one Python, as it says itself', async () => {
  const keys = ['pythonexecutable', 'pythonpath', 'pythonversion'];
  const python3 = '["/opt/py/bin/python3.11", [3, 11, 2, "final", 0], ["/opt/py/lib/python3.11"]]';
  assert.deepEqual(pick(await collect({ ...debian, programs: { ...debian.programs, python3 } }), ...keys), {
    pythonexecutable: '/opt/py/bin/python3.11',
    pythonpath: ['/opt/py/lib/python3.11'],
    pythonversion: [3, 11, 2, 'final', 0],
  });
  // a machine without one: that of Salt's packages
  const grains = await collect(debian);
  assert.deepEqual(pick(grains, 'pythonexecutable', 'pythonversion'), {
    pythonexecutable: '/usr/bin/python3',
    pythonversion: [3, 10, 18, 'final', 0],
  });
});

test('grains - a whole machine is described', async () => {
  const grains = await collect(debian, { master: 'salt.example.com' });
  const keys = ['os', 'os_family', 'osfinger', 'osarch', 'init', 'systemd', 'virtual', 'productname', 'uuid'];
  assert.deepEqual(pick(grains, ...keys), {
    os: 'Debian',
    os_family: 'Debian',
    osfinger: 'Debian-12',
    osarch: 'amd64',
    init: 'systemd',
    systemd: { version: '252', features: '+PAM -X' },
    virtual: 'kvm',
    productname: 'KVM',
    uuid: 'abcdef00-0000-4000-8000-000000000000',
  });
  assert.deepEqual(
    pick(grains, 'localhost', 'fqdn', 'host', 'domain', 'fqdns', 'fqdn_ip4', 'fqdn_ip6', 'ipv4'),
    {
      localhost: 'web1',
      fqdn: 'web1.example.com',
      host: 'web1',
      domain: 'example.com',
      fqdns: ['web1.example.com'],
      fqdn_ip4: ['192.0.2.7'],
      fqdn_ip6: [],
      ipv4: ['127.0.0.1', '192.0.2.7'],
    },
  );
  assert.deepEqual(pick(grains, 'ip_gw', 'ip4_gw', 'ip6_gw', 'mem_total', 'swap_total', 'num_gpus', 'gpus'), {
    ip_gw: true,
    ip4_gw: '192.0.2.1',
    ip6_gw: false,
    mem_total: 2048,
    swap_total: 1023,
    num_gpus: 0,
    gpus: [],
  });
  assert.deepEqual(
    pick(grains, 'disks', 'ssds', 'lvm', 'mdadm', 'efi', 'transactional', 'zfs_support', 'shell'),
    {
      disks: ['vda'],
      ssds: ['nvme0n1'],
      lvm: { vg0: ['root', 'swap'], vg1: [] },
      mdadm: ['md0', 'md1'],
      efi: false,
      transactional: false,
      zfs_support: false,
      shell: '/bin/zsh',
    },
  );
  assert.deepEqual(pick(grains, 'username', 'groupname', 'uid', 'gid', 'pid', 'master', 'id'), {
    username: 'root',
    groupname: 'root',
    uid: 0,
    gid: 0,
    pid: 4711,
    master: 'salt.example.com',
    id: 'web1',
  });
  for (const name of softwareGrains.keys()) assert.equal(grains.has(name), name !== 'zmqversion', name);
});

test('grains - a machine that tells nothing still gets grains, and nothing is thrown', async () => {
  const records: LogRecord[] = [];
  const log = createLogger('salt.grains', [{ level: 50, write: (record) => records.push(record) }]);
  const grains = await collect({}, {}, { log });
  assert.equal(grains.get('kernel'), 'Linux');
  assert.equal(grains.get('fqdn'), 'web1');
  assert.equal(grains.has('machine_id'), false);
  assert.deepEqual(records, []);
});

test('grains - a part that fails is logged and left out', async () => {
  const records: LogRecord[] = [];
  const log = createLogger('salt.grains', [{ level: 50, write: (record) => records.push(record) }]);
  const host = {
    ...fakeHost(debian),
    workingDirectory: (): string => {
      throw new Error('gone');
    },
  };
  const grains = await collect(debian, {}, { host, log });
  assert.equal(grains.has('cwd'), false);
  assert.equal(grains.get('os'), 'Debian');
  assert.match(records[0]?.message ?? '', /core\.cwd/);
});

test('grains - static grains of the file and of the configuration come over the collected ones', async () => {
  const file = 'roles:\n- web\nos: Mine\nlocale_info:\n  site: here\nn: 1\n';
  const files = { ...debian.files, '/etc/salt/minion': '', '/etc/salt/grains': file };
  const opts = { conf_file: '/etc/salt/minion', grains: { n: 2, dns: { a: 1 } } };
  const plain = await collect({ ...debian, files }, opts);
  assert.deepEqual(pick(plain, 'roles', 'os', 'locale_info', 'n', 'dns'), {
    roles: ['web'],
    os: 'Mine',
    locale_info: { site: 'here' },
    n: 2,
    dns: { a: 1 },
  });
  const deep = await collect({ ...debian, files }, { ...opts, grains_deep_merge: true });
  const info = toPlain(deep.get('locale_info')) as Record<string, unknown>;
  assert.equal(info['site'], 'here');
  assert.equal(info['detectedencoding'], 'utf-8');
  assert.deepEqual(toPlain(deep.get('dns')), { a: 1 });
});

test('grains - a grains file that is no YAML is left out with a warning', async () => {
  const records: LogRecord[] = [];
  const log = createLogger('salt.grains', [{ level: 30, write: (record) => records.push(record) }]);
  const files = { ...debian.files, '/etc/salt/minion': '', '/etc/salt/grains': 'a: [b\n' };
  const grains = await collect({ ...debian, files }, { conf_file: '/etc/salt/minion' }, { log });
  assert.equal(grains.get('os'), 'Debian');
  assert.ok(records.some((x) => x.message.includes('/etc/salt/grains')));
});

test('grains - of a grain that stands twice in the file the last one counts, with a warning', async () => {
  const records: LogRecord[] = [];
  const log = createLogger('salt.grains', [{ level: 30, write: (record) => records.push(record) }]);
  const file = 'role: web\nrack: 3\nrole: db\nnested: {a: 1, a: 2}\n7: x\n7: y\n';
  const files = { ...debian.files, '/etc/salt/minion': '', '/etc/salt/grains': file };
  const grains = await collect({ ...debian, files }, { conf_file: '/etc/salt/minion' }, { log });
  assert.deepEqual(pick(grains, 'role', 'rack', 'nested'), { role: 'db', rack: 3, nested: { a: 2 } });
  assert.equal(grains.get(7), 'y');
  assert.match(records[0]?.message ?? '', /stands twice .* the last one counts[^]*'role'[^]*line 3/);
  assert.equal(records.length, 3);
});

test('grains - the blacklist takes globs and expressions, and spares the configuration', async () => {
  const grains = await collect(debian, {
    grains_blacklist: ['cpu_*', 'ip[46]_interfaces', 'fqdn_ip(4|6)', 'mine'],
    grains: { mine: 1 },
  });
  assert.deepEqual(pick(grains, 'cpu_flags', 'ip4_interfaces', 'fqdn_ip4', 'mine'), {
    cpu_flags: 'missing',
    ip4_interfaces: 'missing',
    fqdn_ip4: 'missing',
    mine: 1,
  });
  assert.ok(grains.has('ip_interfaces') && grains.has('cpuarch'));
});

test('grains - custom grains see the collected ones and replace them; one that throws harms nobody', async () => {
  const custom = [
    { name: 'site.bad', run: () => Promise.reject(new Error('no')) },
    {
      name: 'site.role',
      run: (grains: Dict) => dict({ role: `${String(grains.get('os'))} box`, os: 'Site' }),
    },
    { name: 'site.odd', run: () => 'not a mapping' },
  ];
  const grains = await collect(debian, {}, { custom });
  assert.deepEqual(pick(grains, 'role', 'os'), { role: 'Debian box', os: 'Site' });
});

test('grains - the grains file and other built-in grains beside the core win over custom ones, as in Salt', async () => {
  const files = {
    ...debian.files,
    '/etc/salt/minion': '',
    '/etc/salt/grains': 'place: file\nkernel: file\n',
  };
  const custom = [
    {
      name: 'site.all',
      run: (grains: Dict) =>
        dict({ place: 'site', kernel: 'site', os: 'Site', shell: 'site', seen: grains.has('shell') }),
    },
    { name: 'zfs.zfs', run: () => dict({ zfs_support: 'site' }) },
  ];
  const grains = await collect({ ...debian, files }, { conf_file: '/etc/salt/minion' }, { custom });
  assert.deepEqual(pick(grains, 'place', 'kernel', 'os', 'seen', 'zfs_support'), {
    place: 'file',
    kernel: 'file',
    os: 'Site',
    seen: false,
    zfs_support: 'site',
  });
  assert.notEqual(grains.get('shell'), 'site');
});

test('grains - options switch off what costs', async () => {
  const host = fakeHost({
    ...debian,
    programs: { ...debian.programs, lspci: 'Class:\tVGA compatible controller\nVendor:\tIntel\nDevice:\tX' },
  });
  const opts = dict({ id: 'web1', enable_gpu_grains: false, enable_fqdns_grains: false });
  const input = { log: silentLogger, clock: systemClock, host };
  const grains = await collectGrains({ ...input, opts });
  assert.deepEqual(pick(grains, 'gpus', 'fqdns'), { gpus: [], fqdns: [] });
  assert.ok(!host.ran.some((x) => x.startsWith('lspci -vmm')));
  const all = await collectGrains({
    ...input,
    opts: dict({ id: 'web1', grain_opts: true, append_domain: 'x.org' }),
  });
  assert.deepEqual(toPlain(all.get('gpus')), [{ vendor: 'intel', model: 'X' }]);
  assert.equal(all.get('append_domain'), 'x.org');
  assert.ok(all.has('opts'));
});

test('grains - storage networks are read with their options only', async () => {
  const files = {
    '/etc/iscsi/initiatorname.iscsi': '# c\nInitiatorName=iqn.1993-08.org.debian:01:abc\n',
    '/etc/nvme/hostnqn': 'nqn.2014-08.org.nvmexpress:uuid:1\n',
    '/sys/class/fc_host/host1/port_name': '0x21000024ff3dd5a2\n',
  };
  const names = ['iscsi_iqn', 'nvme_nqn', 'fc_wwn'];
  assert.deepEqual(pick(await collect({ files }), ...names), {
    iscsi_iqn: 'missing',
    nvme_nqn: 'missing',
    fc_wwn: 'missing',
  });
  const on = { iscsi_grains: true, nvme_grains: true, fibre_channel_grains: true };
  assert.deepEqual(pick(await collect({ files }, on), ...names), {
    iscsi_iqn: ['iqn.1993-08.org.debian:01:abc'],
    nvme_nqn: ['nqn.2014-08.org.nvmexpress:uuid:1'],
    fc_wwn: ['21000024ff3dd5a2'],
  });
});

test('grains - pools, firmware and SELinux where there are any', async () => {
  const grains = await collect({
    files: {
      '/sys/module/zfs/version': '2.1',
      '/usr/share/man/man7/zpool-features.7.gz': '',
      '/sys/firmware/efi/efivars/SecureBoot-8be4': Buffer.from([6, 0, 0, 0, 1]),
      '/sys/fs/selinux/enforce': '1',
    },
    programs: {
      zpool: 'tank\t10G\nfast\t1.5T',
      man: '',
      'transactional-update': '',
      selinuxenabled: '',
      getenforce: 'Enforcing',
    },
  });
  assert.deepEqual(
    pick(grains, 'zfs_support', 'zfs_feature_flags', 'zpool', 'efi', 'efi-secure-boot', 'selinux'),
    {
      zfs_support: true,
      zfs_feature_flags: true,
      zpool: { tank: 10737418240, fast: 1649267441664 },
      efi: true,
      'efi-secure-boot': true,
      selinux: { enabled: true, enforced: 'Enforcing' },
    },
  );
  assert.equal(grains.get('transactional'), true);
});

test('grains - macOS and Windows by what Node and the version file tell', async () => {
  const plist =
    '<dict><key>ProductName</key>\n<string>macOS</string><key>ProductVersion</key><string>14.5</string>' +
    '<key>ProductBuildVersion</key><string>23F79</string></dict>';
  const mac = await collect({
    platform: 'darwin',
    kernel: 'Darwin',
    files: { '/System/Library/CoreServices/SystemVersion.plist': plist },
  });
  assert.deepEqual(
    pick(mac, 'os', 'os_family', 'osfullname', 'osrelease', 'osbuild', 'osfinger', 'ps', 'num_cpus'),
    {
      os: 'MacOS',
      os_family: 'MacOS',
      osfullname: 'macOS 14.5',
      osrelease: '14.5',
      osbuild: '23F79',
      osfinger: 'macOS 14.5-14',
      ps: 'ps auxwww',
      num_cpus: 8,
    },
  );
  const machine = {
    platform: 'win32',
    kernel: 'Windows',
    version: 'Windows Server 2022 Datacenter',
  } as const;
  const windows = await collect({ ...machine, release: '10.0.20348' });
  assert.deepEqual(pick(windows, 'os', 'osrelease', 'osrelease_info', 'osfinger', 'ipv4', 'kernelversion'), {
    os: 'Windows',
    osrelease: '2022Server',
    osrelease_info: [2022],
    osfinger: 'Windows-2022Server',
    ipv4: ['192.0.2.9'],
    kernelversion: '10.0.20348',
  });
});

function deferred<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve: (value) => resolve(value) };
}

/** A clock on which only sleeping ends, at once. */
const impatientClock: Clock = { ...systemClock, sleep: () => Promise.resolve() };

test('grains - names that take too long keep their earlier value and are handed over when they come', async () => {
  const answer = deferred<string>();
  const late = deferred<Dict>();
  const names = { ...debian.names, canonicalName: () => answer.promise };
  const previous = dict({ fqdn: 'old.example.org', fqdn_ip4: ['192.0.2.1'] });
  const grains = await collect(
    { ...debian, names },
    {},
    { clock: impatientClock, previous, onLate: late.resolve },
  );
  assert.deepEqual(pick(grains, 'fqdn', 'host', 'fqdn_ip4'), {
    fqdn: 'old.example.org',
    host: 'old',
    fqdn_ip4: ['192.0.2.1'],
  });
  answer.resolve('web1.example.com');
  const update = await late.promise;
  assert.deepEqual(pick(update, 'fqdn', 'host', 'domain', 'fqdn_ip4', 'localhost'), {
    fqdn: 'web1.example.com',
    host: 'web1',
    domain: 'example.com',
    fqdn_ip4: ['192.0.2.7'],
    localhost: 'missing',
  });
});

test('grains - names that take too long are cancelled when nobody waits for them', async () => {
  const cancelled = deferred<undefined>();
  const canonicalName = (_name: string, signal: AbortSignal): Promise<undefined> => {
    signal.addEventListener('abort', () => cancelled.resolve(undefined));
    return cancelled.promise;
  };
  const grains = await collect({ ...debian, names: { canonicalName } }, {}, { clock: impatientClock });
  assert.equal(grains.get('fqdn'), 'web1');
  await cancelled.promise;
});
