/** Certificates, requests and revocation lists: reading their DER, and writing and signing it. */
import { createHash, type KeyObject } from 'node:crypto';
import {
  bitsOf,
  childrenOf,
  der,
  derBitString,
  derBoolean,
  DerError,
  derInteger,
  derOid,
  derSequence,
  derSetOf,
  derTime,
  expectTag,
  integerOf,
  oidOf,
  readDer,
  TAG,
  timeOf,
  type DerNode,
} from './der.ts';
import { isSigned, publicKeyOf, signatureOf, spkiOf } from './keys.ts';
import { nameDer, readName, type Name } from './names.ts';

/** One extension: its number, and its value in DER. */
export interface Extension {
  readonly oid: string;
  readonly critical: boolean;
  readonly value: Buffer;
}

/** What is signed: the bytes, with what, and the signature. */
interface Signed {
  readonly whole: Buffer;
  readonly signedBytes: Buffer;
  readonly signatureOid: string;
  readonly signatureParameters: Buffer | undefined;
  readonly signature: Buffer;
}

/** A certificate. Times are milliseconds since 1970. */
export interface Certificate extends Signed {
  readonly version: number;
  readonly serial: bigint;
  readonly issuer: Name;
  readonly subject: Name;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Extension[];
}

/** A request for a certificate. */
export interface Request extends Signed {
  readonly subject: Name;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Extension[];
}

/** An entry of a revocation list. */
export interface Revoked {
  readonly serial: bigint;
  readonly date: number;
  readonly extensions: readonly Extension[];
}

/** A revocation list. */
export interface RevocationList extends Signed {
  readonly issuer: Name;
  readonly lastUpdate: number;
  readonly nextUpdate: number | undefined;
  readonly revoked: readonly Revoked[];
  readonly extensions: readonly Extension[];
}

function signedParts(bytes: Buffer): { body: DerNode; signed: Signed } {
  const [body, algorithm, signature] = childrenOf(readDer(bytes, TAG.sequence));
  const [oid, parameters] = childrenOf(algorithm);
  return {
    body: expectTag(body, TAG.sequence),
    signed: {
      whole: bytes,
      signedBytes: expectTag(body).whole,
      signatureOid: oidOf(oid),
      signatureParameters: parameters?.whole,
      signature: bitsOf(signature),
    },
  };
}

function readExtensions(node: DerNode | undefined): Extension[] {
  if (node === undefined) return [];
  return childrenOf(expectTag(node, TAG.sequence)).map((one) => {
    const parts = childrenOf(one);
    const isMarked = parts[1]?.tag === TAG.boolean;
    return {
      oid: oidOf(parts[0]),
      critical: isMarked && parts[1]?.content[0] !== 0,
      value: expectTag(parts[isMarked ? 2 : 1], TAG.octetString).content,
    };
  });
}

/** Reads a certificate. @throws DerError, or what Node says of its key */
export function readCertificateDer(bytes: Buffer): Certificate {
  const { body, signed } = signedParts(bytes);
  const parts = childrenOf(body);
  const version = parts[0]?.tag === 0xa0 ? Number(integerOf(childrenOf(parts.shift())[0])) + 1 : 1;
  const [serial, , issuer, validity, subject, spki, ...further] = parts;
  const [notBefore, notAfter] = childrenOf(validity);
  const extensions = further.find(({ tag }) => tag === 0xa3);
  return {
    ...signed,
    version,
    serial: integerOf(expectTag(serial, TAG.integer)),
    issuer: readName(expectTag(issuer)),
    subject: readName(expectTag(subject)),
    notBefore: timeOf(notBefore),
    notAfter: timeOf(notAfter),
    publicKey: publicKeyOf(expectTag(spki).whole),
    extensions: readExtensions(extensions === undefined ? undefined : childrenOf(extensions)[0]),
  };
}

const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';

/** Reads a request. @throws DerError, or what Node says of its key */
export function readRequestDer(bytes: Buffer): Request {
  const { body, signed } = signedParts(bytes);
  const [version, subject, spki, attributes] = childrenOf(body);
  integerOf(expectTag(version, TAG.integer));
  const asked = attributes === undefined ? [] : childrenOf(attributes);
  const extensions = asked.find((one) => oidOf(childrenOf(one)[0]) === EXTENSION_REQUEST);
  return {
    ...signed,
    subject: readName(expectTag(subject, TAG.sequence)),
    publicKey: publicKeyOf(expectTag(spki).whole),
    extensions: extensions === undefined ? [] : readExtensions(childrenOf(childrenOf(extensions)[1])[0]),
  };
}

const isTime = (node: DerNode | undefined): boolean =>
  node?.tag === TAG.utcTime || node?.tag === TAG.generalizedTime;

/** Reads a revocation list. @throws DerError */
export function readListDer(bytes: Buffer): RevocationList {
  const { body, signed } = signedParts(bytes);
  const parts = childrenOf(body);
  if (parts[0]?.tag === TAG.integer) parts.shift();
  const [, issuer, lastUpdate, ...rest] = parts;
  if (!isTime(lastUpdate)) throw new DerError('No revocation list');
  const nextUpdate = isTime(rest[0]) ? rest.shift() : undefined;
  const entries = rest[0]?.tag === TAG.sequence ? childrenOf(rest.shift()) : [];
  const extensions = rest.find(({ tag }) => tag === 0xa0);
  return {
    ...signed,
    issuer: readName(expectTag(issuer)),
    lastUpdate: timeOf(lastUpdate),
    nextUpdate: nextUpdate === undefined ? undefined : timeOf(nextUpdate),
    revoked: entries.map((entry) => {
      const [serial, date, further] = childrenOf(entry);
      return { serial: integerOf(serial), date: timeOf(date), extensions: readExtensions(further) };
    }),
    extensions: readExtensions(extensions === undefined ? undefined : childrenOf(extensions)[0]),
  };
}

/** Whether something is signed by the private half of a key. */
export const isSignedBy = (
  { signatureOid, signedBytes, signature, signatureParameters }: Signed,
  key: KeyObject,
): boolean => isSigned(key, signatureOid, signedBytes, signature, signatureParameters);

const extensionDer = ({ oid, critical, value }: Extension): Buffer =>
  derSequence(derOid(oid), ...(critical ? [derBoolean(true)] : []), der(TAG.octetString, value));

const extensionsDer = (extensions: readonly Extension[]): Buffer =>
  derSequence(...extensions.map(extensionDer));

function signedDer(key: KeyObject, digest: string, body: (algorithm: Buffer) => Buffer): Buffer {
  const { algorithm, sign } = signatureOf(key, digest);
  const bytes = body(algorithm);
  return derSequence(bytes, algorithm, derBitString(sign(bytes)));
}

/** What a new certificate says. */
export type CertificateBody = Pick<
  Certificate,
  'serial' | 'issuer' | 'subject' | 'notBefore' | 'notAfter' | 'publicKey' | 'extensions'
>;

/** A certificate, signed. @throws CommandExecutionError for a digest that the key cannot use */
export function signCertificate(body: CertificateBody, key: KeyObject, digest: string): Buffer {
  return signedDer(key, digest, (algorithm) =>
    derSequence(
      der(0xa0, derInteger(2)),
      derInteger(body.serial),
      algorithm,
      nameDer(body.issuer),
      derSequence(derTime(body.notBefore), derTime(body.notAfter)),
      nameDer(body.subject),
      spkiOf(body.publicKey),
      ...(body.extensions.length === 0 ? [] : [der(0xa3, extensionsDer(body.extensions))]),
    ),
  );
}

/** What a new request says; the public key is that of the one that signs. */
export type RequestBody = Pick<Request, 'subject' | 'extensions'>;

/** A request, signed. */
export function signRequest({ subject, extensions }: RequestBody, key: KeyObject, digest: string): Buffer {
  const asked =
    extensions.length === 0
      ? []
      : [derSequence(derOid(EXTENSION_REQUEST), derSetOf([extensionsDer(extensions)]))];
  return signedDer(key, digest, () =>
    derSequence(derInteger(0), nameDer(subject), spkiOf(key), der(0xa0, ...asked)),
  );
}

/** What a new revocation list says. */
export type ListBody = Pick<RevocationList, 'issuer' | 'lastUpdate' | 'revoked' | 'extensions'> & {
  readonly nextUpdate: number;
};

/** A revocation list, signed. */
export function signList(body: ListBody, key: KeyObject, digest: string): Buffer {
  const entries = body.revoked.map(({ serial, date, extensions }) =>
    derSequence(
      derInteger(serial),
      derTime(date),
      ...(extensions.length === 0 ? [] : [extensionsDer(extensions)]),
    ),
  );
  return signedDer(key, digest, (algorithm) =>
    derSequence(
      derInteger(1),
      algorithm,
      nameDer(body.issuer),
      derTime(body.lastUpdate),
      derTime(body.nextUpdate),
      ...(entries.length === 0 ? [] : [derSequence(...entries)]),
      ...(body.extensions.length === 0 ? [] : [der(0xa0, extensionsDer(body.extensions))]),
    ),
  );
}

/** The hash of a certificate. */
export const fingerprint = ({ whole }: Certificate, digest: string): Buffer =>
  createHash(digest).update(whole).digest();

const SIGNED_DATA = '1.2.840.113549.1.7.2';
const DATA = '1.2.840.113549.1.7.1';

/** Certificates as PKCS 7 without a signature. */
export function writePkcs7(certificates: readonly Buffer[]): Buffer {
  const signedData = derSequence(
    derInteger(1),
    der(TAG.set),
    derSequence(derOid(DATA), der(0xa0, der(TAG.octetString))),
    der(0xa0, ...certificates),
    der(TAG.set),
  );
  return derSequence(derOid(SIGNED_DATA), der(0xa0, signedData));
}

/** The certificates of PKCS 7. @throws DerError */
export function readPkcs7(bytes: Buffer): Buffer[] {
  const [type, wrapped] = childrenOf(readDer(bytes, TAG.sequence));
  if (oidOf(expectTag(type, TAG.oid)) !== SIGNED_DATA) throw new DerError('No PKCS#7');
  const certificates = childrenOf(childrenOf(wrapped)[0]).find(({ tag }) => tag === 0xa0);
  return certificates === undefined ? [] : childrenOf(certificates).map(({ whole }) => whole);
}
