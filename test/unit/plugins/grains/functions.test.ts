import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGrainsContext, type GrainsContext } from '../../../../src/plugins/grains/core/context.ts';
import { linuxCpuGrains } from '../../../../src/plugins/grains/core/core/cpu-memory.ts';
import { parseIpv6Routes, parseRoutes } from '../../../../src/plugins/grains/core/core/gateway.ts';
import { parseLspci } from '../../../../src/plugins/grains/core/core/gpu.ts';
import { isMeaningful } from '../../../../src/plugins/grains/core/core/hardware.ts';
import { kernelParametersGrain, serverId } from '../../../../src/plugins/grains/core/core/identity.ts';
import { defaultLocale } from '../../../../src/plugins/grains/core/core/locale.ts';
import * as network from '../../../../src/plugins/grains/core/core/network.ts';
import { resolverGrains } from '../../../../src/plugins/grains/core/core/resolver.ts';
import { timezoneName } from '../../../../src/plugins/grains/core/core/timezone.ts';
import { hypervisorGrains, virtualGrains } from '../../../../src/plugins/grains/core/core/virtual.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { fakeHost, type Machine } from './fake-host.ts';
import { readVectors, toPlain } from './vectors.ts';

type Grains = Record<string, unknown>;

interface Vectors {
  interfaces: { output: string; grains: Grains }[];
  resolvConfs: { text: string; dns: unknown }[];
  commandLines: { text: string; kernelparams: unknown }[];
  cpus: { name: string; text: string; grains: Grains }[];
  gpus: { output: string; grains: { gpus: unknown } }[];
  virtual: { program?: string; output?: string; files?: Record<string, string>; grains: Grains }[];
  clean: [key: string, value: string, kept: boolean][];
  serverIds: [id: string, serverId: number][];
  locales: { env: Record<string, string>; locale: unknown }[];
  localeNames: [name: string, locale: unknown][];
  zones: { zone: string; rule: string | null; offsetMinutes: number; name: string }[];
}

const vectors = readVectors<Vectors>('functions.json');

function contextOf(machine: Machine): GrainsContext {
  return createGrainsContext(fakeHost(machine), new Map(), silentLogger, systemClock);
}

test('grains - interfaces and addresses are read from ip as Salt reads them', () => {
  for (const { output, grains } of vectors.interfaces) {
    const found = network.parseIpAddr(output);
    const all = (family: 4 | 6, loopback: boolean): string[] =>
      network.allAddresses(found, family, { loopback });
    const got = {
      ...(toPlain(network.hardwareAddressGrains(found)) as object),
      ...(toPlain(network.interfaceGrains(found, 'ip4_interfaces', [4])) as object),
      ...(toPlain(network.interfaceGrains(found, 'ip6_interfaces', [6])) as object),
      ...(toPlain(network.interfaceGrains(found, 'ip_interfaces', [4, 6])) as object),
      ipv4: all(4, true),
      ipv6: all(6, true),
      'without loopback 4': all(4, false),
      'without loopback 6': all(6, false),
    };
    assert.deepEqual(got, grains);
  }
});

test('grains - the resolver configuration is parsed as Salt parses it', () => {
  for (const { text, dns } of vectors.resolvConfs) {
    const grains = resolverGrains(contextOf({ files: { '/etc/resolv.conf': text } }));
    assert.deepEqual(toPlain(grains.get('dns')), dns);
  }
  assert.equal(resolverGrains(contextOf({})).size, 0);
});

test('grains - kernel parameters', () => {
  for (const { text, kernelparams } of vectors.commandLines) {
    const grains = kernelParametersGrain(contextOf({ files: { '/proc/cmdline': text } }));
    assert.deepEqual(toPlain(grains.get('kernelparams')), kernelparams, text);
  }
  const broken = kernelParametersGrain(contextOf({ files: { '/proc/cmdline': 'a="b c' } }));
  assert.deepEqual(toPlain(broken.get('kernelparams')), [
    ['a', 'b'],
    ['c', null],
  ]);
});

test('grains - processors of every architecture', () => {
  for (const { name, text, grains } of vectors.cpus) {
    assert.deepEqual(toPlain(linuxCpuGrains(fakeHost({ files: { '/proc/cpuinfo': text } }))), grains, name);
  }
});

test('grains - graphics adapters in the output of lspci', () => {
  for (const { output, grains } of vectors.gpus) assert.deepEqual(parseLspci(output), grains.gpus);
});

test('grains - virtual machines and containers are told as Salt tells them', async () => {
  for (const { program, output, files, grains } of vectors.virtual) {
    const machine = {
      files: { '/proc/bus/pci/devices': '', ...files },
      programs: program === undefined ? {} : { [program]: output ?? '' },
    };
    const ctx = contextOf(machine);
    const got = await virtualGrains(ctx, '');
    for (const [key, value] of hypervisorGrains(ctx.host, String(got.get('virtual')))) got.set(key, value);
    assert.deepEqual(toPlain(got), grains, JSON.stringify({ program, output, files }));
  }
});

test('grains - machines of Nutanix are told by each program, and no others by their words (salt issue 67180)', async () => {
  const firmware = (maker: string, product: string): string =>
    `\tManufacturer: ${maker}\n\tProduct Name: ${product}\n`;
  const nutanix = { virtual: 'kvm', virtual_subtype: 'Nutanix AHV' };
  for (const [programs, grains] of [
    [{ 'virt-what': 'nutanix_ahv\n' }, nutanix],
    [{ dmidecode: firmware('Nutanix', 'AHV') }, nutanix],
    // another program knows of KVM only, the firmware of more
    [{ 'systemd-detect-virt': 'kvm', dmidecode: firmware('Nutanix', 'AHV') }, nutanix],
    [{ 'systemd-detect-virt': 'kvm', dmidecode: firmware('Nutanix', 'NX-3060') }, { virtual: 'kvm' }],
    [{ dmidecode: firmware('Nutanix', 'NX-3060') }, { virtual: 'physical' }],
    [{ 'systemd-detect-virt': 'vmware\n', dmidecode: firmware('Nutanix', 'AHV') }, { virtual: 'VMware' }],
  ] as const)
    assert.deepEqual(
      toPlain(await virtualGrains(contextOf({ programs }), '')),
      grains,
      JSON.stringify(programs),
    );
});

test('grains - a detection program that fails leaves the question to the next one', async () => {
  const fails = (): { retcode: number; stdout: string } => ({ retcode: 1, stdout: 'none' });
  const ctx = contextOf({ programs: { 'systemd-detect-virt': fails, dmidecode: '\tVendor: SeaBIOS' } });
  assert.equal((await virtualGrains(ctx, '')).get('virtual'), 'kvm');
});

test('grains - texts that makers leave in the firmware are no values', () => {
  for (const [key, value, kept] of vectors.clean)
    assert.equal(isMeaningful(key, value), kept, `${key} ${value}`);
});

test('grains - server_id follows from the id', () => {
  for (const [id, number] of vectors.serverIds) assert.equal(serverId(id), number, id);
});

test('grains - the default locale is the one Python would start with', () => {
  for (const { env, locale } of vectors.locales) {
    const host = fakeHost({ env, files: { '/usr/lib/locale/C.utf8/LC_CTYPE': '' } });
    assert.deepEqual(defaultLocale(host), locale, JSON.stringify(env));
  }
  for (const [name, locale] of vectors.localeNames) {
    const host = fakeHost({ env: { LC_ALL: name }, files: { [`/usr/lib/locale/${name}/LC_CTYPE`]: '' } });
    assert.deepEqual(defaultLocale(host), locale, name);
  }
});

test('grains - a locale is found in the archive of the C library', () => {
  const archive = Buffer.alloc(128);
  archive.writeUInt32LE(0xde020109, 0);
  archive.writeUInt32LE(64, 20);
  archive.writeUInt32LE(32, 24);
  archive.write('de_DE.utf8\0', 64);
  const files = { '/usr/lib/locale/locale-archive': archive };
  const localeOf = (name: string): unknown => defaultLocale(fakeHost({ env: { LC_ALL: name }, files }));
  assert.deepEqual(localeOf('de_DE.UTF-8'), ['de_DE', 'UTF-8']);
  assert.deepEqual(localeOf('fr_FR.UTF-8'), [null, null]);
});

test('grains - the time zone has its short name, summer and winter', () => {
  for (const { zone, rule, offsetMinutes, name } of vectors.zones) {
    const files: Record<string, string> =
      rule === null ? {} : { [`/usr/share/zoneinfo/${zone}`]: `TZif2\n${rule}\n` };
    const host = fakeHost({ env: { TZ: zone }, files, utcOffsetMinutes: offsetMinutes });
    assert.equal(timezoneName(host, 0), name, zone);
    if (rule === null) continue;
    const local = fakeHost({
      files: { '/etc/localtime': `TZif2\n${rule}\n` },
      utcOffsetMinutes: offsetMinutes,
    });
    assert.equal(timezoneName(local, 0), name, zone);
  }
});

test('grains - the default gateway is read from the kernel where it tells all, else left to ip', () => {
  const head = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n';
  const viaEth0 = 'eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0  \n';
  const direct = 'ppp0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0  \n';
  const other = 'docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0  \n';
  assert.equal(parseRoutes(head + viaEth0), '192.0.2.1');
  assert.equal(parseRoutes(head + direct), true);
  assert.equal(parseRoutes(head + other), false);
  assert.equal(parseRoutes(head + viaEth0 + other), undefined);
  assert.equal(parseRoutes(undefined), undefined);
  const [zero, none] = ['0'.repeat(32), '00000000'];
  const row = (gateway: string, flags: string, device: string): string =>
    `${zero} 00 ${zero} 00 ${gateway} 00000400 00000001 ${none} ${flags} ${device}\n`;
  const reject = row(zero, '00200200', 'lo');
  assert.equal(parseIpv6Routes(reject), false);
  assert.equal(
    parseIpv6Routes(row('fd000000000000000000000000000001', '00000003', 'eth0') + reject),
    'fd00::1',
  );
  assert.equal(parseIpv6Routes(row(zero, '00000001', 'eth0')), true);
});
