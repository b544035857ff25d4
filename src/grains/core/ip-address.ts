/** Addresses as Python's ipaddress module writes and orders them. */
import { parseIpAddress } from '../../targeting/ip-network.ts';

/** An address that can be compared. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly number: bigint;
  /** Canonical spelling: lower case, the longest run of zero groups as `::`. */
  readonly text: string;
}

/** Parses an address; undefined when the text is none. A zone (`fe80::1%eth0`) is kept in the text. */
export function parseIp(text: string): IpAddress | undefined {
  const ip = parseIpAddress(text);
  if (!ip) return undefined;
  const number = ip.bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const spelling = ip.family === 4 ? text : ipv6Text(number);
  return { family: ip.family, number, text: ip.scope === undefined ? spelling : `${spelling}%${ip.scope}` };
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
