/** Where to listen and where to connect. */
import type { NetConnectOpts } from 'node:net';

/** A TCP port of a host, or a unix socket. */
export type Address = { readonly host: string; readonly port: number } | { readonly path: string };

/** `tcp://host:port` or `ipc://path`, as log lines and error messages name an address. */
export function addressText(address: Address): string {
  if ('path' in address) return `ipc://${address.path}`;
  return `tcp://${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
}

/** The address as `node:net` wants it. */
export function connectOptions(address: Address, keepAliveMs?: number): NetConnectOpts {
  if ('path' in address) return { path: address.path };
  return {
    host: address.host,
    port: address.port,
    ...(keepAliveMs === undefined ? {} : { keepAlive: true, keepAliveInitialDelay: keepAliveMs }),
  };
}
