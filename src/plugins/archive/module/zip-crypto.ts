/** The old encryption of ZIP archives (PKWARE's). It keeps no secret from anybody; only reading is here. */
import { CRC_TABLE } from './zip-format.ts';

/** @returns decrypts pieces of one file in their order */
export function zipDecryptor(password: Uint8Array): (piece: Buffer) => Buffer {
  let [key0, key1, key2] = [0x12345678, 0x23456789, 0x34567890];
  const sum = (crc: number, byte: number): number =>
    ((crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] as number)) >>> 0;
  const update = (byte: number): void => {
    key0 = sum(key0, byte);
    key1 = (Math.imul((key1 + (key0 & 0xff)) >>> 0, 134_775_813) + 1) >>> 0;
    key2 = sum(key2, key1 >>> 24);
  };
  for (const byte of password) update(byte);
  return (piece) => {
    const out = Buffer.alloc(piece.length);
    for (const [i, cipher] of piece.entries()) {
      const mask = (key2 & 0xffff) | 2;
      const plain = cipher ^ ((Math.imul(mask, mask ^ 1) >>> 8) & 0xff);
      update(plain);
      out[i] = plain;
    }
    return out;
  };
}
