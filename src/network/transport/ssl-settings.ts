/** Salt's option `ssl`, read: what TLS is spoken with. The words are those of Python's `ssl` module. */

/** What TLS is spoken with. */
export interface SslSettings {
  readonly keyfile?: string;
  readonly certfile?: string;
  /** Files of certificates that are trusted. */
  readonly caCerts?: readonly string[];
  /** Whether the other end must show a certificate; unset: a client demands one, a server does not ask. */
  readonly certReqs?: 'CERT_NONE' | 'CERT_OPTIONAL' | 'CERT_REQUIRED';
  /** `PROTOCOL_…`; unset: TLS 1.3, or 1.2 with a peer that has no newer one. */
  readonly sslVersion?: string;
  /** OpenSSL's list of ciphers. */
  readonly ciphers?: string;
}
