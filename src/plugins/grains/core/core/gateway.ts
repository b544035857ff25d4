/** Default gateways: ip_gw, ip4_gw, ip6_gw (salt/grains/core.py). */
import { endianness } from 'node:os';
import { addressOfNumber, ipAddressText } from '../../../../python/ipaddress.ts';
import { dict, type Dict } from '../../../../python/values/value.ts';
import type { GrainsContext } from '../context.ts';

/** A gateway's address; true for a default route without one, false for none; undefined when `ip` must tell. */
type Gateway = string | boolean | undefined;

/**
 * ip_gw, ip4_gw and ip6_gw, where `ip` is installed.
 *
 * Salt reads `ip route show`. The kernel's own lists in /proc say the same on a machine with one interface and no
 * more than one default route; elsewhere they hide what `ip` shows (several next hops, tables), and `ip` is asked.
 */
export async function gatewayGrains(ctx: GrainsContext): Promise<Dict> {
  if (!ctx.which('ip')) return new Map();
  const { host } = ctx;
  const [four, six] = await Promise.all([
    parseRoutes(host.readText('/proc/net/route')) ?? askIp(ctx, '-4'),
    parseIpv6Routes(host.readText('/proc/net/ipv6_route')) ?? askIp(ctx, '-6'),
  ]);
  return dict({ ip_gw: four !== false || six !== false, ip4_gw: four, ip6_gw: six });
}

async function askIp(ctx: GrainsContext, family: '-4' | '-6'): Promise<string | boolean> {
  const output = (await ctx.run(['ip', family, 'route', 'show']))?.stdout ?? '';
  const line = output.split('\n').find((x) => x.startsWith('default'));
  if (line === undefined) return false;
  const [, word, address] = line.trim().split(/\s+/);
  return word === 'via' && address !== undefined ? address : true;
}

interface Route {
  readonly device: string;
  readonly isDefault: boolean;
  /** The next hop's number; 0 when there is none. */
  readonly gateway: bigint;
}

/** Reads /proc/net/route. */
export function parseRoutes(text: string | undefined): Gateway {
  const routes = rowsOf(text)
    .slice(1)
    .map(([device = '', destination, gateway = '0', , , , , mask]) => ({
      device,
      isDefault: /^0+$/.test(destination ?? '') && /^0+$/.test(mask ?? ''),
      gateway: hostOrder(gateway),
    }));
  return decide(text, routes, 4);
}

/** Reads /proc/net/ipv6_route. Routes that refuse (flag 0x200) are no default routes. */
export function parseIpv6Routes(text: string | undefined): Gateway {
  const routes = rowsOf(text).map((row) => {
    const [destination = '', length, , , gateway = '0', , , , flags = '0', device = ''] = row;
    const isReject = (Number.parseInt(flags, 16) & 0x200) !== 0;
    return {
      device,
      isDefault: /^0+$/.test(destination) && length === '00' && !isReject,
      gateway: BigInt(`0x${gateway}`),
    };
  });
  return decide(text, routes, 6);
}

function rowsOf(text: string | undefined): string[][] {
  const lines = (text ?? '').split('\n').filter((x) => x.trim() !== '');
  return lines.map((line) => line.trim().split(/\s+/));
}

function decide(text: string | undefined, routes: readonly Route[], family: 4 | 6): Gateway {
  if (text === undefined) return undefined;
  const defaults = routes.filter((x) => x.isDefault);
  const [only] = defaults;
  if (!only) return false;
  const devices = new Set(routes.map((x) => x.device).filter((x) => x !== 'lo'));
  if (defaults.length > 1 || devices.size > 1) return undefined;
  return only.gateway === 0n ? true : ipAddressText(addressOfNumber(only.gateway, family));
}

/** The kernel prints an IPv4 address as a number in its own byte order. */
function hostOrder(hex: string): bigint {
  const bytes = hex.padStart(8, '0').match(/../g) ?? [];
  return BigInt(`0x${(endianness() === 'LE' ? bytes.reverse() : bytes).join('')}`);
}
