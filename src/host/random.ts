/** Randomness, as a part that is handed in. */
import { randomBytes, randomFillSync, randomInt } from 'node:crypto';

/** The only source of randomness. */
export interface Random {
  /** Cryptographically strong bytes. */
  bytes(count: number): Buffer;
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number;
  /** A number from 0 (included) to 1 (excluded). */
  fraction(): number;
}

const POOL_BYTES = 4096;
/** Larger requests do not come from the pool. */
const POOLED_MAX = 64;

/**
 * Short runs of random bytes from a pool, because asking OpenSSL costs the same for 16 bytes as for 4,096. Used bytes
 * are wiped.
 */
class RandomPool {
  readonly #pool = Buffer.allocUnsafeSlow(POOL_BYTES);
  #at = POOL_BYTES;

  take(count: number): Buffer {
    if (this.#at + count > POOL_BYTES) {
      randomFillSync(this.#pool);
      this.#at = 0;
    }
    const end = this.#at + count;
    const out = Buffer.from(this.#pool.subarray(this.#at, end));
    this.#pool.fill(0, this.#at, end);
    this.#at = end;
    return out;
  }
}

const pool = new RandomPool();

/** The operating system's randomness. */
export const systemRandom: Random = {
  bytes: (count) => (count <= POOLED_MAX ? pool.take(count) : randomBytes(count)),
  int: (min, max) => randomInt(min, max + 1),
  fraction: () => randomInt(0, 2 ** 47) / 2 ** 47,
};
