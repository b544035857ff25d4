/** Template text into tokens (jinja2/lexer.py 3.1). */
import { INT_DIGITS_MAX, IntDigitsError } from '../../python/values/int-text.ts';
import { rstrip } from '../../python/values/text.ts';
import { textRepr } from '../../python/values/repr.ts';
import { float, type Value } from '../../python/values/value.ts';
import { TemplateSyntaxError } from './errors.ts';
import { DEFAULT_OPTIONS, type JinjaOptions } from './options.ts';
import { unescapeText } from './unescape.ts';

/** One token. */
export interface Token {
  readonly type: string;
  readonly value: string;
  readonly line: number;
  /** The value of a number. */
  readonly number?: Value;
}

const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['+', 'add'],
  ['-', 'sub'],
  ['/', 'div'],
  ['//', 'floordiv'],
  ['*', 'mul'],
  ['%', 'mod'],
  ['**', 'pow'],
  ['~', 'tilde'],
  ['[', 'lbracket'],
  [']', 'rbracket'],
  ['(', 'lparen'],
  [')', 'rparen'],
  ['{', 'lbrace'],
  ['}', 'rbrace'],
  ['==', 'eq'],
  ['!=', 'ne'],
  ['>', 'gt'],
  ['>=', 'gteq'],
  ['<', 'lt'],
  ['<=', 'lteq'],
  ['=', 'assign'],
  ['.', 'dot'],
  [':', 'colon'],
  ['|', 'pipe'],
  [',', 'comma'],
  [';', 'semicolon'],
]);
const SYMBOL_OF: ReadonlyMap<string, string> = new Map(
  [...OPERATORS].map(([symbol, type]) => [type, symbol]),
);
const TITLES: ReadonlyMap<string, string> = new Map([
  ['block_begin', 'begin of statement block'],
  ['block_end', 'end of statement block'],
  ['variable_begin', 'begin of print statement'],
  ['variable_end', 'end of print statement'],
  ['data', 'template data / text'],
  ['eof', 'end of template'],
]);
const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['{', '}'],
  ['(', ')'],
  ['[', ']'],
]);

const SPACE = /[\s\x1c-\x1f\x85]+/y;
const FLOAT = /(?<!\.)(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?[eE][+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/y;
const INTEGER = /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\da-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*/y;
// whole names only: in `key` before a no-break space the shorter `ke` must not count
const ASCII_NAME = /[A-Za-z_][A-Za-z0-9_]*(?![A-Za-z0-9_]|[^\x00-\x7f])/y;
const NAME = /[\p{L}\p{N}\p{M}\p{Pc}\u00b7]+/uy;
const STRING = /'[^'\\]*(?:\\[^][^'\\]*)*'|"[^"\\]*(?:\\[^][^"\\]*)*"/y;
const OPERATOR = /\*\*|\/\/|==|!=|>=|<=|[-+/*%~[\](){}><=.:|,;]/y;
const IDENTIFIER = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u;

/** How an error calls a token. */
export function describeToken(token: Token): string {
  return token.type === 'name' ? token.value : describeType(token.type);
}

/** How an error calls what was expected: `name:endfor` is `endfor`. */
export function describeExpected(expected: string): string {
  return expected.startsWith('name:') ? expected.slice(5) : describeType(expected);
}

function describeType(type: string): string {
  return SYMBOL_OF.get(type) ?? TITLES.get(type) ?? type;
}

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** The regular expressions that depend on the options. */
interface Patterns {
  readonly root: RegExp;
  readonly commentEnd: RegExp;
  readonly blockEnd: RegExp;
  readonly variableEnd: RegExp;
  readonly rawEnd: RegExp;
  readonly lineEnd: RegExp;
}

function patternsFor(options: JinjaOptions): Patterns {
  const block = escape(options.blockStart);
  const blockEnd = escape(options.blockEnd);
  const commentEnd = escape(options.commentEnd);
  const variableEnd = escape(options.variableEnd);
  const suffix = options.trimBlocks ? '\\n?' : '';
  const starts: [number, string, string][] = [
    [options.commentStart.length, 'comment_begin', escape(options.commentStart)],
    [options.blockStart.length, 'block_begin', block],
    [options.variableStart.length, 'variable_begin', escape(options.variableStart)],
  ];
  const { lineStatementPrefix: statement, lineCommentPrefix: comment } = options;
  if (statement !== null)
    starts.push([statement.length, 'linestatement_begin', `^[ \\t\\v]*${escape(statement)}`]);
  if (comment !== null)
    starts.push([comment.length, 'linecomment_begin', `(?:^|(?<=\\S))[^\\S\\r\\n]*${escape(comment)}`]);
  starts.sort((a, b) => b[0] - a[0] || (a[1] < b[1] ? 1 : -1));
  const raw = `(?<raw_begin>${block}(?:-|\\+|)\\s*raw\\s*(?:-${blockEnd}\\s*|${blockEnd}))`;
  const parts = [raw, ...starts.map(([, name, pattern]) => `(?<${name}>${pattern}(?:-|\\+|))`)];
  return {
    root: new RegExp(parts.join('|'), 'gm'),
    commentEnd: new RegExp(`\\+${commentEnd}|-${commentEnd}\\s*|${commentEnd}${suffix}`, 'g'),
    blockEnd: new RegExp(`\\+${blockEnd}|-${blockEnd}\\s*|${blockEnd}${suffix}`, 'y'),
    variableEnd: new RegExp(`-${variableEnd}\\s*|${variableEnd}`, 'y'),
    rawEnd: new RegExp(
      `${block}(?<sign>-|\\+|)\\s*endraw\\s*(?:\\+${blockEnd}|-${blockEnd}\\s*|${blockEnd}${suffix})`,
      'g',
    ),
    lineEnd: /\s*(?:\n|$)/my,
  };
}

/** The patterns of the usual options, which nearly every template has. */
const USUAL = patternsFor(DEFAULT_OPTIONS);
const SYNTAX = [
  'blockStart',
  'blockEnd',
  'variableStart',
  'variableEnd',
  'commentStart',
  'commentEnd',
  'lineStatementPrefix',
  'lineCommentPrefix',
  'trimBlocks',
] as const;

/** What was read of a template. */
export interface Tokens {
  readonly tokens: readonly Token[];
  /**
   * Why reading ended before the end. It counts only for a parser that gets this far: faults before it are told first.
   */
  readonly fault: TemplateSyntaxError | undefined;
}

/** Reads a template into tokens; comments and spaces inside tags are left out. */
export function tokenize(source: string, options: JinjaOptions): Tokens {
  return new Lexer(source, options).run();
}

class Lexer {
  readonly #options: JinjaOptions;
  readonly #patterns: Patterns;
  readonly #text: string;
  readonly #tokens: Token[] = [];
  #at = 0;
  #line = 1;
  #lineStarting = true;

  constructor(source: string, options: JinjaOptions) {
    this.#options = options;
    const isUsual = SYNTAX.every((name) => options[name] === DEFAULT_OPTIONS[name]);
    this.#patterns = isUsual ? USUAL : patternsFor(options);
    const text = source.replace(/\r\n|\r/g, '\n');
    this.#text = !options.keepTrailingNewline && text.endsWith('\n') ? text.slice(0, -1) : text;
  }

  run(): Tokens {
    try {
      while (this.#at < this.#text.length) this.#root();
    } catch (fault) {
      if (fault instanceof TemplateSyntaxError) return { tokens: this.#tokens, fault };
      throw fault;
    }
    // the end counts as on the line on which the last token began (jinja2/lexer.py `TokenStream.close`)
    this.#tokens.push({ type: 'eof', value: '', line: this.#tokens.at(-1)?.line ?? 1 });
    return { tokens: this.#tokens, fault: undefined };
  }

  #push(type: string, value: string, number?: Value): void {
    this.#tokens.push(
      number === undefined ? { type, value, line: this.#line } : { type, value, line: this.#line, number },
    );
  }

  #data(text: string): void {
    if (text === '') return;
    const { newlineSequence } = this.#options;
    this.#push('data', newlineSequence === '\n' ? text : text.replaceAll('\n', newlineSequence));
  }

  #advance(text: string): void {
    for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) this.#line++;
    this.#at += text.length;
    this.#lineStarting = text.endsWith('\n');
  }

  #root(): void {
    const { root } = this.#patterns;
    root.lastIndex = this.#at;
    const match = root.exec(this.#text);
    const before = this.#text.slice(this.#at, match?.index ?? this.#text.length);
    if (!match) {
      this.#data(before);
      this.#advance(before);
      return;
    }
    const kind = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined)?.[0] ?? '';
    const tag = match[0];
    this.#data(this.#strippedBefore(before, signOf(kind, tag, this.#options), kind));
    this.#advance(before);
    if (kind === 'raw_begin') this.#raw(tag);
    else if (kind === 'comment_begin') this.#comment(tag);
    else if (kind === 'linecomment_begin') this.#lineComment(tag);
    else this.#tag(kind, tag);
  }

  /** The text before a tag, without what the tag's sign or lstrip_blocks takes away. */
  #strippedBefore(text: string, sign: string, kind: string): string {
    if (sign === '-') return rstrip(text);
    if (sign === '+' || !this.#options.lstripBlocks || kind === 'variable_begin') return text;
    const lineStart = text.lastIndexOf('\n') + 1;
    if (lineStart === 0 && !this.#lineStarting) return text;
    return /^\s+$/.test(text.slice(lineStart)) ? text.slice(0, lineStart) : text;
  }

  #raw(tag: string): void {
    this.#advance(tag);
    const { rawEnd } = this.#patterns;
    rawEnd.lastIndex = this.#at;
    const end = rawEnd.exec(this.#text);
    if (!end) throw new TemplateSyntaxError('Missing end of raw directive', this.#line);
    const body = this.#text.slice(this.#at, end.index);
    this.#data(this.#strippedBefore(body, end.groups?.['sign'] ?? '', 'raw_end'));
    this.#advance(body);
    this.#advance(end[0]);
  }

  #comment(tag: string): void {
    this.#advance(tag);
    const { commentEnd } = this.#patterns;
    commentEnd.lastIndex = this.#at;
    const end = commentEnd.exec(this.#text);
    if (!end) throw new TemplateSyntaxError('Missing end of comment tag', this.#line);
    this.#advance(this.#text.slice(this.#at, end.index + end[0].length));
  }

  #lineComment(tag: string): void {
    const end = this.#text.indexOf('\n', this.#at + tag.length);
    this.#advance(this.#text.slice(this.#at, end < 0 ? this.#text.length : end));
  }

  /** A statement, a print statement or a line statement, up to its end. */
  #tag(kind: string, tag: string): void {
    const begin = kind === 'variable_begin' ? 'variable' : 'block';
    this.#push(`${begin}_begin`, tag);
    this.#advance(tag);
    const ends = this.#patterns;
    const end =
      kind === 'variable_begin' ? ends.variableEnd : kind === 'block_begin' ? ends.blockEnd : ends.lineEnd;
    const open: string[] = [];
    for (;;) {
      if (open.length === 0) {
        end.lastIndex = this.#at;
        const found = end.exec(this.#text);
        if (found) {
          this.#push(`${begin}_end`, found[0]);
          this.#advance(found[0]);
          return;
        }
      }
      if (this.#at >= this.#text.length) return;
      this.#word(open);
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0];
  }

  /** One token inside a tag. */
  #word(open: string[]): void {
    const space = this.#match(SPACE);
    if (space !== undefined) return this.#advance(space);
    const plain = this.#match(ASCII_NAME);
    if (plain !== undefined) return this.#take('name', plain);
    const decimal = this.#match(FLOAT);
    if (decimal !== undefined)
      return this.#take('float', decimal, float(Number(decimal.replaceAll('_', ''))));
    const whole = this.#match(INTEGER);
    if (whole !== undefined) return this.#take('integer', whole, wholeNumber(whole, this.#line));
    const name = this.#match(NAME);
    if (name !== undefined) {
      if (!IDENTIFIER.test(name))
        throw new TemplateSyntaxError('Invalid character in identifier', this.#line);
      return this.#take('name', name);
    }
    const text = this.#match(STRING);
    if (text !== undefined) {
      this.#push('string', unescapeText(text.slice(1, -1), this.#line));
      return this.#advance(text);
    }
    const operator = this.#match(OPERATOR);
    if (operator === undefined) {
      const char = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
      const offset = [...this.#text.slice(0, this.#at)].length;
      throw new TemplateSyntaxError(`unexpected char ${textRepr(char)} at ${offset}`, this.#line);
    }
    this.#balance(operator, open);
    this.#push(OPERATORS.get(operator) ?? operator, operator);
    this.#advance(operator);
  }

  #take(type: string, text: string, number?: Value): void {
    this.#push(type, text, number);
    this.#advance(text);
  }

  #balance(operator: string, open: string[]): void {
    const closer = CLOSERS.get(operator);
    if (closer !== undefined) open.push(closer);
    if (operator !== '}' && operator !== ')' && operator !== ']') return;
    const expected = open.pop();
    if (expected === operator) return;
    const wanted = expected === undefined ? '' : `, expected '${expected}'`;
    throw new TemplateSyntaxError(`unexpected '${operator}'${wanted}`, this.#line);
  }
}

function signOf(kind: string, tag: string, options: JinjaOptions): string {
  const last = kind === 'raw_begin' ? tag.charAt(options.blockStart.length) : tag.slice(-1);
  return last === '-' || last === '+' ? last : '';
}

function wholeNumber(text: string, line: number): number | bigint {
  const plain = text.replaceAll('_', '').toLowerCase();
  if (/^\d+$/.test(plain) && plain.length > INT_DIGITS_MAX)
    throw new TemplateSyntaxError(new IntDigitsError(plain.length).message, line);
  const big = BigInt(plain);
  return big <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(big) : big;
}
