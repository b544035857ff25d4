/** Directives, tags, anchors and aliases as they are written. The rules are those of libyaml 0.2.5. */
import { type Cursor, isBlank, isBreakOrEnd, isSpaceOrEnd, isWordChar, type Mark } from './cursor.ts';

/** A tag in two parts; an empty handle means the suffix is the whole tag. */
export interface RawTag {
  readonly handle: string;
  readonly suffix: string;
}

/** A directive; unknown ones are errors. */
export type Directive =
  | { readonly kind: 'version'; readonly major: number; readonly minor: number }
  | { readonly kind: 'tag'; readonly handle: string; readonly prefix: string };

const BANG = 0x21;
const HASH = 0x23;
const PERCENT = 0x25;
const COMMA = 0x2c;
const GREATER = 0x3e;
const LESS = 0x3c;
const URI_CHARS = ";/?:@&=+$.%!~*'()";
const MAX_VERSION_DIGITS = 9;
const AFTER_ANCHOR = '?:,]}%@`';

/** The name behind `&` or `*`. */
export function scanAnchor(cursor: Cursor, what: 'anchor' | 'alias'): string {
  const start = cursor.mark();
  cursor.skip();
  const name = readWord(cursor);
  const code = cursor.code();
  if (name === '' || (!isSpaceOrEnd(code) && !AFTER_ANCHOR.includes(String.fromCharCode(code)))) {
    throw cursor.error('did not find expected alphabetic or numeric character', [
      `while scanning an ${what}`,
      start,
    ]);
  }
  return name;
}

/** A tag: `!<uri>`, `!handle!suffix`, `!!suffix`, `!suffix` or `!`. */
export function scanTag(cursor: Cursor, inFlow: boolean): RawTag {
  const start = cursor.mark();
  const tag = cursor.code(1) === LESS ? scanVerbatim(cursor, start) : scanShorthand(cursor, start);
  const code = cursor.code();
  if (!isSpaceOrEnd(code) && !(inFlow && code === COMMA)) {
    throw cursor.error('did not find expected whitespace or line break', ['while scanning a tag', start]);
  }
  return tag;
}

function scanVerbatim(cursor: Cursor, start: Mark): RawTag {
  cursor.skip(2);
  const suffix = scanUri(cursor, true, '', ['while parsing a tag', start]);
  if (cursor.code() !== GREATER)
    throw cursor.error("did not find the expected '>'", ['while scanning a tag', start]);
  cursor.skip();
  return { handle: '', suffix };
}

function scanShorthand(cursor: Cursor, start: Mark): RawTag {
  const handle = scanHandle(cursor);
  if (handle.length > 1 && handle.endsWith('!')) {
    return { handle, suffix: scanUri(cursor, false, '', ['while parsing a tag', start]) };
  }
  const suffix = scanUri(cursor, false, handle, ['while parsing a tag', start]);
  return suffix === '' ? { handle: '', suffix: '!' } : { handle: '!', suffix };
}

/** `!`, `!!` or `!word!`; what looks like the last but lacks its end is the start of a suffix. */
function scanHandle(cursor: Cursor): string {
  const from = cursor.offset;
  cursor.skip();
  readWord(cursor);
  if (cursor.code() === BANG) cursor.skip();
  return cursor.text.slice(from, cursor.offset);
}

/** @param head a handle that turned out to be the start of the suffix */
function scanUri(
  cursor: Cursor,
  withBrackets: boolean,
  head: string,
  context: readonly [text: string, mark: Mark],
): string {
  let uri = head.slice(1);
  let length = head.length;
  for (;;) {
    const code = cursor.code();
    const char = String.fromCharCode(code);
    if (
      code === 0 ||
      !(isWordChar(code) || URI_CHARS.includes(char) || (withBrackets && ',[]'.includes(char)))
    )
      break;
    if (code === PERCENT) uri += scanUriEscapes(cursor, context);
    else {
      uri += char;
      cursor.skip();
    }
    length++;
  }
  if (length === 0) throw cursor.error('did not find expected tag URI', context);
  return uri;
}

/** One character written as `%XX` for each of its UTF-8 bytes. */
function scanUriEscapes(cursor: Cursor, context: readonly [text: string, mark: Mark]): string {
  const bytes: number[] = [];
  let width = 1;
  do {
    const digits = cursor.text.slice(cursor.offset + 1, cursor.offset + 3);
    if (cursor.code() !== PERCENT || !/^[0-9A-Fa-f]{2}$/.test(digits)) {
      throw cursor.error('did not find URI escaped octet', context);
    }
    const byte = parseInt(digits, 16);
    if (bytes.length === 0) {
      width = byte < 0x80 ? 1 : byte >> 5 === 6 ? 2 : byte >> 4 === 14 ? 3 : byte >> 3 === 30 ? 4 : 0;
      if (width === 0) throw cursor.error('found an incorrect leading UTF-8 octet', context);
    } else if (byte >> 6 !== 2) {
      throw cursor.error('found an incorrect trailing UTF-8 octet', context);
    }
    bytes.push(byte);
    cursor.skip(3);
  } while (bytes.length < width);
  return Buffer.from(bytes).toString('utf8');
}

/** A line that starts with `%`. */
export function scanDirective(cursor: Cursor): Directive {
  const start = cursor.mark();
  const context = ['while scanning a directive', start] as const;
  cursor.skip();
  const name = readWord(cursor);
  if (name === '') throw cursor.error('could not find expected directive name', context);
  if (!isSpaceOrEnd(cursor.code()))
    throw cursor.error('found unexpected non-alphabetical character', context);
  if (name !== 'YAML' && name !== 'TAG') throw cursor.error('found unknown directive name', context);
  const directive = name === 'YAML' ? scanVersion(cursor, start) : scanTagDirective(cursor, start);
  skipBlanks(cursor);
  if (cursor.code() === HASH) while (!isBreakOrEnd(cursor.code())) cursor.skip();
  if (!isBreakOrEnd(cursor.code()))
    throw cursor.error('did not find expected comment or line break', context);
  cursor.readBreak();
  return directive;
}

function scanVersion(cursor: Cursor, start: Mark): Directive {
  skipBlanks(cursor);
  const context = ['while scanning a %YAML directive', start] as const;
  const major = scanNumber(cursor, context);
  if (cursor.code() !== 0x2e) throw cursor.error("did not find expected digit or '.' character", context);
  cursor.skip();
  return { kind: 'version', major, minor: scanNumber(cursor, context) };
}

function scanNumber(cursor: Cursor, context: readonly [text: string, mark: Mark]): number {
  const digits = /^[0-9]*/.exec(cursor.text.slice(cursor.offset, cursor.offset + 10))?.[0] ?? '';
  if (digits.length > MAX_VERSION_DIGITS) {
    cursor.skip(MAX_VERSION_DIGITS);
    throw cursor.error('found extremely long version number', context);
  }
  if (digits === '') throw cursor.error('did not find expected version number', context);
  cursor.skip(digits.length);
  return Number(digits);
}

function scanTagDirective(cursor: Cursor, start: Mark): Directive {
  const context = ['while scanning a %TAG directive', start] as const;
  skipBlanks(cursor);
  if (cursor.code() !== BANG) {
    throw cursor.error("did not find expected '!'", ['while scanning a tag directive', start]);
  }
  const handle = scanHandle(cursor);
  if (handle.length > 1 && !handle.endsWith('!')) {
    throw cursor.error("did not find expected '!'", ['while parsing a tag directive', start]);
  }
  if (!isBlank(cursor.code())) throw cursor.error('did not find expected whitespace', context);
  skipBlanks(cursor);
  const prefix = scanUri(cursor, true, '', ['while parsing a %TAG directive', start]);
  if (!isSpaceOrEnd(cursor.code())) {
    throw cursor.error('did not find expected whitespace or line break', context);
  }
  return { kind: 'tag', handle, prefix };
}

function readWord(cursor: Cursor): string {
  const from = cursor.offset;
  while (isWordChar(cursor.code())) cursor.skip();
  return cursor.text.slice(from, cursor.offset);
}

function skipBlanks(cursor: Cursor): void {
  while (isBlank(cursor.code())) cursor.skip();
}
