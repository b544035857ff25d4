/** Times in logs: the part of `strftime` that log forms use, in local time and English names. */

import { MONTHS, SHORT_MONTHS, SHORT_WEEKDAYS, WEEKDAYS } from '../python/values/calendar.ts';

/** Directives that stand for several others. */
const COMPOUND: ReadonlyMap<string, string> = new Map([
  ['T', '%H:%M:%S'],
  ['X', '%H:%M:%S'],
  ['D', '%m/%d/%y'],
  ['x', '%m/%d/%y'],
  ['F', '%Y-%m-%d'],
  ['R', '%H:%M'],
  ['c', '%a %b %e %H:%M:%S %Y'],
  ['r', '%I:%M:%S %p'],
  ['h', '%b'],
]);

/** @param form as `strftime` takes it; directives it does not know stay as they are */
export function formatTime(form: string, timeMs: number): string {
  const date = new Date(timeMs);
  const expanded = form.replace(/%(.)/gs, (whole, name: string) => COMPOUND.get(name) ?? whole);
  return expanded.replace(/%([a-zA-Z%])/g, (whole, name: string) => directive(name, date) ?? whole);
}

/** Whether a letter behind a percent sign stands for something. */
export function isTimeDirective(letter: string): boolean {
  return COMPOUND.has(letter) || directive(letter, new Date(0)) !== undefined;
}

function directive(name: string, date: Date): string | undefined {
  switch (name) {
    case 'Y':
      return String(date.getFullYear());
    case 'y':
      return two(date.getFullYear() % 100);
    case 'm':
      return two(date.getMonth() + 1);
    case 'd':
      return two(date.getDate());
    case 'e':
      return String(date.getDate()).padStart(2);
    case 'H':
      return two(date.getHours());
    case 'I':
      return two(date.getHours() % 12 || 12);
    case 'M':
      return two(date.getMinutes());
    case 'S':
      return two(date.getSeconds());
    case 'p':
      return date.getHours() < 12 ? 'AM' : 'PM';
    case 'j':
      return String(dayOfYear(date)).padStart(3, '0');
    case 's':
      return String(Math.floor(date.getTime() / 1000));
    case 'a':
      return SHORT_WEEKDAYS[date.getDay()];
    case 'A':
      return WEEKDAYS[date.getDay()];
    case 'b':
      return SHORT_MONTHS[date.getMonth()];
    case 'B':
      return MONTHS[date.getMonth()];
    case 'P':
      return date.getHours() < 12 ? 'am' : 'pm';
    case 'k':
      return String(date.getHours()).padStart(2);
    case 'l':
      return String(date.getHours() % 12 || 12).padStart(2);
    case 'C':
      return two(Math.floor(date.getFullYear() / 100));
    case 'u':
      return String(date.getDay() || 7);
    case 'w':
      return String(date.getDay());
    case 'U':
      return two(Math.floor((dayOfYear(date) + 6 - date.getDay()) / 7));
    case 'W':
      return two(Math.floor((dayOfYear(date) + 6 - ((date.getDay() + 6) % 7)) / 7));
    case 'V':
      return two(Math.ceil(dayOfYear(thursday(date)) / 7));
    case 'G':
      return String(thursday(date).getFullYear());
    case 'g':
      return two(thursday(date).getFullYear() % 100);
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'z':
      return zone(date);
    case 'Z':
      return zoneName(date);
    case '%':
      return '%';
    default:
      return undefined;
  }
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** The Thursday of a week that begins on Monday: its year and week are those of ISO 8601. */
function thursday(date: Date): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 3 - ((date.getDay() + 6) % 7));
}

function zoneName(date: Date): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' }).formatToParts(date);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

function dayOfYear(date: Date): number {
  const dayMs = 86_400_000;
  const start = Date.UTC(date.getFullYear(), 0, 1);
  return (Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - start) / dayMs + 1;
}

function zone(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}${two(size % 60)}`;
}
