/** Reads JSON into values, keeping ints, floats, great integers and the order of keys apart. */
import { IntDigitsError, intOfDigits } from '../../python/values/int-text.ts';
import { float, type Dict, type Value } from '../../python/values/value.ts';

/** A text is not JSON. `message` is in Python's words: `Expecting value: line 1 column 1 (char 0)`. */
export class JsonSyntaxError extends SyntaxError {
  override readonly name = 'JsonSyntaxError';
  /** Where, in UTF-16 units from the start. */
  readonly offset: number;
  readonly line: number;
  readonly column: number;

  constructor(what: string, text: string, offset: number) {
    const before = text.slice(0, offset);
    const line = before.split('\n').length;
    const column = offset - before.lastIndexOf('\n');
    super(`${what}: line ${line} column ${column} (char ${offset})`);
    this.offset = offset;
    this.line = line;
    this.column = column;
  }
}

// Python's parser gives up at its recursion limit, a little below 1000 levels.
const MAX_DEPTH = 990;

/**
 * Reads JSON as Python's `json.loads` does: `1.0` is a float, great integers are exact, the last of equal keys wins,
 * `NaN` and `Infinity` are taken.
 * @throws JsonSyntaxError
 */
export function parseJson(text: string): Value {
  const parser = new Parser(text);
  return parser.document();
}

const CONSTANTS: readonly (readonly [string, Value])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
];
const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  readonly #number = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y;
  readonly #space = /[ \t\n\r]*/y;
  // everything up to the next quote, backslash or control character
  readonly #plain = /[^"\\\x00-\x1f]*/y;
  readonly #hex = /[0-9a-fA-F]{4}/y;

  constructor(text: string) {
    this.#text = text;
  }

  document(): Value {
    if (this.#text.startsWith('\ufeff')) this.#fail('Unexpected UTF-8 BOM (decode using utf-8-sig)', 0);
    this.#skipSpace();
    const value = this.#value();
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail('Extra data', this.#at);
    return value;
  }

  #fail(what: string, at: number): never {
    throw new JsonSyntaxError(what, this.#text, at);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match) this.#at = pattern.lastIndex;
    return match;
  }

  #skipSpace(): void {
    // compact JSON has none: spare the pattern
    if (this.#text.charCodeAt(this.#at) <= 0x20) this.#match(this.#space);
  }

  #value(): Value {
    const char = this.#text[this.#at];
    if (char === '"') return this.#string();
    if (char === '{' || char === '[') {
      if (this.#depth >= MAX_DEPTH) this.#fail('Too many levels of nesting', this.#at);
      this.#depth++;
      const value = char === '{' ? this.#object() : this.#array();
      this.#depth--;
      return value;
    }
    return this.#numberOrWord();
  }

  #numberOrWord(): Value {
    const match = this.#match(this.#number);
    if (!match) return this.#word();
    if (match[1] !== undefined || match[2] !== undefined) return float(Number(match[0]));
    const number = Number(match[0]);
    if (!Number.isSafeInteger(number)) return this.#great(match[0]);
    return number === 0 ? 0 : number;
  }

  #great(text: string): bigint {
    try {
      return text.startsWith('-') ? -intOfDigits(text.slice(1)) : intOfDigits(text);
    } catch (error) {
      if (error instanceof IntDigitsError) this.#fail(error.message, this.#at - text.length);
      throw error;
    }
  }

  #word(): Value {
    for (const [word, value] of CONSTANTS) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    return this.#fail('Expecting value', this.#at);
  }

  #object(): Dict {
    const out: Dict = new Map();
    this.#at++;
    this.#skipSpace();
    if (this.#text[this.#at] === '}') {
      this.#at++;
      return out;
    }
    for (;;) {
      if (this.#text[this.#at] !== '"')
        this.#fail('Expecting property name enclosed in double quotes', this.#at);
      const key = this.#string();
      this.#skipSpace();
      if (this.#text[this.#at] !== ':') this.#fail("Expecting ':' delimiter", this.#at);
      this.#at++;
      this.#skipSpace();
      out.set(key, this.#value());
      if (!this.#comma('}')) return out;
    }
  }

  #array(): Value[] {
    const out: Value[] = [];
    this.#at++;
    this.#skipSpace();
    if (this.#text[this.#at] === ']') {
      this.#at++;
      return out;
    }
    for (;;) {
      out.push(this.#value());
      if (!this.#comma(']')) return out;
    }
  }

  /** Steps over what follows an item. @returns whether another item must come */
  #comma(closing: string): boolean {
    this.#skipSpace();
    const char = this.#text[this.#at];
    if (char !== closing && char !== ',') this.#fail("Expecting ',' delimiter", this.#at);
    this.#at++;
    if (char === closing) return false;
    this.#skipSpace();
    return true;
  }

  #string(): string {
    const start = this.#at++;
    let out = '';
    for (;;) {
      out += this.#match(this.#plain)?.[0] ?? '';
      const char = this.#text[this.#at];
      if (char === undefined) this.#fail('Unterminated string starting at', start);
      if (char === '"') break;
      if (char !== '\\') this.#fail('Invalid control character at', this.#at);
      out += this.#escape(start);
    }
    this.#at++;
    return out;
  }

  #escape(start: number): string {
    const char = this.#text[++this.#at];
    if (char === undefined) this.#fail('Unterminated string starting at', start);
    this.#at++;
    if (char === 'u') {
      const match = this.#match(this.#hex);
      if (!match) this.#fail('Invalid \\uXXXX escape', this.#at - 1);
      return String.fromCharCode(parseInt(match[0], 16));
    }
    return SIMPLE_ESCAPES.get(char) ?? this.#fail('Invalid \\escape', this.#at - 2);
  }
}
