/**
 * Words of a command line as a POSIX shell would see them, without a shell: Python's `shlex.split` and `shlex.quote`.
 */
import { SaltInvocationError } from '../errors/errors.ts';

const WHITESPACE = ' \t\r\n';
const SAFE_WORD = /^[A-Za-z0-9_@%+=:,./-]+$/;

/**
 * Splits a command line into words: blanks separate, quotes and backslashes keep together. Nothing is expanded: no
 * variables, patterns, pipes or comments. Same results as Python 3's `shlex.split(text)`.
 * @throws SaltInvocationError `No closing quotation`, `No escaped character`
 */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  let i = 0;
  while (i < text.length) {
    if (WHITESPACE.includes(text.charAt(i))) {
      i++;
      continue;
    }
    const word = readWord(text, i);
    words.push(word.text);
    i = word.end;
  }
  return words;
}

interface Part {
  readonly text: string;
  /** Index of the first character behind it. */
  readonly end: number;
}

function readWord(text: string, start: number): Part {
  let word = '';
  let i = start;
  while (i < text.length && !WHITESPACE.includes(text.charAt(i))) {
    const char = text.charAt(i);
    if (char === "'" || char === '"') {
      const quoted = readQuoted(text, i + 1, char);
      word += quoted.text;
      i = quoted.end;
    } else if (char === '\\') {
      word += charAfterBackslash(text, i);
      i += 2;
    } else {
      word += char;
      i++;
    }
  }
  return { text: word, end: i };
}

// Within double quotes a backslash escapes only itself and the quote, and stays before anything else.
function readQuoted(text: string, start: number, quote: string): Part {
  let inside = '';
  for (let i = start; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === quote) return { text: inside, end: i + 1 };
    if (char === '\\' && quote === '"') {
      const next = charAfterBackslash(text, i);
      inside += next === '"' || next === '\\' ? next : char + next;
      i++;
    } else {
      inside += char;
    }
  }
  throw new SaltInvocationError('No closing quotation');
}

function charAfterBackslash(text: string, at: number): string {
  const next = text.charAt(at + 1);
  if (next === '') throw new SaltInvocationError('No escaped character');
  return next;
}

/** The text as one word of a shell: unchanged when harmless, else in single quotes. Python's `shlex.quote`. */
export function quoteWord(text: string): string {
  if (text === '') return "''";
  return SAFE_WORD.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}
