/** Steps through the text of a regular expression; a backslash and the character behind it are one token. */
import { PatternError } from './syntax.ts';

/** Longer patterns are refused. */
const MAX_PATTERN_CHARS = 65_536;

/** A cursor over a pattern that knows how to name the place of a fault. */
export class PatternReader {
  /** The token ahead, or undefined at the end. */
  next: string | undefined;
  readonly #pattern: string;
  readonly #chars: readonly string[];
  #index = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
    if (pattern.length > MAX_PATTERN_CHARS) {
      throw new PatternError(pattern, `longer than ${MAX_PATTERN_CHARS} characters`);
    }
    this.#chars = Array.from(pattern);
    this.#load();
  }

  /** Index of the token ahead, in characters. */
  get position(): number {
    return this.#index - (this.next === undefined ? 0 : this.next.startsWith('\\') ? 2 : 1);
  }

  /** Takes the token ahead. */
  advance(): string | undefined {
    const token = this.next;
    this.#load();
    return token;
  }

  /** Takes the token ahead if it is this one. */
  take(token: string): boolean {
    if (this.next !== token) return false;
    this.#load();
    return true;
  }

  /** Takes tokens as long as they match, `limit` at most. */
  takeWhile(wanted: RegExp, limit = Infinity): string {
    let out = '';
    for (let count = 0; count < limit && this.next !== undefined && wanted.test(this.next); count++) {
      out += this.next;
      this.#load();
    }
    return out;
  }

  /** Takes everything up to a terminator, and the terminator; `what` names it in errors. */
  until(terminator: string, what: string): string {
    let out = '';
    for (;;) {
      const token = this.advance();
      if (token === undefined) {
        if (out === '') throw this.error(`missing ${what}`);
        throw this.error(`missing ${terminator}, unterminated name`, Array.from(out).length);
      }
      if (token === terminator) {
        if (out === '') throw this.error(`missing ${what}`, 1);
        return out;
      }
      out += token;
    }
  }

  /** Goes to a position. */
  seek(position: number): void {
    this.#index = position;
    this.#load();
  }

  /** An error `offset` characters before the token ahead. */
  error(reason: string, offset = 0): PatternError {
    return this.errorAt(reason, this.position - offset);
  }

  errorAt(reason: string, position: number): PatternError {
    return new PatternError(this.#pattern, reason, position);
  }

  /** An error of the pattern as a whole. */
  errorWhole(reason: string): PatternError {
    return new PatternError(this.#pattern, reason);
  }

  #load(): void {
    const char = this.#chars[this.#index];
    if (char === undefined) {
      this.next = undefined;
      return;
    }
    this.#index++;
    this.next = char;
    if (char !== '\\') return;
    const escaped = this.#chars[this.#index];
    if (escaped === undefined) throw this.errorAt('bad escape (end of pattern)', this.#index - 1);
    this.#index++;
    this.next = char + escaped;
  }
}
