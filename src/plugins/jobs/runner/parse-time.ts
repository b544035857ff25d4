/**
 * Points in time as people write them, in the forms that Python's dateutil takes and Salt's documentation shows: `2015,
 * Mar 16 19:00`, `2015-03-16T19:00:05.123`, `16 Mar 2015`, `20150316`, `19:00` (today). Times are UTC, as job ids are.
 */
import { SaltInvocationError } from '../../../errors/errors.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAY = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*$/;

interface Fields {
  year?: number;
  month?: number;
  day?: number;
  timeMs: number;
}

/**
 * @param nowMs fills in what the text leaves out
 * @returns milliseconds since 1970
 * @throws SaltInvocationError for text that names no time
 */
export function parseTime(text: string, nowMs: number): number {
  const refuse = (): never => {
    throw new SaltInvocationError(
      `${JSON.stringify(text)} is not a time; write it as 2015-03-16 19:00 or '2015, Mar 16 19:00'`,
    );
  };
  const fields: Fields = { timeMs: 0 };
  const rest = takeClock(text.trim().toLowerCase(), fields);
  const words = rest.split(/[\s,]+/).filter((word) => word !== '' && word !== 'utc' && word !== 'z');
  if (words.length === 0 && rest === text.trim().toLowerCase()) refuse();
  const numbers: number[] = [];
  for (const word of words) if (!takeWord(word, fields, numbers)) refuse();
  if (!takeNumbers(numbers, fields)) refuse();
  const now = new Date(nowMs);
  const year = fields.year ?? now.getUTCFullYear();
  const month = fields.month ?? now.getUTCMonth() + 1;
  const day = fields.day ?? now.getUTCDate();
  const atMs = Date.UTC(year, month - 1, day);
  const date = new Date(atMs);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) refuse();
  return atMs + fields.timeMs;
}

/** Takes `hh:mm[:ss[.f]][ am|pm]` out of the text. */
function takeClock(text: string, fields: Fields): string {
  const match = /(?:^|[\st])(\d{1,2}):(\d\d)(?::(\d\d)(\.\d+)?)?\s*(am|pm)?/.exec(text);
  if (match === null) return text;
  const [whole, hour, minute, second = '0', fraction = '', half] = match;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  fields.timeMs =
    ((hours * 60 + Number(minute)) * 60 + Number(second)) * 1000 + Number(`0${fraction}`) * 1000;
  return text.slice(0, match.index) + ' ' + text.slice(match.index + whole.length);
}

function takeWord(word: string, fields: Fields, numbers: number[]): boolean {
  const month = MONTHS.indexOf(word.slice(0, 3));
  if (/^[a-z]+\.?$/.test(word)) {
    if (WEEKDAY.test(word)) return true;
    if (month < 0) return false;
    fields.month = month + 1;
    return true;
  }
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(word) ?? /^(\d{4})(\d\d)(\d\d)$/.exec(word);
  if (iso !== null) return setDate(fields, iso[1], iso[2], iso[3]);
  const american = /^(\d{1,2})[-/](\d{1,2})[-/](\d{4})$/.exec(word);
  if (american !== null) return setDate(fields, american[3], american[1], american[2]);
  const digits = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?\d*$/.exec(word);
  if (digits !== null) {
    const [hour, minute, second] = [digits[4], digits[5], digits[6] ?? '0'].map(Number) as [
      number,
      number,
      number,
    ];
    fields.timeMs = ((hour * 60 + minute) * 60 + second) * 1000;
    return setDate(fields, digits[1], digits[2], digits[3]);
  }
  const number = /^(\d{1,4})(st|nd|rd|th)?$/.exec(word);
  if (number === null) return false;
  numbers.push(Number(number[1]));
  return true;
}

function setDate(fields: Fields, ...parts: (string | undefined)[]): boolean {
  [fields.year, fields.month, fields.day] = parts.map(Number) as [number, number, number];
  return true;
}

/** What is left are a year and a day, beside the name of a month. */
function takeNumbers(numbers: readonly number[], fields: Fields): boolean {
  for (const number of numbers) {
    if (number > 31 && fields.year === undefined) fields.year = number;
    else if (number >= 1 && number <= 31 && fields.day === undefined) fields.day = number;
    else return false;
  }
  return true;
}
