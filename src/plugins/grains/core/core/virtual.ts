/** Virtual machines and containers: virtual, virtual_subtype, virtual_hv_* (salt/grains/core.py). */
import type { Dict, Value } from '../../../../python/values/value.ts';
import { option, isDirectory, isFile, type GrainsContext } from '../context.ts';
import type { GrainsHost } from '../host.ts';

/** What the detection has found so far. */
interface Finding {
  virtual: string;
  subtype?: string;
}

/**
 * The kind of machine on Linux.
 * @param productName the `productname` grain, which tells Xen's HVM guests
 */
export async function virtualGrains(ctx: GrainsContext, productName: string): Promise<Dict> {
  const { host } = ctx;
  const found: Finding = { virtual: 'physical' };
  if (host.uname().version.includes('BrandZ virtual linux')) return asGrains({ virtual: 'zone' });
  await askPrograms(ctx, found);
  if (isChroot(host)) found.subtype = 'chroot';
  checkOpenVz(host, found);
  await checkXen(ctx, found, productName);
  checkHypervisor(host, found);
  checkContainer(host, found);
  if (found.subtype && found.virtual === 'physical') found.virtual = 'virtual';
  await checkFirmware(ctx, found);
  return asGrains(found);
}

function asGrains(found: Finding): Dict {
  const grains: Dict = new Map<Value, Value>([['virtual', found.virtual]]);
  if (found.subtype !== undefined) grains.set('virtual_subtype', found.subtype);
  return grains;
}

/** Nutanix's hypervisor, which is a KVM (salt/grains/core.py of 3008). */
const NUTANIX = 'Nutanix AHV';
const NUTANIX_FIRMWARE = /(?=[^]*Manufacturer: Nutanix)[^]*Product Name: AHV/;

type Rule = readonly [needle: RegExp, virtual: string, subtype?: string];

/** What each program prints, first fitting rule wins. */
const PROGRAM_RULES: Readonly<Record<string, readonly Rule[]>> = {
  'systemd-detect-virt': [
    [/^(qemu|kvm|oracle|xen|bochs|chroot|uml|systemd-nspawn)$/, '$1'],
    [/vmware/, 'VMware'],
    [/microsoft/, 'VirtualPC'],
    [/lxc/, 'container', 'LXC'],
    [/podman/, 'container', 'Podman'],
    [/docker/, 'container', 'Docker'],
    [/amazon/, 'Nitro', 'Amazon EC2'],
  ],
  lspci: [
    [/vmware/i, 'VMware'],
    [/virtualbox/i, 'VirtualBox'],
    [/qemu|virtio/i, 'kvm'],
  ],
};

/** Tried on each line of virt-what's output in turn. */
const VIRT_WHAT_RULES: readonly Rule[] = [
  [/^(kvm|qemu|uml|xen)$/, '$1'],
  [/lxc/, 'container', 'LXC'],
  [/docker/, 'container', 'Docker'],
  [/vmware/, 'VMware'],
  [/parallels/, 'Parallels'],
  [/nutanix/, 'kvm', NUTANIX],
  [/hyperv/, 'HyperV'],
  [/^ibm_power-kvm$/, 'kvm'],
  [/^ibm_power-lpar_shared$/, 'LPAR', 'shared'],
  [/^ibm_power-lpar_dedicated$/, 'LPAR', 'dedicated'],
];

/** The second half of dmidecode's rules; QEMU and Bochs are looked for besides these. */
const DMIDECODE_RULES: readonly Rule[] = [
  [/BHYVE/, 'bhyve'],
  [/Manufacturer: oVirt/, 'kvm', 'ovirt'],
  [/Product Name: RHEV Hypervisor/, 'kvm', 'rhev'],
  [/VirtualBox/, 'VirtualBox'],
  [/VMware/, 'VMware'],
  [/(?=[^]*: Microsoft)[^]*Virtual Machine/, 'VirtualPC'],
  [/Parallels Software/, 'Parallels'],
  [/Manufacturer: Google/, 'kvm'],
  [NUTANIX_FIRMWARE, 'kvm', NUTANIX],
  [/Vendor: SeaBIOS/, 'kvm'],
];

/** The first of the detection programs that knows something decides. */
async function askPrograms(ctx: GrainsContext, found: Finding): Promise<void> {
  const programs = ctx.which('virt-what') ? ['virt-what'] : ['systemd-detect-virt', 'dmidecode'];
  if (option(ctx, 'enable_lspci', true) === true && ctx.host.stat('/proc/bus/pci')) programs.push('lspci');
  for (const program of programs) {
    if (ctx.which(program) === undefined) continue;
    const result = await ctx.run([program]);
    if (result?.retcode !== 0) {
      // systemd-detect-virt fails on machines that are not virtual
      if (program !== 'systemd-detect-virt') {
        ctx.log.info(
          `${program} is installed but failed for this user; the grain "virtual" may be less precise.`,
        );
      }
      continue;
    }
    if (readProgram(program, result.stdout, found) || program !== 'systemd-detect-virt') return;
  }
}

function readProgram(program: string, output: string, found: Finding): boolean {
  if (program === 'virt-what') {
    return output.split('\n').some((line) => applyRules(VIRT_WHAT_RULES, line, found));
  }
  if (program === 'dmidecode') {
    if (/(Vendor|Manufacturer): (QEMU|Bochs)/.test(output)) found.virtual = 'kvm';
    return applyRules(DMIDECODE_RULES, output, found);
  }
  return applyRules(PROGRAM_RULES[program] ?? [], output, found);
}

function applyRules(rules: readonly Rule[], text: string, found: Finding): boolean {
  for (const [needle, virtual, subtype] of rules) {
    const match = needle.exec(text);
    if (!match) continue;
    found.virtual = virtual === '$1' ? (match[1] ?? '') : virtual;
    if (subtype !== undefined) found.subtype = subtype;
    return true;
  }
  return false;
}

function isChroot(host: GrainsHost): boolean {
  const own = host.stat('/');
  const first = host.stat('/proc/1/root/.');
  return own !== undefined && first !== undefined && own.identity !== first.identity;
}

function checkOpenVz(host: GrainsHost, found: Finding): void {
  if (isDirectory(host, '/proc/vz')) {
    if (isFile(host, '/proc/vz/version')) found.virtual = 'openvzhn';
    else if (isFile(host, '/proc/vz/veinfo')) found.virtual = 'openvzve';
  }
  const envId = /^envID:\s+(\d+)$/m.exec(host.readText('/proc/self/status') ?? '');
  if (envId) found.virtual = Number(envId[1]) === 0 ? 'openvzhn' : 'openvzve';
}

async function checkXen(ctx: GrainsContext, found: Finding, productName: string): Promise<void> {
  const { host } = ctx;
  if (!['/proc/sys/xen', '/sys/bus/xen', '/proc/xen'].some((path) => isDirectory(host, path))) return;
  const capabilities = host.readText('/proc/xen/capabilities');
  if (isFile(host, '/proc/xen/xsd_kva')) found.subtype = 'Xen Dom0';
  else if (productName === 'HVM domU') found.subtype = 'Xen HVM DomU';
  else if (capabilities !== undefined) {
    found.subtype = capabilities.includes('control_d') ? 'Xen Dom0' : 'Xen PV DomU';
  } else if (isDirectory(host, '/sys/bus/xen')) {
    const isGuest =
      isDirectory(host, '/sys/bus/xen/drivers/xenconsole') ||
      ((await ctx.run(['dmesg']))?.stdout.toLowerCase().includes('xen:') ?? false);
    if (isGuest) found.subtype = 'Xen PV DomU';
  }
  if ((found.subtype ?? '').toLowerCase().includes('dom')) found.virtual = 'xen';
}

const PRODUCT_RULES: readonly Rule[] = [
  [/VirtualBox/, 'VirtualBox'],
  [/RHEV Hypervisor/, 'kvm', 'rhev'],
  [/oVirt Node/, 'kvm', 'ovirt'],
  [/Google/, 'gce'],
  [/BHYVE/, 'bhyve'],
];

function checkHypervisor(host: GrainsHost, found: Finding): void {
  if ((host.readText('/proc/cpuinfo') ?? '').includes('QEMU Virtual CPU')) found.virtual = 'kvm';
  applyRules(PRODUCT_RULES, host.readText('/sys/devices/virtual/dmi/id/product_name') ?? '', found);
}

const CGROUP_RULES: readonly Rule[] = [
  [/:\/lxc\//, 'container', 'LXC'],
  [/:\/kubepods\//, '', 'kubernetes'],
  [/:\/libpod_parent\//, '', 'libpod'],
  [/:\/system\.slice\/docker|:\/docker\/|:\/docker-ce\//, 'container', 'Docker'],
];

/** After the hypervisors, because a container in a virtual machine is a container. */
function checkContainer(host: GrainsHost, found: Finding): void {
  const { virtual } = found;
  applyRules(CGROUP_RULES, host.readText('/proc/1/cgroup') ?? '', found);
  if (found.virtual === '') found.virtual = virtual;
  if (found.subtype !== 'LXC' && (host.readText('/proc/1/environ') ?? '').includes('container=lxc')) {
    found.virtual = 'container';
    found.subtype = 'LXC';
  }
}

/** Machines of Amazon and Nutanix say so in the firmware's tables, whichever hypervisor was seen. */
async function checkFirmware(ctx: GrainsContext, found: Finding): Promise<void> {
  if (!['qemu', 'kvm', 'xen', 'amazon'].includes(found.virtual) || !ctx.which('dmidecode')) return;
  const output = (await ctx.run(['dmidecode', '-t', 'system']))?.stdout ?? '';
  if (output.includes('Manufacturer: Amazon EC2')) {
    if (found.virtual !== 'xen') found.virtual = 'Nitro';
    const product = [...output.matchAll(/Product Name: ([^\r\n]*)/g)].at(-1);
    found.subtype = product ? `Amazon EC2 (${product[1] ?? ''})` : 'Amazon EC2';
  } else if (/Version: [^\r\n]+\.amazon/.test(output)) {
    found.subtype = 'Amazon EC2';
  } else if (NUTANIX_FIRMWARE.test(output)) {
    found.subtype = NUTANIX;
  }
}

const XEN_FEATURES = new Map([
  [0, 'writable_page_tables'],
  [1, 'writable_descriptor_tables'],
  [2, 'auto_translated_physmap'],
  [3, 'supervisor_mode_kernel'],
  [4, 'pae_pgdir_above_4gb'],
  [5, 'mmu_pt_update_preserve_ad'],
  [7, 'gnttab_map_avail_bits'],
  [8, 'hvm_callback_vector'],
  [9, 'hvm_safe_pvclock'],
  [10, 'hvm_pirqs'],
  [11, 'dom0'],
  [12, 'grant_map_identity'],
  [13, 'memory_op_vnode_supported'],
  [14, 'ARM_SMCCC_supported'],
]);

/** virtual_hv_version, virtual_hv_version_info, virtual_hv_features and virtual_hv_features_list, on Xen only. */
export function hypervisorGrains(host: GrainsHost, virtual: string): Dict {
  const grains: Dict = new Map();
  if (!virtual.includes('xen')) return grains;
  const info = ['major', 'minor', 'extra'].map((x) => host.readText(`/sys/hypervisor/version/${x}`)?.trim());
  const [major, minor, extra] = info;
  if (major !== undefined && minor !== undefined && extra !== undefined) {
    grains.set('virtual_hv_version', `${major}.${minor}${extra}`);
    grains.set('virtual_hv_version_info', [major, minor, extra]);
  }
  const features = host.readText('/sys/hypervisor/properties/features')?.trim();
  if (features !== undefined && /^[0-9a-f]+$/i.test(features)) {
    const bits = BigInt(`0x${features}`);
    grains.set('virtual_hv_features', features);
    grains.set(
      'virtual_hv_features_list',
      [...XEN_FEATURES].filter(([bit]) => bits & (1n << BigInt(bit))).map(([, name]) => name),
    );
  }
  return grains;
}
