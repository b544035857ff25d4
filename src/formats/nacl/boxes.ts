/** Boxes as libsodium makes them: secret boxes with one key, sealed boxes for the holder of a key pair. */
import { createPrivateKey, createPublicKey, diffieHellman, timingSafeEqual } from 'node:crypto';
import { blake2b, poly1305 } from './digests.ts';
import { hsalsa20, xsalsa20 } from './salsa20.ts';

/** Bytes of a key, secret or public. */
export const KEY_BYTES = 32;
const NONCE_BYTES = 24;
const TAG_BYTES = 16;
const ZERO_INPUT = new Uint8Array(16);
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
  const nonce = blake2b(Buffer.concat([own, publicKey]), NONCE_BYTES);
  return Buffer.concat([own, encrypted(message, nonce, sharedKey(secret, publicKey))]);
}

/** Opens a sealed box. @throws BoxError when it was made for another key, or changed */
export function unseal(box: Uint8Array, secretKey: Uint8Array): Buffer {
  assertKey(secretKey, 'The private key');
  const sender = box.subarray(0, KEY_BYTES);
  if (box.length < KEY_BYTES + TAG_BYTES)
    throw new BoxError('An error occurred trying to decrypt the message');
  const nonce = blake2b(Buffer.concat([sender, publicKeyOf(secretKey)]), NONCE_BYTES);
  return decrypted(box.subarray(KEY_BYTES), nonce, sharedKey(secretKey, sender));
}

function assertKey(key: Uint8Array, what: string): void {
  if (key.length !== KEY_BYTES) throw new BoxError(`${what} must be exactly ${KEY_BYTES} bytes long`);
}

function privateKey(secretKey: Uint8Array): ReturnType<typeof createPrivateKey> {
  return createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, secretKey]), format: 'der', type: 'pkcs8' });
}

function sharedKey(secretKey: Uint8Array, publicKey: Uint8Array): Buffer {
  const theirs = createPublicKey({
    key: Buffer.concat([PUBLIC_PREFIX, publicKey]),
    format: 'der',
    type: 'spki',
  });
  try {
    return hsalsa20(diffieHellman({ privateKey: privateKey(secretKey), publicKey: theirs }), ZERO_INPUT);
  } catch (error) {
    throw new BoxError('An error occurred trying to decrypt the message', { cause: error });
  }
}

function encrypted(message: Uint8Array, nonce: Uint8Array, key: Uint8Array): Buffer {
  // the first 32 bytes of the stream are the key of the tag
  const stream = xsalsa20(Buffer.concat([Buffer.alloc(32), message]), nonce, key);
  const body = stream.subarray(32);
  return Buffer.concat([poly1305(body, stream.subarray(0, 32)), body]);
}

function decrypted(sealed: Uint8Array, nonce: Uint8Array, key: Uint8Array): Buffer {
  if (sealed.length < TAG_BYTES || nonce.length < NONCE_BYTES)
    throw new BoxError('Decryption failed. Ciphertext failed verification');
  const body = sealed.subarray(TAG_BYTES);
  const stream = xsalsa20(Buffer.concat([Buffer.alloc(32), body]), nonce, key);
  if (!timingSafeEqual(poly1305(body, stream.subarray(0, 32)), sealed.subarray(0, TAG_BYTES)))
    throw new BoxError('Decryption failed. Ciphertext failed verification');
  return stream.subarray(32);
}
