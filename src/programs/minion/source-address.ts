/**
 * Where connections to masters come from: `source_interface_name`, `source_address`, `source_ret_port`,
 * `source_publish_port` (salt/minion.py `resolve_dns`, 3006.16).
 */
import { networkInterfaces } from 'node:os';
import type { MinionOptions } from '../../config/minion-options.ts';
import type { Logger } from '../../host/log.ts';

/** The near end of a connection; empty when the system chooses. */
export interface SourceAddress {
  readonly localAddress?: string;
  readonly localPort?: number;
}

/**
 * Asked for at each connection, because addresses of interfaces change.
 * @param portOption the option that names the port
 */
export function sourceOf(
  opts: MinionOptions,
  portOption: 'source_ret_port' | 'source_publish_port',
  log: Logger,
): SourceAddress {
  const localAddress = sourceHost(opts, log);
  const localPort = opts.get(portOption);
  return {
    ...(localAddress === undefined ? {} : { localAddress }),
    ...(localPort > 0 ? { localPort } : {}),
  };
}

function sourceHost(opts: MinionOptions, log: Logger): string | undefined {
  const name = opts.get('source_interface_name');
  if (name === '') return opts.get('source_address') === '' ? undefined : opts.get('source_address');
  const family = opts.get('ipv6') === true ? 'IPv6' : 'IPv4';
  const interfaces = networkInterfaces();
  const addresses = Object.hasOwn(interfaces, name) ? (interfaces[name] ?? []) : [];
  const found = addresses.find((address) => address.family === family);
  if (found === undefined)
    log.warning(`${name} is not a valid interface with an ${family} address. Ignoring.`);
  return found?.address;
}
