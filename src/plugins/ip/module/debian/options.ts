/**
 * What the options of a stanza of /etc/network/interfaces may be. Follows 3006.16 salt/modules/debian_ip.py `ATTRMAPS`.
 */
import { pyInt } from '../../../../python/conversions.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { isDict, type Value } from '../../../../python/values/value.ts';
import { isIpv4, isIpv6, isMac, isNetmask } from '../addresses.ts';
import { isFloatText, isIn, isWhole, pythonWords } from '../settings.ts';

/** Whether a value may be, and what is made of it. */
export interface Checked {
  readonly isValid: boolean;
  readonly value: Value;
}

/** The families of addresses that are checked. */
export type Family = 'inet' | 'inet6';
/** Both, in the order of the file. */
export const FAMILIES: readonly Family[] = ['inet', 'inet6'];

type Check = (value: Value) => Checked;

const anything: Check = (value) => ({ isValid: true, value });
const plain =
  (isValid: (value: Value) => boolean): Check =>
  (value) => ({ isValid: isValid(value), value });
const ipv4 = plain(isIpv4);
const ipv6 = plain(isIpv6);
const mac = plain(isMac);
const float = plain(isFloatText);

const whole: Check = (value) =>
  isWhole(value) ? { isValid: true, value: pyInt(value) } : { isValid: false, value };

const netmask: Check = (given) => {
  const { isValid, value } = whole(given);
  return { isValid: (isValid && isBetween(value, 32)) || isNetmask(value), value };
};

const prefixLength: Check = (given) => {
  const { isValid, value } = whole(given);
  return { isValid: isValid && isBetween(value, 128), value };
};

function isBetween(value: Value, most: number): boolean {
  return (typeof value === 'number' || typeof value === 'bigint') && value >= 0 && value <= most;
}

const oneOf =
  (list: readonly Value[]): Check =>
  (value) => ({ isValid: isIn(list, value), value });
const wordOf =
  (list: readonly Value[]): Check =>
  (given) =>
    oneOf(list)(pyStr(given));
const numberOf =
  (...list: readonly number[]): Check =>
  (given) => {
    const { isValid, value } = whole(given);
    return { isValid: isValid && isIn(list, value), value };
  };

/** Words of a text, or a list. */
const words: Check = (given) => {
  const value = typeof given === 'string' ? pythonWords(given) : given;
  const isEmptyList = Array.isArray(value) && value.length === 0;
  return { isValid: (Array.isArray(value) || isDict(value)) && !isEmptyList, value };
};

function table(...parts: readonly (readonly [names: string, check: Check])[]): ReadonlyMap<string, Check> {
  return new Map(parts.flatMap(([names, check]) => names.split(' ').map((name) => [name, check] as const)));
}

const TUNNEL = ['gre', 'GRE', 'ipip', 'IPIP', '802.3ad'];
const BOTH = [
  ['addresses slaves vlan-raw-device test enable_ipv4 enable_ipv6', anything],
  ['dns-nameservers dns-search', words],
  ['endpoint local', ipv4],
  ['mtu ttl', whole],
  ['hwaddress', mac],
  ['mode', wordOf(TUNNEL)],
] as const;
const INET = table(
  ...BOTH,
  ['proto', wordOf(['bootp', 'dhcp', 'static', 'manual', 'loopback', 'ppp'])],
  ['address broadcast gateway pointopoint server dstaddr', ipv4],
  ['netmask', netmask],
  ['metric leasehours leasetime unit', whole],
  ['scope', wordOf(['global', 'link', 'host'])],
  ['hostname vendor client bootfile provider options network', anything],
  ['hwaddr', mac],
);
const INET6 = table(
  ...BOTH,
  ['proto', oneOf(['auto', 'loopback', 'static', 'manual', 'dhcp', 'v4tunnel', '6to4'])],
  ['address broadcast gateway', ipv6],
  ['netmask', prefixLength],
  ['scope', wordOf(['global', 'site', 'link', 'host'])],
  ['privext accept_ra', numberOf(0, 1, 2)],
  ['dhcp autoconf', numberOf(0, 1)],
  ['media', anything],
  ['preferred-lifetime dad-attempts', whole],
  ['dad-interval', float],
);
const WIRELESS = table(
  ['wireless-essid wireless-mode wpa-conf wpa-driver wpa-group wpa-key-mgmt', anything],
  ['wpa-pairwise wpa-psk wpa-proto wpa-roam wpa-ssid', anything],
  ['wpa-ap-scan', numberOf(0, 1, 2)],
);

/** Whether it is an option that stanzas have, whatever the family. */
export function isStanzaOption(name: string): boolean {
  return INET.has(name) || INET6.has(name) || WIRELESS.has(name);
}

/**
 * Checks an option of a stanza; one that the family does not have is invalid, and keeps its value.
 * @throws ArgumentError for values of a type that the check cannot look at
 */
export function checkOption(name: string, value: Value, family: string): Checked {
  const own = family === 'inet' ? INET : family === 'inet6' ? INET6 : undefined;
  const check = own === undefined ? undefined : (own.get(name) ?? WIRELESS.get(name));
  return check === undefined ? { isValid: false, value } : check(value);
}
