/** The stream cipher XSalsa20 (D. J. Bernstein, "Extending the Salsa20 nonce"). */

const CONSTANTS = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const;
/** Words of a state, in the order in which a quarter round takes them: columns, then rows. */
const QUARTERS = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14],
] as const;
const BLOCK_BYTES = 64;

function rotated(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function rounds(state: Uint32Array): Uint32Array {
  const x = Uint32Array.from(state);
  const at = (index: number): number => x[index] as number;
  for (let double = 0; double < 10; double++)
    for (const [a, b, c, d] of QUARTERS) {
      x[b] = at(b) ^ rotated(at(a) + at(d), 7);
      x[c] = at(c) ^ rotated(at(b) + at(a), 9);
      x[d] = at(d) ^ rotated(at(c) + at(b), 13);
      x[a] = at(a) ^ rotated(at(d) + at(c), 18);
    }
  return x;
}

function words(bytes: Uint8Array): number[] {
  const view = Buffer.from(bytes);
  return Array.from({ length: bytes.length / 4 }, (_, index) => view.readUInt32LE(index * 4));
}

/** The state of a key of 32 bytes and an input of 16. */
function stateOf(key: Uint8Array, input: readonly number[]): Uint32Array {
  const k = words(key);
  const [c0, c1, c2, c3] = CONSTANTS;
  return Uint32Array.from([c0, ...k.slice(0, 4), c1, ...input, c2, ...k.slice(4), c3]);
}

/** HSalsa20: a key out of a key of 32 bytes and an input of 16. */
export function hsalsa20(key: Uint8Array, input: Uint8Array): Buffer {
  const x = rounds(stateOf(key, words(input)));
  const out = Buffer.alloc(32);
  for (const [index, word] of [0, 5, 10, 15, 6, 7, 8, 9].entries())
    out.writeUInt32LE(x[word] as number, index * 4);
  return out;
}

/**
 * The bytes combined with the stream of a key.
 * @param key 32 bytes
 * @param nonce 24 bytes
 */
export function xsalsa20(bytes: Uint8Array, nonce: Uint8Array, key: Uint8Array): Buffer {
  const inner = hsalsa20(key, nonce.subarray(0, 16));
  const [low = 0, high = 0] = words(nonce.subarray(16, 24));
  const out = Buffer.from(bytes);
  for (let block = 0; block * BLOCK_BYTES < out.length; block++) {
    const state = stateOf(inner, [low, high, block >>> 0, Math.floor(block / 2 ** 32)]);
    const x = rounds(state);
    const start = block * BLOCK_BYTES;
    for (let at = 0; at < Math.min(BLOCK_BYTES, out.length - start); at++) {
      const word = ((x[at >> 2] as number) + (state[at >> 2] as number)) >>> 0;
      out[start + at] = (out[start + at] as number) ^ ((word >>> (8 * (at & 3))) & 0xff);
    }
  }
  return out;
}
