/** Reads JSON5: JSON with comments, bare keys, single quotes and trailing commas (3006.16 salt/renderers/json5.py). */
import { float, type Dict, type Value } from '../../python/values/value.ts';
import { intOfText } from '../../python/values/int-text.ts';
import { JsonSyntaxError } from './parse.ts';

const DEPTH_MAX = 500;
const SPACE = /(?:[\s\ufeff]|\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\/)*/y;
const NAME =
  /(?:[\p{L}\p{Nl}$_]|\\u[0-9a-fA-F]{4})(?:[\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}$_\u200c\u200d]|\\u[0-9a-fA-F]{4})*/uy;
const NUMBER = /[-+]?(?:0[xX][0-9a-fA-F]+|(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)(?![\w$.])/y;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['0', '\0'],
]);
const WORDS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['null', null],
  ['true', true],
  ['false', false],
  ['Infinity', Infinity],
  ['+Infinity', Infinity],
  ['-Infinity', -Infinity],
  ['NaN', NaN],
  ['+NaN', NaN],
  ['-NaN', NaN],
]);

/** Reads a JSON5 document; of equal keys the last wins. @throws JsonSyntaxError */
export function parseJson5(text: string): Value {
  return new Reader(text).document();
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
    if (char === '"' || char === "'") return this.#string(char);
    if (char === '{' || char === '[') {
      if (this.#depth >= DEPTH_MAX) this.#fail('Too many levels of nesting');
      this.#depth++;
      const value = char === '{' ? this.#object() : this.#array();
      this.#depth--;
      return value;
    }
    const word = this.#skip(/[-+]?[A-Za-z]+/y);
    if (WORDS.has(word)) return WORDS.get(word) ?? null;
    this.#at -= word.length;
    return this.#number();
  }

  #number(): Value {
    const start = this.#at;
    const text = this.#skip(NUMBER);
    if (text === '') this.#fail('Expecting value', start);
    if (/^[-+]?0[xX]/.test(text)) return intOfText(text, 16) ?? 0;
    if (/[.eE]/.test(text)) return float(Number(text));
    return intOfText(text) ?? this.#fail('Expecting value', start);
  }

  #object(): Dict {
    const out: Dict = new Map();
    this.#at++;
    for (;;) {
      this.#skip(SPACE);
      if (this.#skip(/\}/y) !== '') return out;
      const key = this.#key();
      this.#skip(SPACE);
      if (this.#skip(/:/y) === '') this.#fail("Expecting ':' delimiter");
      this.#skip(SPACE);
      out.set(key, this.#value());
      this.#comma('}');
    }
  }

  #array(): Value[] {
    const out: Value[] = [];
    this.#at++;
    for (;;) {
      this.#skip(SPACE);
      if (this.#skip(/\]/y) !== '') return out;
      out.push(this.#value());
      this.#comma(']');
    }
  }

  #comma(closing: string): void {
    this.#skip(SPACE);
    if (this.#skip(/,/y) === '' && this.#text[this.#at] !== closing) this.#fail("Expecting ',' delimiter");
  }

  #key(): string {
    const char = this.#text[this.#at];
    if (char === '"' || char === "'") return this.#string(char);
    const name = this.#skip(NAME);
    if (name === '') this.#fail('Expecting property name');
    return name.replace(/\\u([0-9a-fA-F]{4})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  }

  #string(quote: string): string {
    const start = this.#at++;
    let out = '';
    for (;;) {
      out += this.#skip(quote === '"' ? /[^"\\\n\r]*/y : /[^'\\\n\r]*/y);
      const char = this.#text[this.#at++];
      if (char === quote) return out;
      if (char !== '\\') this.#fail('Unterminated string starting at', start);
      out += this.#escape(start);
    }
  }

  #escape(start: number): string {
    if (this.#skip(/\r\n|[\n\r\u2028\u2029]/y) !== '') return '';
    const digits = this.#skip(/u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}/y);
    if (digits !== '') return String.fromCharCode(parseInt(digits.slice(1), 16));
    const char = this.#text[this.#at];
    if (char === undefined) this.#fail('Unterminated string starting at', start);
    if (/[1-9ux]/.test(char)) this.#fail('Invalid \\escape');
    this.#at++;
    return ESCAPES.get(char) ?? char;
  }
}
