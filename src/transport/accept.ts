/** Listening for streams, plain ones or TLS, and the words for what goes wrong with them. */
import type { Socket } from 'node:net';
import type { Address } from './address.ts';
import { listen } from './listen.ts';
import type { OnRefused, ServerOptions } from './transport.ts';

/** A listener. */
export interface Acceptor {
  readonly address: Address;
  close(): void;
}

/**
 * Listens; with `ssl` a stream is given on when its handshake is done and its certificate has been checked.
 * @throws ListenError; ConfigError when the certificates cannot be used
 */
export async function acceptStreams(
  options: ServerOptions,
  accept: (socket: Socket) => void,
  refused: OnRefused,
): Promise<Acceptor> {
  const { ssl, clock } = options;
  let take = accept;
  if (ssl !== undefined) {
    const { tlsAcceptor } = await import('./tls.ts');
    take = tlsAcceptor(ssl, clock, accept, refused);
  }
  const { server, address } = await listen(options, take);
  return { address, close: () => server.close() };
}

/** The address of a peer, for log lines. */
export function peerName(socket: Socket): string {
  return `${socket.remoteAddress ?? 'local'}:${socket.remotePort ?? ''}`;
}

/** Whether a connection ended as connections do: nobody is to blame. */
export function isOrdinaryEnd(error: Error | undefined): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return error === undefined || code === 'ECONNRESET' || code === 'EPIPE' || code === 'ETIMEDOUT';
}
