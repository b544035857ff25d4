/** Messages that are small on the wire and large in memory, and what they cost the processes that get them. */
import { readFileSync } from 'node:fs';

/** A list of so many maps without anything in them, a byte each. */
export function emptyMaps(count: number): Buffer {
  const head = Buffer.from([0xdd, 0, 0, 0, 0]);
  head.writeUInt32BE(count, 1);
  return Buffer.concat([head, Buffer.alloc(count, 0x80)]);
}

/** Lists within lists, so deep. */
export function nestedLists(depth: number): Buffer {
  return Buffer.concat([Buffer.alloc(depth, 0x91), Buffer.from([0xc0])]);
}

/** The largest resident memory of any of these processes since they began, MiB. */
export function peakMiB(pids: Iterable<number>): number {
  return Math.max(
    ...[...pids].map(
      (pid) => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024,
    ),
  );
}

/** Processor time that a process has taken so far, ms. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /, '')
    .split(' ');
  const msPerTick = 10;
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}
