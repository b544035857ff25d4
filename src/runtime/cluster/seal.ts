/**
 * The seal of a cluster: everything that masters say to each other over NATS is encrypted and authenticated with the
 * cluster's secret, so that who can read or write NATS' subjects learns nothing and forges nothing
 * (docs/internals/cluster.md#what-nats-may-know).
 */
import { Crypticle } from '../../network/crypto/crypticle.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';
import { isDict, type Dict } from '../../python/values/value.ts';
import type { Secret } from '../../host/secret.ts';

/** What a sealed message is for. One that was sealed for something else does not open. */
export type Purpose = 'jobs' | 'file' | 'token' | 'queue' | 'state' | 'event' | 'publish' | 'ask' | 'answer';

/** Seals and opens. */
export class ClusterSeal {
  /** Messages that were not sealed by a member, or for another purpose. */
  readonly counters = { refused: 0 };
  readonly #cipher: Crypticle;

  constructor(secret: Secret) {
    this.#cipher = new Crypticle(secret);
  }

  /** Seals a mapping. */
  seal(purpose: Purpose, value: Dict): Buffer {
    return this.#cipher.encrypt(encode([purpose, value], 'local'));
  }

  /** @returns the mapping; undefined, and counted, when it is not genuine */
  open(purpose: Purpose, bytes: Uint8Array): Dict | undefined {
    try {
      const plain = decode(this.#cipher.decrypt(Buffer.from(bytes)), 'local');
      if (Array.isArray(plain) && plain[0] === purpose && plain[1] !== undefined && isDict(plain[1]))
        return plain[1];
    } catch {
      // counted below: whoever sent it has no secret of this cluster
    }
    this.counters.refused++;
    return undefined;
  }
}
