/** Network interfaces with their addresses, from `ip`. Follows 3006.16 salt/utils/network.py. */
import { networkInterfaces } from 'node:os';
import { runProcess } from '../../../host/process.ts';
import { findProgram } from '../../../host/which.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { fnmatch } from '../../../python/text/fnmatch.ts';
import { splitLines } from '../../../python/values/text.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import { ipAddressText, ipNetwork, netmask } from '../../../python/ipaddress.ts';

/** One address. */
export interface InterfaceAddress {
  readonly family: 'inet' | 'inet6';
  readonly address: string;
  /** Netmask of IPv4, prefix length of IPv6. */
  readonly mask: string;
  readonly broadcast: string | null;
  readonly scope: string | null;
  readonly label: string;
  readonly secondary: boolean;
}

/** One interface. */
export interface NetworkInterface {
  readonly up: boolean;
  readonly parent: string | undefined;
  hwaddr: string | undefined;
  readonly addresses: InterfaceAddress[];
  /** In which order the parts were met, because Salt shows them so. */
  readonly order: string[];
}

/** Interfaces by name, in the system's order. */
export type NetworkInterfaces = ReadonlyMap<string, NetworkInterface>;

/** Asks the system. */
export async function readInterfaces(ctx: ModuleContext): Promise<NetworkInterfaces> {
  const program = findProgram('ip');
  if (program === undefined) return fromNode();
  const options = { signal: ctx.signal, clock: ctx.clock, timeoutMs: 30_000 };
  const { stdout } = await runProcess([program, 'addr', 'show'], options);
  return parseIpAddr(stdout.toString('utf8'));
}

/** Parses `ip addr show`. */
function parseIpAddr(output: string): NetworkInterfaces {
  const out = new Map<string, NetworkInterface>();
  let current: NetworkInterface | undefined;
  for (const line of splitLines(output)) {
    const head = /^\d+:\s+([\w.-]+)(?:@)?([\w.-]+)?:\s+<(.+)>/.exec(line);
    if (head !== null) {
      const [, name = '', parent, flags = ''] = head;
      current = { up: flags.split(',').includes('UP'), parent, hwaddr: undefined, addresses: [], order: [] };
      out.set(name, current);
    } else if (/^\d+:/.test(line)) {
      current = undefined; // a name that Salt does not know how to read
    } else if (current !== undefined) readLine(current, line.trim().split(/\s+/));
  }
  return out;
}

function readLine(current: NetworkInterface, words: readonly string[]): void {
  const [kind = '', value] = words;
  if (value === undefined) return;
  const note = (part: string): void => {
    if (!current.order.includes(part)) current.order.push(part);
  };
  if (kind.startsWith('link')) {
    current.hwaddr = value;
    note('hwaddr');
    return;
  }
  if (kind !== 'inet' && kind !== 'inet6') return;
  const [address = '', prefix = '32'] = value.split('/');
  const after = (word: string): string | null => {
    const at = words.indexOf(word);
    return at < 0 ? null : (words[at + 1] ?? null);
  };
  const secondary = words.includes('secondary');
  note(secondary ? 'secondary' : kind);
  current.addresses.push({
    family: kind,
    address,
    mask: kind === 'inet' ? ipAddressText(netmask(ipNetwork(`${address}/${prefix}`, false))) : prefix,
    broadcast: kind === 'inet' ? after('brd') : null,
    scope: kind === 'inet6' ? after('scope') : null,
    label: words.at(-1) ?? '',
    secondary,
  });
}

/** What Node knows, where there is no `ip`. */
function fromNode(): NetworkInterfaces {
  const out = new Map<string, NetworkInterface>();
  for (const [name, list = []] of Object.entries(networkInterfaces())) {
    const addresses = list.map(({ family, address, netmask, cidr }): InterfaceAddress => ({
      family: family === 'IPv4' ? 'inet' : 'inet6',
      address,
      mask: family === 'IPv4' ? netmask : (cidr?.split('/')[1] ?? '128'),
      broadcast: null,
      scope: null,
      label: name,
      secondary: false,
    }));
    const order = ['hwaddr', ...new Set(addresses.map(({ family }) => family))];
    out.set(name, { up: true, parent: undefined, hwaddr: list[0]?.mac, addresses, order });
  }
  return out;
}

/** One address as Salt shows it. */
export function addressDict(entry: InterfaceAddress): Dict {
  const out: Dict = new Map();
  if (entry.secondary) out.set('type', entry.family);
  out.set('address', entry.address);
  if (entry.family === 'inet') {
    return out.set('netmask', entry.mask).set('broadcast', entry.broadcast).set('label', entry.label);
  }
  return out.set('prefixlen', entry.mask).set('scope', entry.scope);
}

/** One interface as Salt shows it. */
export function interfaceDict(entry: NetworkInterface): Dict {
  const out: Dict = new Map<Value, Value>([['up', entry.up]]);
  if (entry.parent !== undefined) out.set('parent', entry.parent);
  for (const part of entry.order) {
    if (part === 'hwaddr') out.set(part, entry.hwaddr ?? '');
    else out.set(part, addressesOf(entry, part).map(addressDict));
  }
  return out;
}

/** Addresses of one part: `inet`, `inet6` or `secondary`. */
function addressesOf(entry: NetworkInterface, part: string): InterfaceAddress[] {
  return entry.addresses.filter((item) => (item.secondary ? part === 'secondary' : part === item.family));
}

/** All addresses of one family, of the interfaces whose names fit one of the globs (all without globs). */
export function addressesIn(
  interfaces: NetworkInterfaces,
  family: 'inet' | 'inet6',
  globs?: readonly string[],
): InterfaceAddress[] {
  return [...interfaces]
    .filter(([name]) => globs === undefined || globs.some((glob) => fnmatch(name, glob)))
    .flatMap(([, entry]) => entry.addresses.filter((item) => item.family === family));
}
