/** Writes property lists in XML as Python's plistlib does (3006.16 salt/serializers/plist.py). */
import { floatRepr } from '../../python/values/repr.ts';
import { sortedEntries } from '../../python/values/order.ts';
import {
  isFloat,
  isInt,
  PyDatetime,
  PyFloat,
  type Dict,
  type Value,
  PyObject,
} from '../../python/values/value.ts';

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
`;
const DEPTH_MAX = 500;
const LINE_CHARACTERS = 76;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

/** How to write. */
export interface PlistOptions {
  readonly sortKeys?: boolean;
  /** Leave keys out that are no text, instead of refusing them. */
  readonly skipKeys?: boolean;
}

/** The text of a value. @throws TypeError for what a property list cannot hold */
export function dumpPlist(value: Value, options: PlistOptions = {}): string {
  const lines: string[] = [];
  write(value, 0, lines, { sortKeys: options.sortKeys ?? true, skipKeys: options.skipKeys ?? false });
  return `${HEAD}${lines.join('\n')}\n</plist>\n`;
}

function write(value: Value, depth: number, lines: string[], options: Required<PlistOptions>): void {
  if (depth > DEPTH_MAX) throw new TypeError('Too many levels of nesting for a property list');
  const pad = '\t'.repeat(depth);
  const simple = (name: string, text: string): void => void lines.push(`${pad}<${name}>${text}</${name}>`);
  if (typeof value === 'string') simple('string', escaped(value));
  else if (typeof value === 'boolean') lines.push(`${pad}<${value}/>`);
  else if (isInt(value)) simple('integer', whole(value));
  else if (isFloat(value)) simple('real', floatRepr(value instanceof PyFloat ? value.value : value));
  else if (value instanceof PyDatetime) simple('date', `${value.toString().replace(' ', 'T').slice(0, 19)}Z`);
  else if (Array.isArray(value)) writeList(value, depth, lines, options);
  else if (value instanceof Map) writeMapping(value, depth, lines, options);
  else if (value === null) throw new TypeError("unsupported type: <class 'NoneType'>");
  else if (value instanceof PyObject) throw new TypeError(`unsupported type: <class '${value.title}'>`);
  else writeBytes(value, depth, lines);
}

function whole(value: number | bigint): string {
  if (value < -(2n ** 63n) || value >= 2n ** 64n) throw new RangeError(String(value));
  return String(value);
}

function writeList(
  items: readonly Value[],
  depth: number,
  lines: string[],
  options: Required<PlistOptions>,
): void {
  const pad = '\t'.repeat(depth);
  if (items.length === 0) {
    lines.push(`${pad}<array/>`);
    return;
  }
  lines.push(`${pad}<array>`);
  for (const item of items) write(item, depth + 1, lines, options);
  lines.push(`${pad}</array>`);
}

function writeMapping(map: Dict, depth: number, lines: string[], options: Required<PlistOptions>): void {
  const pad = '\t'.repeat(depth);
  if (map.size === 0) {
    lines.push(`${pad}<dict/>`);
    return;
  }
  lines.push(`${pad}<dict>`);
  for (const [key, item] of options.sortKeys ? sortedEntries(map) : map) {
    if (typeof key !== 'string') {
      if (options.skipKeys) continue;
      throw new TypeError('keys must be strings');
    }
    lines.push(`${pad}\t<key>${escaped(key)}</key>`);
    write(item, depth + 1, lines, options);
  }
  lines.push(`${pad}</dict>`);
}

function writeBytes(bytes: Uint8Array, depth: number, lines: string[]): void {
  const pad = '\t'.repeat(depth);
  const width = Math.max(16, LINE_CHARACTERS - 8 * depth);
  const text = Buffer.from(bytes).toString('base64');
  const size = Math.floor(width / 4) * 4;
  lines.push(`${pad}<data>`);
  for (let at = 0; at < text.length; at += size) lines.push(`${pad}${text.slice(at, at + size)}`);
  lines.push(`${pad}</data>`);
}

function escaped(text: string): string {
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f]/.test(text))
    throw new TypeError("strings can't contain control characters; use bytes instead");
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
    .replace(/[&<>]/g, (char) => ENTITIES.get(char) ?? char);
}
