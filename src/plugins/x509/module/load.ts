/**
 * Loading certificates, requests and revocation lists out of whatever they are given as, with Salt's sentences about
 * what is none.
 */
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { Value } from '../../../python/values/value.ts';
import {
  readCertificateDer,
  readListDer,
  readPkcs7,
  readRequestDer,
  type Certificate,
  type Request,
  type RevocationList,
} from './certificates.ts';
import { readPkcs12, type Pkcs12 } from './pkcs12.ts';
import { isPem, pemBlocks, sourceBytes, type Source } from './sources.ts';

/** The forms in which a certificate may be. */
export type CertEncoding = 'pem' | 'der' | 'pkcs7_pem' | 'pkcs7_der' | 'pkcs12';

/** A certificate, those that came with it, and the form that they were in. */
export interface LoadedCertificate {
  readonly cert: Certificate;
  readonly chain: readonly Certificate[];
  readonly encoding: CertEncoding;
  readonly pkcs12?: Pkcs12;
}

function tried<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function fromPem(bytes: Buffer): LoadedCertificate {
  const blocks = pemBlocks(bytes);
  const [first, ...rest] = blocks;
  if (first?.type === 'PKCS7') {
    const [cert, ...chain] = tried(() => readPkcs7(first.der).map(readCertificateDer)) ?? [];
    if (cert === undefined) throw new CommandExecutionError('Could not load PEM-encoded PKCS#7 blob');
    return { cert, chain, encoding: 'pkcs7_pem' };
  }
  const cert = tried(() => (first?.type === 'CERTIFICATE' ? readCertificateDer(first.der) : undefined));
  if (cert === undefined) throw new CommandExecutionError('Could not load PEM-encoded certificate.');
  const chain = rest.flatMap(({ der }) => tried(() => readCertificateDer(der)) ?? []);
  return { cert, chain, encoding: 'pem' };
}

/**
 * A certificate with what came with it.
 * @throws CommandExecutionError, SaltInvocationError in Salt's words; a wrong password of PKCS 12 as well
 */
export function loadChain(source: Source, passphrase: Value = null): LoadedCertificate {
  const bytes = sourceBytes(source);
  if (isPem(bytes)) return fromPem(bytes);
  const plain = tried(() => readCertificateDer(bytes));
  if (plain !== undefined) return { cert: plain, chain: [], encoding: 'der' };
  const pkcs12 = readPkcs12(bytes, passphrase === null ? undefined : pyStr(passphrase));
  if (pkcs12?.cert !== undefined)
    return {
      cert: readCertificateDer(pkcs12.cert),
      chain: pkcs12.others.map(readCertificateDer),
      encoding: 'pkcs12',
      pkcs12,
    };
  const [cert, ...chain] = tried(() => readPkcs7(bytes).map(readCertificateDer)) ?? [];
  if (cert !== undefined) return { cert, chain, encoding: 'pkcs7_der' };
  throw new SaltInvocationError('Could not deserialize binary data, neither as DER nor PKCS#7, PKCS#12.');
}

/** A certificate. @throws as {@link loadChain} */
export const loadCertificate = (source: Source, passphrase: Value = null): Certificate =>
  loadChain(source, passphrase).cert;

/** One kind of thing that is in PEM or in DER. */
function loader<T>(what: string, types: RegExp, read: (bytes: Buffer) => T) {
  return (source: Source): { loaded: T; encoding: 'pem' | 'der' } => {
    const bytes = sourceBytes(source);
    const encoding = isPem(bytes) ? 'pem' : 'der';
    const given = encoding === 'der' ? bytes : pemBlocks(bytes).find(({ type }) => types.test(type))?.der;
    const loaded = given === undefined ? undefined : tried(() => read(given));
    if (loaded === undefined)
      throw new SaltInvocationError(`Could not load ${encoding.toUpperCase()}-encoded ${what}.`);
    return { loaded, encoding };
  };
}

/** A request, and its form. @throws SaltInvocationError */
export const loadRequest: (source: Source) => { loaded: Request; encoding: 'pem' | 'der' } = loader(
  'certificate signing request',
  /^(?:NEW )?CERTIFICATE REQUEST$/,
  readRequestDer,
);

/** A revocation list, and its form. @throws SaltInvocationError */
export const loadList: (source: Source) => { loaded: RevocationList; encoding: 'pem' | 'der' } = loader(
  'certificate revocation list',
  /^X509 CRL$/,
  readListDer,
);
