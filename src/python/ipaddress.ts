/**
 * Addresses and networks of both families as Python's `ipaddress` (3.11) has them: reading, with its strictness, text
 * and order.
 */
import { PythonError } from './exceptions.ts';
import { pyRepr } from './values/repr.ts';
import type { Value } from './values/value.ts';

/** An address: its family and its bytes, 4 or 16. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly bytes: Uint8Array;
  /** The part behind `%` of an IPv6 address. */
  readonly scope: string | undefined;
}

/** An address or a network, as the type `ipcidr` takes it. */
export interface IpNetwork {
  readonly address: IpAddress;
  /** Undefined for a single address. */
  readonly prefixLength: number | undefined;
}

/** A network whose prefix is known. */
export interface DefiniteNetwork extends IpNetwork {
  readonly prefixLength: number;
}

/** Reads an address; undefined for text that is none. Leading zeros and short forms (`10.1`) are refused. */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (!text.includes(':')) {
    const bytes = parseIpv4(text);
    return bytes && { family: 4, bytes, scope: undefined };
  }
  const percent = text.indexOf('%');
  const scope = percent < 0 ? undefined : text.slice(percent + 1);
  if (scope !== undefined && (scope === '' || scope.includes('%') || scope.includes('/'))) return undefined;
  const bytes = parseIpv6(percent < 0 ? text : text.slice(0, percent));
  return bytes && { family: 6, bytes, scope };
}

/**
 * Reads an address, or an address in a network as `10.0.0.1/8`, `10.0.0.1/255.0.0.0`, `10.0.0.1/0.255.255.255` or
 * `fe80::1/10`; undefined for all else.
 */
export function parseIpInterface(text: string): IpNetwork | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) {
    const address = parseIpAddress(text);
    return address && { address, prefixLength: undefined };
  }
  const address = parseIpAddress(text.slice(0, slash));
  if (!address) return undefined;
  const prefixLength = parsePrefix(text.slice(slash + 1), address.family);
  return prefixLength === undefined ? undefined : { address, prefixLength };
}

/** Reads a network as `parseIpInterface` does; undefined also where there are bits behind its prefix (`10.0.0.1/8`). */
export function parseIpNetwork(text: string): IpNetwork | undefined {
  const read = parseIpInterface(text);
  return read && hasHostBits(read) ? undefined : read;
}

/**
 * Python's `ip_address(given)`.
 * @param given the address's text, or its value as a number
 * @throws PythonError ValueError in Python's words
 */
export function ipAddress(given: Value): IpAddress {
  const address = typeof given === 'string' ? parseIpAddress(given) : addressOfValue(given);
  if (address !== undefined) return address;
  throw new PythonError('ValueError', `${pyRepr(given)} does not appear to be an IPv4 or IPv6 address`);
}

/** The address that a whole number means, an IPv4 one where it is small enough; True is 1, as everywhere in Python. */
function addressOfValue(given: Value): IpAddress | undefined {
  if (typeof given !== 'number' && typeof given !== 'bigint' && typeof given !== 'boolean') return undefined;
  if (typeof given === 'number' && !Number.isInteger(given)) return undefined;
  const value = BigInt(given);
  if (value < 0n || value >= 1n << 128n) return undefined;
  return addressOfNumber(value, value < 1n << 32n ? 4 : 6);
}

/**
 * Python's `ip_network(given, strict)`; a single address is a network of one.
 * @param given the network's text, or the value of one address as a number
 * @param strict refuse an address that is not the network's own
 * @throws PythonError ValueError in Python's words
 */
export function ipNetwork(given: Value, strict = true): DefiniteNetwork {
  const single = typeof given === 'string' ? undefined : addressOfValue(given);
  const read =
    typeof given === 'string'
      ? parseIpInterface(given)
      : single && { address: single, prefixLength: undefined };
  if (read === undefined)
    throw new PythonError('ValueError', `${pyRepr(given)} does not appear to be an IPv4 or IPv6 network`);
  const prefixLength = prefixOf(read);
  if (strict && hasHostBits(read))
    throw new PythonError('ValueError', `${ipAddressText(read.address)}/${prefixLength} has host bits set`);
  return { address: baseAddress(read), prefixLength };
}

/** True when an address is the network's address, or lies in the network. */
export function isInNetwork(address: IpAddress, network: IpNetwork): boolean {
  const base = network.address;
  if (address.family !== base.family) return false;
  const length = network.prefixLength ?? base.bytes.length * 8;
  if (network.prefixLength === undefined && address.scope !== base.scope) return false;
  const whole = length >> 3;
  for (let i = 0; i < whole; i++) if (address.bytes[i] !== base.bytes[i]) return false;
  const rest = length & 7;
  if (rest === 0) return true;
  return ((address.bytes[whole] as number) ^ (base.bytes[whole] as number)) >> (8 - rest) === 0;
}

/** Read by hand: the master does this for every address of every minion. */
function parseIpv4(text: string): Uint8Array | undefined {
  if (text.length > 15) return undefined;
  const bytes = new Uint8Array(4);
  let part = 0;
  let value = -1;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit === DOT) {
      if (value < 0 || part === 3) return undefined;
      bytes[part++] = value;
      value = -1;
    } else {
      if (digit < 0 || digit > 9 || value === 0) return undefined;
      value = value < 0 ? digit : value * 10 + digit;
      if (value > 255) return undefined;
    }
  }
  if (part !== 3 || value < 0) return undefined;
  bytes[3] = value;
  return bytes;
}

/** The dot, as distance from the digit 0. */
const DOT = -2;

function parseIpv6(text: string): Uint8Array | undefined {
  if (text.length > 45) return undefined;
  const gap = text.indexOf('::');
  if (gap >= 0 && text.includes('::', gap + 1)) return undefined;
  const head = groupsOf(gap < 0 ? text : text.slice(0, gap), gap < 0);
  const tail = gap < 0 ? [] : groupsOf(text.slice(gap + 2), true);
  if (!head || !tail) return undefined;
  const given = head.length + tail.length;
  if (gap < 0 ? given !== 8 : given > 7) return undefined;
  const bytes = new Uint8Array(16);
  const put = (group: number, i: number): void => {
    bytes[i * 2] = group >> 8;
    bytes[i * 2 + 1] = group & 0xff;
  };
  head.forEach(put);
  tail.forEach((group, i) => put(group, 8 - tail.length + i));
  return bytes;
}

/** The 16-bit groups of one side of `::`; only the end of the address may be written as IPv4. */
function groupsOf(text: string, atEnd: boolean): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [i, part] of parts.entries()) {
    if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      groups.push(parseInt(part, 16));
      continue;
    }
    const v4 = atEnd && i === parts.length - 1 ? parseIpv4(part) : undefined;
    if (!v4) return undefined;
    const [a = 0, b = 0, c = 0, d = 0] = v4;
    groups.push(a * 256 + b, c * 256 + d);
  }
  return groups;
}

function parsePrefix(text: string, family: 4 | 6): number | undefined {
  const bits = family === 4 ? 32 : 128;
  if (/^[0-9]+$/.test(text)) return Number(text) <= bits ? Number(text) : undefined;
  const mask = family === 4 ? parseIpv4(text) : undefined;
  if (!mask) return undefined;
  const word = mask.reduce((sum, byte) => sum * 256 + byte, 0);
  return leadingOnes(word) ?? leadingOnes(~word >>> 0);
}

/** The number of leading ones of a 32-bit word whose other bits are zero; undefined when there are others. */
function leadingOnes(word: number): number | undefined {
  const ones = Math.clz32(~word);
  return (ones === 32 ? 0 : (word << ones) >>> 0) === 0 ? ones : undefined;
}

/** The bits of a network's prefix; all of them for a single address. */
function prefixOf({ address, prefixLength }: IpNetwork): number {
  return prefixLength ?? address.bytes.length * 8;
}

function hasHostBits(network: IpNetwork): boolean {
  return addressNumber(network.address) !== addressNumber(baseAddress(network));
}

/** A network's first address. */
function baseAddress(network: IpNetwork): IpAddress {
  const { address } = network;
  const prefix = prefixOf(network);
  const bytes = address.bytes.map((byte, i) => byte & ~(0xff >> Math.min(8, Math.max(0, prefix - i * 8))));
  return { ...address, bytes };
}

/** Python's `int(address)`. */
export function addressNumber({ bytes }: IpAddress): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

/** The address of a number. */
export function addressOfNumber(number: bigint, family: 4 | 6): IpAddress {
  const hex = number.toString(16).padStart(family === 4 ? 8 : 32, '0');
  return { family, bytes: Uint8Array.from(Buffer.from(hex, 'hex')), scope: undefined };
}

/** Python's `str(address)`: of IPv6 the longest run of zero groups is `::`. */
export function ipAddressText({ family, bytes, scope }: IpAddress): string {
  if (family === 4) return bytes.join('.');
  const groups = Array.from(
    { length: 8 },
    (_, i) => ((bytes[i * 2] as number) << 8) | (bytes[i * 2 + 1] as number),
  );
  let [start, length] = [-1, 1];
  for (let i = 0; i < groups.length; i++) {
    let end = i;
    while (groups[end] === 0) end++;
    if (end - i > length) [start, length] = [i, end - i];
  }
  const hex = (list: readonly number[]): string => list.map((group) => group.toString(16)).join(':');
  const text =
    start < 0 ? hex(groups) : `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
  return scope === undefined ? text : `${text}%${scope}`;
}

/** `10.0.0.0/8` */
export function ipNetworkText(network: IpNetwork): string {
  return `${ipAddressText(network.address)}/${prefixOf(network)}`;
}

/** How many addresses a network has. */
export function networkSize(network: IpNetwork): bigint {
  return 1n << BigInt(network.address.bytes.length * 8 - prefixOf(network));
}

/** The netmask of a network. */
export function netmask(network: IpNetwork): IpAddress {
  const { family, bytes } = network.address;
  return addressOfNumber((1n << BigInt(bytes.length * 8)) - networkSize(network), family);
}

/** The last address of a network. */
export function broadcastAddress(network: IpNetwork): IpAddress {
  const last = addressNumber(baseAddress(network)) + networkSize(network) - 1n;
  return addressOfNumber(last, network.address.family);
}

/** Python's order of addresses: IPv4 first, then by number. */
export function compareAddresses(a: IpAddress, b: IpAddress): number {
  return a.family === b.family ? Buffer.compare(a.bytes, b.bytes) : a.family - b.family;
}

/** Python's order of networks: as their addresses, of two with the same address the wider one first. */
export function compareNetworks(a: IpNetwork, b: IpNetwork): number {
  return compareAddresses(a.address, b.address) || prefixOf(a) - prefixOf(b);
}

/** Python's `reverse_pointer`. */
export function reversePointer(address: IpAddress): string {
  if (address.family === 4) return `${[...address.bytes].reverse().join('.')}.in-addr.arpa`;
  const digits = Buffer.from(address.bytes).toString('hex');
  return `${[...digits].reverse().join('.')}.ip6.arpa`;
}
