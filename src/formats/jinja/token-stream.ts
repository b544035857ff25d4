/** Tokens with a look ahead (jinja2/lexer.py 3.1 `TokenStream`). */
import { TemplateSyntaxError } from './errors.ts';
import { describeExpected, describeToken, type Token, type Tokens } from './lexer.ts';

const LINE_ONE: Token = { type: 'eof', value: '', line: 1 };

/** The tokens of one template, one of them the current one. */
export class TokenStream {
  readonly #tokens: readonly Token[];
  readonly #fault: TemplateSyntaxError | undefined;
  #at = 0;

  /** @throws TemplateSyntaxError when not even the first token could be read */
  constructor({ tokens, fault }: Tokens) {
    this.#tokens = tokens;
    this.#fault = fault;
    this.#reach(0);
  }

  get current(): Token {
    return this.#tokens[this.#at] ?? this.#tokens[this.#tokens.length - 1] ?? LINE_ONE;
  }

  /** @throws TemplateSyntaxError when it could not be read */
  get next(): Token {
    this.#reach(this.#at + 1);
    return this.#tokens[this.#at + 1] ?? this.current;
  }

  get atEnd(): boolean {
    return this.current.type === 'eof';
  }

  /** True when the current token is `type` or, as `name:word`, a word. */
  is(expected: string): boolean {
    return matches(this.current, expected);
  }

  nextIs(type: string): boolean {
    return this.next.type === type;
  }

  /** True when the current token is a word. */
  isWord(word: string): boolean {
    const token = this.current;
    return token.value === word && token.type === 'name';
  }

  nextIsWord(word: string): boolean {
    return this.next.value === word && this.next.type === 'name';
  }

  skipWord(word: string): boolean {
    if (!this.isWord(word)) return false;
    this.take();
    return true;
  }

  isAny(expected: readonly string[]): boolean {
    return expected.some((one) => this.is(one));
  }

  /**
   * Steps over the current token and returns it.
   * @throws TemplateSyntaxError when the one behind it could not be read
   */
  take(): Token {
    const token = this.current;
    if (this.atEnd) return token;
    this.#at++;
    this.#reach(this.#at);
    return token;
  }

  #reach(at: number): void {
    if (this.#fault !== undefined && at >= this.#tokens.length) throw this.#fault;
  }

  skipIf(type: string): boolean {
    if (this.current.type !== type) return false;
    this.take();
    return true;
  }

  /** @throws TemplateSyntaxError when the current token is another */
  expect(expected: string): Token {
    if (this.is(expected)) return this.take();
    const wanted = describeExpected(expected);
    if (this.atEnd)
      throw new TemplateSyntaxError(`unexpected end of template, expected '${wanted}'.`, this.current.line);
    throw new TemplateSyntaxError(
      `expected token '${wanted}', got ${quoted(describeToken(this.current))}`,
      this.current.line,
    );
  }
}

/** A token's name in quotes, as Python's repr chooses them. */
export function quoted(text: string): string {
  return text.includes("'") ? `"${text}"` : `'${text}'`;
}

function matches(token: Token, expected: string): boolean {
  return expected.startsWith('name:')
    ? token.type === 'name' && token.value === expected.slice(5)
    : token.type === expected;
}
