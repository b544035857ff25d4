/** `dnsutil`: names and addresses. Follows 3006.16 salt/modules/dnsutil.py. */
import { lookup } from 'node:dns/promises';
import { CommandExecutionError } from '../../errors/errors.ts';
import { writeInPlace } from '../../host/file-operations.ts';
import { readTextIfExists } from '../../host/files.ts';
import { findProgram } from '../../host/which.ts';
import { pyInt } from '../../python/conversions.ts';
import { localTimeMs, strftime } from '../../python/text/strftime.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { noPath, param } from '../../runtime/loader/params.ts';
import { readZone } from './module/zone-file.ts';

const NEEDS_DIG = 'This function requires dig, which is not currently available';

const hasDig = (): boolean => findProgram('dig') !== undefined;

/** A function of `dig`, where the program is there. */
function byDig(ctx: ModuleContext, fun: string, args: readonly Value[]): Value | Promise<Value> {
  return hasDig() ? ctx.functions.call(`dig.${fun}`, args) : NEEDS_DIG;
}

async function addresses(
  ctx: ModuleContext,
  fun: 'A' | 'AAAA',
  host: string,
  nameserver: Value,
): Promise<Value> {
  if (hasDig()) return ctx.functions.call(`dig.${fun}`, [host, nameserver]);
  if (nameserver !== null) return NEEDS_DIG;
  try {
    const found = await lookup(host, { all: true, family: fun === 'A' ? 4 : 6 });
    return found.map(({ address }) => address);
  } catch {
    return `Unable to resolve ${host}`;
  }
}

const words = (line: string): string[] => line.split(/\s+/).filter((word) => word !== '');

function hostsIn(text: string): Dict {
  const found = new Map<Value, Value>();
  for (const line of splitLines(text)) {
    const [address, ...names] = line.startsWith('#') ? [] : words(line);
    if (address === undefined) continue;
    const known = found.get(address);
    found.set(address, [...(Array.isArray(known) ? known : []), ...names]);
  }
  return found;
}

function readHosts(path: string): Dict | undefined {
  const text = readTextIfExists(path);
  return text === undefined ? undefined : hostsIn(text);
}

function appendHost(path: string, address: string, entries: readonly string[]): string {
  const known = readHosts(path)?.get(address);
  // Salt compat: Salt takes names off the list that it goes through, and leaves every second one in.
  const missing = entries.filter((name) => !Array.isArray(known) || !known.includes(name));
  if (missing.length === 0) return `No additional hosts were added to ${path}`;
  const line = `\n${address} ${missing.join(' ')}`;
  writeInPlace(path, `${readTextIfExists(path) ?? ''}${line}`);
  return `The following line was added to ${path}:${line}`;
}

function removeHosts(path: string, entries: readonly string[]): void {
  const text = readTextIfExists(path);
  if (text === undefined) throw new CommandExecutionError(`[Errno 2] No such file or directory: '${path}'`);
  const lines = splitLines(text).flatMap((line) => {
    if (line === '' || line.trim().startsWith('#')) return [line];
    const [address = '', ...names] = words(line);
    const kept = names.filter((name) => !entries.includes(name));
    return kept.length === 0 ? [] : [[address, ...kept].join(' ')];
  });
  writeInPlace(path, lines.map((line) => `${line}\n`).join(''));
}

async function serial(ctx: ModuleContext, zone: string, isUpdated: boolean): Promise<Value> {
  const key = zone === '' ? 'dnsserial' : `dnsserial_${zone}`;
  const stored = await ctx.functions.call('grains.get', [key]);
  const present = strftime(localTimeMs(ctx.clock.nowMs()), '%Y%m%d01');
  if (!isUpdated) return truthy(stored) ? stored : present;
  const isLater = truthy(stored) && pyStr(stored) >= present;
  const current = isLater ? String(BigInt(pyInt(stored)) + 1n) : present;
  await ctx.functions.call('grains.setval', [key, current]);
  return current;
}

const HOSTSFILE = {
  hostsfile: param.textOnly(noPath, { default: '/etc/hosts', doc: 'The file.' }),
} as const;
const NAMESERVER = {
  nameserver: param.value({
    default: null,
    type: 'str',
    doc: 'The server to ask; without it that of the system.',
  }),
} as const;
const HOST = { host: param.text({ doc: 'The host.' }) } as const;
const DOMAIN = { domain: param.text({ doc: 'The domain.' }) } as const;
const ENTRIES = {
  entries: param.by((value) => (value === null ? [] : pyStr(value).split(',')), {
    default: null,
    type: 'str',
    doc: 'Names, with commas.',
  }),
} as const;

/** The module. */
export const dnsutilModule = defineModule({
  name: 'dnsutil',
  file: 'dnsutil',
  doc: 'Names and addresses: records, files of hosts and of zones.',
  words: {},
  functions: {
    parse_hosts: defineFunction({
      doc: 'Reads a file of hosts.',
      params: {
        hostsfile: param.text({ default: '/etc/hosts', doc: 'The file.' }),
        hosts: param.textIfGiven({ default: null, doc: 'The text, in place of a file.' }),
      },
      returns: 'mapping of address to list of names',
      words: { lines: ['hosts'] },
      examples: ["salt '*' dnsutil.parse_hosts"],
      run: (_ctx, { hostsfile, hosts }) =>
        hosts === undefined ? (readHosts(hostsfile) ?? 'Error: hosts data was not found') : hostsIn(hosts),
    }),
    hosts_append: defineFunction({
      doc: 'Adds a line to a file of hosts, with those names that its address does not have yet.',
      params: { ...HOSTSFILE, ip_addr: param.text({ default: null, doc: 'The address.' }), ...ENTRIES },
      returns: 'what was added',
      examples: ["salt '*' dnsutil.hosts_append /etc/hosts 127.0.0.1 ad1.example.com,ad2.example.com"],
      run: (_ctx, { hostsfile, ip_addr, entries }) => appendHost(hostsfile, ip_addr, entries),
    }),
    hosts_remove: defineFunction({
      doc: 'Removes names from a file of hosts, and lines that have no other.',
      params: { ...HOSTSFILE, ...ENTRIES },
      returns: 'none',
      examples: ["salt '*' dnsutil.hosts_remove /etc/hosts ad1.example.com"],
      run: (_ctx, { hostsfile, entries }) => {
        removeHosts(hostsfile, entries);
        return null;
      },
    }),
    parse_zone: defineFunction({
      doc: 'Reads the file of a zone.',
      params: {
        zonefile: param.textIfGiven({ default: null, doc: 'The file.' }),
        zone: param.textIfGiven({ default: null, doc: 'The text, in place of a file.' }),
      },
      returns: 'mapping of what the zone says',
      words: { lines: ['zone'] },
      examples: ["salt '*' dnsutil.parse_zone /var/lib/named/example.com.zone"],
      run: (_ctx, { zonefile, zone }) => {
        const text = (zonefile === undefined ? undefined : readTextIfExists(zonefile)) ?? zone ?? '';
        return text === '' ? 'Error: Zone data was not found' : readZone(text);
      },
    }),
    check_ip: defineFunction({
      doc: 'Returns whether a text is an address.',
      params: { ip_addr: param.value({ type: 'str', doc: 'The text.' }) },
      returns: 'true or false; a sentence where `dig` is missing',
      examples: ["salt '*' dnsutil.check_ip 127.0.0.1"],
      run: (ctx, { ip_addr }) => byDig(ctx, 'check_ip', [ip_addr]),
    }),
    A: defineFunction({
      doc: 'Returns the IPv4 addresses of a host; by the system where `dig` is missing and no server is given.',
      params: { ...HOST, ...NAMESERVER },
      returns: 'list of addresses',
      examples: ["salt '*' dnsutil.A www.example.com"],
      run: (ctx, { host, nameserver }) => addresses(ctx, 'A', host, nameserver),
    }),
    AAAA: defineFunction({
      doc: 'Returns the IPv6 addresses of a host; by the system where `dig` is missing and no server is given.',
      params: { ...HOST, ...NAMESERVER },
      returns: 'list of addresses',
      examples: ["salt '*' dnsutil.AAAA www.example.com"],
      run: (ctx, { host, nameserver }) => addresses(ctx, 'AAAA', host, nameserver),
    }),
    NS: defineFunction({
      doc: 'Returns the name servers of a domain.',
      params: {
        ...DOMAIN,
        resolve: param.value({ default: true, type: 'bool', doc: 'Their addresses, and not their names.' }),
        ...NAMESERVER,
      },
      returns: 'list of addresses or names',
      examples: ["salt '*' dnsutil.NS example.com"],
      run: (ctx, { domain, resolve, nameserver }) => byDig(ctx, 'NS', [domain, resolve, nameserver]),
    }),
    SPF: defineFunction({
      doc: 'Returns from where mail of a domain may come.',
      params: {
        ...DOMAIN,
        record: param.value({ default: 'SPF', type: 'str', doc: 'SPF or TXT.' }),
        ...NAMESERVER,
      },
      returns: 'list of addresses and networks',
      examples: ["salt '*' dnsutil.SPF example.com"],
      run: (ctx, { domain, record, nameserver }) => byDig(ctx, 'SPF', [domain, record, nameserver]),
    }),
    MX: defineFunction({
      doc: 'Returns which hosts take mail for a domain.',
      params: {
        ...DOMAIN,
        resolve: param.value({
          default: false,
          type: 'bool',
          doc: 'The first address of each, and not its name.',
        }),
        ...NAMESERVER,
      },
      returns: 'list of [preference, host]',
      examples: ["salt '*' dnsutil.MX example.com"],
      run: (ctx, { domain, resolve, nameserver }) => byDig(ctx, 'MX', [domain, resolve, nameserver]),
    }),
    serial: defineFunction({
      doc: 'Returns the serial number of a zone, which a grain keeps; with update the next one.',
      params: {
        zone: param.textOrEmpty({ default: '', doc: 'The zone.' }),
        update: param.flag({ default: false, doc: 'Count on, and keep the number.' }),
      },
      returns: 'the number: 2024013101',
      examples: ["salt '*' dnsutil.serial example.com"],
      run: (ctx, { zone, update }) => serial(ctx, zone, update),
    }),
  },
});
