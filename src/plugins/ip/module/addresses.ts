/** What is an address, a netmask, a hardware address. Follows 3006.16 salt/utils/validate/net.py. */
import { isIPv4, isIPv6 } from 'node:net';
import { ArgumentError } from '../../../errors/errors.ts';
import { toPyInt } from '../../../python/conversions.ts';
import { compareText } from '../../../python/values/order.ts';
import { pyTypeName, type Value } from '../../../python/values/value.ts';
import { settingError } from './settings.ts';

const MAC =
  /^(?:(?:[0-9A-F]{1,2}-){5}[0-9A-F]{1,2}|(?:[0-9A-F]{1,2}:){5}[0-9A-F]{1,2}|(?:[0-9A-F]{1,2}\.){5}[0-9A-F]{1,2})$/i;

/** True for a hardware address. @throws ArgumentError for what is no text */
export function isMac(value: Value): boolean {
  if (typeof value !== 'string')
    throw new ArgumentError(`expected string or bytes-like object, got '${pyTypeName(value)}'`);
  return MAC.test(value);
}

/**
 * True for an IPv4 address, also with a prefix length.
 * @throws PythonError (AttributeError) for a list that has a slash
 */
export function isIpv4(value: Value): boolean {
  return isAddress(value, isIPv4, 32);
}

/** The same of IPv6. */
export function isIpv6(value: Value): boolean {
  return isAddress(value, (text) => isIPv6(text) && !text.includes('%'), 128);
}

function isAddress(value: Value, isOne: (text: string) => boolean, longest: number): boolean {
  if (Array.isArray(value) && value.includes('/'))
    throw settingError("'list' object has no attribute 'rsplit'");
  if (typeof value !== 'string') return false;
  const at = value.lastIndexOf('/');
  if (!isOne(at < 0 ? value : value.slice(0, at))) return false;
  const prefix = at < 0 ? longest : toPyInt(value.slice(at + 1));
  return prefix !== undefined && prefix >= 1 && prefix <= longest;
}

/** True for a netmask of four numbers, of which none is greater than the one before, as texts. */
export function isNetmask(value: Value): boolean {
  if (typeof value !== 'string') return false;
  const octets = value.split('.');
  if (octets.length !== 4 || !isIpv4(value)) return false;
  return octets.every((octet, at) => at === 0 || compareText(octets[at - 1] as string, octet) >= 0);
}
