/** Addresses as Linux lists them in /proc/net. */
import { addressOfNumber, ipAddressText } from '../../python/ipaddress.ts';

/** An address out of its hexadecimal form, which has 32 bits at a time in this machine's order. */
export function addressOfHex(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const digits = words.map((word) => (word.match(/../g) ?? []).reverse().join('')).join('');
  const value = BigInt(`0x${digits === '' ? '0' : digits}`);
  if (hex.length <= 8) return ipAddressText(addressOfNumber(value, 4));
  if (value >> 32n === 0xffffn) return ipAddressText(addressOfNumber(value & 0xffffffffn, 4));
  return ipAddressText(addressOfNumber(value, 6));
}
