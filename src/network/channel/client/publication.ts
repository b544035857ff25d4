/**
 * Publications as a minion takes them: signature, decryption, serial (docs/internals/wire-protocol.md#publications).
 *
 * Every master that we can join numbers what it publishes: Salt since 3004.1 (`serial` in salt/channel/server.py
 * `wrap_payload`, 3006.16 and 3007.8), and we need 3006.12 or 3007.4 for the session key. Only masters of a cluster
 * (`cluster_id`, 3007) leave the serial out, for whom there is `require_publish_serial: False`.
 */
import { createHash } from 'node:crypto';
import { MacError, type Crypticle } from '../../crypto/crypticle.ts';
import { DEFAULT_SIGNING, usesSha1 } from '../../crypto/rsa.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { parsePublishEnvelope, type PublishEnvelope } from '../../../formats/wire/envelope.ts';
import type { MinionCredentials } from './authenticate.ts';

/** Why a publication is not taken. */
export type PublicationFault =
  | 'malformed'
  | 'no signature'
  | 'weak signature'
  | 'bad signature'
  | 'no publication'
  | 'wrong key'
  | 'no serial'
  | 'replayed';

/** The last serial of each shared key, by a mark of the key; it should outlive this process. */
export interface SerialMemory {
  /** 0 when none was noted. */
  lastSerial(keyMark: string): number;
  noteSerial(keyMark: string, serial: number): void;
}

/** The masters of which a signed publication was seen, by their public keys; it should outlive this process. */
export interface SigningMasters {
  has(masterKey: string): boolean;
  note(masterKey: string): void;
}

/** What a receiver remembers of publications. */
export interface PublicationMemory {
  readonly serials: SerialMemory;
  readonly signers: SigningMasters;
}

/** How strict a receiver is, and what it remembers. */
export interface PublicationPolicy extends PublicationMemory {
  /**
   * `sign_pub_messages`: also masters that were never seen to sign must; a signature that is there is always checked
   */
  readonly requireSignature: boolean;
  /** `require_publish_serial` */
  readonly requireSerial: boolean;
  /** `fips_mode` */
  readonly withoutSha1: boolean;
}

/** Opens publications. */
export class PublicationReader {
  readonly #policy: PublicationPolicy;
  #key: string | undefined;
  #keyMark = '';
  #lastSerial = 0;

  constructor(policy: PublicationPolicy) {
    this.#policy = policy;
  }

  /** The serial of the last publication that was taken; 0 before the first. */
  get lastSerial(): number {
    return this.#lastSerial;
  }

  /** @returns the load without its serial, or why it is not taken; `wrong key` asks for a new authentication */
  read(parts: readonly Buffer[], credentials: MinionCredentials): Dict | PublicationFault {
    const envelope = parsePublishEnvelope(parts);
    if (envelope === undefined) return 'malformed';
    const fault = this.#checkSignature(envelope, credentials);
    if (fault !== undefined) return fault;
    let value: Value | undefined;
    try {
      value = credentials.shared.loads(envelope.load);
    } catch (error) {
      return error instanceof MacError ? 'wrong key' : 'malformed';
    }
    if (value === undefined || !isDict(value)) return 'malformed';
    if (envelope.sig !== undefined) this.#noteSigner(credentials);
    return this.#checkSerial(value, credentials);
  }

  #checkSignature(
    { load, sig, sigAlgo }: PublishEnvelope,
    { masterKey }: MinionCredentials,
  ): PublicationFault | undefined {
    const { requireSignature, withoutSha1, signers } = this.#policy;
    if (sig === undefined) return requireSignature || signers.has(masterKey.pem) ? 'no signature' : undefined;
    const algorithm = sigAlgo ?? DEFAULT_SIGNING;
    if (withoutSha1 && usesSha1(algorithm)) return 'weak signature';
    if (!masterKey.verify(load, sig, algorithm)) return 'bad signature';
    return isSignedReply(load) ? 'no publication' : undefined;
  }

  #noteSigner({ masterKey }: MinionCredentials): void {
    const { signers } = this.#policy;
    if (!signers.has(masterKey.pem)) signers.note(masterKey.pem);
  }

  #checkSerial(load: Dict, { shared }: MinionCredentials): Dict | PublicationFault {
    const { serials, requireSerial } = this.#policy;
    const serial = load.get('serial');
    load.delete('serial');
    const key = shared.keyString.reveal();
    if (this.#key !== key) {
      this.#key = key;
      this.#keyMark = keyMarkOf(shared);
      this.#lastSerial = serials.lastSerial(this.#keyMark);
    }
    if (serial === undefined && !requireSerial) return load;
    if (typeof serial !== 'number' || !Number.isSafeInteger(serial)) return 'no serial';
    if (serial <= this.#lastSerial) return 'replayed';
    this.#lastSerial = serial;
    serials.noteSerial(this.#keyMark, serial);
    return load;
  }
}

/**
 * The fields by which one of a master's signed replies can begin: those to `_auth` with `ret` or `enc`, pillar with
 * `key` (salt/channel/server.py, 2015.8 to 3007.8); the others in case a Salt orders them differently.
 */
const REPLY_FIELDS = ['ret', 'enc', 'key', 'nonce', 'pillar', 'pub_key', 'token', 'session'].map((name) =>
  Buffer.from([0xa0 | name.length, ...Buffer.from(name)]),
);

/**
 * True for bytes that a master signs as a reply. It has one key for all it signs, and Salt's repeats in replies what a
 * peer made up (`nonce` of any length), so that whoever holds the shared key can build a reply that opens as a
 * publication. Sealed messages begin with random bytes, which look like a reply once in 10^10.
 */
function isSignedReply(sealed: Buffer): boolean {
  const first = sealed[0] ?? 0;
  if (first >> 4 !== 8 && first !== 0xde && first !== 0xdf) return false;
  const at = first === 0xdf ? 5 : first === 0xde ? 3 : 1;
  return REPLY_FIELDS.some((field) => sealed.subarray(at, at + field.length).equals(field));
}

/** A shared key by a name that does not give it away. */
export function keyMarkOf({ keyString }: Crypticle): string {
  return createHash('sha256')
    .update('publications of ')
    .update(keyString.reveal())
    .digest('hex')
    .slice(0, 32);
}
