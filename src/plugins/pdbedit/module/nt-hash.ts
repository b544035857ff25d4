/** The hash of a password as Windows keeps it: MD4 (RFC 1320), which OpenSSL no longer has, over its UTF-16. */

const BLOCK_BYTES = 64;
const LENGTH_BYTES = 8;
const START = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476] as const;
/** For each of the three rounds: what is added, the order of the words, and how far is turned. */
const ROUNDS = [
  {
    added: 0,
    mix: (x: number, y: number, z: number): number => (x & y) | (~x & z),
    order: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    turns: [3, 7, 11, 19],
  },
  {
    added: 0x5a827999,
    mix: (x: number, y: number, z: number): number => (x & y) | (x & z) | (y & z),
    order: [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
    turns: [3, 5, 9, 13],
  },
  {
    added: 0x6ed9eba1,
    mix: (x: number, y: number, z: number): number => x ^ y ^ z,
    order: [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
    turns: [3, 9, 11, 15],
  },
] as const;

/** MD4 in hexadecimal digits. */
function md4(data: Uint8Array): string {
  const blocks = Math.ceil((data.length + 1 + LENGTH_BYTES) / BLOCK_BYTES);
  const padded = Buffer.alloc(blocks * BLOCK_BYTES);
  padded.set(data);
  padded[data.length] = 0x80;
  padded.writeBigUInt64LE(BigInt(data.length) * 8n, padded.length - LENGTH_BYTES);
  let state: readonly number[] = START;
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) state = mixed(state, padded.subarray(at));
  const out = Buffer.alloc(4 * START.length);
  state.forEach((word, i) => out.writeUInt32LE(word >>> 0, 4 * i));
  return out.toString('hex');
}

function mixed(before: readonly number[], block: Buffer): number[] {
  let [a = 0, b = 0, c = 0, d = 0] = before;
  for (const { added, mix, order, turns } of ROUNDS)
    for (const [i, word] of order.entries()) {
      const sum = (a + mix(b, c, d) + block.readUInt32LE(4 * word) + added) | 0;
      const turn = turns[i % turns.length] ?? 0;
      [a, b, c, d] = [d, (sum << turn) | (sum >>> (32 - turn)), b, c];
    }
  return [a, b, c, d].map((word, i) => (word + (before[i] ?? 0)) | 0);
}

/** The hash of a password, in capitals. */
export function ntHash(password: string): string {
  return md4(Buffer.from(password, 'utf16le')).toUpperCase();
}
