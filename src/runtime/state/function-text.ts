/**
 * Calls as texts, `mod.fun(a, k=v)`: read as Salt reads them with Python's `shlex` (salt/utils/args.py
 * `parse_function`, 3006.16).
 */
import { PythonError } from '../../python/exceptions.ts';

/** A call that was read. */
export interface FunctionText {
  readonly fun: string;
  readonly args: readonly string[];
  readonly kwargs: ReadonlyMap<string, string>;
}

const WORD = /[\w\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff]/;
const CLOSING: ReadonlyMap<string, string> = new Map([
  ['[', ']'],
  ['{', '}'],
  ['(', ')'],
]);

/** @returns undefined for what is no call. @throws PythonError for quotation marks without an end */
export function readFunctionText(text: string): FunctionText | undefined {
  const tokens = shellTokens(text);
  const opening = tokens.findIndex((token) => token === '(');
  if (opening < 1) return undefined;
  const reader = new ArgumentReader();
  for (const token of tokens.slice(opening + 1)) {
    const end = reader.take(token);
    if (end === 'bad') return undefined;
    if (end === 'done')
      return { fun: tokens.slice(0, opening).join(''), args: reader.args, kwargs: reader.kwargs };
  }
  return undefined;
}

/** Gathers the arguments between the brackets. */
class ArgumentReader {
  readonly args: string[] = [];
  readonly kwargs = new Map<string, string>();
  readonly #brackets: string[] = [];
  #word: string[] = [];
  #key: string | undefined;

  take(token: string): 'done' | 'bad' | undefined {
    const isOutside = this.#brackets.length === 0;
    if (CLOSING.has(token)) {
      this.#brackets.push(token);
      this.#word.push(token);
    } else if ((token === ',' || token === ')') && isOutside) {
      this.#finish();
      if (token === ')') return 'done';
    } else if ([...CLOSING.values()].includes(token)) {
      if (CLOSING.get(this.#brackets.pop() ?? '') !== token) return 'bad';
      this.#word.push(token);
    } else if (token === '=' && isOutside) {
      this.#key = this.#word.join('');
      this.#word = [];
    } else this.#word.push(token);
    return undefined;
  }

  #finish(): void {
    const word = this.#word.join('');
    if (this.#key !== undefined && this.#key !== '') this.kwargs.set(this.#key, word);
    else if (this.#word.length > 0) this.args.push(word);
    this.#key = undefined;
    this.#word = [];
  }
}

/** Python's `shlex.shlex(text, posix=True)`, with escapes in quotation marks of both kinds. */
function shellTokens(text: string): string[] {
  const tokens: string[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text[at] as string;
    if (/\s/.test(char)) at++;
    else if (char === '#') at = lineEnd(text, at);
    else if (WORD.test(char) || char === '\\' || char === '"' || char === "'") {
      const { token, next } = readWord(text, at);
      tokens.push(token);
      at = next;
    } else {
      tokens.push(char);
      at++;
    }
  }
  return tokens;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end + 1;
}

function readWord(text: string, from: number): { token: string; next: number } {
  let token = '';
  let at = from;
  while (at < text.length) {
    const char = text[at] as string;
    if (char === '"' || char === "'") {
      const quoted = readQuoted(text, at + 1, char);
      token += quoted.token;
      at = quoted.next;
    } else if (char === '\\') {
      if (at + 1 >= text.length) throw new PythonError('ValueError', 'No escaped character');
      token += text[at + 1] as string;
      at += 2;
    } else if (WORD.test(char)) {
      token += char;
      at++;
    } else break;
  }
  return { token, next: at };
}

function readQuoted(text: string, from: number, quote: string): { token: string; next: number } {
  let token = '';
  for (let at = from; at < text.length; at++) {
    const char = text[at] as string;
    if (char === quote) return { token, next: at + 1 };
    if (char !== '\\') token += char;
    else {
      const escaped = text[++at];
      if (escaped === undefined) throw new PythonError('ValueError', 'No escaped character');
      token += escaped === '\\' || escaped === quote ? escaped : `\\${escaped}`;
    }
  }
  throw new PythonError('ValueError', 'No closing quotation');
}
