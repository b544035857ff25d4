/** What reading and writing of ZIP archives share: errors and the sum of contents. */
import type { ErrorCode } from '../../../errors/codes.ts';
import { BrineError } from '../../../errors/errors.ts';

/** What is asked of an archive cannot be done (Python's RuntimeError and NotImplementedError). */
export class ZipError extends BrineError {
  static override readonly errorCode: ErrorCode = 'archive-invalid';
  override readonly name: string = 'ZipError';
}

/** The file is no archive, or a damaged one (`zipfile.BadZipFile`). */
export class BadZipError extends ZipError {
  override readonly name = 'BadZipError';
}

/** The table of the sums of single bytes. */
export const CRC_TABLE: Uint32Array = new Uint32Array(256).map((_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = (sum & 1) !== 0 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  return sum >>> 0;
});

/** CRC-32 of bytes, carried on from that of those before. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let sum = ~before >>> 0;
  for (const byte of bytes) sum = ((sum >>> 8) ^ (CRC_TABLE[(sum ^ byte) & 0xff] as number)) >>> 0;
  return ~sum >>> 0;
}
