/**
 * Host names and addresses as the C library would give them, without its blocking calls: `getaddrinfo` in Node
 * occupies a thread that cannot be taken back, and a process that wants to end waits for it.
 *
 * Order: /etc/hosts when nsswitch.conf puts `files` first, then the `getent` program (the C library itself, in a
 * process that can be killed) where services other than `dns` are configured, else Node's own resolver.
 */
import { Resolver } from 'node:dns/promises';
import { isIPv4, isIPv6 } from 'node:net';
import type { GrainsHost, NameService } from './host.ts';

/** A line of /etc/hosts. */
export interface HostsEntry {
  readonly address: string;
  /** The canonical name, then the aliases. */
  readonly names: readonly string[];
}

type Primitives = Pick<GrainsHost, 'readText' | 'run' | 'isExecutable'>;

const DNS_TIMEOUT_MS = 5000;

/** Parses /etc/hosts. */
export function parseHosts(text: string): HostsEntry[] {
  const entries: HostsEntry[] = [];
  for (const line of text.split('\n')) {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (address && names.length > 0) entries.push({ address, names });
  }
  return entries;
}

/** The services of nsswitch.conf's `hosts:` line in their order, actions (`[NOTFOUND=return]`) left out. */
export function parseHostServices(text: string | undefined): string[] {
  const line = text?.split('\n').find((x) => /^\s*hosts:/.test(x));
  if (line === undefined) return ['files', 'dns'];
  return line
    .replace(/#.*/, '')
    .replace(/^\s*hosts:/, '')
    .replace(/\[[^\]]*\]/g, ' ')
    .split(/\s+/)
    .filter((x) => x !== '');
}

/** Makes the name service of a machine. */
export function createNameService(host: Primitives): NameService {
  const hosts = (): HostsEntry[] => parseHosts(host.readText('/etc/hosts') ?? '');
  const services = (): string[] => parseHostServices(host.readText('/etc/nsswitch.conf'));
  const getent = async (words: string[], signal: AbortSignal): Promise<string[][] | undefined> => {
    const program = ['/usr/bin/getent', '/bin/getent'].find((path) => host.isExecutable(path));
    if (program === undefined) return undefined;
    const result = await host.run([program, ...words], { signal, timeoutMs: 30_000 });
    if (result?.retcode !== 0) return [];
    return result.stdout.split('\n').map((line) => line.trim().split(/\s+/));
  };

  return {
    async canonicalName(name, signal) {
      if (services()[0] === 'files') {
        const entry = hosts().find((x) => isNamed(x, name));
        if (entry) return entry.names[0];
      }
      const lines = await getent(['ahosts', name], signal);
      return lines?.[0]?.[2];
    },
    async addresses(name, family, signal) {
      const matching = services()[0] === 'files' ? hosts().filter((x) => isNamed(x, name)) : [];
      const isFamily = family === 4 ? isIPv4 : isIPv6;
      const own = matching.map((x) => x.address).filter((x) => isFamily(x));
      // the C library turns ::1 and mapped addresses into IPv4 ones, so it is asked when there are any
      const mappable =
        family === 4 && matching.some((x) => x.address === '::1' || /^::ffff:/i.test(x.address));
      if (own.length > 0 && !mappable) return [...new Set(own)];
      if (!mappable && isPlainDns(services())) {
        return resolve(candidates(name, host.readText('/etc/resolv.conf') ?? ''), family, signal);
      }
      const lines = await getent([`ahostsv${family}`, name], signal);
      const found = lines?.map((x) => x[0] ?? '').filter((x) => isFamily(x) && !/^::ffff:/i.test(x));
      return [...new Set(found ?? own)];
    },
    async namesOf(address, signal) {
      const order = services();
      if (order[0] === 'files') {
        const entry = hosts().find((x) => x.address.toLowerCase() === address.toLowerCase());
        if (entry) return [...entry.names];
      }
      if (!isPlainDns(order)) {
        const lines = await getent(['hosts', address], signal);
        if (lines) return lines[0]?.slice(1) ?? [];
      }
      return order.includes('dns') ? reverse(address, signal) : [];
    },
  };
}

function isNamed(entry: HostsEntry, name: string): boolean {
  const wanted = name.toLowerCase();
  return entry.names.some((x) => x.toLowerCase() === wanted);
}

/** True when nothing but files and the DNS is asked, which Node's own resolver can do. */
function isPlainDns(services: readonly string[]): boolean {
  return services.every((x) => x === 'files' || x === 'dns' || x.startsWith('mdns'));
}

/** The names to ask the DNS for, by resolv.conf's `search` and `ndots:1`. */
function candidates(name: string, resolvConf: string): string[] {
  const lines = [...resolvConf.matchAll(/^\s*(?:search|domain)\s+(.*)$/gm)];
  const search = (lines.at(-1)?.[1] ?? '').split(/\s+/).filter((x) => x !== '');
  const full = search.map((domain) => `${name}.${domain}`);
  return name.includes('.') ? [name, ...full] : [...full, name];
}

async function resolve(names: readonly string[], family: 4 | 6, signal: AbortSignal): Promise<string[]> {
  for (const name of names) {
    const found = await ask(signal, (dns) => (family === 4 ? dns.resolve4(name) : dns.resolve6(name)));
    if (found.length > 0) return [...new Set(found)];
  }
  return [];
}

function reverse(address: string, signal: AbortSignal): Promise<string[]> {
  return ask(signal, (dns) => dns.reverse(address));
}

async function ask(signal: AbortSignal, question: (dns: Resolver) => Promise<string[]>): Promise<string[]> {
  if (signal.aborted) return [];
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 });
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await question(resolver);
  } catch {
    return [];
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
