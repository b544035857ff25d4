/**
 * Nested values as rows, like Salt's nested outputter, with a bound on everything: a return may be ten megabytes, or
 * made to be tiresome.
 */
import { isMapping } from './json.ts';

/** Entries of one list or mapping that are shown before one asks for more. */
export const ENTRIES_SHOWN = 200;
/** Characters of one text that are shown before one asks for more. */
export const CHARS_SHOWN = 4000;
/** Levels that are opened by themselves. */
export const LEVELS_OPEN = 3;

/** What a value is, for its looks. */
export type ValueKind = 'text' | 'block' | 'number' | 'boolean' | 'null' | 'list' | 'mapping';

/** The kind of a value; `block` is a text of several lines. */
export function valueKind(value: unknown): ValueKind {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'mapping';
  if (typeof value === 'number' || typeof value === 'bigint') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'string' && value.includes('\n') ? 'block' : 'text';
}

/** How many entries a value has; 0 for plain ones. */
export function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

/** A plain value as text: Python's words, as Salt prints them. */
export function plainText(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  return typeof value === 'string' ? value : String(value);
}

/** A value in one line, cut short. */
export function summary(value: unknown, most = 160): string {
  const out: string[] = [];
  write(value, out, { left: most }, 0);
  const text = out.join('');
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

function write(value: unknown, out: string[], room: { left: number }, depth: number): void {
  if (room.left <= 0) return;
  const put = (text: string): void => {
    out.push(text.slice(0, room.left + 1));
    room.left -= text.length;
  };
  if (typeof value !== 'object' || value === null)
    return put(plainText(value).slice(0, 400).replace(/\s+/g, ' '));
  if (depth > 3) return put('…');
  const isList = Array.isArray(value);
  put(isList ? '[' : '{');
  let first = true;
  for (const [key, entry] of Object.entries(value)) {
    if (room.left <= 0) break;
    if (!first) put(', ');
    first = false;
    if (!isList) put(`${key}: `);
    write(entry, out, room, depth + 1);
  }
  put(isList ? ']' : '}');
}

/** A value as JSON with an indent, cut at a number of characters. */
export function jsonText(value: unknown, most: number): { readonly text: string; readonly isCut: boolean } {
  const text = JSON.stringify(value, null, 2) ?? 'null';
  return text.length > most ? { text: text.slice(0, most), isCut: true } : { text, isCut: false };
}

/** Something by which equal values are known to be equal. */
export function fingerprintOf(value: unknown): string {
  const text = JSON.stringify(value, (_, entry: unknown) => sorted(entry)) ?? 'null';
  if (text.length <= 200) return text;
  let [a, b] = [0x811c9dc5, 0x1000193];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13);
  }
  return `${text.length}:${a >>> 0}:${b >>> 0}`;
}

function sorted(value: unknown): unknown {
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
