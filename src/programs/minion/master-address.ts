/** Where a minion's master is, from the `master` option (salt/minion.py `prep_ip_port`, `resolve_dns`, 3006.16). */
import { ConfigError, SaltInvocationError } from '../../errors/errors.ts';
import type { Value } from '../../python/values/value.ts';

/** A master's request port. */
export interface MasterAddress {
  readonly host: string;
  readonly port: number;
}

/** `host:port`, as log lines and the spool of returns name a master. */
export function addressName({ host, port }: MasterAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** `host`, `host:port`, `[v6]:port`, or a bare IPv6 address. */
export function parseMasterAddress(entry: Value | undefined, defaultPort: number): MasterAddress {
  const text = typeof entry === 'string' ? entry.trim() : '';
  if (text === '')
    throw new ConfigError("The option 'master' names no master; set it to a host name or address.");
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(text);
  if (bracketed !== null) return { host: bracketed[1] as string, port: portOf(bracketed[2], defaultPort) };
  if (text.split(':').length > 2) return { host: text, port: defaultPort };
  const [host = '', port] = text.split(':');
  return { host, port: portOf(port, defaultPort) };
}

function portOf(text: string | undefined, defaultPort: number): number {
  if (text === undefined) return defaultPort;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65536) return port;
  throw new ConfigError(`The option 'master' names the port ${JSON.stringify(text)}, which is none.`);
}

/** Salt's words about a `via_master` that is none of the masters. */
export function noSuchMaster(master: string, masters: readonly MasterAddress[]): SaltInvocationError {
  const list = masters.map((address) => `'tcp://${addressName(address)}'`).join(', ');
  return new SaltInvocationError(
    `Could not find match for ${master} in list of configured masters [${list}] when using \`via_master\` option`,
  );
}
