/**
 * Keywords of networks (3006.16 salt/utils/dockermod/translate/network.py, salt/utils/dockermod/__init__.py
 * `create_ipam_config`).
 */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import {
  read,
  requireIp,
  requireSubnet,
  translate,
  wrong,
  type Reader,
  type TranslateChoice,
  type TranslateOptions,
  type Translator,
} from './translate.ts';

const POOL_ALIASES: ReadonlyMap<string, string> = new Map([
  ['ip_range', 'iprange'],
  ['aux_address', 'aux_addresses'],
]);
/** The fields of a pool of addresses, and what the daemon calls them. */
const POOL_FIELDS: ReadonlyMap<string, string> = new Map([
  ['subnet', 'Subnet'],
  ['iprange', 'IPRange'],
  ['gateway', 'Gateway'],
  ['aux_addresses', 'AuxiliaryAddresses'],
]);

const subnet: Reader = (value, { validates }) => {
  if (validates) requireSubnet(value);
  return pyStr(value);
};

const POOL_READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['subnet', subnet],
  ['iprange', subnet],
  [
    'gateway',
    (value, { validates }) => {
      if (validates) requireIp(value);
      return pyStr(value);
    },
  ],
  [
    'aux_addresses',
    (value, { validates }) => {
      const found = read.pairs('=')(value);
      if (validates) [...found.values()].forEach(requireIp);
      return found;
    },
  ],
]);

function pools(value: Value, options: TranslateOptions): Value {
  if (!Array.isArray(value) || !value.every(isDict))
    return wrong('ipam_pools must be a list of dictionaries');
  if (options.skipped.has('ipam_pools')) return value;
  return value.filter(isDict).map((pool) => {
    const out: Dict = new Map();
    for (const [given, item] of pool) {
      const name = pyStr(given);
      const key = options.skipped.has(name) ? name : (POOL_ALIASES.get(name) ?? name);
      const reader = options.skipped.has(name) ? undefined : POOL_READERS.get(key);
      out.set(key, reader === undefined ? item : reader(item, { ...options, validates: true }));
    }
    return out;
  });
}

const NETWORK: Translator = {
  aliases: new Map([
    ['driver_opt', 'options'],
    ['driver_opts', 'options'],
    ['ipv6', 'enable_ipv6'],
    ...POOL_ALIASES,
  ]),
  readers: new Map<string, Reader>([
    ['driver', read.text],
    ['options', read.pairs('=')],
    ['ipam', read.mapping],
    ['check_duplicate', read.flag],
    ['internal', read.flag],
    ['labels', read.labels],
    ['enable_ipv6', read.flag],
    ['attachable', read.flag],
    ['ingress', read.flag],
    ['ipam_driver', read.text],
    ['ipam_opts', read.pairs('=')],
    ['ipam_pools', pools],
    ...POOL_READERS,
  ]),
  finish: (keywords) => {
    if (!keywords.has('check_duplicate')) keywords.set('check_duplicate', true);
  },
};

/** Keywords of a network as the daemon takes them. @throws CommandExecutionError */
export function networkInput(keywords: Dict, choice: TranslateChoice): Dict {
  return translate(NETWORK, keywords, choice);
}

function poolConfig(given: Dict): Dict {
  const out = dict();
  for (const [name, field] of POOL_FIELDS) {
    const value = given.get(name) ?? null;
    if (value !== null) out.set(field, value);
  }
  if (!out.has('Subnet')) throw new SaltInvocationError('A subnet is required in each IPAM pool');
  return out;
}

const IPAM_KEYS = ['ipam', 'ipam_driver', 'ipam_opts', 'ipam_pools', ...POOL_FIELDS.keys()];

/** Takes what is said about addresses out of the keywords. */
export function takeIpam(keywords: Dict): Dict {
  const taken = new Map([...keywords].filter(([key]) => IPAM_KEYS.includes(pyStr(key))));
  for (const key of taken.keys()) keywords.delete(key);
  return taken;
}

/** What is said about addresses as the daemon takes it. @throws SaltInvocationError for a pool without a subnet */
export function ipamConfig(given: Dict): Dict {
  const listed = given.get('ipam_pools');
  const own: Dict = new Map([...given].filter(([key]) => POOL_FIELDS.has(pyStr(key))));
  const all = [...(own.size > 0 ? [own] : []), ...(Array.isArray(listed) ? listed.filter(isDict) : [])];
  const out = dict({ Driver: given.get('ipam_driver') ?? 'default', Config: all.map(poolConfig) });
  const options = given.get('ipam_opts');
  return isDict(options) && options.size > 0 ? out.set('Options', options) : out;
}
