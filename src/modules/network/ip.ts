/** Addresses and networks as Python's `ipaddress` has them (3.11): parsing, order, text, and what is private. */
import { isIPv4, isIPv6 } from 'node:net';
import { PythonError } from '../../loader/python-error.ts';
import { pyRepr } from '../../values/repr.ts';

/** An address as a number. */
export interface IpAddress {
  readonly version: 4 | 6;
  readonly value: bigint;
}

/** A network. */
export interface IpNetwork {
  readonly version: 4 | 6;
  readonly base: bigint;
  readonly prefix: number;
}

const BITS = { 4: 32, 6: 128 } as const;

/** @throws PythonError ValueError in Python's words */
export function parseAddress(text: string): IpAddress {
  const address = tryAddress(text);
  if (address !== undefined) return address;
  throw new PythonError('ValueError', `${pyRepr(text)} does not appear to be an IPv4 or IPv6 address`);
}

function tryAddress(text: string): IpAddress | undefined {
  if (isIPv4(text) && !/(^|\.)0\d/.test(text)) {
    const value = text.split('.').reduce((sum, part) => (sum << 8n) | BigInt(Number(part)), 0n);
    return { version: 4, value };
  }
  if (!isIPv6(text) || text.includes('%')) return undefined;
  return { version: 6, value: valueOf6(text) };
}

function valueOf6(text: string): bigint {
  const plain = text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head = '', tail] = plain.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [left, right] = [groups(head), groups(tail ?? '')];
  const middle = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...middle, ...right].reduce(
    (sum, group) => (sum << 16n) | BigInt(parseInt(group, 16)),
    0n,
  );
}

/** The text of an address; of IPv6 the shortest one. */
export function addressText({ version, value }: IpAddress): string {
  if (version === 4) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
  const groups = Array.from({ length: 8 }, (_, i) =>
    ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16),
  );
  let best = { start: -1, length: 1 };
  for (let i = 0; i < 8; i++) {
    let length = 0;
    while (groups[i + length] === '0') length++;
    if (length > best.length) best = { start: i, length };
  }
  if (best.start < 0) return groups.join(':');
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`;
}

function maskOf(version: 4 | 6, prefix: number): bigint {
  const bits = BITS[version];
  return ((1n << BigInt(prefix)) - 1n) << BigInt(bits - prefix);
}

function prefixOf(version: 4 | 6, text: string): number | undefined {
  const bits = BITS[version];
  if (/^\d+$/.test(text)) return Number(text) <= bits ? Number(text) : undefined;
  const mask = version === 4 ? tryAddress(text) : undefined;
  if (mask === undefined || mask.version !== 4) return undefined;
  for (let prefix = 0; prefix <= 32; prefix++) {
    if (maskOf(4, prefix) === mask.value) return prefix;
    if (maskOf(4, prefix) === (mask.value ^ 0xffffffffn)) return prefix; // a host mask
  }
  return undefined;
}

/**
 * Reads `address/prefix` or `address/netmask`; without a slash one address.
 * @param strict refuse an address that is not the network's own
 * @throws PythonError ValueError in Python's words
 */
export function parseNetwork(text: string, strict = true): IpNetwork {
  const [host = '', mask, ...rest] = text.split('/');
  const address = rest.length === 0 ? tryAddress(host) : undefined;
  const prefix =
    address === undefined
      ? undefined
      : mask === undefined
        ? BITS[address.version]
        : prefixOf(address.version, mask);
  if (address === undefined || prefix === undefined)
    throw new PythonError('ValueError', `${pyRepr(text)} does not appear to be an IPv4 or IPv6 network`);
  const base = address.value & maskOf(address.version, prefix);
  if (strict && base !== address.value)
    throw new PythonError('ValueError', `${addressText(address)}/${prefix} has host bits set`);
  return { version: address.version, base, prefix };
}

/** `10.0.0.0/8` */
export function networkText({ version, base, prefix }: IpNetwork): string {
  return `${addressText({ version, value: base })}/${prefix}`;
}

/** The netmask as an address. */
export function netmaskText({ version, prefix }: IpNetwork): string {
  return addressText({ version, value: maskOf(version, prefix) });
}

/** The last address. */
export function broadcastText({ version, base, prefix }: IpNetwork): string {
  const size = 1n << BigInt(BITS[version] - prefix);
  return addressText({ version, value: base + size - 1n });
}

/** How many addresses a network has. */
export function networkSize({ version, prefix }: IpNetwork): bigint {
  return 1n << BigInt(BITS[version] - prefix);
}

/** True when an address lies in a network. */
export function contains(network: IpNetwork, address: IpAddress): boolean {
  return (
    network.version === address.version &&
    (address.value & maskOf(network.version, network.prefix)) === network.base
  );
}

const PRIVATE = [
  ...['0.0.0.0/8', '10.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/29'],
  ...[
    '192.0.0.170/31',
    '192.0.2.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
  ],
  ...['240.0.0.0/4', '255.255.255.255/32', '::1/128', '::/128', '::ffff:0:0/96', '100::/64', '2001::/23'],
  ...['2001:2::/48', '2001:db8::/32', '2001:10::/28', 'fc00::/7', 'fe80::/10'],
].map((text) => parseNetwork(text));

/** Python's `is_private`. */
export function isPrivate(address: IpAddress): boolean {
  return PRIVATE.some((network) => contains(network, address));
}

/** Python's `is_loopback`. */
export function isLoopback(address: IpAddress): boolean {
  return address.version === 4 ? address.value >> 24n === 127n : address.value === 1n;
}

/** Python's `reverse_pointer`. */
export function reversePointer(address: IpAddress): string {
  if (address.version === 4) return `${addressText(address).split('.').reverse().join('.')}.in-addr.arpa`;
  const digits = address.value.toString(16).padStart(32, '0');
  return `${[...digits].reverse().join('.')}.ip6.arpa`;
}

/** Orders networks and addresses by number, IPv4 first. */
export function compareIp(
  a: { readonly version: number; readonly value: bigint; readonly prefix?: number },
  b: { readonly version: number; readonly value: bigint; readonly prefix?: number },
): number {
  if (a.version !== b.version) return a.version - b.version;
  if (a.value !== b.value) return a.value < b.value ? -1 : 1;
  return (a.prefix ?? 0) - (b.prefix ?? 0);
}

/** An address out of the hexadecimal form of /proc/net, 32 bits at a time in this machine's order. */
export function addressOfHex(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const digits = words.map((word) => (word.match(/../g) ?? []).reverse().join('')).join('');
  const value = BigInt(`0x${digits === '' ? '0' : digits}`);
  if (hex.length <= 8) return addressText({ version: 4, value });
  if (value >> 32n === 0xffffn) return addressText({ version: 4, value: value & 0xffffffffn });
  return addressText({ version: 6, value });
}
