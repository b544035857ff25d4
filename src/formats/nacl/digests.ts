/** The two digests that boxes need and Node does not have on their own: Poly1305, and BLAKE2b of other lengths than 64 bytes. */

const POLY_PRIME = (1n << 130n) - 5n;
const POLY_CLAMP = 0x0ffffffc0ffffffc0ffffffc0fffffffn;
const U64 = (1n << 64n) - 1n;
const IV: readonly bigint[] = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
];
const SIGMA: readonly (readonly number[])[] = [
  '0123456789abcdef',
  'ea489fd61c02b753',
  'b8c052fdae367194',
  '7931dcbe265a40f8',
  '905724afe1bc683d',
  '2c6a0b834d75fe19',
  'c51fed4a0763928b',
  'db7ec13950f4862a',
  '6fe9b308c2d714a5',
  'a2847615fb9e3cd0',
].map((row) => [...row].map((digit) => parseInt(digit, 16)));
const MIXES = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const;

function number(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex') || '0'}`);
}

/** Poly1305 of a message under a key of 32 bytes that is used once: 16 bytes. */
export function poly1305(message: Uint8Array, key: Uint8Array): Buffer {
  const r = number(key.subarray(0, 16)) & POLY_CLAMP;
  let sum = 0n;
  for (let at = 0; at < message.length; at += 16) {
    const block = message.subarray(at, at + 16);
    sum = ((sum + number(block) + (1n << BigInt(8 * block.length))) * r) % POLY_PRIME;
  }
  const tag = (sum + number(key.subarray(16, 32))) & ((1n << 128n) - 1n);
  return Buffer.from(tag.toString(16).padStart(32, '0'), 'hex').reverse();
}

/** BLAKE2b without a key. @param size bytes of the digest, 1 to 64 */
export function blake2b(message: Uint8Array, size: number): Buffer {
  const h = [...IV];
  h[0] = (h[0] as bigint) ^ 0x01010000n ^ BigInt(size);
  const blocks = Math.max(1, Math.ceil(message.length / 128));
  for (let block = 0; block < blocks; block++) {
    const chunk = Buffer.alloc(128);
    chunk.set(message.subarray(block * 128, block * 128 + 128));
    const isLast = block === blocks - 1;
    compress(h, chunk, BigInt(isLast ? message.length : (block + 1) * 128), isLast);
  }
  const out = Buffer.alloc(64);
  for (const [index, word] of h.entries()) out.writeBigUInt64LE(word, index * 8);
  return out.subarray(0, size);
}

function compress(h: bigint[], chunk: Buffer, count: bigint, isLast: boolean): void {
  const m = Array.from({ length: 16 }, (_, index) => chunk.readBigUInt64LE(index * 8));
  const v = [...h, ...IV];
  v[12] = (v[12] as bigint) ^ (count & U64);
  if (isLast) v[14] = (v[14] as bigint) ^ U64;
  for (let round = 0; round < 12; round++) {
    const order = SIGMA[round % 10] as readonly number[];
    for (const [index, [a, b, c, d]] of MIXES.entries())
      mix(
        v,
        [a, b, c, d],
        m[order[index * 2] as number] as bigint,
        m[order[index * 2 + 1] as number] as bigint,
      );
  }
  for (let index = 0; index < 8; index++)
    h[index] = (h[index] as bigint) ^ (v[index] as bigint) ^ (v[index + 8] as bigint);
}

function mix(
  v: bigint[],
  [a, b, c, d]: readonly [number, number, number, number],
  x: bigint,
  y: bigint,
): void {
  const at = (index: number): bigint => v[index] as bigint;
  const turned = (value: bigint, bits: bigint): bigint => ((value >> bits) | (value << (64n - bits))) & U64;
  for (const [word, first, second] of [
    [x, 32n, 24n],
    [y, 16n, 63n],
  ] as const) {
    v[a] = (at(a) + at(b) + word) & U64;
    v[d] = turned(at(d) ^ at(a), first);
    v[c] = (at(c) + at(d)) & U64;
    v[b] = turned(at(b) ^ at(c), second);
  }
}
