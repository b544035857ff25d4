/**
 * Python's ideas of text: what a space is, where lines end, how long a string is. JavaScript differs in each
 * (`trim` takes U+FEFF and leaves U+0085, `length` counts UTF-16 units), and Salt's users see the difference.
 */

/** The characters for which Python's `str.isspace()` holds, as the inside of a regular expression's class. */
export const PY_SPACE =
  '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';

const SPACE = new RegExp(`[${PY_SPACE}]`);
const LINE_END = /\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/g;
const ANY_LINE_END = /[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/;
const SURROGATE = /[\ud800-\udfff]/;

/** True when Python's `str.isspace()` is true of this one character. */
export function isPySpace(char: string): boolean {
  return SPACE.test(char);
}

/** Python's `str.splitlines(keepends)`: no empty last line, and eleven kinds of line end. */
export function splitLines(text: string, keepEnds = false): string[] {
  if (!ANY_LINE_END.test(text)) return text === '' ? [] : [text];
  const lines: string[] = [];
  let start = 0;
  for (const match of text.matchAll(LINE_END)) {
    const end = match.index + match[0].length;
    lines.push(text.slice(start, keepEnds ? end : match.index));
    start = end;
  }
  if (start < text.length) lines.push(text.slice(start));
  return lines;
}

/** Python's `str.rstrip()`. */
export function rstrip(text: string): string {
  let end = text.length;
  while (end > 0 && isPySpace(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Python's `str.lstrip()`. */
export function lstrip(text: string): string {
  let start = 0;
  while (start < text.length && isPySpace(text.charAt(start))) start++;
  return text.slice(start);
}

/** Python's `str.strip()`. */
export function strip(text: string): string {
  return lstrip(rstrip(text));
}

/** Python's `len(str)`: code points. */
export function textLength(text: string): number {
  if (!SURROGATE.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Python's `str.ljust(width)`. */
export function padRight(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textLength(text)));
}

/** Python's `str.rjust(width)`. */
export function padLeft(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - textLength(text))) + text;
}

/** Python's `str.center(width)`: of an odd remainder, the greater half goes left only when the width is odd. */
export function center(text: string, width: number): string {
  const room = width - textLength(text);
  if (room <= 0) return text;
  const left = Math.floor(room / 2) + (room & width & 1);
  return ' '.repeat(left) + text + ' '.repeat(room - left);
}

/** The text of bytes that are UTF-8, or undefined for others. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
