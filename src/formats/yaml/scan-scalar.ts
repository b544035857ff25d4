/** Scalars as they are written: plain, quoted, and in blocks. The rules are those of libyaml 0.2.5 (YAML 1.1). */
import {
  type Cursor,
  isBlank,
  isBreak,
  isBreakOrEnd,
  isFlowIndicator,
  isSpaceOrEnd,
  type Mark,
} from './cursor.ts';

const TAB = 0x09;
const SPACE = 0x20;
const DOUBLE_QUOTE = 0x22;
const HASH = 0x23;
const SINGLE_QUOTE = 0x27;
const PLUS = 0x2b;
const MINUS = 0x2d;
const COLON = 0x3a;
const QUESTION = 0x3f;
const BACKSLASH = 0x5c;

/** Blanks and line ends between two parts of a scalar, and what they become: a space, newlines, or themselves. */
class Folding {
  #blanks = '';
  #firstBreak = '';
  #moreBreaks = '';
  /** a line has ended since the last part */
  afterBreak = false;

  /** Takes all blanks and line ends here. */
  read(cursor: Cursor, onIndentTab?: () => void): void {
    for (;;) {
      const code = cursor.code();
      if (isBlank(code)) {
        if (this.afterBreak && code === TAB) onIndentTab?.();
        if (!this.afterBreak) this.#blanks += String.fromCharCode(code);
        cursor.skip();
      } else if (!isBreak(code)) {
        return;
      } else if (this.afterBreak) {
        this.#moreBreaks += cursor.readBreak();
      } else {
        this.#blanks = '';
        this.#firstBreak = cursor.readBreak();
        this.afterBreak = true;
      }
    }
  }

  /** An escaped line end: nothing stands for it. */
  startAfterEscapedBreak(): void {
    this.afterBreak = true;
  }

  /** What stands for all that was read; starts anew. */
  take(): string {
    let text = this.#blanks;
    if (this.afterBreak) {
      text = this.#firstBreak === '\n' ? this.#moreBreaks || ' ' : this.#firstBreak + this.#moreBreaks;
    }
    this.#blanks = this.#firstBreak = this.#moreBreaks = '';
    this.afterBreak = false;
    return text;
  }
}

/** A scalar's text, and whether a line ended behind it, after which a new key may start. */
export interface PlainScalar {
  readonly text: string;
  readonly lineEnded: boolean;
}

/**
 * A plain scalar.
 * @param indent least column of continuation lines outside of brackets
 * @param inFlow inside of brackets
 */
export function scanPlain(cursor: Cursor, indent: number, inFlow: boolean): PlainScalar {
  const start = cursor.mark();
  let text = plainPart(cursor, inFlow, start);
  if (!isSpaceOrEnd(cursor.code()) || cursor.code() === 0) return { text, lineEnded: false };
  const folding = new Folding();
  const refuseTab = (): void => {
    if (cursor.column >= indent) return;
    throw cursor.error('found a tab character that violates indentation', [
      'while scanning a plain scalar',
      start,
    ]);
  };
  for (;;) {
    folding.read(cursor, refuseTab);
    if ((!inFlow && cursor.column < indent) || cursor.atDocumentMarker() || cursor.code() === HASH) break;
    const part = plainPart(cursor, inFlow, start);
    if (part !== '') text += folding.take() + part;
    if (!isBlank(cursor.code()) && !isBreak(cursor.code())) break;
  }
  return { text, lineEnded: folding.afterBreak };
}

/** What stands on this line, without the blanks behind it. */
function plainPart(cursor: Cursor, inFlow: boolean, start: Mark): string {
  const { text, offset } = cursor;
  let end = offset;
  for (let at = offset; ; at++) {
    const code = text.charCodeAt(at);
    if (isBlank(code)) continue;
    if (isBreakOrEnd(code) || (code === HASH && at > end)) break;
    if (code === COLON) {
      const next = text.charCodeAt(at + 1);
      if (inFlow && (next === QUESTION || isFlowIndicator(next))) {
        cursor.skipTo(at);
        throw cursor.error("found unexpected ':'", ['while scanning a plain scalar', start]);
      }
      if (isSpaceOrEnd(next)) break;
    } else if (inFlow && isFlowIndicator(code)) break;
    end = at + 1;
  }
  cursor.skipTo(end);
  return text.slice(offset, end);
}

/** A scalar in single or double quotes. */
export function scanQuoted(cursor: Cursor): string {
  const start = cursor.mark();
  const quote = cursor.code();
  const simple = scanSimpleQuoted(cursor, quote);
  if (simple !== undefined) return simple;
  const folding = new Folding();
  let text = '';
  cursor.skip();
  for (;;) {
    if (cursor.atDocumentMarker()) {
      throw cursor.error('found unexpected document indicator', ['while scanning a quoted scalar', start]);
    }
    if (cursor.code() === 0) {
      throw cursor.error('found unexpected end of stream', ['while scanning a quoted scalar', start]);
    }
    text += quotedPart(cursor, quote, start, folding);
    if (cursor.code() === quote) break;
    folding.read(cursor);
    text += folding.take();
  }
  cursor.skip();
  return text;
}

/** A quoted scalar on one line without escapes; undefined, with nothing read, for any other. */
function scanSimpleQuoted(cursor: Cursor, quote: number): string | undefined {
  const { text, offset } = cursor;
  for (let at = offset + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      if (quote === SINGLE_QUOTE && text.charCodeAt(at + 1) === SINGLE_QUOTE) return undefined;
      cursor.skipTo(at + 1);
      return text.slice(offset + 1, at);
    }
    if (isBreakOrEnd(code) || (code === BACKSLASH && quote === DOUBLE_QUOTE)) return undefined;
  }
}

/** What stands between blanks, up to the closing quote or an escaped line end. */
function quotedPart(cursor: Cursor, quote: number, start: Mark, folding: Folding): string {
  let text = '';
  let from = cursor.offset;
  const taken = (): string => cursor.text.slice(from, cursor.offset);
  for (;;) {
    const code = cursor.code();
    if (isSpaceOrEnd(code)) return text + taken();
    if (code === quote) {
      if (quote !== SINGLE_QUOTE || cursor.code(1) !== SINGLE_QUOTE) return text + taken();
      cursor.skip();
      text += taken();
      cursor.skip();
      from = cursor.offset;
    } else if (code === BACKSLASH && quote === DOUBLE_QUOTE) {
      text += taken();
      if (isBreak(cursor.code(1))) {
        cursor.skip();
        cursor.readBreak();
        folding.startAfterEscapedBreak();
        return text;
      }
      text += scanEscape(cursor, start);
      from = cursor.offset;
    } else {
      cursor.skip();
    }
  }
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['0', '\0'],
  ['a', '\x07'],
  ['b', '\b'],
  ['t', '\t'],
  ['\t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\x1b'],
  [' ', ' '],
  ['"', '"'],
  ['/', '/'],
  ['\\', '\\'],
  ['N', '\x85'],
  ['_', '\xa0'],
  ['L', '\u2028'],
  ['P', '\u2029'],
]);
const HEX_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

function scanEscape(cursor: Cursor, start: Mark): string {
  const letter = cursor.text.charAt(cursor.offset + 1);
  const simple = ESCAPES.get(letter);
  if (simple !== undefined) {
    cursor.skip(2);
    return simple;
  }
  const length = HEX_LENGTHS.get(letter);
  const context = ['while parsing a quoted scalar', start] as const;
  if (length === undefined) throw cursor.error('found unknown escape character', context);
  cursor.skip(2);
  const digits = cursor.text.slice(cursor.offset, cursor.offset + length);
  if (digits.length !== length || !/^[0-9A-Fa-f]+$/.test(digits)) {
    throw cursor.error('did not find expected hexdecimal number', context);
  }
  const code = parseInt(digits, 16);
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) {
    throw cursor.error('found invalid Unicode character escape code', context);
  }
  cursor.skip(length);
  return String.fromCodePoint(code);
}

interface BlockHeader {
  readonly chomping: 'strip' | 'clip' | 'keep';
  /** indentation relative to the parent; 0 to find it out */
  readonly increment: number;
}

/**
 * A scalar behind `|` or `>`.
 * @param parentIndent column of the collection around it, -1 for none
 */
export function scanBlock(cursor: Cursor, literal: boolean, parentIndent: number): string {
  const start = cursor.mark();
  cursor.skip();
  const { chomping, increment } = scanBlockHeader(cursor, start);
  const given = increment === 0 ? 0 : Math.max(parentIndent, 0) + increment;
  let { breaks, indent } = scanBlockBreaks(cursor, given, parentIndent, start);
  let text = '';
  let lineEnd = '';
  let leadingBlank = false;
  while (cursor.column === indent && cursor.code() !== 0) {
    const blank = isBlank(cursor.code());
    if (!literal && lineEnd === '\n' && !leadingBlank && !blank) {
      if (breaks === '') text += ' ';
    } else {
      text += lineEnd;
    }
    text += breaks;
    leadingBlank = blank;
    const from = cursor.offset;
    while (!isBreakOrEnd(cursor.code())) cursor.skip();
    text += cursor.text.slice(from, cursor.offset);
    lineEnd = cursor.readBreak();
    ({ breaks, indent } = scanBlockBreaks(cursor, indent, parentIndent, start));
  }
  if (chomping !== 'strip') text += lineEnd;
  if (chomping === 'keep') text += breaks;
  return text;
}

function scanBlockHeader(cursor: Cursor, start: Mark): BlockHeader {
  const context = ['while scanning a block scalar', start] as const;
  let chomping: BlockHeader['chomping'] = 'clip';
  let increment = 0;
  const readChomping = (): boolean => {
    const code = cursor.code();
    if (code !== PLUS && code !== MINUS) return false;
    chomping = code === PLUS ? 'keep' : 'strip';
    cursor.skip();
    return true;
  };
  const readIncrement = (): boolean => {
    const digit = cursor.code() - 0x30;
    if (digit < 0 || digit > 9) return false;
    if (digit === 0) throw cursor.error('found an indentation indicator equal to 0', context);
    increment = digit;
    cursor.skip();
    return true;
  };
  if (readChomping()) readIncrement();
  else if (readIncrement()) readChomping();
  while (isBlank(cursor.code())) cursor.skip();
  if (cursor.code() === HASH) while (!isBreakOrEnd(cursor.code())) cursor.skip();
  if (!isBreakOrEnd(cursor.code()))
    throw cursor.error('did not find expected comment or line break', context);
  cursor.readBreak();
  return { chomping, increment };
}

/** Empty lines, up to the first column of text; an indentation of 0 is found out here. */
function scanBlockBreaks(
  cursor: Cursor,
  indent: number,
  parentIndent: number,
  start: Mark,
): { breaks: string; indent: number } {
  let breaks = '';
  let deepest = 0;
  for (;;) {
    while ((indent === 0 || cursor.column < indent) && cursor.code() === SPACE) cursor.skip();
    deepest = Math.max(deepest, cursor.column);
    if ((indent === 0 || cursor.column < indent) && cursor.code() === TAB) {
      throw cursor.error('found a tab character where an indentation space is expected', [
        'while scanning a block scalar',
        start,
      ]);
    }
    if (!isBreak(cursor.code())) break;
    breaks += cursor.readBreak();
  }
  return { breaks, indent: indent === 0 ? Math.max(deepest, parentIndent + 1, 1) : indent };
}
