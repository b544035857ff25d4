/** Whom one address stands for when something is counted: whoever has one IPv6 address has the network around it. */
import { parseIpAddress } from '../../python/ipaddress.ts';

/** Bits of an IPv6 address that a provider gives to one customer at least; the rest is his to choose. */
const NETWORK_BYTES = 8;
/** An IPv4 address in the form of an IPv6 address begins so. */
const MAPPED = '00000000000000000000ffff';

/**
 * One text for all spellings of an address, and for all addresses of one IPv6 network of 64 bits.
 * @param address as a socket or a proxy writes it; what is none stands for itself
 */
export function addressGroup(address: string): string {
  const parsed = parseIpAddress(address);
  if (parsed === undefined) return address;
  const bytes = Buffer.from(parsed.bytes);
  if (parsed.family === 4) return bytes.join('.');
  const hex = bytes.toString('hex');
  if (hex.startsWith(MAPPED)) return bytes.subarray(12).join('.');
  if (isLoopbackHex(hex)) return '::1';
  return `${hex.slice(0, 2 * NETWORK_BYTES)}/64`;
}

/** True for the addresses by which a machine reaches itself. */
export function isLoopback(address: string): boolean {
  const group = addressGroup(address);
  return group === '::1' || /^127\.\d+\.\d+\.\d+$/.test(group);
}

function isLoopbackHex(hex: string): boolean {
  return /^0{31}1$/.test(hex);
}
