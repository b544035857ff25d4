/** What went wrong with TLS, in words that say what to look at. */

/** The other end did not speak TLS as we want it. */
export class TlsError extends Error {
  override readonly name = 'TlsError';
}

/** Node's and OpenSSL's codes, by what they mean to who configures both ends. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/HTTP_REQUEST/, 'the other end speaks HTTP, and no TLS'],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|RECORD_TOO_SMALL|BAD_RECORD_TYPE|UNEXPECTED_MESSAGE|RECORD_LAYER/,
    'the other end does not speak TLS (option ssl)',
  ],
  [
    /ALERT_(CERTIFICATE_REQUIRED|UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_|UNSUPPORTED_CERT|HANDSHAKE_FAILURE|ACCESS_DENIED)/,
    'the other end does not accept our certificate',
  ],
  [
    /PEER_DID_NOT_RETURN_A_CERTIFICATE|^UNSPECIFIED$/,
    'the other end shows no certificate, and cert_reqs demands one',
  ],
  [
    /UNSUPPORTED_PROTOCOL|ALERT_PROTOCOL_VERSION|NO_PROTOCOLS/,
    'there is no version of TLS that both ends speak',
  ],
  [/NO_SHARED_CIPHER|NO_CIPHERS/, 'there is no cipher that both ends have'],
  [
    /CERT|ALTNAME|SIGNATURE|ISSUER|CRL|CHAIN|HOSTNAME|INVALID_(CA|PURPOSE)|PATH_LENGTH/,
    'the certificate of the other end is not accepted',
  ],
  [/HANDSHAKE_TIMEOUT/, 'the other end did not finish the TLS handshake in time'],
];

/** The error with its meaning before it; one that has nothing to do with TLS stays as it is. */
export function explainTls(error: Error): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof TlsError) return error;
  if (code === 'ECONNRESET' && /secure TLS|socket hang up/.test(message))
    return new TlsError(
      'the other end broke off the TLS handshake: does it speak TLS, and trust our certificate?',
      { cause: error },
    );
  // what OpenSSL says of a connection that is open already has no code of its own
  const name = code === 'EPROTO' ? readable(message).toUpperCase().replaceAll(' ', '_') : code;
  const found = name === undefined ? undefined : MEANINGS.find(([pattern]) => pattern.test(name));
  if (found === undefined || (code !== 'EPROTO' && /^E[A-Z]+$/.test(code as string))) return error;
  return new TlsError(`${found[1]}: ${readable(message)}`, { cause: error });
}

/** OpenSSL's line `8083…:error:0A00010B:SSL routines:…:wrong version number:../…` comes down to what it says. */
function readable(message: string): string {
  return /:SSL routines:[^:]*:([^:]+):/.exec(message)?.[1] ?? message.trim();
}
