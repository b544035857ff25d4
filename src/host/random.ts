/** Randomness, as a part that is handed in. */
import { randomBytes, randomInt } from 'node:crypto';

/** The only source of randomness. */
export interface Random {
  /** Cryptographically strong bytes. */
  bytes(count: number): Buffer;
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number;
  /** A number from 0 (included) to 1 (excluded). */
  fraction(): number;
}

/** The operating system's randomness. */
export const systemRandom: Random = {
  bytes: (count) => randomBytes(count),
  int: (min, max) => randomInt(min, max + 1),
  fraction: () => randomInt(0, 2 ** 47) / 2 ** 47,
};
