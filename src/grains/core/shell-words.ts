/** Splitting a line into words with a POSIX shell's quoting, as Python's shlex does. */

/**
 * Splits a text into words: blanks separate, quotes and backslashes protect.
 * @param options `comments`: a word that starts with `#` hides the rest of its line
 * @returns the words; a quote that is never closed ends with the text
 */
export function splitShellWords(text: string, options: { comments?: boolean } = {}): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i);
    if (quote === "'" || (quote === '"' && c !== '\\')) {
      if (c === quote) quote = '';
      else word += c;
    } else if (c === '\\' && i + 1 < text.length) {
      const next = text.charAt(++i);
      word = (word ?? '') + (quote === '"' && next !== '"' && next !== '\\' ? c + next : next);
    } else if (c === '"' || c === "'") {
      if (quote === '') quote = c;
      word ??= '';
    } else if (/\s/.test(c) && quote === '') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (c === '#' && options.comments && word === undefined) {
      const end = text.indexOf('\n', i);
      i = end < 0 ? text.length : end;
    } else {
      word = (word ?? '') + c;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}
