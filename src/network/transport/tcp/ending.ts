/** What to say of a connection to a server that ended before it was of use. */
import type { SslSettings } from '../ssl-settings.ts';
import { explainTls } from '../../tls/fault.ts';
import { TcpProtocolError } from './frames.ts';

/** A connection that has ended. */
interface EndedConnection {
  readonly hasSpoken: boolean;
}

/**
 * A server that ends a connection without a word has usually refused what we are: it speaks another transport, wants
 * TLS, or does not accept our certificate.
 */
export function closeError(
  error: Error | undefined,
  connection: EndedConnection,
  state: { readonly isReady: boolean; readonly ssl: SslSettings | undefined },
): Error | undefined {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (error instanceof TcpProtocolError) return error;
  if (error !== undefined && state.ssl !== undefined && code !== 'ECONNRESET') return explainTls(error);
  if (connection.hasSpoken) return error;
  if (!state.isReady) return error && explainTls(error);
  if (error !== undefined && code !== 'ECONNRESET' && code !== 'EPIPE') return error;
  const advice =
    state.ssl === undefined
      ? 'does it speak tcp, and without TLS (options transport and ssl)?'
      : 'does it accept our certificate, and speak tcp (options ssl and transport)?';
  return new Error(`the other end closed the connection without a word: ${advice}`, { cause: error });
}
