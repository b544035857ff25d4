/** Where to listen and where to connect. */
import type { NetConnectOpts } from 'node:net';
import type { LocalPlace } from '../../host/local-place.ts';

/** A TCP port of a host, or a unix socket. */
export type Address = TcpAddress | { readonly path: string };

/** A TCP port of a host; a connection to it may have to come from a certain address and port of ours. */
export interface TcpAddress {
  readonly host: string;
  readonly port: number;
  readonly localAddress?: string;
  readonly localPort?: number;
}

/** The address of a local socket. */
export function localAddress(place: LocalPlace): Address {
  return typeof place === 'string' ? { path: place } : place;
}

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
    ...(address.localAddress === undefined ? {} : { localAddress: address.localAddress }),
    ...(address.localPort === undefined ? {} : { localPort: address.localPort }),
    ...(keepAliveMs === undefined || keepAliveMs === 0
      ? {}
      : { keepAlive: true, keepAliveInitialDelay: keepAliveMs }),
  };
}
