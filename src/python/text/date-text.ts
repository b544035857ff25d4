/**
 * Dates and times as people write them (`Monday 5:00pm`, `11/21/2026 5pm`, `2026-11-21T16:20:00Z`), read as Python's
 * dateutil 2.8.2 reads them with its defaults: month before day, what is left out comes from today at midnight, a
 * weekday without a date is the next such day, today included.
 */

const DAY_MS = 86_400_000;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const LONG_MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const LONG_WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const FILLERS = new Set(" |.|,|;|-|/|'|at|on|and|ad|m|t|of|st|nd|rd|th".split('|'));
const TIME_UNITS = new Map([
  ['h', 0],
  ['hour', 0],
  ['hours', 0],
  ['m', 1],
  ['minute', 1],
  ['minutes', 1],
  ['s', 2],
  ['second', 2],
  ['seconds', 2],
]);

/** A date that was read. */
export interface ReadDate {
  /** The wall clock's time, as milliseconds since 1970 on that clock. */
  readonly localMs: number;
  /** Minutes east of UTC when the text names its zone (`Z`, `+02:00`). */
  readonly offsetMinutes?: number;
}

/** Thrown inside when the text is no date. */
class NotADate extends Error {}

/**
 * @param nowLocalMs what the wall clock shows now; fills in what the text leaves out
 * @returns undefined for text that is no date
 */
export function readDate(text: string, nowLocalMs: number): ReadDate | undefined {
  try {
    return new Reader(tokens(text), nowLocalMs).read();
  } catch (error) {
    if (error instanceof NotADate) return undefined;
    throw error;
  }
}

/** Numbers (with one point), words, and single characters. Several points make several numbers. */
function tokens(text: string): string[] {
  const rough = text.match(/\d+(?:\.\d+)*|[a-z]+(?:\.[a-z]+)*|\s|[^\sa-z\d]/gi) ?? [];
  return rough.flatMap((token) => {
    const points = token.split('.').length - 1;
    if (/^\d/.test(token) ? points < 2 : points === 0) return [token.replace(/\s/, ' ')];
    return token.split(/(\.)/).filter((part) => part !== '');
  });
}

/** A part of a date whose meaning may still be open. */
interface DatePart {
  readonly value: number;
  readonly isMonth: boolean;
  readonly isYear: boolean;
}

class Reader {
  readonly #tokens: readonly string[];
  readonly #now: Date;
  readonly #parts: DatePart[] = [];
  #hour: number | undefined;
  #minute: number | undefined;
  #secondMs: number | undefined;
  #weekday: number | undefined;
  #offset: number | undefined;
  #hasCentury = false;

  constructor(list: readonly string[], nowLocalMs: number) {
    this.#tokens = list;
    this.#now = new Date(nowLocalMs);
  }

  read(): ReadDate {
    for (let at = 0; at < this.#tokens.length; at++) at = this.#take(at);
    const nothing = this.#parts.length === 0 && this.#hour === undefined && this.#weekday === undefined;
    if (nothing && this.#minute === undefined && this.#secondMs === undefined) throw new NotADate();
    return this.#build();
  }

  #token(at: number): string | undefined {
    return this.#tokens[at]?.toLowerCase();
  }

  /** Takes what begins at a token; @returns the last token taken */
  #take(at: number): number {
    const token = this.#token(at) as string;
    if (/^\d/.test(token)) return this.#number(at, token);
    const weekday = nameIndex(token, WEEKDAYS, LONG_WEEKDAYS);
    const month = monthIndex(token);
    if (weekday >= 0) this.#weekday = weekday;
    else if (month >= 0) return this.#month(at, month);
    else if (isHalf(token)) this.#half(token);
    else if (this.#hour !== undefined && /^(z|utc|gmt)$/.test(token)) this.#offset = 0;
    else if (this.#hour !== undefined && (token === '+' || token === '-')) return this.#zoneOffset(at, token);
    else if (!FILLERS.has(token)) throw new NotADate();
    return at;
  }

  #half(token: string): void {
    if (this.#hour === undefined || this.#hour > 12) throw new NotADate();
    this.#hour = halfHour(this.#hour, token);
  }

  #zoneOffset(at: number, sign: string): number {
    const digits = this.#token(at + 1) ?? '';
    if (!/^\d{1,4}$/.test(digits)) {
      if (sign === '-') return at;
      throw new NotADate();
    }
    let end = at + 1;
    let minutes =
      digits.length === 4 ? Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2)) : Number(digits) * 60;
    if (digits.length < 3 && this.#token(at + 2) === ':') {
      minutes += Number(this.#token(at + 3));
      end = at + 3;
    }
    if (!Number.isFinite(minutes)) throw new NotADate();
    this.#offset = sign === '-' ? -minutes : minutes;
    return end;
  }

  /** `Jan-01-99`, `Jan of 01`, or just a month. */
  #month(at: number, month: number): number {
    this.#add(month + 1, { isMonth: true });
    const separator = this.#token(at + 1);
    if (separator === '-' || separator === '/') {
      this.#addText(this.#token(at + 2));
      if (this.#token(at + 3) !== separator) return at + 2;
      this.#addText(this.#token(at + 4));
      return at + 4;
    }
    const rest = [1, 2, 3].map((step) => this.#token(at + step));
    if (rest[0] === ' ' && rest[1] === 'of' && rest[2] === ' ' && /^\d+$/.test(this.#token(at + 4) ?? '')) {
      this.#add(this.#fullYear(Number(this.#token(at + 4)), false), { isYear: true });
      return at + 4;
    }
    return at;
  }

  #number(at: number, token: string): number {
    const value = Number(token);
    const next = this.#token(at + 1);
    const length = token.length;
    if (this.#parts.length === 3 && (length === 2 || length === 4) && this.#hour === undefined) {
      if (next === undefined || next === ' ' || !TIME_UNITS.has(next)) {
        if (next !== ':' && !isHalf(next)) {
          this.#hour = Number(token.slice(0, 2));
          if (length === 4) this.#minute = Number(token.slice(2));
          return at;
        }
      }
    }
    if (length === 6 || (length > 6 && token.indexOf('.') === 6)) return this.#six(at, token);
    if (/^\d{8}$|^\d{12}$|^\d{14}$/.test(token)) return this.#compact(at, token);
    const unit = this.#unitAfter(at);
    if (unit !== undefined) return this.#withUnit(value, unit);
    if (next === ':' && this.#token(at + 2) !== undefined) return this.#clock(at, value);
    if (next === '-' || next === '/' || next === '.') return this.#separated(at, token, next);
    if (next === undefined || FILLERS.has(next)) {
      const half = this.#token(at + 2);
      if (isHalf(half)) {
        this.#setHour(value, half as string);
        return at + 2;
      }
      this.#addText(token);
      return at + 1;
    }
    if (isHalf(next) && value >= 0 && value < 24) {
      this.#setHour(value, next);
      return at + 1;
    }
    throw new NotADate();
  }

  /** `YYMMDD` or, with a date before it, `HHMMSS`. */
  #six(at: number, token: string): number {
    if (this.#parts.length === 0 && !token.includes('.')) {
      for (const start of [0, 2, 4]) this.#addText(token.slice(start, start + 2));
    } else {
      this.#hour = Number(token.slice(0, 2));
      this.#minute = Number(token.slice(2, 4));
      this.#secondMs = Math.floor(Number(token.slice(4)) * 1000);
    }
    return at;
  }

  #compact(at: number, token: string): number {
    this.#add(Number(token.slice(0, 4)), { isYear: true });
    this.#hasCentury = true;
    this.#addText(token.slice(4, 6));
    this.#addText(token.slice(6, 8));
    if (token.length > 8) {
      this.#hour = Number(token.slice(8, 10));
      this.#minute = Number(token.slice(10, 12));
      if (token.length > 12) this.#secondMs = Number(token.slice(12)) * 1000;
    }
    return at;
  }

  /** `10h`, `10 hours`: which unit, and its token. */
  #unitAfter(at: number): { unit: number; at: number } | undefined {
    for (const where of this.#token(at + 1) === ' ' ? [at + 2] : [at + 1]) {
      const unit = TIME_UNITS.get(this.#token(where) ?? '');
      if (unit !== undefined) return { unit, at: where };
    }
    return undefined;
  }

  #withUnit(value: number, { unit, at }: { unit: number; at: number }): number {
    if (unit === 0) {
      this.#hour = Math.trunc(value);
      if (value % 1 > 0) this.#minute = Math.trunc((value % 1) * 60);
    } else if (unit === 1) this.#setMinute(value);
    else this.#secondMs = Math.floor(value * 1000);
    return at;
  }

  #setMinute(value: number): void {
    this.#minute = Math.trunc(value);
    if (value % 1 > 0) this.#secondMs = Math.trunc((value % 1) * 60) * 1000;
  }

  #clock(at: number, hour: number): number {
    this.#hour = Math.trunc(hour);
    const minute = this.#token(at + 2) as string;
    if (!/^\d+(\.\d+)?$/.test(minute)) throw new NotADate();
    this.#setMinute(Number(minute));
    if (this.#token(at + 3) !== ':') return at + 2;
    const second = this.#token(at + 4) ?? '';
    if (!/^\d+(\.\d+)?$/.test(second)) throw new NotADate();
    this.#secondMs = Math.floor(Number(second) * 1000 + 1e-6);
    return at + 4;
  }

  /** `2026-11-21`, `21-Nov-2026`, `11/21`. */
  #separated(at: number, first: string, separator: string): number {
    this.#addText(first);
    const second = this.#token(at + 2);
    if (second === undefined || FILLERS.has(second)) return at + 1;
    this.#addText(second);
    if (this.#token(at + 3) !== separator) return at + 2;
    this.#addText(this.#token(at + 4));
    return at + 4;
  }

  #addText(text: string | undefined): void {
    if (text === undefined) throw new NotADate();
    const month = monthIndex(text);
    if (month >= 0) return this.#add(month + 1, { isMonth: true });
    if (!/^\d+$/.test(text)) throw new NotADate();
    const isYear = text.length > 2;
    if (isYear) this.#hasCentury = true;
    this.#add(Number(text), { isYear });
  }

  #add(value: number, { isMonth = false, isYear = false }: { isMonth?: boolean; isYear?: boolean }): void {
    if (this.#parts.length === 3) throw new NotADate();
    if (value > 100) this.#hasCentury = true;
    this.#parts.push({ value, isMonth, isYear: isYear || value > 100 });
  }

  #setHour(value: number, half: string): void {
    if (this.#hour !== undefined || value > 12) throw new NotADate();
    this.#hour = halfHour(Math.trunc(value), half);
  }

  #fullYear(year: number, hasCentury: boolean): number {
    if (year >= 100 || hasCentury) return year;
    const current = this.#now.getUTCFullYear();
    const full = year + Math.floor(current / 100) * 100;
    if (full >= current + 50) return full - 100;
    return full < current - 50 ? full + 100 : full;
  }

  #build(): ReadDate {
    const now = this.#now;
    const given = resolveParts(this.#parts);
    const year =
      given.year === undefined ? now.getUTCFullYear() : this.#fullYear(given.year, this.#hasCentury);
    const month = given.month ?? now.getUTCMonth() + 1;
    if (month < 1 || month > 12 || year < 1) throw new NotADate();
    const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
    const day = given.day ?? Math.min(now.getUTCDate(), lastDay);
    const hour = this.#hour ?? 0;
    const minute = this.#minute ?? 0;
    const secondMs = this.#secondMs ?? 0;
    if (day < 1 || day > lastDay || hour > 23 || minute > 59 || secondMs >= 60_000) throw new NotADate();
    let dayMs = Date.UTC(year, month - 1, day);
    if (this.#weekday !== undefined && given.day === undefined) {
      const today = (new Date(dayMs).getUTCDay() + 6) % 7;
      dayMs += ((this.#weekday - today + 7) % 7) * DAY_MS;
    }
    const localMs = dayMs + (hour * 60 + minute) * 60_000 + secondMs;
    return this.#offset === undefined ? { localMs } : { localMs, offsetMinutes: this.#offset };
  }
}

function nameIndex(token: string, short: readonly string[], long: readonly string[]): number {
  const at = short.indexOf(token);
  return at >= 0 ? at : long.indexOf(token);
}

function monthIndex(token: string): number {
  return token === 'sept' ? 8 : nameIndex(token, MONTHS, LONG_MONTHS);
}

function isHalf(token: string | undefined): boolean {
  return token !== undefined && /^(am|pm|a|p)$/.test(token);
}

function halfHour(hour: number, half: string): number {
  if (half.startsWith('p')) return hour < 12 ? hour + 12 : hour;
  return hour === 12 ? 0 : hour;
}

interface Resolved {
  year?: number;
  month?: number;
  day?: number;
}

/** Which part is the year, the month, the day. */
function resolveParts(parts: readonly DatePart[]): Resolved {
  const values = parts.map(({ value }) => value) as [number, number, number];
  const monthAt = parts.findIndex(({ isMonth }) => isMonth);
  const pick = (...names: (keyof Resolved)[]): Resolved =>
    Object.fromEntries(names.map((name, i) => [name, values[i]]));
  if (parts.length === 0) return {};
  if (parts.length === 1) {
    if (monthAt === 0) return pick('month');
    return values[0] > 31 ? pick('year') : pick('day');
  }
  if (parts.length === 2) return resolveTwo(values, monthAt, pick);
  if (monthAt === 0) return values[1] > 31 ? pick('month', 'year', 'day') : pick('month', 'day', 'year');
  if (monthAt === 1) return values[0] > 31 ? pick('year', 'month', 'day') : pick('day', 'month', 'year');
  if (monthAt === 2) return values[1] > 31 ? pick('day', 'year', 'month') : pick('year', 'day', 'month');
  if (values[0] > 31 || parts[0]?.isYear) return pick('year', 'month', 'day');
  return values[0] > 12 ? pick('day', 'month', 'year') : pick('month', 'day', 'year');
}

function resolveTwo(
  values: readonly [number, number, ...number[]],
  monthAt: number,
  pick: (...names: (keyof Resolved)[]) => Resolved,
): Resolved {
  if (monthAt === 0) return values[1] > 31 ? pick('month', 'year') : pick('month', 'day');
  if (monthAt === 1) return values[0] > 31 ? pick('year', 'month') : pick('day', 'month');
  if (values[0] > 31) return pick('year', 'month');
  return values[1] > 31 ? pick('month', 'year') : pick('month', 'day');
}
