/**
 * Reads Hjson: JSON with comments, bare keys and texts, optional commas and texts of several lines (3006.16
 * salt/renderers/hjson.py).
 */
import { float, type Dict, type Value } from '../../python/values/value.ts';
import { intOfText } from '../../python/values/int-text.ts';
import { JsonSyntaxError, parseJson } from './parse.ts';

const DEPTH_MAX = 500;
const SPACE = /(?:\s|#[^\n]*|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
const NUMBER = /^-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/;
const WORDS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['null', null],
  ['true', true],
  ['false', false],
]);

/** Reads a Hjson document, whose outermost braces may be left out. @throws JsonSyntaxError */
export function parseHjson(text: string): Value {
  return new Reader(text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')).document();
}

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): Value {
    this.#skip(SPACE);
    const start = this.#at;
    if (/[{[]/.test(this.#text[start] ?? '')) return this.#whole();
    try {
      const value = this.#members(undefined);
      return value;
    } catch (error) {
      // without braces it may be a single value instead
      if (!(error instanceof JsonSyntaxError)) throw error;
      this.#at = start;
      this.#depth = 0;
      try {
        return this.#whole();
      } catch {
        throw error;
      }
    }
  }

  #whole(): Value {
    const value = this.#value();
    this.#skip(SPACE);
    if (this.#at < this.#text.length) this.#fail('Extra data');
    return value;
  }

  #fail(what: string, at = this.#at): never {
    throw new JsonSyntaxError(what, this.#text, at);
  }

  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #value(): Value {
    const char = this.#text[this.#at];
    if (char === '{' || char === '[') {
      if (this.#depth >= DEPTH_MAX) this.#fail('Too many levels of nesting');
      this.#depth++;
      this.#at++;
      const value = char === '{' ? this.#members('}') : this.#array();
      this.#depth--;
      return value;
    }
    if (this.#text.startsWith("'''", this.#at)) return this.#lines();
    if (char === '"' || char === "'") return this.#quoted(char);
    return this.#bare();
  }

  #members(closing: string | undefined): Dict {
    const out: Dict = new Map();
    for (;;) {
      this.#skip(SPACE);
      if (this.#at >= this.#text.length && closing === undefined) return out;
      if (closing !== undefined && this.#skip(/\}/y) !== '') return out;
      const key = this.#key();
      this.#skip(SPACE);
      if (this.#skip(/:/y) === '') this.#fail("Expecting ':' delimiter");
      this.#skip(SPACE);
      out.set(key, this.#value());
      this.#skip(SPACE);
      this.#skip(/,/y);
    }
  }

  #array(): Value[] {
    const out: Value[] = [];
    for (;;) {
      this.#skip(SPACE);
      if (this.#skip(/\]/y) !== '') return out;
      if (this.#at >= this.#text.length)
        this.#fail("End of input while parsing an array (did you forget a closing ']'?)");
      out.push(this.#value());
      this.#skip(SPACE);
      this.#skip(/,/y);
    }
  }

  #key(): string {
    const char = this.#text[this.#at];
    if (char === '"' || char === "'") return this.#quoted(char);
    const name = this.#skip(/[^\s,:[\]{}]+/y);
    if (name === '') this.#fail('Found an invalid character for a key, or the end of the text: use quotes');
    return name;
  }

  /** What stands on the rest of the line: a number or a word if nothing follows it, else text. */
  #bare(): Value {
    const char = this.#text[this.#at];
    if (char === undefined || /[,:\]}]/.test(char))
      this.#fail('Found a punctuator character or the end of the text when a value was expected');
    const short = /([^\s,\]}#/]+)[ \t]*(?=[,\]}\n#]|\/\/|\/\*|$)/y;
    short.lastIndex = this.#at;
    const word = short.exec(this.#text)?.[1];
    const value = word === undefined ? undefined : plain(word);
    if (word !== undefined && value !== undefined) {
      this.#at += word.length;
      return value;
    }
    return this.#skip(/[^\n]*/y).trimEnd();
  }

  #quoted(quote: string): string {
    const start = this.#at++;
    const body = this.#skip(quote === '"' ? /(?:[^"\\\n]|\\[^])*/y : /(?:[^'\\\n]|\\[^])*/y);
    if (this.#text[this.#at] !== quote) this.#fail('Unterminated string starting at', start);
    this.#at++;
    const json = body.replace(/\\'|"|\\[^]/g, (part) => (part === "\\'" ? "'" : part === '"' ? '\\"' : part));
    try {
      return String(parseJson(`"${json}"`));
    } catch (error) {
      if (error instanceof JsonSyntaxError) this.#fail('Invalid \\escape', start);
      throw error;
    }
  }

  /** `'''` … `'''`: the columns in front of the first are taken off each line. */
  #lines(): string {
    const start = this.#at;
    const indent = start - (this.#text.lastIndexOf('\n', start) + 1);
    const end = this.#text.indexOf("'''", start + 3);
    if (end < 0) this.#fail('Bad multiline string', start);
    this.#at = end + 3;
    const body = this.#text.slice(start + 3, end).replace(/^[ \t]*\n/, '');
    const first = body.length === end - start - 3;
    const lines = body.split('\n').map((line, at) => (at === 0 && first ? line : outdented(line, indent)));
    return lines.join('\n').replace(/\n$/, '');
  }
}

function outdented(line: string, columns: number): string {
  return line.replace(new RegExp(`^[ \\t]{0,${columns}}`), '');
}

function plain(word: string): Value | undefined {
  if (WORDS.has(word)) return WORDS.get(word);
  const number = NUMBER.exec(word);
  if (number === null) return undefined;
  return number[1] === undefined && number[2] === undefined ? intOfText(word) : float(Number(word));
}
