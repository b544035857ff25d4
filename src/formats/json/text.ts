/** JSON with Python's values: `json.dumps` as Salt calls it (3006.16 salt/utils/json.py), and the parser. */
import { sortedEntries } from '../../python/values/order.ts';
import { floatRepr, pyRepr } from '../../python/values/repr.ts';
import {
  isFloat,
  isInt,
  PyFloat,
  pyTypeName,
  type Dict,
  type PyDatetime,
  type Value,
  type PyObject,
} from '../../python/values/value.ts';

export { JsonSyntaxError, parseJson } from './parse.ts';

/** How to write. */
export interface JsonOptions {
  /** Columns per level; null (default) writes one line, 0 line ends without indent. */
  readonly indent?: number | null;
  readonly sortKeys?: boolean;
  /** Escape all that is not ASCII. Python's default is true, Salt's false, and so is ours. */
  readonly ensureAscii?: boolean;
  /** What to write for bytes and datetimes; without it they are a TypeError. Salt's outputter passes `repr`. */
  readonly fallback?: (value: Value) => string;
  /** Between items and after keys on one line; `[', ', ': ']`. */
  readonly separators?: readonly [item: string, key: string];
}

const MUST_ESCAPE = /["\\\x00-\x1f]/;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\b', '\\b'],
  ['\f', '\\f'],
]);

/**
 * Writes a value as Python's `json.dumps` does.
 * @throws TypeError for keys JSON cannot have (bytes, datetimes, lists), unlike keys when sorting, and values without
 *   a JSON form when there is no `fallback`
 */
export function toJson(value: Value, options: JsonOptions = {}): string {
  const indent = options.indent ?? null;
  const [item, key] = options.separators ?? [indent === null ? ', ' : ',', ': '];
  const out: string[] = [];
  write(value, 0, { out, indent, item, key, options });
  return out.join('');
}

interface Writer {
  readonly out: string[];
  readonly indent: number | null;
  readonly item: string;
  readonly key: string;
  readonly options: JsonOptions;
}

function write(value: Value, level: number, w: Writer): void {
  if (value === null || typeof value === 'boolean') w.out.push(String(value));
  else if (typeof value === 'string') w.out.push(quote(value, w));
  else if (isFloat(value)) w.out.push(floatText(value));
  else if (isInt(value)) w.out.push(pyRepr(value));
  else if (Array.isArray(value)) writeList(value, level, w);
  else if (value instanceof Map) writeDict(value, level, w);
  else w.out.push(quote(fallbackText(value, w), w));
}

function fallbackText(value: Uint8Array | PyDatetime | PyFloat | PyObject, w: Writer): string {
  if (w.options.fallback) return w.options.fallback(value);
  throw new TypeError(`Object of type ${pyTypeName(value)} is not JSON serializable`);
}

function floatText(value: number | PyFloat): string {
  const number = value instanceof PyFloat ? value.value : value;
  if (Number.isNaN(number)) return 'NaN';
  if (!Number.isFinite(number)) return number > 0 ? 'Infinity' : '-Infinity';
  return floatRepr(number);
}

function writeList(items: readonly Value[], level: number, w: Writer): void {
  if (items.length === 0) {
    w.out.push('[]');
    return;
  }
  w.out.push('[');
  for (const [i, item] of items.entries()) {
    w.out.push(i > 0 ? w.item : '', newLine(level + 1, w));
    write(item, level + 1, w);
  }
  w.out.push(newLine(level, w), ']');
}

function writeDict(map: Dict, level: number, w: Writer): void {
  if (map.size === 0) {
    w.out.push('{}');
    return;
  }
  w.out.push('{');
  let first = true;
  for (const [key, item] of w.options.sortKeys ? sortedEntries(map) : map) {
    w.out.push(first ? '' : w.item, newLine(level + 1, w), quote(keyText(key), w), w.key);
    first = false;
    write(item, level + 1, w);
  }
  w.out.push(newLine(level, w), '}');
}

function newLine(level: number, w: Writer): string {
  return w.indent === null ? '' : `\n${' '.repeat(w.indent * level)}`;
}

function keyText(key: Value): string {
  if (typeof key === 'string') return key;
  if (key === null || typeof key === 'boolean') return String(key);
  if (isFloat(key)) return floatText(key);
  if (isInt(key)) return pyRepr(key);
  throw new TypeError(`keys must be str, int, float, bool or None, not ${pyTypeName(key)}`);
}

function quote(text: string, w: Writer): string {
  if (w.options.ensureAscii) return `"${text.replace(/["\\]|[^ -~]/g, escapeUnit)}"`;
  return MUST_ESCAPE.test(text) ? `"${text.replace(/["\\\x00-\x1f]/g, escapeUnit)}"` : `"${text}"`;
}

function escapeUnit(unit: string): string {
  return ESCAPES.get(unit) ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
