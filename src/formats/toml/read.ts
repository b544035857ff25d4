/** Reads TOML 1.0 into values (3006.16 salt/serializers/tomlmod.py, over Python's package toml). */
import { type Dict, type Value } from '../../python/values/value.ts';
import { TomlSyntaxError } from './error.ts';
import { bareValue, escapeAt } from './scalars.ts';

export { TomlSyntaxError } from './error.ts';

/** Levels of arrays and inline tables. */
const DEPTH_MAX = 200;

/** Who made a table, which says who may add to it. */
type Origin = 'header' | 'implied' | 'dotted' | 'inline' | 'element';

/**
 * Reads a TOML document.
 * @throws TomlSyntaxError with line and column
 */
export function parseToml(text: string): Dict {
  return new Reader(text.startsWith('\ufeff') ? text.slice(1) : text).document();
}

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  readonly #root: Dict = new Map();
  readonly #origins = new Map<Dict, Origin>();
  /** Lists of tables, to which headers may add; others are closed. */
  readonly #tableLists = new Set<Value[]>();

  constructor(text: string) {
    this.#text = text;
  }

  document(): Dict {
    let table = this.#root;
    for (;;) {
      this.#skip(/(?:[ \t\r\n]|#[^\n]*)*/y);
      if (this.#at >= this.#text.length) return this.#root;
      if (this.#text[this.#at] === '[') table = this.#header();
      else this.#assignment(table, this.#at);
      this.#skip(/[ \t]*(?:#[^\n]*)?/y);
      if (this.#at < this.#text.length && !this.#skip(/\r?\n/y)) this.#fail('Expected the end of the line');
    }
  }

  #fail(what: string, at = this.#at): never {
    throw new TomlSyntaxError(what, this.#text, at);
  }

  /** Steps over what a sticky pattern matches. @returns the text, '' for none */
  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #header(): Dict {
    const start = this.#at;
    const isList = this.#text.startsWith('[[', start);
    this.#at += isList ? 2 : 1;
    const path = this.#key();
    const closing = isList ? ']]' : ']';
    if (!this.#text.startsWith(closing, this.#at))
      this.#fail(`Expected ${closing} behind the name of a table`);
    this.#at += closing.length;
    const name = path.pop() ?? '';
    const above = path.reduce((table, part) => this.#step(table, part, start), this.#root);
    return isList ? this.#element(above, name, start) : this.#table(above, name, start);
  }

  /** The table below another on the way of a header. */
  #step(table: Dict, name: string, start: number): Dict {
    const there = table.get(name);
    if (there === undefined) return this.#made(table, name, 'implied');
    const inner = Array.isArray(there) && this.#tableLists.has(there) ? there.at(-1) : there;
    if (!(inner instanceof Map) || this.#origins.get(inner) === 'inline')
      this.#fail(`'${name}' is a value already, and no table`, start);
    return inner;
  }

  #table(above: Dict, name: string, start: number): Dict {
    const there = above.get(name);
    if (there === undefined) return this.#made(above, name, 'header');
    if (!(there instanceof Map) || this.#origins.get(there) !== 'implied')
      this.#fail(`What! ${name} already exists?`, start);
    this.#origins.set(there, 'header');
    return there;
  }

  #element(above: Dict, name: string, start: number): Dict {
    const there = above.get(name) ?? [];
    if (!Array.isArray(there) || (above.has(name) && !this.#tableLists.has(there)))
      this.#fail(`'${name}' is something else already, and no array of tables`, start);
    above.set(name, there);
    this.#tableLists.add(there);
    const table: Dict = new Map();
    this.#origins.set(table, 'element');
    there.push(table);
    return table;
  }

  #made(above: Dict, name: string, origin: Origin): Dict {
    const table: Dict = new Map();
    above.set(name, table);
    this.#origins.set(table, origin);
    return table;
  }

  #assignment(table: Dict, start: number): void {
    const path = this.#key();
    if (this.#text[this.#at] !== '=') this.#fail("Expected '=' behind a key");
    this.#at++;
    this.#skip(/[ \t]*/y);
    const name = path.pop() ?? '';
    let inner = table;
    for (const part of path) {
      const there = inner.get(part);
      if (there === undefined) inner = this.#made(inner, part, 'dotted');
      else if (there instanceof Map && ['dotted', 'implied'].includes(this.#origins.get(there) ?? ''))
        inner = there;
      else this.#fail(`'${part}' is defined already`, start);
    }
    const value = this.#value();
    if (inner.has(name)) this.#fail('Duplicate keys!', start);
    inner.set(name, value);
  }

  #key(): string[] {
    const path: string[] = [];
    do {
      this.#skip(/[ \t]*/y);
      const quote = this.#text[this.#at];
      const bare = quote === '"' || quote === "'" ? this.#line(quote) : this.#skip(/[A-Za-z0-9_-]+/y);
      if (bare === '' && quote !== '"' && quote !== "'")
        this.#fail(`Found invalid character in key name: '${quote ?? ''}'. Try quoting the key name.`);
      path.push(bare);
      this.#skip(/[ \t]*/y);
    } while (this.#skip(/\./y) !== '');
    return path;
  }

  #value(): Value {
    const char = this.#text[this.#at];
    if (char === '"' || char === "'")
      return this.#text.startsWith(char.repeat(3), this.#at) ? this.#lines(char) : this.#line(char);
    if (char === '[' || char === '{') {
      if (this.#depth >= DEPTH_MAX) this.#fail('Too many levels of nesting');
      this.#depth++;
      const value = char === '[' ? this.#array() : this.#inline();
      this.#depth--;
      return value;
    }
    const start = this.#at;
    // a blank may stand between a date and a time
    const word = this.#skip(/\d{4}-\d\d-\d\d \d\d:[^\s,\]}#]*|[^\s,\]}#]*/y);
    if (word === '') this.#fail('Empty value is invalid', start);
    return bareValue(word) ?? this.#fail(`'${word}' is no value: text needs quotes`, start);
  }

  #array(): Value[] {
    const out: Value[] = [];
    const space = /(?:[ \t\r\n]|#[^\n]*)*/y;
    this.#at++;
    for (;;) {
      this.#skip(space);
      if (this.#skip(/\]/y) !== '') return out;
      out.push(this.#value());
      this.#skip(space);
      if (this.#skip(/,/y) === '' && this.#text[this.#at] !== ']')
        this.#fail("Expected ',' or ']' in an array");
    }
  }

  #inline(): Dict {
    const out: Dict = new Map();
    this.#at++;
    this.#skip(/[ \t]*/y);
    while (this.#skip(/\}/y) === '') {
      if (out.size > 0 && this.#skip(/,/y) === '') this.#fail("Expected ',' or '}' in an inline table");
      this.#assignment(out, this.#at);
      this.#skip(/[ \t]*/y);
    }
    this.#close(out);
    return out;
  }

  /** Nothing may be added to what stands in braces. */
  #close(table: Dict): void {
    this.#origins.set(table, 'inline');
    for (const item of table.values()) if (item instanceof Map) this.#close(item);
  }

  #line(quote: string): string {
    const start = this.#at++;
    let out = '';
    for (;;) {
      out += this.#skip(quote === '"' ? /[^"\\\n]*/y : /[^'\n]*/y);
      const char = this.#text[this.#at];
      if (char === undefined || char === '\n') this.#fail('Unbalanced quotes', start);
      if (char === quote) {
        this.#at++;
        return out;
      }
      out += this.#escape();
    }
  }

  #lines(quote: string): string {
    const start = this.#at;
    this.#at += 3;
    this.#skip(/\r?\n/y);
    let out = '';
    for (;;) {
      out += this.#skip(quote === '"' ? /[^"\\]*/y : /[^']*/y);
      if (this.#at >= this.#text.length) this.#fail('Unterminated string found', start);
      if (this.#text[this.#at] === '\\') {
        out += this.#skip(/\\[ \t]*\r?\n[ \t\r\n]*/y) === '' ? this.#escape() : '';
        continue;
      }
      const quotes = this.#skip(quote === '"' ? /"{1,5}/y : /'{1,5}/y);
      if (quotes.length >= 3) return out + quotes.slice(3);
      out += quotes;
    }
  }

  #escape(): string {
    const found = escapeAt(this.#text.slice(this.#at + 1, this.#at + 10));
    if (found === undefined) this.#fail('Reserved escape sequence used');
    this.#at += 1 + found.length;
    return found.char;
  }
}
