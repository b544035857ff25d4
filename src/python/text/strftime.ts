/** Python's `strptime` and `strftime` in the C locale, for the directives that dates in schedules use. */

import { MONTHS, SHORT_MONTHS, SHORT_WEEKDAYS, WEEKDAYS } from '../values/calendar.ts';

const oneOf = (names: readonly string[]): string => `(${names.join('|')})`;
const two = (number: number): string => String(number).padStart(2, '0');

/** What a directive matches. */
const PATTERNS: ReadonlyMap<string, string> = new Map([
  ['Y', '(\\d{4})'],
  ['y', '(\\d\\d)'],
  ['m', '(1[0-2]|0[1-9]|[1-9])'],
  ['d', '(3[01]|[12]\\d|0[1-9]|[1-9]| [1-9])'],
  ['H', '(2[0-3]|[01]\\d|\\d)'],
  ['I', '(1[0-2]|0[1-9]|[1-9])'],
  ['M', '([0-5]\\d|\\d)'],
  ['S', '(6[01]|[0-5]\\d|\\d)'],
  ['f', '(\\d{1,6})'],
  ['j', '(36[0-6]|3[0-5]\\d|[12]\\d\\d|0[1-9]\\d|00[1-9]|[1-9]\\d|0[1-9]|[1-9])'],
  ['p', '(am|pm)'],
  ['b', oneOf(SHORT_MONTHS)],
  ['h', oneOf(SHORT_MONTHS)],
  ['B', oneOf(MONTHS)],
  ['a', oneOf(SHORT_WEEKDAYS)],
  ['A', oneOf(WEEKDAYS)],
]);
/** Directives that stand for several. */
const GROUPS: ReadonlyMap<string, string> = new Map([
  ['T', '%H:%M:%S'],
  ['R', '%H:%M'],
  ['F', '%Y-%m-%d'],
  ['D', '%m/%d/%y'],
  ['X', '%H:%M:%S'],
  ['x', '%m/%d/%y'],
  ['c', '%a %b %d %H:%M:%S %Y'],
]);

function expand(format: string): string {
  return format.replace(/%(.)/g, (whole, letter: string) => GROUPS.get(letter) ?? whole);
}

/**
 * Python's `datetime.strptime`.
 * @returns milliseconds since 1970 on the wall clock; undefined when the text does not fit, or the format is not
 *   understood
 */
export function strptime(text: string, format: string): number | undefined {
  const letters: string[] = [];
  let pattern = '';
  for (const [piece, letter] of expand(format).matchAll(/%(.)|\s+|[^%\s]+|%/gs)) {
    if (letter === undefined)
      pattern += /^\s/.test(piece) ? '\\s+' : piece.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    else if (letter === '%') pattern += '%';
    else {
      const known = PATTERNS.get(letter);
      if (known === undefined || letters.includes(letter)) return undefined;
      letters.push(letter);
      pattern += known;
    }
  }
  const match = new RegExp(`^${pattern}$`, 'i').exec(text);
  return match === null
    ? undefined
    : assemble(new Map(letters.map((letter, i) => [letter, match[i + 1] as string])));
}

function assemble(found: ReadonlyMap<string, string>): number | undefined {
  const number = (letter: string): number | undefined =>
    found.has(letter) ? Number((found.get(letter) as string).trim()) : undefined;
  const shortYear = number('y');
  const year = number('Y') ?? (shortYear === undefined ? 1900 : shortYear + (shortYear <= 68 ? 2000 : 1900));
  const named = found.get('B') ?? found.get('b') ?? found.get('h');
  const month =
    number('m') ??
    (named === undefined
      ? 1
      : SHORT_MONTHS.findIndex((name) => name.toLowerCase() === named.slice(0, 3).toLowerCase()) + 1);
  const day = number('d') ?? 1;
  let hour = number('H') ?? 0;
  const half = found.get('p')?.toLowerCase();
  const twelve = number('I');
  if (twelve !== undefined) hour = (twelve % 12) + (half === 'pm' ? 12 : 0);
  const dayOfYear = number('j');
  const dateMs = dayOfYear === undefined ? Date.UTC(year, month - 1, day) : Date.UTC(year, 0, dayOfYear);
  if (dayOfYear === undefined && new Date(dateMs).getUTCDate() !== day) return undefined;
  const fraction = found.get('f');
  const fractionMs = fraction === undefined ? 0 : Math.floor(Number(`0.${fraction}`) * 1000);
  const second = number('S') ?? 0;
  return second > 59
    ? undefined
    : dateMs + ((hour * 60 + (number('M') ?? 0)) * 60 + second) * 1000 + fractionMs;
}

/** Python's `datetime.strftime` of a time on the wall clock; a directive that is not known stays as it is. */
export function strftime(localMs: number, format: string): string {
  const date = new Date(localMs);
  const hour = date.getUTCHours();
  const year = String(date.getUTCFullYear()).padStart(4, '0');
  const month = date.getUTCMonth();
  const values: ReadonlyMap<string, () => string> = new Map([
    ['Y', () => year],
    ['y', () => year.slice(2)],
    ['m', () => two(month + 1)],
    ['d', () => two(date.getUTCDate())],
    ['e', () => String(date.getUTCDate()).padStart(2)],
    ['H', () => two(hour)],
    ['I', () => two(hour % 12 === 0 ? 12 : hour % 12)],
    ['M', () => two(date.getUTCMinutes())],
    ['S', () => two(date.getUTCSeconds())],
    ['f', () => `${String(date.getUTCMilliseconds()).padStart(3, '0')}000`],
    [
      'j',
      () =>
        String(Math.floor((localMs - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1).padStart(
          3,
          '0',
        ),
    ],
    ['p', () => (hour < 12 ? 'AM' : 'PM')],
    ['b', () => SHORT_MONTHS[month] as string],
    ['h', () => SHORT_MONTHS[month] as string],
    ['B', () => MONTHS[month] as string],
    ['a', () => SHORT_WEEKDAYS[date.getUTCDay()] as string],
    ['A', () => WEEKDAYS[date.getUTCDay()] as string],
    ['w', () => String(date.getUTCDay())],
    ['%', () => '%'],
  ]);
  return expand(format).replace(/%(.)/g, (whole, letter: string) => values.get(letter)?.() ?? whole);
}

const MINUTE_MS = 60_000;

/** The time of this machine's clocks at a moment, as {@link strftime} takes it. @param ms since 1970 */
export function localTimeMs(ms: number): number {
  return ms - new Date(ms).getTimezoneOffset() * MINUTE_MS;
}
