/** Graphics adapters: num_gpus, gpus (salt/grains/core.py). */
import type { Dict, Value } from '../../../../python/values/value.ts';
import { dict } from '../../../../python/values/value.ts';
import { option, type GrainsContext } from '../context.ts';

const KNOWN_VENDORS = ['nvidia', 'amd', 'ati', 'intel', 'cirrus logic', 'vmware', 'matrox', 'aspeed'];
const GPU_CLASSES = new Set([
  '3d controller',
  'display controller',
  'processing accelerators',
  'vga compatible controller',
]);

/**
 * num_gpus and gpus (`[{vendor, model}]`) on Linux. The names are in lspci's tables; it is run only when the kernel
 * lists a device of a fitting class, because reading those tables takes it longer than all other grains together.
 */
export async function linuxGpuGrains(ctx: GrainsContext): Promise<Dict> {
  const none = dict({ num_gpus: 0, gpus: [] });
  if (option(ctx, 'enable_lspci', true) === false || option(ctx, 'enable_gpu_grains', true) === false)
    return none;
  if (ctx.which('lspci') === undefined || !hasGraphicsDevice(ctx)) return none;
  const result = await ctx.run(['lspci', '-vmm']);
  const gpus: Value[] = parseLspci(result?.stdout ?? '').map(({ vendor, model }) => dict({ vendor, model }));
  return dict({ num_gpus: gpus.length, gpus });
}

/** PCI classes 0x03 (display) and 0x12 (processing accelerators). */
function hasGraphicsDevice({ host }: GrainsContext): boolean {
  const folder = '/sys/bus/pci/devices';
  if (host.stat(folder)?.kind !== 'directory') return true;
  return host.list(folder).some((name) => /^0x(03|12)/.test(host.readText(`${folder}/${name}/class`) ?? ''));
}

/** The graphics adapters in `lspci -vmm` output. */
export function parseLspci(output: string): { vendor: string; model: string }[] {
  const gpus: { vendor: string; model: string }[] = [];
  for (const block of output.split(/\n\s*\n/)) {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const match = /^(\w+):\s+(.*)/.exec(line);
      if (match) fields.set(match[1] ?? '', (match[2] ?? '').trim());
    }
    if (!GPU_CLASSES.has((fields.get('Class') ?? '').toLowerCase())) continue;
    const words = (fields.get('Vendor') ?? '').toLowerCase().split(/[^a-z0-9]/);
    const vendor = KNOWN_VENDORS.find((name) => words.includes(name)) ?? 'unknown';
    gpus.push({ vendor, model: fields.get('Device') ?? '' });
  }
  return gpus;
}
