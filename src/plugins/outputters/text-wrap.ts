/** Python's `textwrap.fill`: paragraphs broken at spaces, hyphens and dashes. */
import { strip, textLength } from '../../python/values/text.ts';

const SPACE = '[\\t-\\r ]';
const NOT_SPACE = '[^\\t-\\r ]';
const PUNCTUATED = '[\\p{L}\\p{N}_!"\'&.,?]';
const WORD = '[\\p{L}\\p{N}_]';
const LETTER = '[\\p{L}\\p{Nl}\\p{No}_]';
const HYPHENATED = `-(?:(?<=${LETTER}{2}-)|(?<=${LETTER}-${LETTER}-))(?=${LETTER}-?${LETTER})`;

// Pieces that are not broken: white space, a dash between words, or a word, which may end with its hyphen.
const PIECES = new RegExp(
  `(${SPACE}+|(?<=${PUNCTUATED})-{2,}(?=${WORD})|` +
    `${NOT_SPACE}+?(?:${HYPHENATED}|(?=${SPACE}|$)|(?<=${PUNCTUATED})(?=-{2,}${WORD})))`,
  'u',
);

/** How to wrap. */
export interface WrapOptions {
  /** Columns of a line, its indent included. */
  readonly width: number;
  /** In front of every line. */
  readonly indent: string;
}

/** Python's `TextWrapper(width=…, initial_indent=…, subsequent_indent=…).fill(text)` with the other defaults. */
export function fill(text: string, { width, indent }: WrapOptions): string {
  const plain = expandTabs(text).replace(/[\t-\r]/g, ' ');
  const pieces = plain.split(PIECES).filter((piece) => piece !== '' && piece !== undefined);
  const room = width - indent.length;
  const lines: string[] = [];
  pieces.reverse();
  while (pieces.length > 0) {
    const line = takeLine(pieces, room, lines.length > 0);
    if (line !== undefined) lines.push(indent + line);
  }
  return lines.join('\n');
}

/** Takes pieces, the next one last, for one line. @returns undefined when only white space was left */
function takeLine(pieces: string[], room: number, dropLeading: boolean): string | undefined {
  const line: string[] = [];
  let used = 0;
  if (dropLeading && isBlank(pieces[pieces.length - 1])) pieces.pop();
  for (let next = pieces[pieces.length - 1]; next !== undefined; next = pieces[pieces.length - 1]) {
    const length = textLength(next);
    if (used + length > room) {
      if (length > room) line.push(breakWord(pieces, room - used));
      break;
    }
    line.push(next);
    pieces.pop();
    used += length;
  }
  if (isBlank(line[line.length - 1])) line.pop();
  return line.length > 0 ? line.join('') : undefined;
}

function isBlank(piece: string | undefined): boolean {
  return piece !== undefined && strip(piece) === '';
}

/** Cuts what fits off a word that is too long for any line, after a hyphen if there is one. */
function breakWord(pieces: string[], room: number): string {
  const word = [...(pieces.pop() ?? '')];
  const hyphen = word.slice(0, room).lastIndexOf('-');
  const afterHyphen = hyphen > 0 && word.slice(0, hyphen).some((char) => char !== '-');
  const end = afterHyphen && word.length > room ? hyphen + 1 : room;
  pieces.push(word.slice(end).join(''));
  return word.slice(0, end).join('');
}

/** Python's `str.expandtabs(8)`. */
function expandTabs(text: string): string {
  let column = 0;
  let out = '';
  for (const char of text) {
    const piece = char === '\t' ? ' '.repeat(8 - (column % 8)) : char;
    out += piece;
    column = char === '\n' || char === '\r' ? 0 : column + (char === '\t' ? piece.length : 1);
  }
  return out;
}
