/** Opening a WebSocket to a master. */
import { WebSocket } from 'ws';
import { connectOptions, type Address } from '../address.ts';
import type { SslSettings } from '../ssl-settings.ts';
import { explainTls } from '../../tls/fault.ts';

/** Time for the connection, TLS and the upgrade. */
const OPEN_TIMEOUT_MS = 30_000;

/** How to open it. */
export interface OpenWsOptions {
  readonly address: Address;
  readonly messageBytesMax: number;
  readonly keepAliveMs: number | undefined;
  readonly ssl: SslSettings | undefined;
  readonly headers: Record<string, string>;
}

/** @returns the socket, still opening. @throws ConfigError when the certificates cannot be used */
export async function openWs(options: OpenWsOptions): Promise<WebSocket> {
  const { address, messageBytesMax, keepAliveMs, ssl, headers } = options;
  const plain = connectOptions(address, keepAliveMs);
  const host = 'path' in address ? 'localhost' : address.host;
  const name = host.includes(':') ? `[${host}]` : host;
  const port = 'path' in address ? 80 : address.port;
  const tls = ssl === undefined ? undefined : (await import('../tls.ts')).connectTls(plain, address, ssl);
  return new WebSocket(`ws://${name}:${port}/ws`, {
    ...plain,
    headers,
    maxPayload: messageBytesMax,
    perMessageDeflate: false,
    handshakeTimeout: OPEN_TIMEOUT_MS,
    // the URL says ws: what it runs over is made here
    ...(tls === undefined ? {} : { createConnection: () => tls }),
  });
}

/** What went wrong, in words that say what to look at. */
export function explainWs(error: Error | undefined): Error | undefined {
  if (error === undefined) return undefined;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (
    /^HPE_|Unexpected server response|socket hang up/.test(code) ||
    /Unexpected server response|socket hang up/.test(error.message)
  )
    return new Error(
      `the other end does not speak WebSocket as we do: is its transport ws, with the same option ssl? (${error.message})`,
      { cause: error },
    );
  return explainTls(error);
}
