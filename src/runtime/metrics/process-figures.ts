/** What every process can say of itself. */
import { sample, type Sample } from './sample.ts';

/**
 * Memory, processor time and age of this process.
 * @param name of it among those of its program;
 * @param nowMs since 1970
 */
export function processFigures(name: string, nowMs: number): Sample[] {
  const { user, system } = process.cpuUsage();
  return [
    sample('brine_process_up', 1, name),
    sample('brine_process_resident_memory_bytes', process.memoryUsage.rss(), name),
    sample('brine_process_cpu_seconds_total', (user + system) / 1e6, name),
    sample('brine_process_start_time_seconds', Math.round(nowMs / 1000 - process.uptime()), name),
  ];
}
