/** Keys: making them, loading them out of whatever they are given as, and what certificates need of them. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  sign,
  verify,
  type KeyObject,
  type VerifyKeyObjectInput,
} from 'node:crypto';
import { promisify } from 'node:util';
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { toNumber, type Value } from '../../../python/values/value.ts';
import { bitsOf, childrenOf, derOid, derSequence, der, readDer, TAG } from './der.ts';
import { readPkcs12, type Pkcs12 } from './pkcs12.ts';
import { isPem, sourceBytes, type Source } from './sources.ts';

const generate = promisify(generateKeyPair);

/** The kinds of keys. */
export type KeyType = 'rsa' | 'ec' | 'ed25519' | 'ed448';

/** A private key, and in which form it was. */
export interface LoadedKey {
  readonly key: KeyObject;
  readonly encoding: 'pem' | 'der' | 'pkcs12';
  readonly pkcs12?: Pkcs12;
}

/** The kind of a key. @throws SaltInvocationError for one that certificates here do not have (DSA, X25519) */
export function keyTypeOf(key: KeyObject): KeyType {
  const type = key.asymmetricKeyType;
  if (type === 'rsa' || type === 'ec' || type === 'ed25519' || type === 'ed448') return type;
  throw new SaltInvocationError('Did not recognize key type');
}

const CURVE_BITS: ReadonlyMap<string, number> = new Map([
  ['prime192v1', 192],
  ['secp224r1', 224],
  ['prime256v1', 256],
  ['secp256k1', 256],
  ['secp384r1', 384],
  ['secp521r1', 521],
  ['brainpoolP256r1', 256],
  ['brainpoolP384r1', 384],
  ['brainpoolP512r1', 512],
]);

/** The bits of a key; null for the Edwards curves, as Salt has it. */
export function keySizeOf(key: KeyObject): number | null {
  const { modulusLength, namedCurve } = key.asymmetricKeyDetails ?? {};
  return modulusLength ?? CURVE_BITS.get(namedCurve ?? '') ?? null;
}

/** Makes a private key for RSA. @param modulusLength its bits */
export async function newRsaKey(modulusLength: number): Promise<KeyObject> {
  return (await generate('rsa', { modulusLength, publicExponent: 65537 })).privateKey;
}

/** How a private key of a kind and a size is made. @throws SaltInvocationError for those that Salt does not make */
export function keyMaker(algo: Value, size: Value): () => Promise<KeyObject> {
  const given = size === null || size === '' || size === 0 ? undefined : (toNumber(size) ?? NaN);
  if (algo === 'rsa') {
    const modulusLength = given ?? 2048;
    if (![2048, 3072, 4096].includes(modulusLength))
      throw new SaltInvocationError('RSA key size must be either 2048, 3072 or 4096 bits.');
    return () => newRsaKey(modulusLength);
  }
  if (algo === 'ec') {
    const curve = new Map([
      [256, 'prime256v1'],
      [384, 'secp384r1'],
      [521, 'secp521r1'],
    ]).get(given ?? 256);
    if (curve === undefined) throw new SaltInvocationError('EC key size must be either 256, 384, 521 bits.');
    return async () => (await generate('ec', { namedCurve: curve })).privateKey;
  }
  if (algo === 'ed25519') return async () => (await generate('ed25519')).privateKey;
  if (algo === 'ed448') return async () => (await generate('ed448')).privateKey;
  throw new SaltInvocationError(
    `Invalid algorithm specified for generating private key: ${pyStr(algo)}. Valid: rsa, ec, ed25519, ed448`,
  );
}

const isWrongPassword = (error: unknown): boolean =>
  error instanceof Error && /bad decrypt|bad password|BAD_DECRYPT|mac verify/i.test(error.message);

function pemKey(bytes: Buffer, passphrase: string | undefined): KeyObject {
  const isEncrypted = /ENCRYPTED/.test(bytes.toString('latin1'));
  if (isEncrypted && passphrase === undefined)
    throw new SaltInvocationError('Private key is encrypted. Please provide a password.');
  try {
    const key = createPrivateKey({ key: bytes, format: 'pem', passphrase: passphrase ?? '' });
    if (!isEncrypted && passphrase !== undefined) throw new SaltInvocationError('Private key is unencrypted');
    return key;
  } catch (error) {
    if (error instanceof SaltInvocationError) throw error;
    if (isWrongPassword(error)) throw new SaltInvocationError('Bad decrypt - is the password correct?');
    throw new CommandExecutionError('Could not load PEM-encoded private key', { cause: error });
  }
}

function derKey(bytes: Buffer, passphrase: string | undefined): KeyObject | undefined {
  for (const type of ['pkcs8', 'pkcs1', 'sec1'] as const)
    try {
      return createPrivateKey({
        key: bytes,
        format: 'der',
        type,
        ...(passphrase === undefined ? {} : { passphrase }),
      });
    } catch (error) {
      if (isWrongPassword(error)) throw new SaltInvocationError('Bad decrypt - is the password correct?');
      if (error instanceof Error && /passphrase|password/i.test(error.message) && isShrouded(bytes))
        throw new SaltInvocationError('Private key is encrypted. Please provide a password.');
    }
  return undefined;
}

/** Whether DER is an encrypted key of PKCS 8: an algorithm and bytes. */
function isShrouded(bytes: Buffer): boolean {
  try {
    return (
      childrenOf(readDer(bytes, TAG.sequence))
        .map(({ tag }) => tag)
        .join() === `${TAG.sequence},${TAG.octetString}`
    );
  } catch {
    return false;
  }
}

/**
 * A private key out of a path, a text (PEM, hex, base64) or bytes, PKCS 12 as well.
 * @throws SaltInvocationError, CommandExecutionError in Salt's words
 */
export function loadKey(source: Source, passphrase: Value = null): LoadedKey {
  const bytes = sourceBytes(source);
  const password = passphrase === null ? undefined : pyStr(passphrase);
  if (isPem(bytes)) return { key: known(pemKey(bytes, password)), encoding: 'pem' };
  const key = derKey(bytes, password);
  if (key !== undefined) return { key: known(key), encoding: 'der' };
  const pkcs12 = readPkcs12(bytes, password);
  if (pkcs12 === undefined)
    throw new SaltInvocationError('Could not deserialize binary data, neither as DER nor PKCS#12.');
  if (pkcs12.key === undefined)
    throw new CommandExecutionError('PKCS12-encoded blob does not contain a private key.');
  return { key: known(pkcs12.key), encoding: 'pkcs12', pkcs12 };
}

function known(key: KeyObject): KeyObject {
  keyTypeOf(key);
  return key;
}

/** A public key out of a path, a text or bytes. @throws CommandExecutionError, SaltInvocationError */
export function loadPublicKey(source: Source): KeyObject {
  const bytes = sourceBytes(source);
  if (isPem(bytes)) {
    try {
      // of a private key or a certificate Node would take the public key
      if (/-----BEGIN (?:RSA )?PUBLIC KEY-----/.test(bytes.toString('latin1')))
        return createPublicKey({ key: bytes, format: 'pem' });
    } catch (error) {
      throw new CommandExecutionError('Could not load PEM-encoded public key.', { cause: error });
    }
    throw new CommandExecutionError('Could not load PEM-encoded public key.');
  }
  try {
    return publicKeyOf(bytes);
  } catch (error) {
    throw new CommandExecutionError('Could not load DER-encoded public key.', { cause: error });
  }
}

/** The key of a SubjectPublicKeyInfo. */
export const publicKeyOf = (spki: Buffer): KeyObject =>
  createPublicKey({ key: spki, format: 'der', type: 'spki' });

/** The public key of a key. */
export const publicHalf = (key: KeyObject): KeyObject => (key.type === 'public' ? key : createPublicKey(key));

/** A public key as SubjectPublicKeyInfo. */
export const spkiOf = (key: KeyObject): Buffer => publicHalf(key).export({ format: 'der', type: 'spki' });

/** A public key in PEM. */
export const publicPem = (key: KeyObject): string =>
  publicHalf(key).export({ format: 'pem', type: 'spki' }).toString();

/** Whether two keys are halves of one pair, or the same. */
export const isPair = (a: KeyObject, b: KeyObject): boolean => spkiOf(a).equals(spkiOf(b));

/** The hash of a public key that subjectKeyIdentifier has. */
export function keyIdentifier(key: KeyObject): Buffer {
  const [, bits] = childrenOf(readDer(spkiOf(key), TAG.sequence));
  return createHash('sha1').update(bitsOf(bits)).digest();
}

/** The digests with which certificates may be signed, by Salt's names. */
const DIGESTS: ReadonlyMap<string, string> = new Map([
  ['sha1', 'sha1'],
  ['sha224', 'sha224'],
  ['sha256', 'sha256'],
  ['sha384', 'sha384'],
  ['sha512', 'sha512'],
  ['sha512_224', 'sha512-224'],
  ['sha512_256', 'sha512-256'],
  ['sha3_224', 'sha3-224'],
  ['sha3_256', 'sha3-256'],
  ['sha3_384', 'sha3-384'],
  ['sha3_512', 'sha3-512'],
]);

/** A digest that Salt knows, in lower case. @throws CommandExecutionError */
export function checkedDigest(given: Value): string {
  const digest = pyStr(given).toLowerCase();
  if (DIGESTS.has(digest)) return digest;
  throw new CommandExecutionError(
    `Invalid value '${pyStr(given)}' for digest. Valid: ${[...DIGESTS.keys()].join(', ')}`,
  );
}

/** What signs with a kind of key and a digest, by OID. */
const SIGNATURES: readonly (readonly [oid: string, type: KeyType, digest: string | undefined])[] = [
  ['1.2.840.113549.1.1.5', 'rsa', 'sha1'],
  ['1.2.840.113549.1.1.14', 'rsa', 'sha224'],
  ['1.2.840.113549.1.1.11', 'rsa', 'sha256'],
  ['1.2.840.113549.1.1.12', 'rsa', 'sha384'],
  ['1.2.840.113549.1.1.13', 'rsa', 'sha512'],
  ['2.16.840.1.101.3.4.3.13', 'rsa', 'sha3_224'],
  ['2.16.840.1.101.3.4.3.14', 'rsa', 'sha3_256'],
  ['2.16.840.1.101.3.4.3.15', 'rsa', 'sha3_384'],
  ['2.16.840.1.101.3.4.3.16', 'rsa', 'sha3_512'],
  ['1.2.840.10045.4.1', 'ec', 'sha1'],
  ['1.2.840.10045.4.3.1', 'ec', 'sha224'],
  ['1.2.840.10045.4.3.2', 'ec', 'sha256'],
  ['1.2.840.10045.4.3.3', 'ec', 'sha384'],
  ['1.2.840.10045.4.3.4', 'ec', 'sha512'],
  ['2.16.840.1.101.3.4.3.9', 'ec', 'sha3_224'],
  ['2.16.840.1.101.3.4.3.10', 'ec', 'sha3_256'],
  ['2.16.840.1.101.3.4.3.11', 'ec', 'sha3_384'],
  ['2.16.840.1.101.3.4.3.12', 'ec', 'sha3_512'],
  ['1.3.101.112', 'ed25519', undefined],
  ['1.3.101.113', 'ed448', undefined],
];

/** The digest of a signature algorithm, by Salt's name; undefined for Edwards curves and what is not known. */
export function digestOfSignature(oid: string): string | undefined {
  return SIGNATURES.find(([one]) => one === oid)?.[2];
}

/**
 * What a key signs with: the AlgorithmIdentifier, and how.
 * @throws CommandExecutionError for digests that it cannot use
 */
export function signatureOf(
  key: KeyObject,
  digest: string,
): { algorithm: Buffer; sign: (bytes: Buffer) => Buffer } {
  const type = keyTypeOf(key);
  const found = SIGNATURES.find(([, kind, hash]) => kind === type && (hash === undefined || hash === digest));
  if (found === undefined)
    throw new CommandExecutionError(
      `Hash algorithm '${digest}' not supported for signatures of ${type} keys`,
    );
  const [oid, , hash] = found;
  const algorithm = derSequence(derOid(oid), ...(type === 'rsa' ? [der(TAG.null)] : []));
  const nodeDigest = hash === undefined ? null : DIGESTS.get(hash);
  return { algorithm, sign: (bytes) => sign(nodeDigest, bytes, key) };
}

/** RSASSA-PSS, whose digest is in its parameters. */
const PSS = '1.2.840.113549.1.1.10';

/** Whether a signature is right. @throws SaltInvocationError for kinds of keys that are not known */
export function isSigned(
  key: KeyObject,
  oid: string,
  bytes: Buffer,
  signature: Buffer,
  parameters?: Buffer,
): boolean {
  const type = keyTypeOf(key);
  const found = SIGNATURES.find(([one]) => one === oid);
  try {
    if (oid === PSS && type === 'rsa') return verify(pssDigest(parameters), bytes, pssKey(key), signature);
    if (found === undefined || found[1] !== type) return false;
    return verify(found[2] === undefined ? null : DIGESTS.get(found[2]), bytes, key, signature);
  } catch {
    return false;
  }
}

const pssKey = (key: KeyObject): VerifyKeyObjectInput => ({ key, padding: 6, saltLength: -2 });

function pssDigest(parameters: Buffer | undefined): string {
  const text = parameters?.toString('hex') ?? '';
  return ['512', '384', '256', '224'].find((size) => text.includes(HASH_OIDS[size] ?? '-')) === undefined
    ? 'sha1'
    : `sha${['512', '384', '256', '224'].find((size) => text.includes(HASH_OIDS[size] ?? '-')) ?? '1'}`;
}

const HASH_OIDS: Readonly<Record<string, string>> = {
  '256': '608648016503040201',
  '384': '608648016503040202',
  '512': '608648016503040203',
  '224': '608648016503040204',
};
