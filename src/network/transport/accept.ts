/** Listening for streams, plain ones or TLS, and the words for what goes wrong with them. */
import { peerName } from './peer-name.ts';
import type { Socket } from 'node:net';
import { AddressLimit } from './address-limit.ts';
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
  const { ssl, clock, connectionsByAddressMax = Infinity } = options;
  let take = accept;
  if (ssl !== undefined) {
    const { tlsAcceptor } = await import('./tls.ts');
    take = tlsAcceptor(ssl, clock, accept, refused);
  }
  const limit = new AddressLimit(connectionsByAddressMax);
  const { server, address } = await listen(options, (socket) => {
    if (limit.enter(socket)) return take(socket);
    refused(
      peerName(socket),
      new Error(
        `its address has more than ${connectionsByAddressMax} connections already ` +
          '(if so many minions share it, raise max_connections_by_address and the limit of open files)',
      ),
    );
    socket.on('error', () => undefined).destroy();
  });
  return { address, close: () => server.close() };
}

/** Whether a connection ended as connections do: nobody is to blame. */
export function isOrdinaryEnd(error: Error | undefined): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return error === undefined || code === 'ECONNRESET' || code === 'EPIPE' || code === 'ETIMEDOUT';
}
