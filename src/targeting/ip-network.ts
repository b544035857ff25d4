/** Addresses and networks of both families, with the strictness of Python's `ipaddress` (3.11). */

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
 * Reads an address, or a network as `10.0.0.0/8`, `10.0.0.0/255.0.0.0`, `10.0.0.0/0.255.255.255` or `fe80::/10`;
 * undefined for all else, a network with bits behind its prefix (`10.0.0.1/8`) included.
 */
export function parseIpNetwork(text: string): IpNetwork | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) {
    const address = parseIpAddress(text);
    return address && { address, prefixLength: undefined };
  }
  const address = parseIpAddress(text.slice(0, slash));
  if (!address) return undefined;
  const prefixLength = parsePrefix(text.slice(slash + 1), address.family);
  if (prefixLength === undefined || !endsInZeros(address.bytes, prefixLength)) return undefined;
  return { address, prefixLength };
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

function endsInZeros(bytes: Uint8Array, prefixLength: number): boolean {
  return bytes.every((byte, i) => {
    const kept = Math.min(8, Math.max(0, prefixLength - i * 8));
    return (byte & (0xff >> kept)) === 0;
  });
}
