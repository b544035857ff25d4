/** The `dns` grain: the resolver's configuration (salt/grains/core.py, salt/utils/dns.py). */
import {
  ipAddressText,
  ipNetwork,
  netmask,
  parseIpAddress,
  parseIpNetwork,
  type IpAddress,
  type IpNetwork,
} from '../../../../python/ipaddress.ts';
import { dict, type Dict } from '../../../../python/values/value.ts';
import type { GrainsContext } from '../context.ts';

/** Reads systemd-resolved's file where there is one, else /etc/resolv.conf. */
export function resolverGrains(ctx: GrainsContext): Dict {
  const { host, log } = ctx;
  if (host.platform === 'win32') return new Map();
  const ofSystemd = '/run/systemd/resolve/resolv.conf';
  const path = host.stat(ofSystemd) ? ofSystemd : '/etc/resolv.conf';
  const text = host.readText(path);
  if (text === undefined) return new Map();
  return dict({ dns: parseResolvConf(text, (problem) => log.error(`${path}: ${problem}`)) });
}

/** Parses a resolv.conf. */
function parseResolvConf(text: string, complain: (problem: string) => void): Dict {
  const servers: string[] = [];
  const sortlist: string[] = [];
  const options: string[] = [];
  let domain = '';
  let search: string[] = [];
  for (const line of text.split('\n')) {
    const [directive = '', ...rest] = line.trim().split(/\s+/);
    const comment = rest.findIndex((x) => x.startsWith('#') || x.startsWith(';'));
    const words = comment < 0 ? rest : rest.slice(0, comment);
    const [first] = words;
    switch (directive.toLowerCase()) {
      case 'nameserver': {
        if (first === undefined) break;
        const ip = parseIpAddress(first);
        const text = ip && ipAddressText(ip);
        if (text === undefined)
          complain(`${JSON.stringify(first)} is not an IP address; this name server is left out.`);
        else if (!servers.includes(text)) servers.push(text);
        break;
      }
      case 'domain':
        domain = first ?? domain;
        break;
      case 'search':
        search = words;
        break;
      case 'sortlist':
        for (const word of words) addSortEntry(sortlist, word, complain);
        break;
      case 'options':
        if (first !== undefined && !options.includes(first)) options.push(first);
        break;
      default:
    }
  }
  const ofFamily = (family: 4 | 6): string[] => servers.filter((x) => parseIpAddress(x)?.family === family);
  return dict({
    nameservers: servers,
    ip4_nameservers: ofFamily(4),
    ip6_nameservers: ofFamily(6),
    sortlist,
    domain,
    search,
    options,
  });
}

function addSortEntry(sortlist: string[], word: string, complain: (problem: string) => void): void {
  const entry = networkWithMask(word);
  if (entry === undefined)
    complain(`${JSON.stringify(word)} is not a network; this sortlist entry is left out.`);
  else if (!sortlist.includes(entry)) sortlist.push(entry);
}

/** `address/mask`; a missing mask is the one of the address's class. */
function networkWithMask(word: string): string | undefined {
  const given = parseIpNetwork(word);
  if (given === undefined) return undefined;
  const network = given.prefixLength === undefined ? classNetwork(given.address) : given;
  return `${ipAddressText(network.address)}/${ipAddressText(netmask(network))}`;
}

/** The network of an address by the classes A, B and C; an IPv6 address is one of its own. */
function classNetwork(address: IpAddress): IpNetwork {
  if (address.family === 6) return { address, prefixLength: 128 };
  const top = (address.bytes[0] as number) >> 6;
  return ipNetwork(`${ipAddressText(address)}/${top === 3 ? 24 : top === 2 ? 16 : 8}`, false);
}
