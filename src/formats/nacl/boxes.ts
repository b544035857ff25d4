/**
 * Boxes as libsodium makes them: secret boxes with one key, sealed boxes for the holder of a key pair. Curve25519 is
 * Node's own; what Node has not, XSalsa20 with Poly1305 and short digests of BLAKE2b, is that of `@noble/ciphers` and
 * `@noble/hashes`.
 */
import { createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto';
import { hsalsa, xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { blake2b } from '@noble/hashes/blake2.js';

/** Bytes of a key, secret or public. */
export const KEY_BYTES = 32;
const NONCE_BYTES = 24;
const TAG_BYTES = 16;
/** Words of a key, of an input and of the constants ("expand 32-byte k") of HSalsa20. */
const KEY_WORDS = 8;
const ZERO_INPUT = new Uint32Array(4);
const SIGMA = wordsOf(Buffer.from('expand 32-byte k'));
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b656e032100', 'hex');

/** A box cannot be made or opened. The message is PyNaCl's. */
export class BoxError extends Error {
  override readonly name = 'BoxError';
}

/** Gives random bytes. */
export type RandomBytes = (size: number) => Uint8Array;

/** The public key of a secret one. */
export function publicKeyOf(secretKey: Uint8Array): Buffer {
  const spki = createPublicKey(privateKey(secretKey)).export({ format: 'der', type: 'spki' });
  return spki.subarray(-KEY_BYTES);
}

/** A secret box: a random nonce, and the message under the key. @throws BoxError for a key of another length */
export function sealSecret(message: Uint8Array, key: Uint8Array, random: RandomBytes): Buffer {
  assertKey(key, 'The key');
  const nonce = random(NONCE_BYTES);
  return Buffer.concat([nonce, encrypted(message, nonce, key)]);
}

/** @throws BoxError when it was made with another key, or changed */
export function openSecret(box: Uint8Array, key: Uint8Array): Buffer {
  assertKey(key, 'The key');
  return decrypted(box.subarray(NONCE_BYTES), box.subarray(0, NONCE_BYTES), key);
}

/** A sealed box for a public key: that of a pair that is made for it, and the message. @throws BoxError */
export function seal(message: Uint8Array, publicKey: Uint8Array, random: RandomBytes): Buffer {
  assertKey(publicKey, 'The public key');
  const secret = random(KEY_BYTES);
  const own = publicKeyOf(secret);
  const nonce = blake2b(Buffer.concat([own, publicKey]), { dkLen: NONCE_BYTES });
  return Buffer.concat([own, encrypted(message, nonce, sharedKey(secret, publicKey))]);
}

/** Opens a sealed box. @throws BoxError when it was made for another key, or changed */
export function unseal(box: Uint8Array, secretKey: Uint8Array): Buffer {
  assertKey(secretKey, 'The private key');
  const sender = box.subarray(0, KEY_BYTES);
  if (box.length < KEY_BYTES + TAG_BYTES)
    throw new BoxError('An error occurred trying to decrypt the message');
  const nonce = blake2b(Buffer.concat([sender, publicKeyOf(secretKey)]), { dkLen: NONCE_BYTES });
  return decrypted(box.subarray(KEY_BYTES), nonce, sharedKey(secretKey, sender));
}

function assertKey(key: Uint8Array, what: string): void {
  if (key.length !== KEY_BYTES) throw new BoxError(`${what} must be exactly ${KEY_BYTES} bytes long`);
}

function privateKey(secretKey: Uint8Array): ReturnType<typeof createPrivateKey> {
  return createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, secretKey]), format: 'der', type: 'pkcs8' });
}

/** The words of bytes, the lowest first; the machine's order is turned by the library. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint32Array.from({ length: bytes.length / 4 }, (_, index) => view.getUint32(index * 4, true));
}

/** HSalsa20 of a point that two keys share: the key of their boxes. */
function hashed(point: Uint8Array): Uint8Array {
  const words = new Uint32Array(KEY_WORDS);
  hsalsa(SIGMA, wordsOf(point), ZERO_INPUT, words);
  const key = Buffer.alloc(KEY_BYTES);
  for (const [index, word] of words.entries()) key.writeUInt32LE(word, index * 4);
  return key;
}

function sharedKey(secretKey: Uint8Array, publicKey: Uint8Array): Uint8Array {
  const theirs = createPublicKey({
    key: Buffer.concat([PUBLIC_PREFIX, publicKey]),
    format: 'der',
    type: 'spki',
  });
  try {
    return hashed(diffieHellman({ privateKey: privateKey(secretKey), publicKey: theirs }));
  } catch (error) {
    throw new BoxError('An error occurred trying to decrypt the message', { cause: error });
  }
}

function encrypted(message: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array {
  return xsalsa20poly1305(key, nonce).encrypt(message);
}

function decrypted(sealed: Uint8Array, nonce: Uint8Array, key: Uint8Array): Buffer {
  try {
    return Buffer.from(xsalsa20poly1305(key, nonce).decrypt(sealed));
  } catch (error) {
    throw new BoxError('Decryption failed. Ciphertext failed verification', { cause: error });
  }
}
