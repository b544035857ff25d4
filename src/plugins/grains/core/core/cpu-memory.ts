/** Processors and memory: num_cpus, cpu_model, cpu_flags, mem_total, swap_total (salt/grains/core.py). */
import type { Dict } from '../../../../python/values/value.ts';
import { dict } from '../../../../python/values/value.ts';
import type { GrainsContext } from '../context.ts';
import type { GrainsHost } from '../host.ts';

/** num_cpus, cpu_model and cpu_flags from /proc/cpuinfo, on every processor family that Linux describes there. */
export function linuxCpuGrains(host: GrainsHost): Dict {
  let count = 0;
  let model = 'Unknown';
  let flags = '';
  for (const line of (host.readText('/proc/cpuinfo') ?? '').split('\n')) {
    const at = line.indexOf(':');
    if (at < 0) continue;
    const key = line.slice(0, at).trim();
    if (key === 'processor') {
      count++;
      continue;
    }
    if (!CPU_KEYS.has(key)) continue;
    const value = (line.slice(at + 1).split(':')[0] ?? '').trim();
    if (key === 'flags' || key === 'Features') {
      flags = value;
    } else if (key === '# processors') {
      count = Number.parseInt(value, 10) || 0;
    } else if (key === 'Processor') {
      model = value.split('-')[0] ?? '';
      count = 1;
    } else {
      model = value;
    }
  }
  return dict({ num_cpus: count, cpu_model: model, cpu_flags: flags === '' ? [] : flags.split(/\s+/) });
}

const CPU_KEYS = new Set([
  '# processors',
  'vendor_id',
  'model name',
  'flags',
  'Features',
  'Processor',
  'cpu',
]);

/** mem_total and swap_total, MiB. */
export function linuxMemoryGrains(host: GrainsHost): Dict {
  const text = host.readText('/proc/meminfo') ?? '';
  const mebibytes = (name: string): number => {
    const match = new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text);
    return match ? Math.floor(Number(match[1]) / 1024) : 0;
  };
  return dict({ mem_total: mebibytes('MemTotal'), swap_total: mebibytes('SwapTotal') });
}

/** What Node tells about processors and memory on systems without /proc. */
export function portableCpuMemoryGrains(ctx: GrainsContext): Dict {
  const { count, model } = ctx.host.cpus();
  return dict({
    num_cpus: count,
    cpu_model: model ?? 'Unknown',
    mem_total: Math.floor(ctx.host.totalMemoryBytes() / 1024 / 1024),
  });
}
