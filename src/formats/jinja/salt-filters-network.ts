/** Salt's filters on addresses (3006.16 salt/utils/network.py, after Python's `ipaddress`). */
import { PythonError } from '../../python/exceptions.ts';
import { PyObject } from '../../python/values/value.ts';
import {
  addressNumber,
  addressOfNumber,
  ipAddressText,
  isInNetwork,
  networkSize,
  parseIpAddress,
  parseIpInterface,
  parseIpNetwork,
  type IpAddress,
  type IpNetwork,
} from '../../python/ipaddress.ts';
import {
  isLinkLocal,
  isLoopback,
  isMulticast,
  isPrivate,
  isReserved,
  isSiteLocal,
  isUnspecified,
} from '../../python/ipaddress-kinds.ts';
import { valueError } from './errors.ts';
import { typeName, PyIterator, type TValue } from './model.ts';
import { iter } from './operators.ts';
import { repr, str } from './text-of.ts';
import { bound, type BoundBody, type Entry, type Values } from './bind.ts';

/** Hosts of networks beyond this number are not listed: the list would fill the memory. */
const HOSTS_MAX = 1 << 20;

const isGlobal = (address: IpAddress): boolean => !isPrivate(address);

const OPTIONS: ReadonlyMap<string, (address: IpAddress) => boolean> = new Map([
  ['global', isGlobal],
  ['link-local', isLinkLocal],
  ['linklocal', isLinkLocal],
  ['ll', isLinkLocal],
  ['link_local', isLinkLocal],
  ['loopback', isLoopback],
  ['lo', isLoopback],
  ['multicast', isMulticast],
  ['private', isPrivate],
  ['public', isGlobal],
  ['reserved', isReserved],
  ['site-local', isSiteLocal],
  ['sl', isSiteLocal],
  ['site_local', isSiteLocal],
  ['unspecified', isUnspecified],
]);

/** An address with the prefix it was written with. */
const interfaceText = ({ address, prefixLength }: IpNetwork): string =>
  prefixLength === undefined ? ipAddressText(address) : `${ipAddressText(address)}/${prefixLength}`;

/** The address when it is of the version and passes the options; null otherwise. */
function filtered(value: TValue, version: number, options: TValue): string | null {
  // as Python's ipaddress takes its own objects
  const text = value instanceof PyObject && value.title.startsWith('ipaddress.') ? value.str : value;
  const found = typeof text === 'string' ? parseIpInterface(text) : undefined;
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

type PerAddress = (found: IpNetwork) => TValue;

/** What ip_host, network_hosts and network_size share: one answer, or one for each of a list. */
function each(apply: PerAddress): BoundBody<3> {
  return ([value, options, version]) => {
    const kept = version === 4 || version === 6 ? ofVersion(value, version, options) : ofAny(value, options);
    const list = Array.isArray(kept) ? kept : kept === null ? [] : [kept];
    const answers = list.map((text) => apply(parseIpInterface(str(text)) as IpNetwork));
    if (list.length === 0) return null;
    return isList(value) ? answers : (answers[0] as TValue);
  };
}

const bitsOf = (address: IpAddress): number => address.bytes.length * 8;

function hosts(found: IpNetwork): TValue {
  const { family } = found.address;
  const size = networkSize(found);
  if (size > BigInt(HOSTS_MAX))
    throw new PythonError('OverflowError', 'the network has too many hosts to list');
  const base = addressNumber(found.address) & ~(size - 1n);
  const first = size <= 2n ? 0n : 1n;
  const last = size <= 2n || family === 6 ? size : size - 1n;
  const out: TValue[] = [];
  for (let i = first; i < last; i++) out.push(ipAddressText(addressOfNumber(base + i, family)));
  return out;
}

function size(found: IpNetwork): TValue {
  const count = networkSize(found);
  return count <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(count) : count;
}

const host: PerAddress = (found) =>
  interfaceText({ address: found.address, prefixLength: found.prefixLength ?? bitsOf(found.address) });

function filterByNetworks([values, given]: Values<2>): TValue {
  if (given === null) return values;
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
  throw valueError(`Do not know how to filter a <class '${typeName(values)}'>`);
}

function wrapped(value: TValue): TValue {
  const isSix = filtered(value, 6, null) !== null;
  return isSix && typeof value === 'string' ? `[${value.replace(/^\[|\]$/g, '')}]` : value;
}

export const NETWORK_FILTERS: readonly Entry[] = [
  bound(
    'is_ip',
    [['options', null]],
    ([v, options]) => filtered(v, 4, options) !== null || filtered(v, 6, options) !== null,
  ),
  bound('is_ipv4', [['options', null]], ([v, options]) => filtered(v, 4, options) !== null),
  bound('is_ipv6', [['options', null]], ([v, options]) => filtered(v, 6, options) !== null),
  bound('ipv4', [['options', null]], ([v, options]) => ofVersion(v, 4, options)),
  bound('ipv6', [['options', null]], ([v, options]) => ofVersion(v, 6, options)),
  bound('ipaddr', [['options', null]], ([v, options]) => ofAny(v, options)),
  bound(
    'ip_host',
    [
      ['options', null],
      ['version', null],
    ],
    each(host),
  ),
  bound(
    'network_hosts',
    [
      ['options', null],
      ['version', null],
    ],
    each(hosts),
  ),
  bound(
    'network_size',
    [
      ['options', null],
      ['version', null],
    ],
    each(size),
  ),
  bound('filter_by_networks', ['networks'], filterByNetworks),
  bound('ipwrap', [], ([v]) => (Array.isArray(v) ? v.map(wrapped) : wrapped(v as TValue))),
];
