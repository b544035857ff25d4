/**
 * DER (X.690): reading and writing the few types that certificates consist of. Lengths are checked before anything is
 * taken.
 */
import { CommandExecutionError } from '../../../errors/errors.ts';

/** A value as it was read: its tag, its content, and the bytes of the whole. */
export interface DerNode {
  readonly tag: number;
  readonly content: Buffer;
  readonly whole: Buffer;
}

/** The tags that are written and read. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  enumerated: 0x0a,
  utf8: 0x0c,
  printable: 0x13,
  teletex: 0x14,
  ia5: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  visible: 0x1a,
  universal: 0x1c,
  bmp: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** What is no DER. */
export class DerError extends CommandExecutionError {}

function lengthBytes(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const digits: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256);
  return Buffer.from([0x80 | digits.length, ...digits]);
}

/** A value with its tag and length. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthBytes(content.length), content]);
}

/** A SEQUENCE. */
export const derSequence = (...parts: readonly Uint8Array[]): Buffer => der(TAG.sequence, ...parts);

/** A SET OF, in the order that DER asks for. */
export const derSetOf = (parts: readonly Buffer[]): Buffer =>
  der(TAG.set, ...[...parts].sort((a, b) => Buffer.compare(a, b)));

/** An INTEGER. */
export function derInteger(value: bigint | number, tag: number = TAG.integer): Buffer {
  const number = BigInt(value);
  let width = 1n;
  while (number >= 1n << (8n * width - 1n) || number < -(1n << (8n * width - 1n))) width++;
  const hex = BigInt.asUintN(Number(8n * width), number)
    .toString(16)
    .padStart(Number(2n * width), '0');
  return der(tag, Buffer.from(hex, 'hex'));
}

/** An OBJECT IDENTIFIER. */
export function derOid(oid: string, tag: number = TAG.oid): Buffer {
  const [first = 0n, second = 0n, ...rest] = oid.split('.').map(BigInt);
  const bytes = [first * 40n + second, ...rest].flatMap((arc) => {
    const digits = [Number(arc & 0x7fn)];
    for (let left = arc >> 7n; left > 0n; left >>= 7n) digits.unshift(Number(left & 0x7fn) | 0x80);
    return digits;
  });
  return der(tag, Buffer.from(bytes));
}

/** A BOOLEAN. */
export const derBoolean = (value: boolean, tag: number = TAG.boolean): Buffer =>
  der(tag, Buffer.from([value ? 0xff : 0]));

/** A BIT STRING of whole bytes. */
export const derBitString = (bytes: Uint8Array): Buffer => der(TAG.bitString, Buffer.from([0]), bytes);

/**
 * A BIT STRING of named bits, without the zeros at its end.
 * @param bits true for each bit that is set, the first one first
 */
export function derNamedBits(bits: readonly boolean[], tag: number = TAG.bitString): Buffer {
  const length = bits.lastIndexOf(true) + 1;
  const bytes = Buffer.alloc(Math.ceil(length / 8));
  bits.forEach((isSet, i) => {
    if (isSet) bytes[i >> 3] = (bytes[i >> 3] ?? 0) | (0x80 >> (i & 7));
  });
  return der(tag, Buffer.from([bytes.length * 8 - length]), bytes);
}

/** A time: UTCTime until 2049, GeneralizedTime afterwards. */
export function derTime(ms: number): Buffer {
  const text = new Date(ms).toISOString().replace(/[-:T]|\..*$/g, '');
  return new Date(ms).getUTCFullYear() < 2050
    ? der(TAG.utcTime, Buffer.from(`${text.slice(2)}Z`))
    : der(TAG.generalizedTime, Buffer.from(`${text}Z`));
}

/** The value that begins at a place. @throws DerError */
function nodeAt(bytes: Buffer, at: number): DerNode & { readonly end: number } {
  const tag = bytes[at];
  let length = bytes[at + 1];
  if (tag === undefined || length === undefined || (tag & 0x1f) === 0x1f) throw new DerError('No DER');
  let start = at + 2;
  if (length >= 0x80) {
    const count = length & 0x7f;
    if (count === 0 || count > 4 || start + count > bytes.length) throw new DerError('No DER');
    length = bytes.readUIntBE(start, count);
    start += count;
  }
  const end = start + length;
  if (end > bytes.length) throw new DerError('DER that is cut off');
  return { tag, content: bytes.subarray(start, end), whole: bytes.subarray(at, end), end };
}

/** The one value that bytes are. @throws DerError for anything behind it as well */
export function readDer(bytes: Buffer, tag?: number): DerNode {
  const node = nodeAt(bytes, 0);
  if (node.end !== bytes.length) throw new DerError('More than one value of DER');
  return expectTag(node, tag);
}

/** The values within one. @throws DerError */
export function childrenOf(node: DerNode | undefined): DerNode[] {
  if (node === undefined) throw new DerError('DER with a value missing');
  const out: DerNode[] = [];
  for (let at = 0; at < node.content.length;) {
    const child = nodeAt(node.content, at);
    out.push(child);
    at = child.end;
  }
  return out;
}

/** A value of a tag. @throws DerError where it is another, or none */
export function expectTag(node: DerNode | undefined, tag?: number): DerNode {
  if (node === undefined || (tag !== undefined && node.tag !== tag))
    throw new DerError('DER with another value than expected');
  return node;
}

/** An INTEGER or ENUMERATED. */
export function integerOf(node: DerNode | undefined): bigint {
  const { content } = expectTag(node);
  if (content.length === 0) throw new DerError('DER with an empty number');
  return BigInt.asIntN(content.length * 8, BigInt(`0x${content.toString('hex')}`));
}

/** An OBJECT IDENTIFIER as `1.2.3`. */
export function oidOf(node: DerNode | undefined): string {
  const arcs: bigint[] = [];
  let arc = 0n;
  for (const byte of expectTag(node).content) {
    arc = (arc << 7n) | BigInt(byte & 0x7f);
    if ((byte & 0x80) !== 0) continue;
    if (arcs.length === 0) arcs.push(arc < 80n ? arc / 40n : 2n, arc < 80n ? arc % 40n : arc - 80n);
    else arcs.push(arc);
    arc = 0n;
  }
  return arcs.join('.');
}

/** The bytes of a BIT STRING of whole bytes. */
export const bitsOf = (node: DerNode | undefined): Buffer => expectTag(node).content.subarray(1);

/** Whether a bit of a BIT STRING of named bits is set. */
export function hasBit(node: DerNode, bit: number): boolean {
  return ((bitsOf(node)[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0;
}

/** A text of any kind. */
export function textOf({ tag, content }: DerNode): string {
  if (tag === TAG.bmp) return Buffer.from(content).swap16().toString('utf16le');
  return content.toString(tag === TAG.utf8 ? 'utf8' : 'latin1');
}

/** A time, in milliseconds since 1970. @throws DerError */
export function timeOf(node: DerNode | undefined): number {
  const { tag, content } = expectTag(node);
  const text = content.toString('latin1');
  const short = tag === TAG.utcTime;
  const full = short ? `${Number(text.slice(0, 2)) < 50 ? '20' : '19'}${text}` : text;
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full);
  if (parts === null) throw new DerError('DER with a time that is none');
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
