/** What the kernel tells in /proc, as `status` shows it. Follows 3006.16 salt/modules/status.py. */
import { readTextIfExists } from '../../../host/files.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, float, type Dict, type Value } from '../../../python/values/value.ts';

function read(path: string): string[][] {
  const lines = splitLines(readTextIfExists(path) ?? '').filter((line) => line !== '');
  return lines.map((line) => line.trim().split(/\s+/));
}

/** A number where the text is one. */
function number(text: string | undefined): Value {
  if (text === undefined) return '';
  if (/^\d+$/.test(text)) {
    const whole = BigInt(text);
    return whole <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(whole) : whole;
  }
  return /^[-+]?(\d+\.?\d*|\.\d+)$/.test(text) ? float(Number(text)) : text;
}

const CPU_FIELDS = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal'];
const CPU_ORDER = ['idle', 'iowait', 'irq', 'nice', 'softirq', 'steal', 'system', 'user'];

/** `/proc/stat` */
export function cpuStats(): Dict {
  const out: Dict = new Map();
  for (const [name = '', ...rest] of read('/proc/stat')) {
    if (name === 'cpu') {
      out.set(name, new Map(CPU_ORDER.map((field) => [field, number(rest[CPU_FIELDS.indexOf(field)])])));
    } else if (name === 'intr' || name === 'softirq') {
      const list = name === 'intr' ? 'irqs' : 'softirqs';
      out.set(name, dict({ total: number(rest[0]), [list]: rest.slice(1).map(number) }));
    } else {
      out.set(name, number(rest[0]));
    }
  }
  return out;
}

/** `/proc/meminfo` */
export function memoryInfo(): Dict {
  return new Map(
    read('/proc/meminfo').map(([name = '', value = '', unit]) => [
      name.replaceAll(':', ''),
      dict({ value, unit }),
    ]),
  );
}

/** `/proc/cpuinfo`; later processors win. */
export function cpuInfo(): Dict {
  const out: Dict = new Map();
  for (const line of splitLines(readTextIfExists('/proc/cpuinfo') ?? '')) {
    if (line === '') continue;
    const [name = '', text = ''] = line.split(':');
    const key = name.trim();
    out.set(key, key === 'flags' ? text.trim().split(/\s+/) : text.trim());
  }
  return out;
}

const DISK_FIELDS = [
  ...['major', 'minor', 'device', 'reads_issued', 'reads_merged', 'sectors_read', 'ms_spent_reading'],
  ...['writes_completed', 'writes_merged', 'sectors_written', 'ms_spent_writing', 'io_in_progress'],
  ...['ms_spent_in_io', 'weighted_ms_spent_in_io'],
];

/** `/proc/diskstats` */
export function diskStats(): Dict {
  return new Map(
    read('/proc/diskstats').map((words) => [
      words[2] ?? '',
      new Map(DISK_FIELDS.map((field, i) => [field, number(words[i])])),
    ]),
  );
}

/** `/proc/vmstat` */
export function virtualMemoryStats(): Dict {
  return new Map(read('/proc/vmstat').map(([name = '', value]) => [name, number(value)]));
}

/** `/proc/net/netstat`: a line of names, then a line of values. */
export function networkStats(): Dict {
  const out: Dict = new Map();
  let names: string[] = [''];
  for (const words of read('/proc/net/netstat')) {
    if (words[0] !== names[0]) {
      names = words;
      continue;
    }
    const row: Dict = new Map();
    // as in Salt, the last field is left out
    for (let i = 1; i < names.length - 1; i++) row.set(names[i] ?? '', number(words[i]));
    out.set((names[0] ?? '').replaceAll(':', ''), row);
  }
  return out;
}

/** Fields of `/proc/net/dev` by the position of their number. */
const NET_FIELDS: readonly (readonly [string, number])[] = [
  ['rx_bytes', 0],
  ['rx_compressed', 6],
  ['rx_drop', 3],
  ['rx_errs', 2],
  ['rx_fifo', 4],
  ['rx_frame', 5],
  ['rx_multicast', 7],
  ['rx_packets', 1],
  ['tx_bytes', 8],
  ['tx_carrier', 14],
  ['tx_colls', 13],
  ['tx_compressed', 15],
  ['tx_drop', 11],
  ['tx_errs', 10],
  ['tx_fifo', 12],
  ['tx_packets', 9],
];

/** `/proc/net/dev` */
export function networkDevices(): Dict {
  const out: Dict = new Map();
  for (const line of splitLines(readTextIfExists('/proc/net/dev') ?? '')) {
    const at = line.indexOf(':');
    if (at < 0) continue;
    const name = line.slice(0, at).trim();
    const values = line
      .slice(at + 1)
      .trim()
      .split(/\s+/);
    const fields = NET_FIELDS.map(([field, i]): [Value, Value] => [field, number(values[i])]);
    out.set(name, new Map<Value, Value>([['iface', name], ...fields]));
  }
  return out;
}
