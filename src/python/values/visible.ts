/**
 * Characters that no eye sees or that steer a terminal, made visible: what other machines say is printed on the
 * operator's terminal and written to logs, and must neither move the cursor, nor hide or turn round what stands there,
 * nor look like a line of our own.
 */
import { isBytes, isDict, type Dict, type Value } from './value.ts';
import { decodeUtf8 } from './text.ts';

/**
 * C0 and C1 but for tab and line feed, DEL, marks of writing direction, characters without width, other line ends,
 * tags. A carriage return stays where it ends a line together with a line feed, as in texts of Windows.
 */
const UNSEEN =
  '\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\xad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f' +
  '\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}';
const ANY_UNSEEN = new RegExp(`[${UNSEEN}]|\\r(?!\\n)`, 'gu');
const ANY_UNSEEN_OR_BLANK = new RegExp(`[${UNSEEN}\\t\\n\\r]`, 'gu');
/** The same, and before it what sets a colour, which is kept. */
const COLOR_OR_UNSEEN = new RegExp(`(\\x1b\\[[0-9;]*m)|[${UNSEEN}]|\\r(?!\\n)`, 'gu');

/** True when a text has characters that {@link visibleName} would change. */
export function hasUnseen(text: string): boolean {
  return text.search(ANY_UNSEEN_OR_BLANK) >= 0;
}

/** A text of any number of lines, with escapes such as `\x1b` and `\u202e` in place of what is not seen. */
export function visible(text: string): string {
  return text.replace(ANY_UNSEEN, escape);
}

/** A text of one line, such as a name: tabs and line ends are escaped, too. */
export function visibleName(text: string): string {
  return text.replace(ANY_UNSEEN_OR_BLANK, escape);
}

/** As {@link visible}, for text in which colours have been set on purpose. */
export function visibleButColors(text: string): string {
  return text.replace(COLOR_OR_UNSEEN, (char, color: string | undefined) => color ?? escape(char));
}

/**
 * A text of any number of lines in which only the first begins at the margin: what follows a line feed cannot be taken
 * for the beginning of another entry.
 */
export function visibleEntry(text: string): string {
  return visible(text).replace(/\r?\n/g, '\n    ');
}

/**
 * Data with visible texts throughout, for outputters that write them as they are; keys are names.
 * @param keepsColors leaves sequences that set colours in the values
 */
export function visibleValue(value: Value, keepsColors = false): Value {
  if (typeof value === 'string') return keepsColors ? visibleButColors(value) : visible(value);
  if (isBytes(value)) return visibleBytes(value);
  if (Array.isArray(value)) return value.map((item) => visibleValue(item, keepsColors));
  if (!isDict(value)) return value;
  const out: Dict = new Map();
  for (const [key, item] of value) out.set(visibleKey(key, out), visibleValue(item, keepsColors));
  return out;
}

/** Two keys that differ in what is not seen only stay two. */
function visibleKey(key: Value, taken: Dict): Value {
  if (typeof key !== 'string') return key;
  let name = visibleName(key);
  while (taken.has(name)) name += ' ';
  return name;
}

function visibleBytes(bytes: Uint8Array): Value {
  const text = decodeUtf8(bytes);
  return text === undefined || visible(text) === text ? bytes : visible(text);
}

/** Such as JSON has them beyond ASCII, so that JSON stays JSON. */
function escape(chars: string): string {
  let out = '';
  for (let at = 0; at < chars.length; at++) {
    const code = chars.charCodeAt(at);
    out +=
      code < 0x7f ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  }
  return out;
}
