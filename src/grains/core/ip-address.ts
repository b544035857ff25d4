/** Addresses as Python's ipaddress module writes and orders them. */
import { isIPv4, isIPv6 } from 'node:net';

/** An address that can be compared. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly number: bigint;
  /** Canonical spelling: lower case, the longest run of zero groups as `::`. */
  readonly text: string;
}

/** Parses an address; undefined when the text is none. A zone (`fe80::1%eth0`) is kept in the text. */
export function parseIp(text: string): IpAddress | undefined {
  if (isIPv4(text)) return { family: 4, number: fromGroups(text.split('.').map(Number), 8n), text };
  if (!isIPv6(text)) return undefined;
  const [address = '', zone] = text.split('%');
  const groups = expandV6(address);
  return {
    family: 6,
    number: fromGroups(groups, 16n),
    text: compressV6(groups) + (zone === undefined ? '' : `%${zone}`),
  };
}

/** The spelling of an IPv4 number. */
export function ipv4Text(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.');
}

/** The spelling of an IPv6 number. */
export function ipv6Text(number: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => Number((number >> BigInt(112 - 16 * i)) & 0xffffn));
  return compressV6(groups);
}

/** True for 127.0.0.0/8 and ::1. */
export function isLoopback(ip: IpAddress): boolean {
  return ip.family === 4 ? ip.number >> 24n === 127n : ip.number === 1n;
}

/** Canonical texts of addresses, each once, in numeric order. */
export function sortedAddresses(texts: readonly string[], options: { loopback: boolean }): string[] {
  const byText = new Map<string, IpAddress>();
  for (const text of texts) {
    const ip = parseIp(text);
    if (ip && (options.loopback || !isLoopback(ip))) byText.set(ip.text, ip);
  }
  return [...byText.values()].sort((a, b) => (a.number < b.number ? -1 : 1)).map((ip) => ip.text);
}

function fromGroups(groups: readonly number[], bits: bigint): bigint {
  return groups.reduce((sum, group) => (sum << bits) | BigInt(group), 0n);
}

function expandV6(text: string): number[] {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  let plain = text;
  if (dotted) {
    const [a = 0, b = 0, c = 0, d = 0] = (dotted[2] ?? '').split('.').map(Number);
    plain = `${dotted[1] ?? ''}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  }
  const [head = '', tail] = plain.split('::');
  const parse = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((x) => Number.parseInt(x, 16));
  if (tail === undefined) return parse(head);
  const [first, last] = [parse(head), parse(tail)];
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
}

function compressV6(groups: readonly number[]): string {
  let [start, length] = [-1, 1];
  for (let i = 0; i < groups.length; i++) {
    let end = i;
    while (groups[end] === 0) end++;
    if (end - i > length) [start, length] = [i, end - i];
  }
  const hex = groups.map((x) => x.toString(16));
  if (start < 0) return hex.join(':');
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`;
}
