/** Writes values as TOML in the form of Python's package toml 0.10 (3006.16 salt/serializers/tomlmod.py). */
import { floatRepr, pyStr } from '../../python/values/repr.ts';
import {
  isFloat,
  isInt,
  PyDatetime,
  PyFloat,
  type Dict,
  type Value,
  PyObject,
} from '../../python/values/value.ts';

const BARE = /^[A-Za-z0-9_-]+$/;
const DEPTH_MAX = 200;

/** A key with the table that stands under it. */
type Table = readonly [path: string, table: Dict];

/**
 * Writes a mapping: values first, then tables, level by level. Salt compat: control characters become `\u` with four
 * digits, where Python's package writes `\x` with two, which nobody can read back.
 * @throws TypeError for anything that TOML cannot hold
 */
export function dumpToml(value: Value): string {
  if (!(value instanceof Map)) throw new TypeError('TOML can only hold a mapping at its top.');
  const [text, first] = section(value, '');
  let out = text;
  let tables = first;
  for (let depth = 0; tables.length > 0; depth++) {
    if (depth > DEPTH_MAX) throw new TypeError('Too many levels of nesting for TOML.');
    const next: Table[] = [];
    for (const [path, table] of tables) {
      const [inner, further] = section(table, path);
      if (inner !== '' || further.length === 0) {
        if (out !== '' && !out.endsWith('\n\n')) out += '\n';
        out += `[${path}]\n${inner}`;
      }
      next.push(...further);
    }
    tables = next;
  }
  return out;
}

/** What stands under a header, and the tables below it by their full paths. */
function section(table: Dict, above: string): [text: string, tables: Table[]] {
  const prefix = above === '' ? '' : `${above}.`;
  let text = '';
  let lists = '';
  const tables: Table[] = [];
  for (const [name, value] of table) {
    const key = keyText(name);
    if (value instanceof Map) tables.push([`${prefix}${key}`, value]);
    else if (Array.isArray(value) && value.some((item) => item instanceof Map))
      lists += tableList(value, `${prefix}${key}`);
    else if (value !== null) text += `${key} = ${valueText(value, 0)}\n`;
  }
  return [text + lists, tables];
}

function tableList(items: readonly Value[], path: string): string {
  let out = '';
  for (const item of items) {
    if (!(item instanceof Map))
      throw new TypeError(`A list of mappings and other things cannot be written: ${path}`);
    const [text, tables] = section(item, path);
    let below = '\n';
    out += `[[${path}]]\n`;
    if (text.startsWith('[')) below += text;
    else out += text;
    for (let left = tables; left.length > 0;) {
      const next: Table[] = [];
      for (const [inner, table] of left) {
        const [innerText, further] = section(table, inner);
        if (innerText !== '') below += `[${inner}]\n${innerText}`;
        next.push(...further);
      }
      left = next;
    }
    out += below;
  }
  return out;
}

function keyText(name: Value): string {
  const text = pyStr(name);
  return BARE.test(text) ? text : quoted(text);
}

function valueText(value: Value, depth: number): string {
  if (depth > DEPTH_MAX) throw new TypeError('Too many levels of nesting for TOML.');
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'boolean') return String(value);
  if (isInt(value)) return String(value);
  if (isFloat(value)) return floatText(value instanceof PyFloat ? value.value : value);
  if (Array.isArray(value)) return `[${value.map((item) => ` ${valueText(item, depth + 1)},`).join('')}]`;
  if (value instanceof PyDatetime) return value.toString().replace(' ', 'T');
  if (value instanceof Map) {
    const pairs = [...value].map(([name, item]) => `${keyText(name)} = ${valueText(item, depth + 1)}`);
    return `{ ${pairs.join(', ')} }`;
  }
  if (value === null) return quoted('None');
  if (value instanceof PyObject) return quoted(value.str);
  return `[${[...value].map((byte) => ` ${byte},`).join('')}]`;
}

function floatText(value: number): string {
  return floatRepr(value).replace('e+0', 'e+').replace('e-0', 'e-');
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['"', '\\"'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

function quoted(text: string): string {
  const body = text.replace(
    /["\\\x00-\x1f\x7f]/g,
    (char) => ESCAPES.get(char) ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${body}"`;
}
