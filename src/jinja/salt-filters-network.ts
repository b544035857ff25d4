/** Salt's filters on addresses (3006.16 salt/utils/network.py, after Python's `ipaddress`). */
import {
  isInNetwork,
  parseIpAddress,
  parseIpNetwork,
  type IpAddress,
  type IpNetwork,
} from '../targeting/ip-network.ts';
import { PyRaised, valueError } from './errors.ts';
import type { FilterEntry } from './filters-text.ts';
import { typeName, PyIterator, type TValue } from './model.ts';
import { iter } from './operators.ts';
import { repr, str } from './text-of.ts';

/** An address, with the prefix it was written with. */
interface Interface {
  readonly address: IpAddress;
  readonly prefixLength: number | undefined;
}

/** Hosts of networks beyond this number are not listed: the list would fill the memory. */
const HOSTS_MAX = 1 << 20;

function parseInterface(text: string): Interface | undefined {
  const slash = text.indexOf('/');
  const address = parseIpAddress(slash < 0 ? text : text.slice(0, slash));
  if (!address) return undefined;
  if (slash < 0) return { address, prefixLength: undefined };
  const zero = address.family === 4 ? '0.0.0.0' : '::';
  const prefixLength = parseIpNetwork(`${zero}/${text.slice(slash + 1)}`)?.prefixLength;
  return prefixLength === undefined ? undefined : { address, prefixLength };
}

function networks(list: string): readonly IpNetwork[] {
  return list.split(' ').map((text) => parseIpNetwork(text) as IpNetwork);
}

const PRIVATE = networks(
  '0.0.0.0/8 10.0.0.0/8 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/29 192.0.0.170/31 192.0.2.0/24 192.168.0.0/16 ' +
    '198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4 255.255.255.255/32 ::1/128 ::/128 ::ffff:0:0/96 100::/64 ' +
    '2001::/23 2001:2::/48 2001:db8::/32 2001:10::/28 fc00::/7 fe80::/10',
);
const RESERVED = networks(
  '240.0.0.0/4 ::/8 100::/8 200::/7 400::/6 800::/5 1000::/4 4000::/3 6000::/3 8000::/3 a000::/3 c000::/3 e000::/4 f000::/5 f800::/6 fe00::/9',
);
const within =
  (list: readonly IpNetwork[]) =>
  (address: IpAddress): boolean =>
    list.some((network) => isInNetwork(address, network));
const isPrivate = within(PRIVATE);
const isGlobal = (address: IpAddress): boolean => !isPrivate(address);
const isLinkLocal = within(networks('169.254.0.0/16 fe80::/10'));
const isLoopback = within(networks('127.0.0.0/8 ::1/128'));
const isSiteLocal = within(networks('fec0::/10'));

const OPTIONS: ReadonlyMap<string, (address: IpAddress) => boolean> = new Map([
  ['global', isGlobal],
  ['link-local', isLinkLocal],
  ['linklocal', isLinkLocal],
  ['ll', isLinkLocal],
  ['link_local', isLinkLocal],
  ['loopback', isLoopback],
  ['lo', isLoopback],
  ['multicast', within(networks('224.0.0.0/4 ff00::/8'))],
  ['private', isPrivate],
  ['public', isGlobal],
  ['reserved', within(RESERVED)],
  ['site-local', isSiteLocal],
  ['sl', isSiteLocal],
  ['site_local', isSiteLocal],
  ['unspecified', (address) => address.bytes.every((byte) => byte === 0)],
]);

/** An address as Python prints it. */
function addressText({ family, bytes, scope }: IpAddress): string {
  if (family === 4) return bytes.join('.');
  const words = Array.from(
    { length: 8 },
    (_, i) => ((bytes[i * 2] as number) << 8) | (bytes[i * 2 + 1] as number),
  );
  let best = { at: -1, length: 1 };
  for (let i = 0; i < 8; i++) {
    let length = 0;
    while (i + length < 8 && words[i + length] === 0) length++;
    if (length > best.length) best = { at: i, length };
  }
  const hex = (list: readonly number[]): string => list.map((word) => word.toString(16)).join(':');
  const text =
    best.at < 0 ? hex(words) : `${hex(words.slice(0, best.at))}::${hex(words.slice(best.at + best.length))}`;
  return scope === undefined ? text : `${text}%${scope}`;
}

const interfaceText = ({ address, prefixLength }: Interface): string =>
  prefixLength === undefined ? addressText(address) : `${addressText(address)}/${prefixLength}`;

/** The address when it is of the version and passes the options; null otherwise. */
function filtered(value: TValue, version: number, options: TValue): string | null {
  const found = typeof value === 'string' ? parseInterface(value) : undefined;
  if (!found || found.address.family !== version) return null;
  if (typeof options === 'string') {
    const wanted = options.split(',').map((option) => option.trim());
    for (const [option, test] of OPTIONS) if (wanted.includes(option) && !test(found.address)) return null;
  }
  return interfaceText(found);
}

const isList = (value: TValue): boolean => Array.isArray(value) || value instanceof PyIterator;

function ofVersion(value: TValue, version: number, options: TValue): TValue {
  if (typeof value === 'string') return filtered(value, version, options);
  if (!isList(value)) return null;
  return [...iter(value)].map((item) => filtered(item, version, options)).filter((item) => item !== null);
}

function ofAny(value: TValue, options: TValue): TValue {
  const [four, six] = [ofVersion(value, 4, options), ofVersion(value, 6, options)];
  if (Array.isArray(four) && Array.isArray(six)) return [...four, ...six];
  return four ?? six;
}

type PerAddress = (found: Interface) => TValue;

/** What ip_host, network_hosts and network_size share: one answer, or one for each of a list. */
function each(apply: PerAddress): FilterEntry[2] {
  return ([value, options, version]) => {
    const kept =
      version === 4 || version === 6
        ? ofVersion(value as TValue, version, options as TValue)
        : ofAny(value as TValue, options as TValue);
    const list = Array.isArray(kept) ? kept : kept === null ? [] : [kept];
    const answers = list.map((text) => apply(parseInterface(str(text)) as Interface));
    if (list.length === 0) return null;
    return isList(value as TValue) ? answers : (answers[0] as TValue);
  };
}

const bitsOf = (address: IpAddress): number => address.bytes.length * 8;
const numberOfBytes = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);

function toAddress(number: bigint, family: 4 | 6): IpAddress {
  const hex = number.toString(16).padStart(family === 4 ? 8 : 32, '0');
  return { family, bytes: Uint8Array.from(Buffer.from(hex, 'hex')), scope: undefined };
}

const sizeOf = ({ address, prefixLength }: Interface): bigint =>
  1n << BigInt(bitsOf(address) - (prefixLength ?? bitsOf(address)));

function hosts(found: Interface): TValue {
  const { family, bytes } = found.address;
  const size = sizeOf(found);
  if (size > BigInt(HOSTS_MAX)) throw new PyRaised('OverflowError', 'the network has too many hosts to list');
  const base = numberOfBytes(bytes) & ~(size - 1n);
  const first = size <= 2n ? 0n : 1n;
  const last = size <= 2n || family === 6 ? size : size - 1n;
  const out: TValue[] = [];
  for (let i = first; i < last; i++) out.push(addressText(toAddress(base + i, family)));
  return out;
}

function size(found: Interface): TValue {
  const count = sizeOf(found);
  return count <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(count) : count;
}

const host: PerAddress = (found) =>
  interfaceText({ address: found.address, prefixLength: found.prefixLength ?? bitsOf(found.address) });

function filterByNetworks([values, given]: TValue[]): TValue {
  if (given === null) return values as TValue;
  const list = [...iter(given as TValue)].map((item) => {
    const network = parseIpNetwork(str(item));
    if (!network) throw valueError(`${repr(item)} does not appear to be an IPv4 or IPv6 network`);
    return network;
  });
  const keep = (items: TValue): TValue[] =>
    [...iter(items)].flatMap((item) => {
      const address = parseIpAddress(str(item));
      if (!address) throw valueError(`${repr(item)} does not appear to be an IPv4 or IPv6 address`);
      return list.filter((network) => isInNetwork(address, network)).map(() => item);
    });
  if (values instanceof Map) return new Map([...values].map(([key, items]) => [key, keep(items)]));
  if (Array.isArray(values)) return keep(values);
  throw valueError(`Do not know how to filter a <class '${typeName(values as TValue)}'>`);
}

function wrapped(value: TValue): TValue {
  const isSix = filtered(value, 6, null) !== null;
  return isSix && typeof value === 'string' ? `[${value.replace(/^\[|\]$/g, '')}]` : value;
}

export const NETWORK_FILTERS: readonly FilterEntry[] = [
  [
    'is_ip',
    [['options', null]],
    ([v, options]) =>
      filtered(v as TValue, 4, options as TValue) !== null ||
      filtered(v as TValue, 6, options as TValue) !== null,
  ],
  ['is_ipv4', [['options', null]], ([v, options]) => filtered(v as TValue, 4, options as TValue) !== null],
  ['is_ipv6', [['options', null]], ([v, options]) => filtered(v as TValue, 6, options as TValue) !== null],
  ['ipv4', [['options', null]], ([v, options]) => ofVersion(v as TValue, 4, options as TValue)],
  ['ipv6', [['options', null]], ([v, options]) => ofVersion(v as TValue, 6, options as TValue)],
  ['ipaddr', [['options', null]], ([v, options]) => ofAny(v as TValue, options as TValue)],
  [
    'ip_host',
    [
      ['options', null],
      ['version', null],
    ],
    each(host),
  ],
  [
    'network_hosts',
    [
      ['options', null],
      ['version', null],
    ],
    each(hosts),
  ],
  [
    'network_size',
    [
      ['options', null],
      ['version', null],
    ],
    each(size),
  ],
  ['filter_by_networks', ['networks'], filterByNetworks],
  ['ipwrap', [], ([v]) => (Array.isArray(v) ? v.map(wrapped) : wrapped(v as TValue))],
];
