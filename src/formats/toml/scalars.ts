/** Numbers, words, dates and strings of TOML 1.0. */
import { intOfText } from '../../python/values/int-text.ts';
import { float, PyDatetime, type Value } from '../../python/values/value.ts';

const INTEGER = /^[-+]?(?:0|[1-9](?:_?\d)*)$/;
const PREFIXED = /^0(?:x[0-9a-fA-F](?:_?[0-9a-fA-F])*|o[0-7](?:_?[0-7])*|b[01](?:_?[01])*)$/;
const FLOAT = /^[-+]?(?:0|[1-9](?:_?\d)*)(?:\.\d(?:_?\d)*(?:[eE][-+]?\d(?:_?\d)*)?|[eE][-+]?\d(?:_?\d)*)$/;
const SPECIAL = /^([-+]?)(inf|nan)$/;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^\d{2}:\d{2}:\d{2}(?:\.\d+)?$/;
const DATETIME = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d+))?([Zz]|[-+]\d{2}:\d{2})?$/;

/**
 * The value of a bare word. Dates and times without one another stay text, as the model of values has no such type; a
 * zone is not kept, as it is not when Salt sends a date and time on.
 * @returns undefined when TOML has no such value
 */
export function bareValue(word: string): Value | undefined {
  if (word === 'true') return true;
  if (word === 'false') return false;
  if (INTEGER.test(word)) return intOfText(word.replaceAll('_', ''));
  if (PREFIXED.test(word)) return intOfText(word, 0);
  if (FLOAT.test(word)) return float(Number(word.replaceAll('_', '')));
  const special = SPECIAL.exec(word);
  if (special !== null) return special[2] === 'nan' ? NaN : special[1] === '-' ? -Infinity : Infinity;
  if (TIME.test(word) || isDay(DATE.exec(word))) return word;
  return datetime(word);
}

function isDay(parts: RegExpExecArray | null): boolean {
  if (parts === null) return false;
  const [year = 0, month = 0, day = 0] = parts.slice(1, 4).map(Number);
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function datetime(word: string): PyDatetime | undefined {
  const parts = DATETIME.exec(word);
  if (parts === null || !isDay(parts)) return undefined;
  const [, year, month, day, time = '', fraction = ''] = parts;
  const [hour = 0, minute = 0, second = 0] = time.split(':').map(Number);
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const micros = fraction.slice(0, 6).padEnd(6, '0');
  return new PyDatetime(`${year}${month}${day}T${time}.${micros}`);
}

const SIMPLE: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['t', '\t'],
  ['n', '\n'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\x1b'],
  ['"', '"'],
  ['\\', '\\'],
]);

/**
 * What an escape stands for.
 * @param text what comes behind the backslash
 * @returns the character, and how many of `text` the escape takes; undefined for none of TOML's
 */
export function escapeAt(text: string): { readonly char: string; readonly length: number } | undefined {
  const simple = SIMPLE.get(text.charAt(0));
  if (simple !== undefined) return { char: simple, length: 1 };
  const digits = /^(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2}))/.exec(text);
  if (digits === null) return undefined;
  const code = parseInt(digits[1] ?? digits[2] ?? digits[3] ?? '', 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  return { char: String.fromCodePoint(code), length: digits[0].length };
}
