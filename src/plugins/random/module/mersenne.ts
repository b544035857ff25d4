/**
 * Python's random numbers out of a seed: the Mersenne Twister, seeded and drawn from as CPython 3.11 does it
 * (Lib/random.py).
 */
import { createHash } from 'node:crypto';

const SIZE = 624;
const SHIFT = 397;

/** A generator that gives the same numbers for the same seed, on this minion and on Salt's. */
export class SeededRandom {
  readonly #state = new Uint32Array(SIZE);
  #index = SIZE;

  /** @param seed a text or a whole number; the sign of a number does not matter */
  constructor(seed: string | bigint) {
    this.#seed(typeof seed === 'string' ? textSeed(seed) : seed < 0n ? -seed : seed);
  }

  /** Uniform over [0, limit). */
  below(limit: number): number {
    if (limit <= 0) return 0;
    const bits = limit.toString(2).length;
    let value = this.#bits(bits);
    while (value >= limit) value = this.#bits(bits);
    return value;
  }

  /** `random.sample`: some of a list, in random order. */
  sample<T>(values: readonly T[], count: number): T[] {
    const total = values.length;
    const setSize = 21 + (count > 5 ? 4 ** Math.ceil(Math.log(count * 3) / Math.log(4)) : 0);
    if (total <= setSize) {
      const pool = [...values];
      return Array.from({ length: count }, (_, i) => {
        const at = this.below(total - i);
        const chosen = pool[at] as T;
        pool[at] = pool[total - i - 1] as T;
        return chosen;
      });
    }
    const taken = new Set<number>();
    return Array.from({ length: count }, () => {
      let at = this.below(total);
      while (taken.has(at)) at = this.below(total);
      taken.add(at);
      return values[at] as T;
    });
  }

  /** Up to 53 bits. */
  #bits(count: number): number {
    if (count <= 32) return this.#next() >>> (32 - count);
    const low = this.#next();
    return (this.#next() >>> (64 - count)) * 2 ** 32 + low;
  }

  #next(): number {
    if (this.#index >= SIZE) this.#twist();
    let y = this.#state[this.#index++] as number;
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  #twist(): void {
    const state = this.#state;
    for (let i = 0; i < SIZE; i++) {
      const y = ((state[i] as number) & 0x80000000) | ((state[(i + 1) % SIZE] as number) & 0x7fffffff);
      state[i] = (state[(i + SHIFT) % SIZE] as number) ^ (y >>> 1) ^ ((y & 1) !== 0 ? 0x9908b0df : 0);
    }
    this.#index = 0;
  }

  /** `init_by_array` with the seed's words of 32 bits, the lowest first. */
  #seed(seed: bigint): void {
    const words: number[] = [];
    for (let rest = seed; rest > 0n; rest >>= 32n) words.push(Number(rest & 0xffffffffn));
    if (words.length === 0) words.push(0);
    const state = this.#state;
    state[0] = 19_650_218;
    for (let i = 1; i < SIZE; i++) {
      const last = state[i - 1] as number;
      state[i] = Math.imul(1_812_433_253, last ^ (last >>> 30)) + i;
    }
    let [i, j] = [1, 0];
    const step = (factor: number, add: number): void => {
      const last = state[i - 1] as number;
      state[i] = ((state[i] as number) ^ Math.imul(last ^ (last >>> 30), factor)) + add;
      if (++i < SIZE) return;
      state[0] = state[SIZE - 1] as number;
      i = 1;
    };
    for (let k = Math.max(SIZE, words.length); k > 0; k--) {
      step(1_664_525, (words[j] as number) + j);
      j = (j + 1) % words.length;
    }
    for (let k = SIZE - 1; k > 0; k--) step(1_566_083_941, -i);
    state[0] = 0x80000000;
    this.#index = SIZE;
  }
}

/** The number that a text is as a seed: its bytes with their hash behind them. */
function textSeed(text: string): bigint {
  const bytes = Buffer.from(text);
  const all = Buffer.concat([bytes, createHash('sha512').update(bytes).digest()]);
  return BigInt(`0x${all.toString('hex')}`);
}
