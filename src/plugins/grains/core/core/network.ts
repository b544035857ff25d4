/** Interfaces and their addresses (salt/grains/core.py, salt/utils/network.py). */
import {
  compareAddresses,
  ipAddressText,
  parseIpAddress,
  type IpAddress,
} from '../../../../python/ipaddress.ts';
import { isLoopback } from '../../../../python/ipaddress-kinds.ts';
import type { Dict, Value } from '../../../../python/values/value.ts';
import type { GrainsContext } from '../context.ts';

/** One address in the order in which the system lists it. */
export interface Address {
  readonly family: 4 | 6;
  readonly address: string;
  /** A further IPv4 address in the network of another one. */
  readonly secondary: boolean;
}

/** One network interface. */
export interface Interface {
  readonly hardwareAddress: string | undefined;
  readonly addresses: readonly Address[];
}

/** Interfaces by name in the system's order. */
export type Interfaces = ReadonlyMap<string, Interface>;

/**
 * The machine's interfaces. `ip` is asked, as Salt does: Node leaves out interfaces that are down or without a
 * cable, and nothing in /proc tells their addresses. Without `ip` what Node knows must do.
 */
export async function readInterfaces(ctx: GrainsContext): Promise<Interfaces> {
  if (ctx.host.platform === 'linux') {
    const result = await ctx.run(['ip', 'addr', 'show']);
    if (result) return parseIpAddr(result.stdout);
  }
  const out = new Map<string, Interface>();
  for (const [name, addresses] of ctx.host.networkInterfaces()) {
    out.set(name, {
      hardwareAddress: addresses[0]?.hardwareAddress,
      addresses: addresses.map(({ family, address }) => ({ family, address, secondary: false })),
    });
  }
  return out;
}

/** Parses `ip addr show`. */
export function parseIpAddr(output: string): Interfaces {
  const out = new Map<string, { hardwareAddress: string | undefined; addresses: Address[] }>();
  let current: { hardwareAddress: string | undefined; addresses: Address[] } | undefined;
  for (const line of output.split(/\r?\n/)) {
    if (/^\d/.test(line)) {
      // names that Salt's pattern does not take are left out with their addresses
      const name = /^\d*:\s+([\p{L}\p{N}_.-]+)(?:@)?(?:[\p{L}\p{N}_.-]+)?:\s+<.+>/u.exec(line)?.[1];
      current = name === undefined ? undefined : { hardwareAddress: undefined, addresses: [] };
      if (name !== undefined && current) out.set(name, current);
      continue;
    }
    const words = line.trim().split(/\s+/);
    const [kind = '', value] = words;
    if (!current || value === undefined) continue;
    if (kind.startsWith('link')) current.hardwareAddress = value;
    if (kind !== 'inet' && kind !== 'inet6') continue;
    current.addresses.push({
      family: kind === 'inet' ? 4 : 6,
      address: value.split('/')[0] ?? '',
      secondary: words.includes('secondary'),
    });
  }
  return out;
}

/** hwaddr_interfaces */
export function hardwareAddressGrains(interfaces: Interfaces): Dict {
  const addresses: Dict = new Map();
  for (const [name, { hardwareAddress }] of interfaces) {
    if (hardwareAddress !== undefined) addresses.set(name, hardwareAddress);
  }
  return new Map<Value, Value>([['hwaddr_interfaces', addresses]]);
}

/** ip4_interfaces, ip6_interfaces or ip_interfaces: the addresses of each interface, secondary ones last. */
export function interfaceGrains(interfaces: Interfaces, grain: string, families: readonly (4 | 6)[]): Dict {
  const out: Dict = new Map();
  for (const [name, { addresses }] of interfaces) {
    const primary = families.flatMap((family) =>
      addresses.filter((x) => x.family === family && !x.secondary),
    );
    const secondary = addresses.filter((x) => families.includes(x.family) && x.secondary);
    out.set(
      name,
      [...primary, ...secondary].map((x) => x.address),
    );
  }
  return new Map<Value, Value>([[grain, out]]);
}

/** Every address of one family in numeric order, each once. */
export function allAddresses(
  interfaces: Interfaces,
  family: 4 | 6,
  options: { loopback: boolean },
): string[] {
  const addresses = [...interfaces.values()]
    .flatMap((x) => x.addresses)
    .filter((x) => x.family === family)
    .map((x) => parseIpAddress(x.address))
    .filter((ip): ip is IpAddress => ip !== undefined && (options.loopback || !isLoopback(ip)));
  return [...new Set(addresses.sort(compareAddresses).map(ipAddressText))];
}
