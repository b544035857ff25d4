/**
 * An interface's stanzas, made from the settings of a state. Follows 3006.16 salt/modules/debian_ip.py
 * `_parse_settings_eth`.
 */
import { pyStr } from '../../../../python/values/repr.ts';
import { toNumber, truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import { addOffloads, cardOptions, settingError, SWITCH, switchOf, wrongOption } from '../settings.ts';
import { bondSettings } from './bond.ts';
import { bridgeSettings } from './bridge.ts';
import { CARD_OPTIONS } from './card.ts';
import type { Adapter } from './interfaces-file.ts';
import { checkOption, FAMILIES, type Family } from './options.ts';

/** An interface and its settings. */
export interface Wanted {
  readonly iface: string;
  readonly type: string;
  readonly isEnabled: boolean;
  readonly settings: Dict;
}

/** Options that are of IPv4 unless their names say otherwise. */
const OF_IPV4 = new Set(['ipaddr', 'address', 'ipaddresses', 'addresses', 'gateway', 'proto']);
/** Salt's names of options, and the file's. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['dns', 'dns-nameservers'],
  ['search', 'dns-search'],
  ['hwaddr', 'hwaddress'],
  ['ipaddr', 'address'],
  ['ipaddrs', 'addresses'],
]);
const PPP_OPTIONS = (
  'user password provider pppoe_iface noipdefault usepeerdns defaultroute holdoff maxfail hide-password lcp-echo-interval ' +
  'lcp-echo-failure connect noauth persist mtu noaccomp linkname'
).split(' ');
const PPP_SWITCHES = new Set([
  'noipdefault',
  'usepeerdns',
  'defaultroute',
  'hide-password',
  'noauth',
  'persist',
  'noaccomp',
]);

/**
 * The stanzas of an interface.
 * @throws PythonError (AttributeError) for settings that cannot be, ArgumentError for values of other types
 */
export function interfaceStanzas(wanted: Wanted, grains: Dict): Adapter {
  const { type, isEnabled } = wanted;
  const families = new Map<string, Dict>(FAMILIES.map((family) => [family, new Map()]));
  const settings = new Map(wanted.settings);
  const isVlanOfIpv6 = truthy(settings.get('enable_ipv6')) && settings.get('iface_type') === 'vlan';
  if (isVlanOfIpv6) families.get('inet6')?.set('vlan_raw_device', rawDevice(wanted.iface));
  for (const [family, options] of families) addKind(options, family, { ...wanted, settings }, grains);
  if (type === 'slave') settings.set('proto', 'manual');
  settings.delete('mode');
  for (const [name, value] of settings) addOption(families, pyStr(name), value);
  for (const [family, switched] of [
    ['inet', 'enable_ipv4'],
    ['inet6', 'enable_ipv6'],
  ] as const)
    if (settings.get(switched) === false || families.get(family)?.get('addrfam') !== family)
      families.delete(family);
  return {
    families,
    ...(isEnabled ? { enabled: true } : {}),
    ...(truthy(settings.get('hotplug')) ? { hotplug: true } : {}),
  };
}

const rawDevice = (iface: string): string => iface.replace(/\.\d*/g, '');

/** What belongs to the kind of interface. */
function addKind(options: Dict, family: string, { iface, type, settings }: Wanted, grains: Dict): void {
  if (type !== 'bridge') {
    const card = cardOptions(settings, iface);
    addOffloads(card, settings, iface);
    if (card.size > 0)
      options.set(
        'ethtool',
        new Map([...card].map(([key, value]) => [CARD_OPTIONS.get(pyStr(key)) ?? key, value])),
      );
  }
  if (type === 'eth') return;
  if (type === 'bridge') {
    const bridging = bridgeSettings(settings, iface);
    if (bridging.size === 0) return;
    options.set('bridging', bridging);
  } else if (type === 'bond') {
    const bonding = bondSettings(settings, iface, knowsCarrier(grains));
    options.set('bonding', bonding.set('slaves', settings.get('slaves') ?? null));
  } else if (type === 'slave') options.set('master', settings.get('master') ?? null);
  else if (type === 'vlan') options.set('vlan_raw_device', rawDevice(iface));
  else if (type === 'pppoe') addPpp(options, settings, iface);
  options.set('addrfam', family);
}

/** Ubuntu 16 and later takes no `use_carrier` for an active backup. */
export function knowsCarrier(grains: Dict): boolean {
  const release = grains.get('osrelease_info');
  const major = Array.isArray(release) ? (toNumber(release[0]) ?? 0) : 0;
  return !(grains.get('os') === 'Ubuntu' && major >= 16);
}

function addPpp(options: Dict, settings: Dict, iface: string): void {
  const provider = settings.get('provider');
  if (provider !== undefined && !truthy(provider)) throw wrongOption(iface, 'provider', SWITCH);
  for (const name of PPP_OPTIONS) {
    const value = settings.get(name);
    if (value === undefined) continue;
    const isOn = PPP_SWITCHES.has(name) ? switchOf(value) : undefined;
    if (PPP_SWITCHES.has(name) && isOn === undefined) throw wrongOption(iface, name, SWITCH);
    options.set(name, isOn === undefined ? value : isOn ? 'True' : 'False');
  }
}

/** One option, in the families whose stanzas may have it. */
function addOption(families: ReadonlyMap<string, Dict>, given: string, value: Value): void {
  const said: Family | undefined = given.startsWith('ipv4')
    ? 'inet'
    : given.startsWith('ipv6')
      ? 'inet6'
      : OF_IPV4.has(given)
        ? 'inet'
        : undefined;
  if (said !== undefined) families.get(said)?.set('addrfam', said);
  const bare = /^ipv[46]/.test(given) ? given.slice(4) : given;
  const name = NAMES.get(bare) ?? bare;
  const key = name.replaceAll('-', '_');
  for (const [family, options] of families) {
    const checked = checkOption(name, value, family);
    if (!checked.isValid) continue;
    if (said === family || (said === undefined && !options.has(key))) options.set(key, checked.value);
  }
}

/** A stanza that names a file to read. @throws PythonError (AttributeError) without one */
export function sourceStanza(settings: Dict): Adapter {
  const source = settings.get('source');
  // Salt compat: Salt ends with a KeyError.
  if (source === undefined) throw settingError('source is a required setting for source interfaces');
  return { isSource: true, sources: [source] };
}

/** The file of a connection over PPPoE, as Salt's template writes it; nothing without a user. */
export function pppText(options: Dict): string {
  const given = (name: string): string | undefined => {
    const value = options.get(name);
    return value === undefined ? undefined : pyStr(value);
  };
  if (!truthy(options.get('user'))) return '';
  const flag = (name: string, tail = ''): string => (given(name) === 'False' ? '' : `${name}${tail}`);
  const number = (name: string, fallback: string, tail = ''): string =>
    given(name) === '' ? '' : `${name} ${given(name) ?? fallback}${tail}`;
  const lines = [
    `user ${given('user') ?? ''}`,
    truthy(options.get('password')) ? `password ${given('password') ?? ''} ` : '',
    `plugin rp-pppoe.so ${given('pppoe_iface') ?? 'eth0'}`,
    '',
    flag('noipdefault'),
    flag('usepeerdns', ' '),
    flag('defaultroute'),
    '',
    number('holdoff', '15'),
    number('maxfail', '0'),
    '',
    flag('hide-password'),
    number('lcp-echo-interval', '20', ' '),
    number('lcp-echo-failure', '3', ' '),
    '',
    flag('noauth'),
    flag('persist'),
    number('mtu', '1492', ' '),
    flag('noaccomp'),
    '',
  ];
  const link = given('linkname');
  return `${lines.join('\n')}\n${link === undefined ? '' : `\nlinkname ${link}\n`}\n`;
}
