/**
 * What went wrong with TLS, for everything here that speaks it: which address, which certificate, and what to do. Node
 * and OpenSSL name none of these, and what they do say differs from one way of failing to the next.
 */
import { isShown, type ShownCertificate } from './shown.ts';

/** The other end did not speak TLS as we want it. */
export class TlsError extends Error {
  override readonly name = 'TlsError';
}

/** Who was spoken to, and what its certificate was verified with. */
export interface TlsPeer {
  /** `host:port` */
  readonly address: string;
  /** The setting that names the file of authorities, as it stands in the configuration: `ca_bundle`, `redis.ssl_ca`. */
  readonly caSetting?: string | undefined;
  /** The file that it names; undefined where there is none and the usual authorities are trusted. */
  readonly caFile?: string | undefined;
  /** The setting with the certificate that we show: `cert`, `redis.ssl_cert`. */
  readonly ownSetting?: string | undefined;
  /** What the other end has shown. */
  readonly shown?: ShownCertificate | undefined;
  /** It was spoken to without TLS. */
  readonly isPlain?: boolean;
}

/** What can go wrong. */
type TlsFault =
  | 'untrusted'
  | 'expired'
  | 'not-yet'
  | 'revoked'
  | 'other-host'
  | 'certificate'
  | 'wants-ours'
  | 'refuses-ours'
  | 'handshake'
  | 'version'
  | 'cipher'
  | 'http'
  | 'no-tls'
  | 'is-tls'
  | 'maybe-tls'
  | 'broken-off'
  | 'slow'
  | 'shows-none';

/** Node's and OpenSSL's codes by what they mean; the first that fits. */
const CODES: readonly (readonly [RegExp, TlsFault])[] = [
  [/HTTP_REQUEST/, 'http'],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|RECORD_TOO_SMALL|BAD_RECORD_TYPE|UNEXPECTED_MESSAGE|RECORD_LAYER/,
    'no-tls',
  ],
  [/ALERT_CERTIFICATE_REQUIRED/, 'wants-ours'],
  [/ALERT_HANDSHAKE_FAILURE/, 'handshake'],
  [/ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_|UNSUPPORTED_CERT|ACCESS_DENIED)/, 'refuses-ours'],
  [/PEER_DID_NOT_RETURN_A_CERTIFICATE|^UNSPECIFIED$/, 'shows-none'],
  [/UNSUPPORTED_PROTOCOL|ALERT_PROTOCOL_VERSION|NO_PROTOCOLS/, 'version'],
  [/NO_SHARED_CIPHER|NO_CIPHERS|INSUFFICIENT_SECURITY/, 'cipher'],
  [/ALTNAME|HOSTNAME|UNRECOGNIZED_NAME/, 'other-host'],
  [/CERT_HAS_EXPIRED/, 'expired'],
  [/CERT_NOT_YET_VALID/, 'not-yet'],
  [/CERT_REVOKED/, 'revoked'],
  [/SELF_SIGNED|ISSUER_CERT|LEAF_SIGNATURE|CERT_UNTRUSTED|CERT_SIGNATURE/, 'untrusted'],
  [
    /CERT|SIGNATURE|ISSUER|CRL|CHAIN|INVALID_(CA|PURPOSE)|PATH_LENGTH|KEY_TOO_SMALL|MD_TOO_WEAK/,
    'certificate',
  ],
  [/HANDSHAKE_TIMEOUT/, 'slow'],
];
/** The texts of those that some drivers hand on without their codes. */
const TEXTS: readonly (readonly [RegExp, TlsFault])[] = [
  [/altnames/, 'other-host'],
  [/certificate has expired/, 'expired'],
  [/certificate is not yet valid/, 'not-yet'],
  [/certificate revoked/, 'revoked'],
  [/self-signed certificate|unable to (get (local )?issuer|verify the first) certificate/, 'untrusted'],
];
/** The first byte of every record of TLS that an answer to what is no TLS can be: an alert, a handshake. */
const RECORD_TYPES: ReadonlySet<number> = new Set([0x15, 0x16]);

/**
 * What went wrong, naming the address, the certificate and what to do; undefined for what has nothing to do with TLS.
 * No stop at the end.
 */
export function tlsFault(error: unknown, peer: TlsPeer): string | undefined {
  const fault = peer.isPlain === true ? plainFaultOf(error) : faultOf(error, peer.shown !== undefined);
  if (fault === undefined) return undefined;
  const { what, advice } = told(fault, error as Error, peer);
  const over = peer.isPlain === true ? '' : ' over TLS';
  const said = fault === 'expired' || fault === 'not-yet' ? '' : ` (${openSslWords(error as Error)})`;
  return `${peer.address} cannot be reached${over}: ${what}${said}; ${advice}`;
}

/** `host:port` of an address of HTTP, as messages name it. */
export function addressOf(url: URL): string {
  return `${url.hostname}:${url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port}`;
}

/** What went wrong, for who names the other end himself; the error itself where it has nothing to do with TLS. */
export function explainTls(error: Error): Error {
  if (error instanceof TlsError) return error;
  const fault = faultOf(error, false);
  if (fault === undefined) return error;
  const words = OF_THE_OTHER_END[fault] ?? OF_THE_OTHER_END.certificate;
  return new TlsError(fault === 'broken-off' ? words : `${words}: ${openSslWords(error)}`, { cause: error });
}

const OF_THE_OTHER_END: Readonly<Partial<Record<TlsFault, string>>> & { readonly certificate: string } = {
  http: 'the other end speaks HTTP, and no TLS',
  'no-tls': 'the other end does not speak TLS (option ssl)',
  'wants-ours': 'the other end does not accept our certificate',
  'refuses-ours': 'the other end does not accept our certificate',
  handshake: 'the other end does not accept our certificate',
  'shows-none': 'the other end shows no certificate, and cert_reqs demands one',
  version: 'there is no version of TLS that both ends speak',
  cipher: 'there is no cipher that both ends have',
  certificate: 'the certificate of the other end is not accepted',
  'broken-off': 'the other end broke off the TLS handshake: does it speak TLS, and trust our certificate?',
  slow: 'the other end did not finish the TLS handshake in time',
};

/** @param isThrough whether the other end has shown its certificate already */
function faultOf(error: unknown, isThrough: boolean): TlsFault | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    if (/secure TLS/.test(message)) return 'broken-off';
    return isThrough ? 'wants-ours' : undefined;
  }
  // what OpenSSL says of a connection that is open already has no code of its own; some drivers put theirs into its
  // place
  const words = ERROR_LINE.exec(message)?.[1];
  const name = words === undefined ? code : words.toUpperCase().replaceAll(' ', '_');
  if (words === undefined && /^E[A-Z]+$/.test(code)) return undefined;
  return (
    CODES.find(([pattern]) => pattern.test(name))?.[1] ??
    TEXTS.find(([pattern]) => pattern.test(message))?.[1] ??
    faultOfCause(error)
  );
}

/** Of a connection on which HTTP was spoken without TLS. */
function plainFaultOf(error: unknown): TlsFault | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', message, rawPacket } = error as NodeJS.ErrnoException & { rawPacket?: Uint8Array };
  if (code.startsWith('HPE_')) return RECORD_TYPES.has(rawPacket?.[0] ?? 0) ? 'is-tls' : undefined;
  return message === 'socket hang up' ? 'maybe-tls' : undefined;
}

/** Drivers wrap what Node tells them. */
function faultOfCause({ cause }: Error): TlsFault | undefined {
  return cause instanceof Error ? faultOf(cause, false) : undefined;
}

interface Told {
  readonly what: string;
  readonly advice: string;
}

function told(fault: TlsFault, error: Error, peer: TlsPeer): Told {
  const { address, ownSetting } = peer;
  const its = certificateWords(peer);
  const ours = ownSetting === undefined ? 'our certificate' : `the certificate of ${ownSetting}`;
  switch (fault) {
    case 'untrusted':
      return { what: `${its} is of no authority that is trusted here`, advice: trustAdvice(peer) };
    case 'expired':
      return { what: `${its} has expired`, advice: 'renew it there, or set the clock of this machine' };
    case 'not-yet':
      return {
        what: `${its} is not valid yet`,
        advice: 'set the clock of this machine, or replace it there',
      };
    case 'revoked':
      return { what: `${its} has been revoked by its authority`, advice: 'have it replaced there' };
    case 'other-host':
      return {
        what: `${its} is not for this host`,
        advice: `ask for the server by a name that its certificate has${namesOf(error, peer)}, or have this name put into it`,
      };
    case 'certificate':
      return { what: `${its} is not accepted`, advice: 'have it replaced there' };
    case 'wants-ours':
      return {
        what: `it demands a certificate of us, or does not accept ${ours}`,
        advice: `give it one of an authority that it trusts${ownSetting === undefined ? '' : ` in ${ownSetting}`}`,
      };
    case 'refuses-ours':
      return { what: `it does not accept ${ours}`, advice: 'give it one of an authority that it trusts' };
    case 'handshake':
      return {
        what: `it refuses the handshake: it demands a certificate of us, or there is no cipher that both ends have`,
        advice: `see its log, and give it a certificate${ownSetting === undefined ? '' : ` in ${ownSetting}`} if it asks for one`,
      };
    case 'shows-none':
      return { what: 'it shows no certificate', advice: 'give it one there' };
    case 'version':
      return {
        what: 'there is no version of TLS that both ends speak',
        advice: 'let it speak TLS 1.2 or 1.3 there',
      };
    case 'cipher':
      return {
        what: 'there is no cipher that both ends have',
        advice: 'let it take the usual ciphers of TLS 1.2 or 1.3 there',
      };
    case 'http':
    case 'no-tls':
      return {
        what: 'what answers there does not speak TLS',
        advice: 'is this its port for TLS, and is it to be spoken to in TLS?',
      };
    case 'is-tls':
      return { what: 'what answers there speaks TLS', advice: `ask for it with https://${address}` };
    case 'maybe-tls':
      return {
        what: 'it closed the connection without an answer',
        advice: `if it speaks TLS, ask for it with https://${address}`,
      };
    case 'broken-off':
      return {
        what: 'it closed the connection during the handshake',
        advice: 'does it speak TLS on this port, and does its log say why?',
      };
    case 'slow':
      return { what: 'it did not finish the handshake in time', advice: 'does it speak TLS on this port?' };
  }
}

/** `its certificate (CN=web, issued by CN=Site CA, valid from 2025-01-01 to 2026-01-01)`, as far as it was seen. */
function certificateWords({ shown }: TlsPeer): string {
  return shown === undefined
    ? 'its certificate'
    : `its certificate (${shown.subject}, issued by ${shown.issuer}, valid from ${shown.from} to ${shown.to})`;
}

function trustAdvice({ caSetting, caFile }: TlsPeer): string {
  if (caFile !== undefined)
    return `if it is the right one, put the certificate of its authority into ${caFile}${caSetting === undefined ? '' : ` (${caSetting})`}`;
  return caSetting === undefined
    ? 'have it signed by an authority that is trusted here'
    : `if it is the right one, name a file with the certificate of its authority in ${caSetting}`;
}

function namesOf(error: Error, { shown }: TlsPeer): string {
  const { cert } = error as { cert?: unknown };
  const names = shown?.names ?? (isShown(cert) ? cert.subjectaltname : undefined);
  return names === undefined ? '' : ` (${names.slice(0, 200)})`;
}

/** A line of OpenSSL: `8083…:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../…` */
const ERROR_LINE = /:(?:SSL|PEM|x509 certificate) routines:[^:]*:([^:]+):/;

/** What OpenSSL or Node says, without places in their source. */
function openSslWords(error: Error): string {
  return (ERROR_LINE.exec(error.message)?.[1] ?? error.message).trim().replace(/[.:\s]+$/, '');
}
