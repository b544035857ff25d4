/**
 * What holds for the whole system: whether interfaces are configured at all, host name, domain, search list. Follows
 * 3006.16 salt/modules/debian_ip.py `build_network_settings`.
 */
import { existsSync } from 'node:fs';
import { writeInPlace } from '../../../../host/file-operations.ts';
import { PythonError } from '../../../../python/exceptions.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { strip } from '../../../../python/values/text.ts';
import { pyTypeName, truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import {
  fileLines,
  lowerKeys,
  pythonWords,
  settingError,
  SWITCH,
  switchOf,
  wrongNetworkSetting,
} from '../settings.ts';

/** Whether interfaces are configured at boot. */
const NETWORKING_FILE = '/etc/default/networking';
const HOSTNAME_FILE = '/etc/hostname';
const RESOLVER_FILE = '/etc/resolv.conf';

/** The settings of the whole system. */
export interface NetworkSettings {
  readonly networking: Value;
  readonly hostname: Value;
  readonly domain: Value;
  /** A list when it is what the resolver's file says. */
  readonly search: Value;
}

/** Ubuntu has no /etc/default/networking any more. */
export function isWithoutNetworkingFile(grains: Dict): boolean {
  const release = Number.parseInt(pyStr(grains.get('osrelease') ?? ''), 10);
  return grains.get('osfullname') === 'Ubuntu' && release >= 12;
}

/** The settings as the files have them. @throws PythonError (IndexError) for a line without a value */
export function currentSettings(): NetworkSettings {
  let networking = '';
  for (const line of fileLines(NETWORKING_FILE) ?? []) {
    if (!line.startsWith('CONFIGURE_INTERFACES')) continue;
    const at = line.indexOf('=');
    if (at < 0) throw new PythonError('IndexError', 'list index out of range');
    networking = strip(line.slice(at + 1));
  }
  return { networking, ...currentNames() };
}

/** Host name, domain and search list as the files have them. */
export function currentNames(): Omit<NetworkSettings, 'networking'> {
  let domain = '';
  let search: Value = [];
  for (const line of fileLines(RESOLVER_FILE) ?? []) {
    const [directive = '', ...rest] = pythonWords(line);
    const comment = rest.findIndex((word) => /^[#;]/.test(word));
    const words = comment < 0 ? rest : rest.slice(0, comment);
    if (directive.toLowerCase() === 'domain') domain = words[0] ?? domain;
    if (directive.toLowerCase() === 'search') search = words;
  }
  return { hostname: fileLines(HOSTNAME_FILE)?.[0]?.split('\n')[0] ?? '', domain, search };
}

/** The settings as lines to look at. */
export function settingsText({ networking, hostname, domain, search }: NetworkSettings): string {
  const named: readonly (readonly [string, Value])[] = [
    ['NETWORKING', networking],
    ['HOSTNAME', hostname],
    ['DOMAIN', domain],
    ['SEARCH', search],
  ];
  return named.map(([name, value]) => (truthy(value) ? `${name}=${pyStr(value)}\n` : '')).join('');
}

/**
 * What is asked for, over what there is.
 * @throws PythonError (AttributeError) for settings that cannot be
 */
export function wantedSettings(settings: Dict, current: NetworkSettings): NetworkSettings {
  const asked = lowerKeys(settings);
  const isOn = switchOf(asked.get('enabled') ?? (asked.has('enabled') ? null : current.networking));
  if (isOn === undefined) throw wrongNetworkSetting('networking', SWITCH);
  const given = asked.get('hostname') ?? (asked.has('hostname') ? null : current.hostname);
  if (!truthy(given)) throw wrongNetworkSetting('hostname', ['server1.example.com']);
  if (typeof given !== 'string') throw settingError(`'${pyTypeName(given)}' object has no attribute 'split'`);
  const dot = given.indexOf('.');
  const search = asked.get('search');
  return {
    networking: isOn ? 'yes' : 'no',
    hostname: dot < 0 ? given : given.slice(0, dot),
    domain: dot < 0 ? current.domain : given.slice(dot + 1),
    search: search === undefined || isSameSearch(search, current.search) ? current.search : search,
  };
}

/** Salt compat: Salt compares a text with a list, so that its state never comes to an end. */
function isSameSearch(wanted: Value, current: Value): boolean {
  return searchText(wanted) === searchText(current);
}

function searchText(search: Value): string {
  return Array.isArray(search) ? search.map(pyStr).join(' ') : pyStr(search);
}

function networkingText(networking: Value): string {
  return (
    '# Configuration for networking init script being run during\n# the boot sequence\n\n' +
    `# Set to 'no' to skip interfaces configuration on boot\nCONFIGURE_INTERFACES=${pyStr(networking)}\n\n` +
    "# Don't configure these interfaces. Shell wildcards supported/\n#EXCLUDE_INTERFACES=\n\n" +
    "# Set to 'yes' to enable additional verbosity\n#VERBOSE=no"
  );
}

/** Writes the file that says whether interfaces are configured. */
export function writeNetworking(networking: Value): void {
  writeInPlace(NETWORKING_FILE, networkingText(networking));
}

/**
 * Brings domain and search list into the resolver's file. Salt compat: Salt puts an empty line between all lines each
 * time, and a line that is not there is never added, so that its state never comes to an end.
 * @throws PythonError (AttributeError) where there is no such file
 */
export function writeResolver(wanted: NetworkSettings, current: NetworkSettings): void {
  if (wanted.domain === current.domain && isSameSearch(wanted.search, current.search)) return;
  const lines = fileLines(RESOLVER_FILE);
  if (lines === undefined || !existsSync(RESOLVER_FILE))
    throw settingError(
      `${RESOLVER_FILE} cannot be written. ${RESOLVER_FILE} does not exist and create is setto False`,
    );
  const texts = new Map([
    ['domain', pyStr(wanted.domain)],
    ['search', searchText(wanted.search)],
  ]);
  const changed = lines.map((line) => {
    const name = /^(domain|search)\s/.exec(line)?.[1];
    return name === undefined ? line : `${name} ${texts.get(name) ?? ''}\n`;
  });
  const added = [...texts]
    .filter(([name, text]) => text !== '' && !changed.some((line) => line.startsWith(`${name} `)))
    .map(([name, text]) => `${name} ${text}\n`);
  writeInPlace(RESOLVER_FILE, [...added, ...changed].join(''));
}
