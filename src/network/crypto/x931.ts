/**
 * ANSI X9.31 padding without a hash over raw RSA: what Salt calls `private_encrypt`, used for a minion's `tok` and for
 * the `sig` over the AES key in an authentication reply (salt/utils/rsax931.py 3006.16). OpenSSL 3 refuses padding 5
 * for this, so the block is built by hand (docs/internals/keys-and-sessions.md#algorithms).
 */
import { constants, createPublicKey, privateEncrypt, publicDecrypt, type KeyObject } from 'node:crypto';

const HEADER = 0x6b;
const HEADER_NO_FILLER = 0x6a;
const FILLER = 0xbb;
const FILLER_END = 0xba;
const TRAILER = 0xcc;

/** A signature block that is not X9.31, or was not made by the key it was checked with. */
class X931Error extends Error {
  override readonly name = 'X931Error';
}

function toInteger(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`);
}

function toBytes(value: bigint, length: number): Buffer {
  return Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex');
}

/** The modulus of an RSA key. */
function modulusOf(key: KeyObject): bigint {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return toInteger(Buffer.from(publicKey.export({ format: 'jwk' }).n as string, 'base64url'));
}

function block(message: Buffer, size: number): Buffer {
  const filler = size - message.length - 3;
  if (filler < -1) throw new X931Error('the message is longer than the key');
  const out = Buffer.alloc(size, FILLER);
  if (filler === -1) out[0] = HEADER_NO_FILLER;
  else {
    out[0] = HEADER;
    out[filler + 1] = FILLER_END;
  }
  message.copy(out, size - 1 - message.length);
  out[size - 1] = TRAILER;
  return out;
}

/**
 * Signs `message` (shorter than the key by two bytes or more).
 * @returns the signature, as long as the key's modulus
 */
export function x931Sign(privateKey: KeyObject, message: Buffer): Buffer {
  const n = modulusOf(privateKey);
  const size = (privateKey.asymmetricKeyDetails?.modulusLength ?? 0) / 8;
  const padding = constants.RSA_NO_PADDING;
  const s = toInteger(privateEncrypt({ key: privateKey, padding }, block(message, size)));
  return toBytes(s < n - s ? s : n - s, size);
}

/**
 * Opens a signature.
 * @returns the message that was signed
 * @throws X931Error when the block is malformed: wrong key, wrong length, garbage
 */
export function x931Open(publicKey: KeyObject, signature: Buffer): Buffer {
  const size = (publicKey.asymmetricKeyDetails?.modulusLength ?? 0) / 8;
  if (signature.length !== size) throw new X931Error('the signature has the wrong length');
  let opened: Buffer;
  try {
    opened = publicDecrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, signature);
  } catch (cause) {
    throw new X931Error('the signature does not fit the key', { cause });
  }
  if (((opened[size - 1] as number) & 15) !== 12)
    opened = toBytes(modulusOf(publicKey) - toInteger(opened), size);
  if (opened[size - 1] !== TRAILER) throw new X931Error('bad X9.31 trailer');
  if (opened[0] === HEADER_NO_FILLER) return opened.subarray(1, size - 1);
  if (opened[0] !== HEADER) throw new X931Error('bad X9.31 header');
  let at = 1;
  while (opened[at] === FILLER) at++;
  if (opened[at] !== FILLER_END) throw new X931Error('bad X9.31 filler');
  return opened.subarray(at + 1, size - 1);
}
