/** The settings of network interfaces under the names that pyroute2 gives them, out of `ip` and /sys. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { parseJson } from '../../../formats/json/parse.ts';
import type { Clock } from '../../../host/clock.ts';
import { runProcess } from '../../../host/process.ts';
import { findProgram } from '../../../host/which.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';

const TIMEOUT_MS = 30_000;
const SYS = '/sys/class/net';
const FLAG_UP = 0x1;
const FLAG_RUNNING = 0x40;
const FLAG_LOWER_UP = 0x10000;

/** What may be watched. */
export const SETTINGS: readonly string[] = [
  ...['family', 'txqlen', 'ipdb_scope', 'index', 'operstate', 'group', 'carrier_changes', 'ipaddr'],
  ...['neighbours', 'ifname', 'promiscuity', 'linkmode', 'broadcast', 'address', 'num_tx_queues'],
  ...['ipdb_priority', 'kind', 'qdisc', 'mtu', 'num_rx_queues', 'carrier', 'flags', 'ifi_type', 'ports'],
];

/** The settings of one interface by name. */
export type InterfaceSettings = ReadonlyMap<string, Value>;

/** @param withNeighbours asks for these, too @throws CommandExecutionError without `ip`, or when it fails */
export async function readInterfaceSettings(
  clock: Clock,
  withNeighbours: boolean,
): Promise<Map<string, InterfaceSettings>> {
  const links = await ip(['-details', 'address', 'show'], clock);
  const neighbours = withNeighbours ? await ip(['neighbour', 'show', 'nud', 'all'], clock) : [];
  const numberOf = (name: string): Value =>
    links.find((one) => one.get('ifname') === name)?.get('ifindex') ?? null;
  return new Map(
    links.map((link): [string, InterfaceSettings] => {
      const name = pyStr(link.get('ifname') ?? '');
      const ports = links
        .filter((other) => other.get('master') === name)
        .map((other) => numberOf(pyStr(other.get('ifname') ?? '')));
      const seen = neighbours.filter((one) => one.get('dev') === name).map((one) => one.get('dst') ?? null);
      return [name, settingsOf(name, link, { ports, neighbours: seen })];
    }),
  );
}

function settingsOf(
  name: string,
  link: Dict,
  { ports, neighbours }: { readonly ports: Value[]; readonly neighbours: Value[] },
): InterfaceSettings {
  const operstate = pyStr(link.get('operstate') ?? 'UNKNOWN');
  const carrier = sysNumber(name, 'carrier') ?? 1; // unknown while it is down
  const info = link.get('linkinfo');
  const addresses = link.get('addr_info');
  const ipaddr = (Array.isArray(addresses) ? addresses : [])
    .filter(isDict)
    .map((one): Value => [one.get('local') ?? null, one.get('prefixlen') ?? null]);
  return new Map<string, Value>([
    ['family', 0],
    ['txqlen', link.get('txqlen') ?? 0],
    ['ipdb_scope', 'system'],
    ['index', link.get('ifindex') ?? 0],
    ['operstate', operstate],
    ['group', sysNumber(name, 'netdev_group') ?? 0],
    ['carrier_changes', sysNumber(name, 'carrier_changes') ?? 0],
    ['ipaddr', ipaddr],
    ['neighbours', neighbours],
    ['ifname', name],
    ['promiscuity', link.get('promiscuity') ?? 0],
    ['linkmode', sysNumber(name, 'link_mode') ?? 0],
    ['broadcast', link.get('broadcast') ?? null],
    ['address', link.get('address') ?? null],
    ['num_tx_queues', link.get('num_tx_queues') ?? 1],
    ['ipdb_priority', 0],
    ['kind', isDict(info) ? (info.get('info_kind') ?? null) : null],
    ['qdisc', link.get('qdisc') ?? null],
    ['mtu', link.get('mtu') ?? 0],
    ['num_rx_queues', link.get('num_rx_queues') ?? 1],
    ['carrier', carrier],
    ['flags', flagsOf(sysNumber(name, 'flags') ?? 0, operstate, carrier)],
    ['ifi_type', sysNumber(name, 'type') ?? 0],
    ['ports', ports],
  ]);
}

/** /sys leaves out what the kernel works out when it is asked over netlink. */
function flagsOf(flags: number, operstate: string, carrier: number): number {
  if ((flags & FLAG_UP) === 0) return flags;
  const isRunning = operstate === 'UP' || operstate === 'UNKNOWN';
  return flags | (isRunning ? FLAG_RUNNING : 0) | (carrier === 1 ? FLAG_LOWER_UP : 0);
}

function sysNumber(name: string, file: string): number | undefined {
  try {
    const value = Number(readFileSync(join(SYS, name, file), 'utf8').trim());
    return Number.isFinite(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function ip(words: readonly string[], clock: Clock): Promise<Dict[]> {
  const program = findProgram('ip');
  if (program === undefined)
    throw new CommandExecutionError('The program ip is not installed; install the package iproute2.');
  const { retcode, stdout, stderr } = await runProcess([program, '-json', ...words], {
    clock,
    timeoutMs: TIMEOUT_MS,
  });
  if (retcode !== 0) throw new CommandExecutionError(`ip failed: ${stderr.toString('utf8').trim()}`);
  const value = parseJson(stdout.toString('utf8').trim() || '[]');
  return Array.isArray(value) ? value.filter(isDict) : [];
}
