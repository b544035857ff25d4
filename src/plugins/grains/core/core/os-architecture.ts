/**
 * The `osarch` grain: the architecture that packages of the distribution are built for (salt/grains/core.py,
 * salt/utils/pkg/rpm.py).
 */
import type { Value } from '../../../../python/values/value.ts';
import type { GrainsContext } from '../context.ts';

/** @param family the `os_family` grain; `cpuArch` what uname says */
export async function osArchitecture(ctx: GrainsContext, family: string, cpuArch: string): Promise<Value> {
  if (family === 'Debian') return debianArchitecture(ctx);
  if (family === 'RedHat' || family === 'Suse') return (await rpmArchitecture(ctx, cpuArch)) || 'unknown';
  if (family === 'NILinuxRT' || family === 'Poky') return opkgArchitectures(ctx);
  return cpuArch;
}

/**
 * dpkg is built with its architecture, so the head of its own file tells it without running it.
 * Keys: ELF machine, class (1: 32 bit) and byte order (1: little endian).
 */
const ELF_ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ['62 2 1', 'amd64'],
  ['3 1 1', 'i386'],
  ['183 2 1', 'arm64'],
  ['21 2 1', 'ppc64el'],
  ['22 2 2', 's390x'],
  ['243 2 1', 'riscv64'],
]);

async function debianArchitecture(ctx: GrainsContext): Promise<string> {
  const dpkg = ctx.which('dpkg');
  if (dpkg === undefined) return '';
  const head = ctx.host.readBytes(dpkg, 0, 20);
  if (head?.length === 20 && head.subarray(0, 4).toString('latin1') === '\x7fELF') {
    const [, , , , wordClass = 0, order = 0] = head;
    const machine = order === 1 ? head.readUInt16LE(18) : head.readUInt16BE(18);
    const known = ELF_ARCHITECTURES.get(`${machine} ${wordClass} ${order}`);
    if (known !== undefined) return known;
  }
  return (await ctx.run(['dpkg', '--print-architecture']))?.stdout.trim() ?? '';
}

async function rpmArchitecture(ctx: GrainsContext, cpuArch: string): Promise<string> {
  if (!ctx.which('rpm')) return cpuArch;
  const built = /^%_host_cpu\s+(\w+)\s*$/m.exec(ctx.host.readText('/usr/lib/rpm/macros') ?? '');
  return built?.[1] ?? (await ctx.run(['rpm', '--eval', '%{_host_cpu}']))?.stdout.trim() ?? '';
}

async function opkgArchitectures(ctx: GrainsContext): Promise<Value[]> {
  const found: [string, number][] = [];
  for (const line of ((await ctx.run(['opkg', 'print-architecture']))?.stdout ?? '').split('\n')) {
    const [word, name = '', priority] = line.trim().split(/\s+/);
    if (word === 'arch') found.push([name, Number(priority)]);
  }
  return found.sort((a, b) => b[1] - a[1]).map(([name]) => name);
}
