/** Python's escapes inside quotes, as Jinja reads its string literals. */
import { TemplateSyntaxError } from './errors.ts';

const ESCAPE = /\\(?:(\n)|([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([^]))/g;
const NAMED: ReadonlyMap<string, string> = new Map([
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);
const LENGTHS: ReadonlyMap<string, string> = new Map([
  ['x', 'truncated \\xXX escape'],
  ['u', 'truncated \\uXXXX escape'],
  ['U', 'truncated \\UXXXXXXXX escape'],
  ['N', 'malformed \\N character escape'],
]);

/** @throws TemplateSyntaxError for escapes that are cut short */
export function unescapeText(text: string, line: number): string {
  if (!text.includes('\\')) return text;
  return text.replace(ESCAPE, (all, newline, octal, x, u, long, other) => {
    if (newline !== undefined) return '';
    if (octal !== undefined) return String.fromCodePoint(parseInt(String(octal), 8));
    const hex: unknown = x ?? u ?? long;
    if (hex !== undefined) {
      const code = parseInt(String(hex), 16);
      if (code > 0x10ffff) throw new TemplateSyntaxError('illegal Unicode character', line);
      return String.fromCodePoint(code);
    }
    const cut = LENGTHS.get(String(other));
    if (cut !== undefined) throw new TemplateSyntaxError(cut, line);
    return NAMED.get(String(other)) ?? String(all);
  });
}
