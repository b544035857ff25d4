/** The `dns` grain: the resolver's configuration (core.py, salt/utils/dns.py). */
import { dict, type Dict } from '../../values/value.ts';
import type { GrainsContext } from '../context.ts';
import { ipv4Text, ipv6Text, parseIp } from './ip-address.ts';

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
export function parseResolvConf(text: string, complain: (problem: string) => void): Dict {
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
        const ip = parseIp(first);
        if (!ip) complain(`${JSON.stringify(first)} is not an IP address; this name server is left out.`);
        else if (!servers.includes(ip.text)) servers.push(ip.text);
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
  const ofFamily = (family: 4 | 6): string[] => servers.filter((x) => parseIp(x)?.family === family);
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
  const [address = '', mask] = word.split('/');
  const ip = parseIp(address);
  if (!ip) return undefined;
  const width = ip.family === 4 ? 32n : 128n;
  const bits = mask === undefined ? naturalPrefix(ip.family, ip.number) : prefixOf(mask, width);
  if (bits === undefined) return undefined;
  const maskNumber = ((1n << bits) - 1n) << (width - bits);
  const network = ip.number & maskNumber;
  if (mask !== undefined && network !== ip.number) return undefined;
  const text = ip.family === 4 ? ipv4Text : ipv6Text;
  return `${text(network)}/${text(maskNumber)}`;
}

function naturalPrefix(family: 4 | 6, number: bigint): bigint {
  if (family === 6) return 128n;
  const top = number >> 30n;
  return top === 3n ? 24n : top === 2n ? 16n : 8n;
}

function prefixOf(mask: string, width: bigint): bigint | undefined {
  if (/^\d+$/.test(mask)) return BigInt(mask) <= width ? BigInt(mask) : undefined;
  const bits = parseIp(mask)?.number.toString(2).padStart(Number(width), '0');
  const ones = bits === undefined ? null : /^(1*)0*$/.exec(bits);
  return ones ? BigInt(ones[1]?.length ?? 0) : undefined;
}
