/**
 * Salt's symmetric layer: AES-192-CBC with HMAC-SHA256 over IV and ciphertext (salt/crypt.py `Crypticle`, 3006.16;
 * docs/internals/keys-and-sessions.md#algorithms). The MAC is checked first and in constant time.
 */
import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { lastingCopy } from '../../host/lasting-bytes.ts';
import { systemRandom, type Random } from '../../host/random.ts';
import { Secret } from '../../host/secret.ts';
import type { Value } from '../../python/values/value.ts';
import { AUTHENTICATED } from '../../formats/wire/budget.ts';
import { decode, encode, type Encodable } from '../../formats/wire/msgpack.ts';

const AES_KEY_BYTES = 24;
const HMAC_KEY_BYTES = 32;
const IV_BYTES = 16;
const MAC_BYTES = 32;
const PREFIX = Buffer.from('pickle::', 'latin1');
/** Length of a nonce in the plaintext of a reply: a UUID without dashes. */
const NONCE_LENGTH = 32;

/** The message was not made with this key, or was changed on the way. */
export class MacError extends Error {
  override readonly name = 'MacError';
  constructor() {
    super('the message authentication code does not fit');
  }
}

/** The message is genuine but answers another request. */
export class NonceError extends Error {
  override readonly name = 'NonceError';
  constructor() {
    super('the reply carries another request’s nonce');
  }
}

/** Makes a key string: base64 of 56 random bytes, 76 characters. */
export function generateKeyString(random: Random = systemRandom): Secret {
  return new Secret(random.bytes(AES_KEY_BYTES + HMAC_KEY_BYTES).toString('base64'));
}

/** True when the text has the shape of a key string. */
export function isKeyString(text: string): boolean {
  return /^[A-Za-z0-9+/]{75}=$/.test(text);
}

/** Encrypts and opens messages with one key string. */
export class Crypticle {
  /** The key string, for sending it wrapped to a peer. */
  readonly keyString: Secret;
  readonly #aesKey: Buffer;
  readonly #hmacKey: Buffer;
  readonly #random: Random;

  /** @throws RangeError when the text is no key string */
  constructor(keyString: Secret, random: Random = systemRandom) {
    const bytes = lastingCopy(Buffer.from(keyString.reveal(), 'base64'));
    if (bytes.length !== AES_KEY_BYTES + HMAC_KEY_BYTES) throw new RangeError('a session key has 56 bytes');
    this.keyString = keyString;
    this.#aesKey = bytes.subarray(0, AES_KEY_BYTES);
    this.#hmacKey = bytes.subarray(AES_KEY_BYTES);
    this.#random = random;
  }

  /** Encrypts bytes: IV, ciphertext, MAC. */
  encrypt(plain: Buffer): Buffer {
    const iv = this.#random.bytes(IV_BYTES);
    const cipher = createCipheriv('aes-192-cbc', this.#aesKey, iv);
    const sealed = Buffer.concat([iv, cipher.update(plain), cipher.final()]);
    return Buffer.concat([sealed, createHmac('sha256', this.#hmacKey).update(sealed).digest()]);
  }

  /** @throws MacError when the message is not genuine */
  decrypt(message: Buffer): Buffer {
    const sealedLength = message.length - MAC_BYTES;
    if (sealedLength < 2 * IV_BYTES || sealedLength % IV_BYTES !== 0) throw new MacError();
    const sealed = message.subarray(0, sealedLength);
    const mac = createHmac('sha256', this.#hmacKey).update(sealed).digest();
    if (!timingSafeEqual(mac, message.subarray(sealedLength))) throw new MacError();
    const decipher = createDecipheriv('aes-192-cbc', this.#aesKey, sealed.subarray(0, IV_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES)), decipher.final()]);
  }

  /**
   * Encrypts a value.
   * @param nonce of the request that this answers, put before the value
   */
  dumps(value: Encodable, nonce = ''): Buffer {
    return this.encrypt(Buffer.concat([PREFIX, Buffer.from(nonce, 'latin1'), encode(value, 'network')]));
  }

  /**
   * Opens a value and leaves it packed.
   * @returns its msgpack, or undefined when the plaintext is not one of Salt's
   * @throws MacError
   */
  open(message: Buffer): Buffer | undefined {
    const plain = this.decrypt(message);
    return plain.subarray(0, PREFIX.length).equals(PREFIX) ? plain.subarray(PREFIX.length) : undefined;
  }

  /**
   * Opens a value.
   * @param nonce that the value must carry; leave out where the protocol has none
   * @returns the value, or undefined when the plaintext is not one of Salt's (Salt gives an empty map)
   * @throws MacError, NonceError, MsgpackError, BudgetError when the value would cost more than a peer with a key is
   *   granted
   */
  loads(message: Buffer, nonce?: string): Value | undefined {
    const packed = this.open(message);
    if (packed === undefined || nonce === undefined)
      return packed && decode(packed, 'network', AUTHENTICATED);
    const expected = Buffer.from(nonce, 'latin1');
    const carried = packed.subarray(0, NONCE_LENGTH);
    if (carried.length !== expected.length || !timingSafeEqual(carried, expected)) throw new NonceError();
    return decode(packed.subarray(NONCE_LENGTH), 'network', AUTHENTICATED);
  }
}
