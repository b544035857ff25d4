/** Connecting to a server, in the clear or with TLS, within a time. */
import { connect, type Socket } from 'node:net';
import type { Clock } from '../../host/clock.ts';
import { addressText, connectOptions, type Address } from './address.ts';
import type { SslSettings } from './ssl-settings.ts';

/** Time for the connection and the handshake of TLS. */
const CONNECT_TIMEOUT_MS = 30_000;

/** How to connect. */
export interface OpenStreamOptions {
  readonly address: Address;
  readonly keepAliveMs: number | undefined;
  readonly ssl: SslSettings | undefined;
  readonly clock: Clock;
}

/**
 * @param ready called when bytes can be sent: with TLS after the handshake
 * @returns the stream, which may still fail: it emits `error` and `close` as every socket does
 * @throws ConfigError when the certificates cannot be used
 */
export async function openStream(options: OpenStreamOptions, ready: () => void): Promise<Socket> {
  const { address, keepAliveMs, ssl, clock } = options;
  const plain = connectOptions(address, keepAliveMs);
  const socket =
    ssl === undefined ? connect(plain) : (await import('./tls.ts')).connectTls(plain, address, ssl);
  const deadline = clock.after(
    CONNECT_TIMEOUT_MS,
    () =>
      socket.destroy(
        new Error(`no connection to ${addressText(address)} within ${CONNECT_TIMEOUT_MS / 1000} s`),
      ),
    { background: true },
  );
  socket.once(ssl === undefined ? 'connect' : 'secureConnect', () => {
    deadline.cancel();
    ready();
  });
  socket.once('close', () => deadline.cancel());
  return socket;
}
