/** Python's `pprint.pformat`: one line while it fits, else one entry per line, keys sorted, long text in pieces. */
import { lessThan, sortedBy, sortedEntries, UnorderableError } from './order.ts';
import { bytesRepr, pyRepr, textRepr } from './repr.ts';
import { PY_SPACE, splitLines, textLength } from './text.ts';
import { OrderedDict, isBytes, pyTypeName, type Dict, type Value } from './value.ts';

/** How to lay out. */
export interface PformatOptions {
  /** Columns per level; Python's default is 1. */
  readonly indent?: number;
  /** Columns to stay within; 80. */
  readonly width?: number;
}

const WORDS = new RegExp(`[^${PY_SPACE}]*[${PY_SPACE}]*`, 'gu');

/** Lays a value out as Python 3.11's `pprint.pformat(value)` does. */
export function pformat(value: Value, options: PformatOptions = {}): string {
  const printer = new Printer(options.indent ?? 1, options.width ?? 80);
  printer.format(value, 0, 0, 0);
  return printer.text();
}

/** Python's `repr`, but with the keys of every mapping sorted. */
function sortedRepr(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(sortedRepr).join(', ')}]`;
  if (!(value instanceof Map) || value instanceof OrderedDict) return pyRepr(value);
  return `{${pprintEntries(value)
    .map(([key, item]) => `${sortedRepr(key)}: ${sortedRepr(item)}`)
    .join(', ')}}`;
}

function pprintEntries(map: Dict): [Value, Value][] {
  try {
    return sortedEntries(map);
  } catch (error) {
    if (!(error instanceof UnorderableError)) throw error;
    return sortedBy(map, ([a], [b]) => safeLess(a, b));
  }
}

/** Order of keys that never fails: unlike types go by the names of their types. */
function safeLess(a: Value, b: Value): boolean {
  try {
    return lessThan(a, b);
  } catch (error) {
    if (!(error instanceof UnorderableError)) throw error;
    return classText(a) < classText(b);
  }
}

function classText(value: Value): string {
  const name = pyTypeName(value);
  return name === 'datetime' ? 'datetime.datetime' : name;
}

class Printer {
  readonly #indentPerLevel: number;
  readonly #width: number;
  readonly #out: string[] = [];

  constructor(indentPerLevel: number, width: number) {
    this.#indentPerLevel = indentPerLevel;
    this.#width = width;
  }

  text(): string {
    return this.#out.join('');
  }

  /**
   * @param indent the column at which the value starts
   * @param allowance columns to leave free for closing brackets
   */
  format(value: Value, indent: number, allowance: number, level: number): void {
    const rep = sortedRepr(value);
    if (textLength(rep) <= this.#width - indent - allowance) {
      this.#out.push(rep);
    } else if (value instanceof OrderedDict) {
      this.#ordered(value, indent, allowance, level + 1);
    } else if (value instanceof Map) {
      this.#dict(value, indent, allowance + 1, level + 1);
    } else if (Array.isArray(value)) {
      this.#list(value, indent, allowance + 1, level + 1);
    } else if (typeof value === 'string' && value !== '') {
      this.#string(value, indent, allowance, level + 1);
    } else if (isBytes(value) && value.length > 4) {
      this.#bytes(value, indent, allowance, level + 1);
    } else {
      this.#out.push(rep);
    }
  }

  #open(bracket: string): void {
    this.#out.push(bracket, ' '.repeat(Math.max(0, this.#indentPerLevel - 1)));
  }

  #dict(map: Dict, start: number, allowance: number, level: number): void {
    this.#open('{');
    const indent = start + this.#indentPerLevel;
    const entries = pprintEntries(map);
    for (const [i, [key, value]] of entries.entries()) {
      const rep = sortedRepr(key);
      const last = i === entries.length - 1;
      this.#out.push(i > 0 ? this.#newItem(indent) : '', rep, ': ');
      this.format(value, indent + textLength(rep) + 2, last ? allowance : 1, level);
    }
    this.#out.push('}');
  }

  #list(items: readonly Value[], start: number, allowance: number, level: number): void {
    this.#open('[');
    const indent = start + this.#indentPerLevel;
    for (const [i, item] of items.entries()) {
      if (i > 0) this.#out.push(this.#newItem(indent));
      this.format(item, indent, i === items.length - 1 ? allowance : 1, level);
    }
    this.#out.push(']');
  }

  /** An OrderedDict: its name around a list of pairs, in its own order. */
  #ordered(map: OrderedDict, start: number, allowance: number, level: number): void {
    const name = 'OrderedDict';
    this.#out.push(`${name}(`);
    const pairs = [...map].map(([key, item]) => [key, item] as const);
    const indent = start + name.length + 1 + this.#indentPerLevel;
    this.#open('[');
    for (const [i, pair] of pairs.entries()) {
      if (i > 0) this.#out.push(this.#newItem(indent));
      this.#pair(pair, indent, i === pairs.length - 1 ? allowance + 2 : 1, level + 1);
    }
    this.#out.push('])');
  }

  #pair([key, item]: readonly [Value, Value], start: number, allowance: number, level: number): void {
    const rep = `(${sortedRepr(key)}, ${sortedRepr(item)})`;
    if (textLength(rep) <= this.#width - start - allowance) {
      this.#out.push(rep);
      return;
    }
    this.#open('(');
    const indent = start + this.#indentPerLevel;
    this.format(key, indent, 1, level);
    this.#out.push(this.#newItem(indent));
    this.format(item, indent, allowance + 1, level);
    this.#out.push(')');
  }

  #newItem(indent: number): string {
    return `,\n${' '.repeat(indent)}`;
  }

  #string(text: string, start: number, outerAllowance: number, level: number): void {
    const top = level === 1;
    const indent = top ? start + 1 : start;
    const chunks = textChunks(text, this.#width - indent, top ? outerAllowance + 1 : outerAllowance);
    if (chunks.length === 1) this.#out.push(chunks[0] as string);
    else this.#pieces(chunks, indent, top);
  }

  #bytes(bytes: Uint8Array, start: number, outerAllowance: number, level: number): void {
    const top = level === 1;
    const indent = top ? start + 1 : start;
    const chunks = bytesChunks(bytes, this.#width - indent, top ? outerAllowance + 1 : outerAllowance);
    this.#pieces(chunks, indent, top);
  }

  #pieces(chunks: readonly string[], indent: number, parentheses: boolean): void {
    const body = chunks.join(`\n${' '.repeat(indent)}`);
    this.#out.push(parentheses ? `(${body})` : body);
  }
}

/** Splits text into literals that fit: at line ends, and in too long lines between words. */
function textChunks(text: string, width: number, allowance: number): string[] {
  const lines = splitLines(text, true);
  const chunks: string[] = [];
  for (const [i, line] of lines.entries()) {
    const lastLine = i === lines.length - 1;
    const rep = textRepr(line);
    if (textLength(rep) <= (lastLine ? width - allowance : width)) chunks.push(rep);
    else wordChunks(line, width, lastLine ? allowance : 0, chunks);
  }
  // Python prints the whole line again when the one piece did not fit either
  return chunks.length === 1 ? [textRepr(lines[lines.length - 1] as string)] : chunks;
}

function wordChunks(line: string, width: number, allowance: number, chunks: string[]): void {
  const words = (line.match(WORDS) ?? []).filter((word) => word !== '');
  let current = '';
  for (const [i, word] of words.entries()) {
    const room = i === words.length - 1 ? width - allowance : width;
    if (textLength(textRepr(current + word)) > room) {
      if (current) chunks.push(textRepr(current));
      current = word;
    } else {
      current += word;
    }
  }
  if (current) chunks.push(textRepr(current));
}

function bytesChunks(bytes: Uint8Array, width: number, allowance: number): string[] {
  const chunks: string[] = [];
  const last = Math.floor(bytes.length / 4) * 4;
  let start = 0;
  for (let i = 0; i < bytes.length; i += 4) {
    const room = i === last ? width - allowance : width;
    if (bytesRepr(bytes.subarray(start, i + 4)).length > room && i > start) {
      chunks.push(bytesRepr(bytes.subarray(start, i)));
      start = i;
    }
  }
  if (start < bytes.length) chunks.push(bytesRepr(bytes.subarray(start)));
  return chunks;
}
