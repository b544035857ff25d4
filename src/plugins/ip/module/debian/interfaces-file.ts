/**
 * Reading and writing the stanzas of /etc/network/interfaces. Follows 3006.16 salt/modules/debian_ip.py and its
 * templates.
 */
import { existsSync, statSync } from 'node:fs';
import { listFolder, readBytes } from '../../../../host/file-operations.ts';
import { PythonError } from '../../../../python/exceptions.ts';
import { compareText } from '../../../../python/values/order.ts';
import { pyRepr, pyStr } from '../../../../python/values/repr.ts';
import { lstrip, rstrip, strip } from '../../../../python/values/text.ts';
import { isDict, isFloat, isInt, truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import { linesOf, pythonWords, settingError } from '../settings.ts';
import { CARD_WORDS } from './card.ts';
import { checkOption, FAMILIES, isStanzaOption } from './options.ts';

/** The file. */
export const INTERFACES_FILE = '/etc/network/interfaces';
/** What is read besides it. */
export const INTERFACES_FOLDER = '/etc/network/interfaces.d/';

/** What the file says of one interface. */
export interface Adapter {
  enabled?: boolean;
  hotplug?: boolean;
  /** Its options by family (`inet`, `inet6`, others that are not written again); nothing where it has no stanza. */
  families?: Map<string, Dict>;
  /** Files that lines with `source` name. */
  sources?: Value[];
  /** Of the type `source`: nothing but lines with `source`. */
  isSource?: boolean;
}

/** Interfaces by name, in the order of the file. */
export type Adapters = Map<string, Adapter>;

/** The name under which lines with `source` are kept. */
const SOURCE = 'source';
const COMMANDS = ['up', 'pre-up', 'post-up', 'down', 'pre-down', 'post-down'];

/** Options that are written, in this order; others are not. */
const WRITTEN = (
  'autoconf privext dhcp hwaddress vlan_raw_device address addresses netmask metric gateway pointopoint scope hostname media ' +
  'leasehours leasetime vendor client bootfile server mode endpoint dstaddr local ttl mtu provider unit options master ' +
  'dns_nameservers wireless_mode wpa_ap_scan wpa_conf wpa_driver wpa_group wpa_key_mgmt wpa_pairwise wpa_proto wpa_psk ' +
  'wpa_roam wpa_ssid accept_ra'
).split(' ');
const WORDS: ReadonlyMap<string, string> = new Map([
  ['addresses', 'address'],
  ['master', 'bond-master'],
  ['accept_ra', 'accept_ra'],
]);

/** The interfaces of all files. @throws PythonError for files that cannot be understood */
export function readInterfacesFiles(): Adapters {
  const files = existsSync(INTERFACES_FOLDER)
    ? listFolder(INTERFACES_FOLDER).map((name) => INTERFACES_FOLDER + name)
    : [];
  if (statSync(INTERFACES_FILE, { throwIfNoEntry: false })?.isFile() === true) files.unshift(INTERFACES_FILE);
  const adapters: Adapters = new Map();
  for (const file of files) parseFile(adapters, readBytes(file).toString('utf8'));
  for (const [name, { families }] of adapters)
    if (name !== SOURCE && families === undefined) adapters.delete(name);
  return adapters;
}

function parseFile(adapters: Adapters, text: string): void {
  let options: Dict = new Map();
  let family = '';
  for (const line of linesOf(text.replace(/\r\n?/g, '\n'))) {
    const bare = strip(line);
    if (bare === '' || lstrip(line).startsWith('#')) continue;
    if (line.startsWith('iface')) [family, options] = openStanza(adapters, line);
    else if (lstrip(line) !== line) readOption(options, line, family);
    else if (line.startsWith('auto')) for (const each of namedIn(adapters, line)) each.enabled = true;
    else if (line.startsWith('allow-hotplug'))
      for (const each of namedIn(adapters, line)) each.hotplug = true;
    else if (line.startsWith(SOURCE)) {
      const source = adapterOf(adapters, SOURCE);
      (source.sources ??= []).push(wordAt(pythonWords(line), 1));
    }
  }
}

function adapterOf(adapters: Adapters, name: string): Adapter {
  const known = adapters.get(name);
  if (known !== undefined) return known;
  const fresh: Adapter = {};
  adapters.set(name, fresh);
  return fresh;
}

function namedIn(adapters: Adapters, line: string): Adapter[] {
  return pythonWords(line)
    .slice(1)
    .map((name) => adapterOf(adapters, name));
}

/** @throws PythonError where there are too few words */
function wordAt(words: readonly string[], at: number): string {
  const word = words[at];
  if (word === undefined) throw new PythonError('IndexError', 'list index out of range');
  return word;
}

function openStanza(adapters: Adapters, line: string): [family: string, options: Dict] {
  const words = pythonWords(line);
  const [, name, family, method] = words;
  if (words.length !== 4 || name === undefined || family === undefined || method === undefined)
    throw settingError(`Interface file malformed: ${pyRepr(words)}.`);
  const families = (adapterOf(adapters, name).families ??= new Map<string, Dict>());
  const options = families.get(family) ?? new Map<Value, Value>();
  families.set(family, options);
  options.set('addrfam', family).set('proto', method);
  return [family, options];
}

/** One line below a stanza; what nobody knows is left out. */
function readOption(options: Dict, line: string, family: string): void {
  const [, name = '', rest] = /^(\S+)\s+([^]*)$/.exec(strip(rstrip(line))) ?? [, strip(line), undefined];
  if (rest === undefined)
    throw new PythonError('ValueError', 'not enough values to unpack (expected 2, got 1)');
  if (isStanzaOption(name)) {
    const { value } = checkOption(name, rest, family);
    const key = name.replaceAll('-', '_');
    if (key === 'address' && options.has('address')) listIn(options, 'addresses').push(value);
    else options.set(key, value);
  } else if (CARD_WORDS.has(name)) mappingIn(options, 'ethtool').set(name, rest);
  else if (name.startsWith('bond')) mappingIn(options, 'bonding').set(wordAt(split(name), 1), rest);
  else if (name.startsWith('bridge')) mappingIn(options, 'bridging').set(wordAt(split(name), 1), rest);
  else if (COMMANDS.includes(name)) listIn(options, `${name.replaceAll('-', '_')}_cmds`).push(rest);
}

function split(name: string): string[] {
  const at = name.search(/[_-]/);
  return at < 0 ? [name] : [name.slice(0, at), name.slice(at + 1)];
}

function mappingIn(options: Dict, key: string): Dict {
  const known = options.get(key);
  if (isDict(known)) return known;
  const fresh: Dict = new Map();
  options.set(key, fresh);
  return fresh;
}

function listIn(options: Dict, key: string): Value[] {
  const known = options.get(key);
  if (Array.isArray(known)) return known;
  const fresh: Value[] = [];
  options.set(key, fresh);
  return fresh;
}

/** The lines that name other files. */
export function sourceText({ sources = [] }: Adapter): string {
  return sources.map((source) => `\nsource ${pyStr(source)}\n`).join('');
}

/**
 * The stanzas of one interface as Salt's template writes them. What it does not write is lost: commands (`up`, `pre-up`
 * …), search domains, options that are given as numbers for a bond, a bridge or a card.
 */
export function stanzaText(name: string, { enabled, hotplug, families }: Adapter): string {
  const head = `${enabled === true ? `auto ${name}\n` : ''}${hotplug === true ? `allow-hotplug ${name}\n` : ''}`;
  const stanzas = FAMILIES.map((family) => {
    const options = families?.get(family);
    if (options?.get('addrfam') !== family || !truthy(options.get('proto'))) return '';
    const lines = WRITTEN.map((option) => optionText(option, options.get(option)));
    return (
      `iface ${name} ${family} ${pyStr(options.get('proto') ?? null)}\n${lines.join('')}` +
      partText(options.get('ethtool'), '') +
      partText(options.get('bonding'), 'bond-') +
      partText(options.get('bridging'), 'bridge_')
    );
  });
  return head + stanzas.join('');
}

function optionText(option: string, value: Value | undefined): string {
  if (value === undefined || !truthy(value)) return '';
  const word = WORDS.get(option) ?? option.replaceAll('_', '-');
  const items = itemsOf(value);
  if (items !== undefined && option === 'dns_nameservers')
    return `    ${word} ${items.map(pyStr).join(' ')}\n`;
  if (typeof value === 'string' || typeof value === 'boolean' || isInt(value) || isFloat(value))
    return `    ${word} ${pyStr(value)}\n`;
  return (items ?? []).map((item) => `    ${word} ${pyStr(item)}\n`).join('');
}

/** Options of a card, a bond or a bridge, sorted; numbers among them are left out, as by Salt. */
function partText(part: Value | undefined, prefix: string): string {
  if (!isDict(part)) return '';
  return [...part]
    .map(([key, value]): [string, Value] => [pyStr(key), value])
    .sort(([a], [b]) => compareText(a, b))
    .map(([key, value]) => {
      if (typeof value === 'string') return `    ${prefix}${key} ${value}\n`;
      const items = itemsOf(value);
      return items === undefined ? '' : `    ${prefix}${key} ${items.map(pyStr).join(' ')}\n`;
    })
    .join('');
}

function itemsOf(value: Value): Value[] | undefined {
  if (Array.isArray(value)) return value;
  return isDict(value) ? [...value.keys()] : undefined;
}
