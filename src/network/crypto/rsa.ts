/** RSA keys and the two algorithm families that Salt negotiates (docs/internals/keys-and-sessions.md#algorithms). */
import {
  constants,
  createPrivateKey,
  createPublicKey,
  privateDecrypt,
  publicEncrypt,
  sign,
  timingSafeEqual,
  verify,
  type KeyObject,
} from 'node:crypto';
import { cleanKeyText } from './pem.ts';
import { x931Open, x931Sign } from './x931.ts';

/** How a key is wrapped for its reader: Salt's name and the hash behind it. */
const ENCRYPTION_HASHES = new Map([
  ['OAEP-SHA1', 'sha1'],
  ['OAEP-SHA224', 'sha224'],
]);

/** How a message is signed: Salt's name and the hash behind it. */
const SIGNING_HASHES = new Map([
  ['PKCS1v15-SHA1', 'sha1'],
  ['PKCS1v15-SHA224', 'sha224'],
]);

/** What Salt uses when a peer names no algorithm. */
export const DEFAULT_ENCRYPTION = 'OAEP-SHA1';
/** What Salt uses when a peer names no algorithm. */
export const DEFAULT_SIGNING = 'PKCS1v15-SHA1';

/** Smallest modulus accepted from a peer, in bits. */
export const KEY_BITS_MIN = 2048;
/** Largest modulus accepted from a peer, in bits: a larger one only costs time. */
const KEY_BITS_MAX = 16384;
/** Tokens and signatures are whole bytes, and so are the moduli of keys that no one has made by hand. */
const KEY_BITS_STEP = 8;
/** The exponent of every key that Salt makes (salt/crypt.py `gen_keys`, 3006.16). */
const KEY_EXPONENT = 65537n;

/** Which sizes a key may have, in words. */
export const KEY_SIZES = `multiples of ${KEY_BITS_STEP} from ${KEY_BITS_MIN} to ${KEY_BITS_MAX} are accepted`;

/** True for a size, in bits, that a key may have. */
export function isKeySize(bits: number): boolean {
  return bits >= KEY_BITS_MIN && bits <= KEY_BITS_MAX && bits % KEY_BITS_STEP === 0;
}

/** True when both sides know this encryption algorithm. @param withoutSha1 `fips_mode` */
export function isEncryptionAlgorithm(name: string, withoutSha1 = false): boolean {
  return ENCRYPTION_HASHES.has(name) && !(withoutSha1 && usesSha1(name));
}

/** True when both sides know this signing algorithm. @param withoutSha1 `fips_mode` */
export function isSigningAlgorithm(name: string, withoutSha1 = false): boolean {
  return SIGNING_HASHES.has(name) && !(withoutSha1 && usesSha1(name));
}

/** True for an algorithm that rests on SHA-1. */
export function usesSha1(algorithm: string): boolean {
  return algorithm.endsWith('-SHA1');
}

/** A key text that is no RSA key, or one too weak to be used. */
export class BadKeyError extends Error {
  override readonly name = 'BadKeyError';
}

function hashOf(table: ReadonlyMap<string, string>, algorithm: string): string {
  const hash = table.get(algorithm);
  if (hash === undefined) throw new BadKeyError(`the algorithm ${JSON.stringify(algorithm)} is not known`);
  return hash;
}

/**
 * What stands before the key itself in an RSA key's SubjectPublicKeyInfo: lengths, algorithm, an empty bit remainder.
 */
const SPKI_ALGORITHM = Buffer.from('300d06092a864886f70d0101010500', 'hex');

/**
 * Reads a public key. OpenSSL 3 takes 0.4 ms to find out what kind of key a SubjectPublicKeyInfo holds, and a twentieth
 * of that for the PKCS#1 key inside: a key in the usual form is unwrapped here, every other is left to OpenSSL.
 */
function readPublicKey(pem: string): KeyObject {
  const inner = unwrapSpki(pem);
  return inner === undefined
    ? createPublicKey(pem)
    : createPublicKey({ key: inner, format: 'der', type: 'pkcs1' });
}

/** The PKCS#1 key of an RSA key's SubjectPublicKeyInfo with lengths of two bytes; undefined for every other form. */
function unwrapSpki(pem: string): Buffer | undefined {
  const body = /^-----BEGIN PUBLIC KEY-----\n([A-Za-z0-9+/=\n]+)\n-----END PUBLIC KEY-----$/.exec(pem)?.[1];
  if (body === undefined) return undefined;
  const der = Buffer.from(body, 'base64');
  const keyAt = 4 + SPKI_ALGORITHM.length + 5;
  if (der.length <= keyAt || der.readUInt16BE(0) !== 0x3082 || der.readUInt16BE(2) !== der.length - 4)
    return undefined;
  if (der.compare(SPKI_ALGORITHM, 0, SPKI_ALGORITHM.length, 4, 4 + SPKI_ALGORITHM.length) !== 0)
    return undefined;
  const bits = der.subarray(4 + SPKI_ALGORITHM.length);
  if (bits.readUInt16BE(0) !== 0x0382 || bits.readUInt16BE(2) !== bits.length - 4 || bits[4] !== 0)
    return undefined;
  return der.subarray(keyAt);
}

/** Why a key is not taken from anybody; undefined for one that is as good as those that Salt makes. */
function weaknessOf(key: KeyObject): string | undefined {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType !== 'rsa') return 'the key is not an RSA key';
  if (!isKeySize(modulusLength)) return `the key has ${modulusLength} bits; ${KEY_SIZES}`;
  if (publicExponent !== KEY_EXPONENT)
    return `the key has the public exponent ${publicExponent}; only ${KEY_EXPONENT} is accepted`;
  return undefined;
}

/** A public key: checks what its owner signed and wraps what only its owner shall read. */
export class RsaPublicKey {
  /** The cleaned PEM text, as it is sent, stored and compared. */
  readonly pem: string;
  readonly #key: KeyObject;

  private constructor(pem: string, key: KeyObject) {
    this.pem = pem;
    this.#key = key;
  }

  /** @throws BadKeyError when the text is no RSA public key that Salt would make, see `weaknessOf` */
  static parse(text: string): RsaPublicKey {
    let key: KeyObject;
    const pem = cleanKeyText(text);
    if (!/^-----BEGIN (RSA )?PUBLIC KEY-----\n/.test(pem))
      throw new BadKeyError('the text is no public key in PEM form');
    try {
      key = readPublicKey(pem);
    } catch (cause) {
      throw new BadKeyError('the text is no public key in PEM form', { cause });
    }
    const weakness = weaknessOf(key);
    if (weakness !== undefined) throw new BadKeyError(weakness);
    return new RsaPublicKey(pem, key);
  }

  encrypt(plain: Buffer, algorithm: string): Buffer {
    const oaepHash = hashOf(ENCRYPTION_HASHES, algorithm);
    return publicEncrypt({ key: this.#key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, plain);
  }

  /** True when `signature` is the owner's over exactly these bytes. */
  verify(message: Buffer, signature: Buffer, algorithm: string): boolean {
    const hash = SIGNING_HASHES.get(algorithm);
    if (hash === undefined) return false;
    try {
      return verify(hash, message, this.#key, signature);
    } catch {
      return false;
    }
  }

  /** True when `token` is the owner's X9.31 block over exactly these bytes. */
  opensTo(token: Buffer, message: Buffer): boolean {
    try {
      const opened = x931Open(this.#key, token);
      return opened.length === message.length && timingSafeEqual(opened, message);
    } catch {
      return false;
    }
  }
}

/** A private key: signs, and opens what was wrapped for it. */
export class RsaPrivateKey {
  readonly publicKey: RsaPublicKey;
  readonly #key: KeyObject;

  private constructor(key: KeyObject, publicKey: RsaPublicKey) {
    this.#key = key;
    this.publicKey = publicKey;
  }

  /** @throws BadKeyError when the text is no RSA private key, or the pass phrase does not open it */
  static parse(text: string, passphrase?: string): RsaPrivateKey {
    let key: KeyObject;
    try {
      key = createPrivateKey({ key: text, ...(passphrase === undefined ? {} : { passphrase }) });
    } catch (cause) {
      throw new BadKeyError('the text is no private key in PEM form, or its pass phrase is wrong', { cause });
    }
    const pem = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
    return new RsaPrivateKey(key, RsaPublicKey.parse(pem));
  }

  sign(message: Buffer, algorithm: string): Buffer {
    return sign(hashOf(SIGNING_HASHES, algorithm), message, this.#key);
  }

  /** Salt's "private encrypt": an X9.31 block over the message. */
  signX931(message: Buffer): Buffer {
    return x931Sign(this.#key, message);
  }

  /** @returns the plain bytes, or undefined when they were not wrapped for this key */
  decrypt(wrapped: Buffer, algorithm: string): Buffer | undefined {
    const oaepHash = hashOf(ENCRYPTION_HASHES, algorithm);
    try {
      return privateDecrypt({ key: this.#key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, wrapped);
    } catch {
      return undefined;
    }
  }
}
