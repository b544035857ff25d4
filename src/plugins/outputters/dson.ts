/** `dson`: each return one DSON document (3006.16 salt/output/dson.py, written with Dogeon's `dumps`). */
import { toJson } from '../../formats/json/text.ts';
import { sortedEntries } from '../../python/values/order.ts';
import { pyRepr } from '../../python/values/repr.ts';
import { isFloat, isInt, type Dict, type Value } from '../../python/values/value.ts';
import type { Outputter, OutputOptions } from './outputter.ts';

/** The `dson` outputter. Salt has it only where the Python package Dogeon is installed. */
export const outputter: Outputter = { name: 'dson', render: renderDson };

interface Writer {
  /** Columns per level; null puts everything on one line. */
  readonly indent: number | null;
  readonly sortKeys: boolean;
}

/** Four columns per level unless told otherwise; negative or null puts everything on one line. */
function renderDson(data: Value, options: OutputOptions): string {
  const wanted = options.indent === undefined ? 4 : options.indent;
  const indent = wanted === 'pretty' ? 4 : wanted !== null && wanted < 0 ? null : wanted;
  try {
    return written(data, 0, { indent, sortKeys: wanted === 'pretty' });
  } catch (error) {
    // Salt then prints an empty document, so that programs can go on reading
    if (error instanceof TypeError) return 'such wow';
    throw error;
  }
}

function written(value: Value, level: number, w: Writer): string {
  if (Array.isArray(value))
    return block(
      'so',
      'many',
      value.map((item) => written(item, level + 1, w)),
      ' and',
      level,
      w,
    );
  if (value instanceof Map) return block('such', 'wow', members(value, level, w), ',', level, w);
  return scalar(value);
}

function members(map: Dict, level: number, w: Writer): string[] {
  const entries = w.sortKeys ? sortedEntries(map) : [...map];
  return entries.map(([key, item]) => `${keyText(key)} is ${written(item, level + 1, w)}`);
}

function block(
  begin: string,
  end: string,
  items: readonly string[],
  separator: string,
  level: number,
  { indent }: Writer,
): string {
  if (items.length === 0) return `${begin} ${end}`;
  const newLine = (depth: number): string => (indent === null ? ' ' : `\n${' '.repeat(indent * depth)}`);
  return `${begin}${newLine(level + 1)}${items.join(`${separator}${newLine(level + 1)}`)}${newLine(level)}${end}`;
}

function keyText(key: Value): string {
  if (typeof key === 'string') return quoted(key);
  if (key === null || typeof key === 'boolean' || isInt(key) || isFloat(key)) return `"${scalar(key)}"`;
  throw new TypeError(`key ${pyRepr(key)} is not a string`);
}

function scalar(value: Value): string {
  if (value === null) return 'empty';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (isFloat(value) || isInt(value)) return toJson(value).replace('e', 'very');
  return quoted(typeof value === 'string' ? value : pyRepr(value));
}

/** In ASCII: DSON has JSON's escapes. */
function quoted(text: string): string {
  return toJson(text, { ensureAscii: true });
}
