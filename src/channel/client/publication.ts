/** Publications as a minion takes them: signature, decryption, serial (wire-protocol.md, 3.6 and 4.1). */
import { MacError } from '../../crypto/crypticle.ts';
import { isDict, type Dict } from '../../values/value.ts';
import { parsePublishEnvelope } from '../../wire/envelope.ts';
import type { Credentials } from './authenticate.ts';

/** Why a publication is not taken. */
export type PublicationFault = 'malformed' | 'bad signature' | 'wrong key' | 'replayed';

/** Opens publications and remembers the last serial of each key. */
export class PublicationReader {
  readonly #requireSignature: boolean;
  #key: unknown;
  #lastSerial = 0;

  /** @param requireSignature `sign_pub_messages`; a signature that is there is always checked */
  constructor(requireSignature: boolean) {
    this.#requireSignature = requireSignature;
  }

  /** The serial of the last publication that was taken; 0 before the first. */
  get lastSerial(): number {
    return this.#lastSerial;
  }

  /** @returns the load without its serial, or why it is not taken; `wrong key` asks for a new authentication */
  read(parts: readonly Buffer[], credentials: Credentials): Dict | PublicationFault {
    const envelope = parsePublishEnvelope(parts);
    if (envelope === undefined) return 'malformed';
    const { load, sig, sigAlgo } = envelope;
    if (
      sig === undefined
        ? this.#requireSignature
        : !credentials.masterKey.verify(load, sig, sigAlgo ?? 'PKCS1v15-SHA1')
    ) {
      return 'bad signature';
    }
    let value;
    try {
      value = credentials.shared.loads(load);
    } catch (error) {
      return error instanceof MacError ? 'wrong key' : 'malformed';
    }
    return value !== undefined && isDict(value) ? this.#checkSerial(value, credentials) : 'malformed';
  }

  #checkSerial(load: Dict, credentials: Credentials): Dict | PublicationFault {
    const serial = load.get('serial');
    load.delete('serial');
    const key = credentials.shared.keyString.reveal();
    if (this.#key !== key) {
      this.#key = key;
      this.#lastSerial = 0;
    }
    if (typeof serial !== 'number') return load;
    if (serial <= this.#lastSerial) return 'replayed';
    this.#lastSerial = serial;
    return load;
  }
}
