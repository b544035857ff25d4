/**
 * Reading files as text the way Salt does, and telling text from other content (3006.16 salt/utils/files.py,
 * salt/utils/stringutils.py).
 */
import { CommandExecutionError } from '../../errors/errors.ts';
import { readBytes, readStart } from '../../host/file-operations.ts';
import { isFile } from '../../python/paths.ts';
import { PythonError } from '../../python/exceptions.ts';
import { unifiedDiff } from '../../python/text/unified-diff.ts';
import { decodeUtf8 } from '../../python/values/text.ts';

/**
 * The text of bytes.
 * @throws PythonError UnicodeDecodeError
 */
export function decodeText(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text !== undefined) return text;
  const at = firstBadByte(bytes);
  const byte = (bytes[at] ?? 0).toString(16).padStart(2, '0');
  throw new PythonError(
    'UnicodeDecodeError',
    `'utf-8' codec can't decode byte 0x${byte} in position ${at}: invalid start byte`,
  );
}

function firstBadByte(bytes: Uint8Array): number {
  let [good, bad] = [0, bytes.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const decoder = new TextDecoder('utf-8', { fatal: true });
    try {
      decoder.decode(bytes.subarray(0, middle), { stream: true });
      good = middle;
    } catch {
      bad = middle;
    }
  }
  return good;
}

/** A file as UTF-8 text; line ends stay as they are. */
export function readText(path: string): string {
  return decodeText(readBytes(path));
}

/** Lines with their ends, parted at `\n`, `\r` and `\r\n`, as the lines of a file that Salt has opened as text. */
export function linesOf(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
}

/** Lines of bytes with their ends, parted at `\n` only. */
export function byteLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at);
    const stop = end < 0 ? bytes.length : end + 1;
    lines.push(bytes.subarray(at, stop));
    at = stop;
  }
  return lines;
}

/** Text of one line: UTF-8, or Latin-1 where it is none. */
export function lineText(line: Uint8Array): string {
  return decodeUtf8(line) ?? Buffer.from(line).toString('latin1');
}

/** Salt's `get_diff`: a unified difference without names, three lines of context. */
export function diffOf(
  from: readonly string[],
  to: readonly string[],
  names: { readonly from: string; readonly to: string } = { from: '', to: '' },
): string {
  return unifiedDiff(from, to, names, 3).join('');
}

const TEXT_BYTES = 512;

/** Salt's `is_text`: no NUL in the first bytes, and UTF-8 or mostly printable. False when it cannot be read. */
export function isTextFile(path: string): boolean {
  let block: Buffer;
  try {
    block = readStart(path, TEXT_BYTES);
  } catch {
    return false;
  }
  return isTextContent(block);
}

/** The same of content; its first bytes count. */
export function isTextContent(content: Uint8Array): boolean {
  const block = content.subarray(0, TEXT_BYTES);
  if (block.includes(0)) return false;
  if (block.length === 0 || decodeUtf8(block) !== undefined) return true;
  const odd = block.filter((byte) => !isTextByte(byte)).length;
  return odd / block.length <= 0.3;
}

function isTextByte(byte: number): boolean {
  return (byte >= 32 && byte < 127) || [8, 9, 10, 12, 13].includes(byte);
}

/** Salt's `is_binary`: the first 2048 bytes are no UTF-8, or hold NUL or too many control characters. */
export function isBinaryFile(path: string): boolean {
  if (!isFile(path)) return false;
  let start: Buffer;
  try {
    start = readStart(path, 2048);
  } catch {
    return false;
  }
  const text = decodeUtf8(start);
  if (text === undefined) return true;
  if (text === '') return false;
  if (text.includes('\0')) return true;
  const odd = [...text].filter((char) => !/[\x20-\x7e\n\r\t\b]/.test(char)).length;
  return odd / [...text].length > 0.3;
}

const MARKS: readonly (readonly [string, readonly number[]])[] = [
  ['UTF-32-BE', [0, 0, 0xfe, 0xff]],
  ['UTF-32-LE', [0xff, 0xfe, 0, 0]],
  ['UTF-16-BE', [0xfe, 0xff]],
  ['UTF-16-LE', [0xff, 0xfe]],
  ['UTF-8', [0xef, 0xbb, 0xbf]],
];

/** Salt's `get_encoding`; undefined where Salt cannot tell. */
export function encodingOf(path: string): string | undefined {
  const start = readStart(path, 2048);
  const mark = MARKS.find(([, bytes]) => bytes.every((byte, i) => start[i] === byte));
  if (mark !== undefined) return mark[0];
  return decodeUtf8(start) === undefined ? undefined : 'UTF-8';
}

/** The text of bytes in one of the encodings that {@link encodingOf} gives, byte order mark included. */
export function decodeAs(bytes: Buffer, encoding: string | undefined): string {
  if (encoding === 'UTF-16-LE') return bytes.toString('utf16le');
  if (encoding === 'UTF-16-BE') return Buffer.from(bytes).swap16().toString('utf16le');
  if (encoding?.startsWith('UTF-32') === true)
    throw new CommandExecutionError('Files in UTF-32 cannot be edited.');
  return decodeText(bytes);
}

/** The bytes of text in one of the encodings that {@link encodingOf} gives. */
export function encodeAs(text: string, encoding: string | undefined): Buffer {
  if (encoding === 'UTF-16-LE') return Buffer.from(text, 'utf16le');
  if (encoding === 'UTF-16-BE') return Buffer.from(text, 'utf16le').swap16();
  return Buffer.from(text);
}
