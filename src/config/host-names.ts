/** The names a host has, as far as they serve to name a minion. */
import { spawnSync } from 'node:child_process';
import { hostname as systemHostname, networkInterfaces } from 'node:os';
import { isIPv4 } from 'node:net';
import { readTextIfExists } from '../host/files.ts';
import { ownAccountName } from '../host/own-account.ts';

/** What configuration asks of the host; handed in, so that tests own it. */
export interface ConfigHost {
  /** The name of the host as the kernel knows it. */
  hostname(): string;
  /** The full name of a host, or the same name when there is none (Python's `socket.getfqdn`). */
  fullName(name: string): string;
  /** IPv4 addresses of the host, in the order of its interfaces. */
  addresses(): string[];
  /** Text of a file of the host, or undefined. */
  readText(path: string): string | undefined;
  /** Name of the account this process runs as. @throws NoOwnAccountError when its uid has none */
  userName(): string;
}

/** Longest wait for the host's name service. */
const LOOKUP_TIMEOUT_MS = 10_000;

/** The host this process runs on. */
export const systemConfigHost: ConfigHost = {
  hostname: () => systemHostname(),
  fullName: (name) => fullNameOf(name, readText('/etc/hosts') ?? '', nameService),
  addresses: () =>
    Object.values(networkInterfaces()).flatMap((list) =>
      (list ?? []).map((entry) => entry.address).filter(isIPv4),
    ),
  readText,
  userName: () => ownAccountName(),
};

function readText(path: string): string | undefined {
  try {
    return readTextIfExists(path);
  } catch {
    return undefined;
  }
}

/** `getent hosts KEY`: address and names, or nothing. */
function nameService(key: string): string[] {
  const run = spawnSync('getent', ['hosts', key], { encoding: 'utf8', timeout: LOOKUP_TIMEOUT_MS });
  return run.status === 0 ? (run.stdout.split('\n')[0]?.trim().split(/\s+/) ?? []) : [];
}

/**
 * The full name of a host: its address is looked up and that address's names are searched for the first with a dot.
 * @param hosts text of /etc/hosts, which is asked before the name service
 * @param lookup fields of `getent hosts`
 */
export function fullNameOf(name: string, hosts: string, lookup: (key: string) => string[]): string {
  const entries = hosts.split('\n').map((line) => (line.split('#')[0] as string).trim().split(/\s+/));
  const named = entries.find((fields) => fields.slice(1).includes(name));
  const address = named?.[0] ?? lookup(name)[0];
  if (address === undefined) return name;
  const fields = entries.find((entry) => entry[0] === address) ?? lookup(address);
  const names = fields.slice(1);
  return names.find((candidate) => candidate.includes('.')) ?? names[0] ?? name;
}

const LOCAL_NAMES = /^(?:localhost|ip6-|127[.]\d|0\.0\.0\.0|::1|ipv6-|fe00::|fe02::|1.0.0.*.ip6.arpa)/;

/**
 * A name for a minion nobody named: the first that is not only local of the full name, the host name, the names in the
 * host's own files and its addresses (3006.16 salt/utils/network.py generate_minion_id).
 */
export function generateMinionId(host: ConfigHost): string {
  for (const name of candidates(host)) {
    if (name !== '' && !LOCAL_NAMES.test(name)) return name;
  }
  return 'localhost';
}

function* candidates(host: ConfigHost): Generator<string> {
  const hostname = host.hostname();
  yield host.fullName(hostname);
  yield hostname;
  for (const path of ['/etc/hostname', '/etc/nodename', '/etc/hosts']) {
    for (const line of host.readText(path)?.split('\n') ?? []) {
      const words = (line.trim().split('#')[0] as string).trim().split(/\s+/);
      const first = words[0] ?? '';
      if (words.length === 1 || first.startsWith('127.') || first.startsWith('::1')) yield* words;
    }
  }
  yield* host.addresses().filter((address) => !address.startsWith('127.'));
}
