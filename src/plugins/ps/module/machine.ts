/** Processors, memory, disks and networks as the kernel tells of them, and as psutil 5.9 does, which Salt has ask. */
import { readdirSync, statfsSync } from 'node:fs';
import { readTextIfExists } from '../../../host/files.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, float, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { percentOf } from './process.ts';

const TICKS = 100;
const KIB = 1024;
const SECTOR_BYTES = 512;
const FILE_NAME_MAX = 255;
const PATH_MAX = 4096;
const CPU = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal', 'guest', 'guest_nice'];

const rows = (path: string): string[][] =>
  splitLines(readTextIfExists(path) ?? '').map((line) => line.trim().split(/\s+/));

/** The ticks of all processors, or of each. */
function processorTicks(each: boolean): number[][] {
  return rows('/proc/stat')
    .filter(([name = '']) => (each ? /^cpu\d/.test(name) : name === 'cpu'))
    .map(([, ...ticks]) => ticks.map(Number));
}

/** How long processors have done what, in seconds. */
export function processorTimes(each: boolean): Dict[] {
  return processorTicks(each).map(
    (ticks) =>
      new Map(
        CPU.slice(0, ticks.length).map((name, i): [Value, Value] => [name, float((ticks[i] ?? 0) / TICKS)]),
      ),
  );
}

export const processorCount = (): number => processorTicks(true).length;

/** Idle and waiting, and all. Time of guests is among that of users already. */
const sums = (ticks: readonly number[]): { readonly idle: number; readonly all: number } => ({
  idle: (ticks[3] ?? 0) + (ticks[4] ?? 0),
  all: ticks.slice(0, 8).reduce((sum, each) => sum + each, 0),
});

/** How busy processors are while something is waited for, in hundredths. */
export async function processorLoad(each: boolean, wait: () => Promise<void>): Promise<Value[]> {
  const before = processorTicks(each).map(sums);
  await wait();
  return processorTicks(each).map((ticks, i) => {
    const [now, then] = [sums(ticks), before[i] ?? { idle: 0, all: 0 }];
    const all = now.all - then.all;
    return percentOf(all - (now.idle - then.idle), all);
  });
}

function memory(): (name: string) => number {
  const sizes = new Map(
    rows('/proc/meminfo').map(([name = '', kib]) => [name.replace(':', ''), Number(kib) * KIB]),
  );
  return (name) => sizes.get(name) ?? 0;
}

/** Memory, in bytes. */
export function virtualMemory(): Dict {
  const size = memory();
  const [total, free, buffers, available] = [
    size('MemTotal'),
    size('MemFree'),
    size('Buffers'),
    size('MemAvailable'),
  ];
  const cached = size('Cached') + size('SReclaimable');
  const used = total - free - cached - buffers;
  return dict({
    total,
    available,
    percent: percentOf(total - available, total),
    used: used < 0 ? total - free : used,
    free,
    active: size('Active'),
    inactive: size('Inactive'),
    buffers,
    cached,
    shared: size('Shmem'),
    slab: size('Slab'),
  });
}

/** Memory on disks, in bytes. */
export function swapMemory(): Dict {
  const size = memory();
  const [total, free] = [size('SwapTotal'), size('SwapFree')];
  const pages = new Map(rows('/proc/vmstat').map(([name = '', count]) => [name, Number(count) * PATH_MAX]));
  const used = total - free;
  return dict({
    total,
    used,
    free,
    percent: percentOf(used, total),
    sin: pages.get('pswpin') ?? 0,
    sout: pages.get('pswpout') ?? 0,
  });
}

const unescaped = (text: string): string =>
  text.replace(/\\(\d{3})/g, (_whole, octal: string) => String.fromCharCode(parseInt(octal, 8)));

/** What is mounted. @param all also what is no disk */
export function partitions(all: boolean): Dict[] {
  const kinds = new Set(
    rows('/proc/filesystems').flatMap(([first = '', second]) =>
      first !== 'nodev' ? [first] : second === 'zfs' ? ['zfs'] : [],
    ),
  );
  return rows('/proc/self/mounts').flatMap(([device = '', mountpoint = '', fstype = '', opts = '']) => {
    const shown = device === 'none' ? '' : unescaped(device);
    if (!all && (shown === '' || !kinds.has(fstype))) return [];
    const more = { maxfile: FILE_NAME_MAX, maxpath: PATH_MAX };
    return [dict({ device: shown, mountpoint: unescaped(mountpoint), fstype, opts, ...more })];
  });
}

/** How full a file system is, in bytes. */
export function diskUsage(path: string): Dict {
  const { blocks, bfree, bavail, bsize } = statfsSync(path);
  const [total, free] = [blocks * bsize, bavail * bsize];
  const used = total - bfree * bsize;
  return dict({ total, used, free, percent: percentOf(used, used + free) });
}

const NETWORK = [
  'bytes_sent',
  'bytes_recv',
  'packets_sent',
  'packets_recv',
  'errin',
  'errout',
  'dropin',
  'dropout',
];

/** Adds up mappings of numbers. */
function added(all: Iterable<Dict>, names: readonly string[]): Dict {
  const sum = new Map<Value, Value>(names.map((name) => [name, 0]));
  for (const one of all)
    for (const name of names) sum.set(name, Number(sum.get(name)) + Number(one.get(name) ?? 0));
  return sum;
}

/** What networks have carried. @param name only this one @returns undefined where there is none */
export function networkCounters(name: string | undefined): Dict | undefined {
  const found = new Map<string, Dict>();
  for (const line of splitLines(readTextIfExists('/proc/net/dev') ?? '').slice(2)) {
    const at = line.lastIndexOf(':');
    const [
      bytes = 0,
      packets = 0,
      errin = 0,
      dropin = 0,
      ,
      ,
      ,
      ,
      sent = 0,
      sentPackets = 0,
      errout = 0,
      dropout = 0,
    ] = line
      .slice(at + 1)
      .trim()
      .split(/\s+/)
      .map(Number);
    const figures = [sent, bytes, sentPackets, packets, errin, errout, dropin, dropout];
    found.set(
      line.slice(0, at).trim(),
      new Map(NETWORK.map((field, i): [Value, Value] => [field, figures[i] ?? 0])),
    );
  }
  return name === undefined ? added(found.values(), NETWORK) : found.get(name);
}

const DISK = [
  'read_count',
  'write_count',
  'read_bytes',
  'write_bytes',
  'read_time',
  'write_time',
  'read_merged_count',
  'write_merged_count',
  'busy_time',
];

/** What disks have read and written. @param name only this one @returns undefined where there is none */
export function diskCounters(name: string | undefined): Dict | undefined {
  const found = new Map<string, Dict>();
  for (const [, , disk = '', ...texts] of rows('/proc/diskstats')) {
    const [
      reads = 0,
      readMerged = 0,
      readSectors = 0,
      readTime = 0,
      writes = 0,
      writeMerged = 0,
      writeSectors = 0,
      writeTime = 0,
      ,
      busy = 0,
    ] = texts.map(Number);
    const bytes = [readSectors * SECTOR_BYTES, writeSectors * SECTOR_BYTES];
    const figures = [reads, writes, ...bytes, readTime, writeTime, readMerged, writeMerged, busy];
    found.set(disk, new Map(DISK.map((field, i): [Value, Value] => [field, figures[i] ?? 0])));
  }
  if (name !== undefined) return found.get(name);
  // parts of disks are among the disks
  const whole = new Set(readdirSync('/sys/block').map((each) => each.replaceAll('!', '/')));
  return added(
    [...found].filter(([disk]) => whole.has(disk)).map(([, figures]) => figures),
    DISK,
  );
}

/** A mapping with more in it. */
export const withMore = (one: Dict, more: Value): Dict => new Map([...one, ...(isDict(more) ? more : [])]);
