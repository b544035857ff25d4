/** The escapes of Python's regular expressions, outside and inside brackets. */
import { CharSet, literalMatcher, type CategoryName, type Fold, type SetItem } from './chars.ts';
import type { PatternReader } from './reader.ts';
import type { Node, AssertedPlace } from './syntax.ts';

/** What an escape needs to know about the place it stands in. */
export interface EscapeContext {
  readonly reader: PatternReader;
  readonly fold: Fold;
  readonly ascii: boolean;
  /** A reference to a group, or an error `offset` characters back. */
  reference(group: number, offset: number): Node;
}

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['\\a', 0x07],
  ['\\b', 0x08],
  ['\\f', 0x0c],
  ['\\n', 0x0a],
  ['\\r', 0x0d],
  ['\\t', 0x09],
  ['\\v', 0x0b],
  ['\\\\', 0x5c],
]);

const PLACES: ReadonlyMap<string, AssertedPlace> = new Map([
  ['\\A', 'textStart'],
  ['\\Z', 'textEnd'],
  ['\\b', 'boundary'],
  ['\\B', 'notBoundary'],
]);

const CATEGORIES: ReadonlyMap<string, CategoryName> = new Map([
  ['d', 'digit'],
  ['s', 'space'],
  ['w', 'word'],
]);

/** How many digits follow `\x`, `\u` and `\U`. */
const HEX_DIGITS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

/** The node of an escape outside brackets; `token` is the backslash and the character behind it. */
export function readEscape(token: string, context: EscapeContext): Node {
  const place = PLACES.get(token);
  if (place) return { op: 'place', place, ascii: context.ascii };
  const category = readCategory(token, context.ascii);
  if (category) return { op: 'one', matcher: new CharSet([category], false, 'none') };
  const reference = /^\\[1-9]$/.test(token) ? readReference(token, context) : undefined;
  if (typeof reference === 'object') return reference;
  const code = reference ?? readCode(token, context.reader);
  return { op: 'one', matcher: literalMatcher(code, context.fold) };
}

/** The member of a set that an escape in brackets stands for. */
export function readClassEscape(token: string, context: EscapeContext): SetItem {
  const category = readCategory(token, context.ascii);
  if (category) return category;
  const code = /^\\[0-7]$/.test(token) ? readOctal(token, context.reader) : readCode(token, context.reader);
  return { kind: 'range', low: code, high: code };
}

function readCategory(token: string, ascii: boolean): SetItem | undefined {
  const letter = token.charAt(1);
  const name = CATEGORIES.get(letter.toLowerCase());
  if (!name || token.length !== 2) return undefined;
  return { kind: 'category', name, negated: letter !== letter.toLowerCase(), ascii };
}

/** A group's node, or the code of an octal escape of three digits. */
function readReference(token: string, context: EscapeContext): Node | number {
  const { reader } = context;
  let digits = token.slice(1);
  if (reader.next !== undefined && /^[0-9]$/.test(reader.next)) {
    digits += reader.advance() ?? '';
    if (/^[0-7]{2}$/.test(digits) && reader.next !== undefined && /^[0-7]$/.test(reader.next)) {
      digits += reader.advance() ?? '';
      return octalCode(digits, reader);
    }
  }
  return context.reference(Number(digits), digits.length + 1);
}

function readOctal(token: string, reader: PatternReader): number {
  return octalCode(token.slice(1) + reader.takeWhile(/^[0-7]$/, 2), reader);
}

function octalCode(digits: string, reader: PatternReader): number {
  const code = parseInt(digits, 8);
  if (code <= 0o377) return code;
  throw reader.error(`octal escape value \\${digits} outside of range 0-0o377`, digits.length + 1);
}

function readCode(token: string, reader: PatternReader): number {
  const control = CONTROLS.get(token);
  if (control !== undefined) return control;
  const letter = token.slice(1);
  const width = HEX_DIGITS.get(letter);
  if (width !== undefined) return readHex(token, width, reader);
  if (letter === '0') return parseInt(`0${reader.takeWhile(/^[0-7]$/, 2)}`, 8);
  if (letter === 'N') {
    throw reader.error('named characters (\\N{...}) are not supported, use \\u or \\U', 2);
  }
  if (/^[0-9A-Za-z]$/.test(letter)) throw reader.error(`bad escape ${token}`, 2);
  return letter.codePointAt(0) as number;
}

function readHex(token: string, width: number, reader: PatternReader): number {
  const digits = reader.takeWhile(/^[0-9A-Fa-f]$/, width);
  if (digits.length !== width) {
    throw reader.error(`incomplete escape ${token}${digits}`, 2 + digits.length);
  }
  const code = parseInt(digits, 16);
  if (code > 0x10ffff) throw reader.error(`bad escape ${token}${digits}`, 2 + width);
  return code;
}
