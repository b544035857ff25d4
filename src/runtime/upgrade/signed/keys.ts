/** The keys of releases: Ed25519, named by the hash of what they are, as The Update Framework has it. */
import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';

/** A public key, as metadata has it. */
export interface ReleaseKey {
  readonly id: string;
  /** 64 hexadecimal digits. */
  readonly public: string;
}

/** Before the 32 bytes of a public key in its DER form. */
const DER_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const PUBLIC = /^[0-9a-f]{64}$/;
const SIGNATURE = /^[0-9a-f]{128}$/;

/** A key as it stands in metadata. */
export function keyRecord(publicHex: string): {
  keytype: string;
  scheme: string;
  keyval: { public: string };
} {
  return { keytype: 'ed25519', scheme: 'ed25519', keyval: { public: publicHex } };
}

/** @param publicHex 64 hexadecimal digits. @throws Error for all else */
export function releaseKey(publicHex: string): ReleaseKey {
  if (!PUBLIC.test(publicHex)) throw new Error('a public key has 64 hexadecimal digits');
  const id = createHash('sha256')
    .update(canonicalJson(keyRecord(publicHex)))
    .digest('hex');
  return { id, public: publicHex };
}

/** The public half of a private key. */
export function publicHexOf(key: KeyObject): string {
  return createPublicKey(key)
    .export({ type: 'spki', format: 'der' })
    .subarray(DER_PREFIX.length)
    .toString('hex');
}

/** Whether a signature, in hexadecimal digits, is this key's. */
export function isSignedBy(key: ReleaseKey, bytes: Uint8Array, signature: string): boolean {
  if (!SIGNATURE.test(signature)) return false;
  const der = Buffer.concat([DER_PREFIX, Buffer.from(key.public, 'hex')]);
  const loaded = createPublicKey({ key: der, type: 'spki', format: 'der' });
  return verify(null, bytes, loaded, Buffer.from(signature, 'hex'));
}

/** Signs, with an Ed25519 key. */
export function signatureOf(key: KeyObject, bytes: Uint8Array): string {
  return sign(null, bytes, key).toString('hex');
}
