/**
 * Cron expressions as croniter 1.3.5 reads them, which Salt's schedule uses: five fields, or a sixth with seconds at
 * the end; names, lists, ranges, steps, `L` for the last day of a month, `5#2` and `L5` for a weekday of the month,
 * `@daily` and the like. What croniter refuses is refused. Our own, because the packages read other dialects and none
 * lets the clock changes be told (Salt uses croniter; croner, a package for Node, knows no sixth field at the end and
 * no list with `#`).
 *
 * Clock changes are as in Vixie's cron, where Salt skips or delays: times that are tied to an hour run once, those that
 * the clock jumps over at the jump; patterns with `*` as the hour go on as if no clock had changed.
 */
import { nextChange, toLocal, type LocalMs, type Zone } from './zone.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Days searched: the longest wait of a valid expression is from one 29 February to another over a century's end. */
const DAYS_MAX = 366 * 9;

const ALIASES: ReadonlyMap<string, string> = new Map([
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
]);
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** A parsed expression. */
export interface Cron {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly months: ReadonlySet<number>;
  readonly days: DayRule;
  /** The hour field is `*` or `*` with a step. */
  readonly anyHour: boolean;
}

interface DayRule {
  /** No restriction when undefined. */
  readonly ofMonth: ReadonlySet<number> | undefined;
  readonly isLastOfMonth: boolean;
  /** 0 is Sunday. No restriction when undefined. */
  readonly ofWeek: ReadonlySet<number> | undefined;
  /** Weekday and which one of the month it is; -1 is the last. */
  readonly nth: readonly (readonly [weekday: number, nth: number])[];
}

interface Range {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MINUTE: Range = { min: 0, max: 59 };
const HOUR: Range = { min: 0, max: 23 };
const DAY: Range = { min: 1, max: 31 };
const MONTH: Range = { min: 1, max: 12, names: MONTHS };
const WEEKDAY: Range = { min: 0, max: 7, names: WEEKDAYS };

/** @returns undefined when croniter would refuse the text */
export function parseCron(text: string): Cron | undefined {
  const expression = ALIASES.get(text.trim().toLowerCase()) ?? text;
  const fields = expression.trim().toLowerCase().split(/\s+/);
  if (fields.length !== 5 && fields.length !== 6) return undefined;
  const [minute, hour, day, month, weekday, second = '0'] = fields as [
    string,
    string,
    string,
    string,
    string,
    string?,
  ];
  const seconds = parseField(second, MINUTE);
  const minutes = parseField(minute, MINUTE);
  const hours = parseField(hour, HOUR);
  const months = parseField(month, MONTH);
  const days = parseDays(day, weekday);
  if (!seconds || !minutes || !hours || !months || !days) return undefined;
  return { seconds, minutes, hours, months: new Set(months), days, anyHour: hour.startsWith('*') };
}

function parseDays(day: string, weekday: string): DayRule | undefined {
  const isLastOfMonth = day.split(',').includes('l');
  const plainDays = day.split(',').filter((item) => item !== 'l');
  const nth: [number, number][] = [];
  const plainWeekdays: string[] = [];
  for (const item of weekday.split(',')) {
    const found = nthWeekday(item);
    if (found === null) return undefined;
    if (found === undefined) plainWeekdays.push(item);
    else nth.push(found);
  }
  const ofMonth = plainDays.length === 0 ? [] : parseField(plainDays.join(','), DAY);
  const listed = plainWeekdays.length === 0 ? [] : parseField(plainWeekdays.join(','), WEEKDAY);
  if (!ofMonth || !listed) return undefined;
  const ofWeek = new Set(listed.map((number) => number % 7));
  return {
    ofMonth: ofMonth.length === 31 ? undefined : new Set(ofMonth),
    isLastOfMonth,
    ofWeek: ofWeek.size === 7 ? undefined : ofWeek,
    nth,
  };
}

/** `5#2` or `l5`; null for one that is wrong, undefined for something else. */
function nthWeekday(item: string): [number, number] | null | undefined {
  const parts = /^(?:l(.+)|(.+)#(.+))$/.exec(item);
  if (parts === null) return undefined;
  const weekday = numberOf(parts[1] ?? (parts[2] as string), WEEKDAY);
  if (weekday === undefined) return null;
  if (parts[1] !== undefined) return [weekday % 7, -1];
  return /^[1-5]$/.test(parts[3] as string) ? [weekday % 7, Number(parts[3])] : null;
}

function numberOf(text: string, { min, max, names }: Range): number | undefined {
  const named = names?.indexOf(text) ?? -1;
  if (named >= 0) return named + min;
  if (!/^\d{1,2}$/.test(text)) return undefined;
  const number = Number(text);
  return number >= min && number <= max ? number : undefined;
}

/** The numbers of one field in order; undefined when it is wrong. */
function parseField(text: string, range: Range): number[] | undefined {
  const out = new Set<number>();
  for (const item of text.split(',')) {
    const [base, stepText, ...more] = item.split('/') as [string, string?, ...string[]];
    if (more.length > 0 || (stepText !== undefined && !/^[1-9]\d{0,2}$/.test(stepText))) return undefined;
    const step = Number(stepText ?? 1);
    const span = spanOf(base, stepText !== undefined, range);
    if (span === undefined) return undefined;
    for (let number = span[0]; number <= span[1]; number += step) out.add(number);
  }
  return [...out].sort((a, b) => a - b);
}

function spanOf(text: string, hasStep: boolean, range: Range): [number, number] | undefined {
  const top = range === WEEKDAY ? 6 : range.max;
  if (text === '*') return [range.min, top];
  const dash = text.indexOf('-', 1);
  const low = numberOf(dash < 0 ? text : text.slice(0, dash), range);
  if (low === undefined) return undefined;
  if (dash < 0) return [low, hasStep ? top : low];
  const high = numberOf(text.slice(dash + 1), range);
  return high === undefined || high < low ? undefined : [low, high];
}

/**
 * The next time the expression means.
 * @param afterMs an instant; the answer is later
 * @returns an instant, or undefined when there is none (31 February)
 */
export function nextCron(cron: Cron, zone: Zone, afterMs: number): number | undefined {
  const offset = zone.offsetMs(afterMs);
  const local = nextLocal(cron, afterMs + offset);
  if (local === undefined) return undefined;
  const atMs = local - offset;
  // between now and then the clocks may change, at most once in any such span that a search in steps of 20 days sees
  for (let fromMs = afterMs; fromMs < atMs; fromMs += 20 * DAY_MS) {
    const change = nextChange(zone, fromMs, Math.min(atMs, fromMs + 20 * DAY_MS));
    if (change !== undefined) return acrossChange(cron, zone, change);
  }
  return atMs;
}

/** The next time at or after a change of the clocks, before which the expression does not mean any. */
function acrossChange(cron: Cron, zone: Zone, change: number): number | undefined {
  const oldLocal = toLocal(zone, change - 1) + 1;
  const newLocal = toLocal(zone, change);
  if (cron.anyHour) {
    const next = nextLocal(cron, newLocal - 1);
    return next === undefined ? undefined : laterChange(cron, zone, change, next);
  }
  if (newLocal > oldLocal) {
    const skipped = nextLocal(cron, oldLocal - 1);
    if (skipped !== undefined && skipped < newLocal) return change;
  }
  const next = nextLocal(cron, Math.max(oldLocal, newLocal) - 1);
  return next === undefined ? undefined : laterChange(cron, zone, change, next);
}

function laterChange(cron: Cron, zone: Zone, change: number, local: LocalMs): number | undefined {
  const atMs = local - zone.offsetMs(change);
  for (let fromMs = change; fromMs < atMs; fromMs += 20 * DAY_MS) {
    const another = nextChange(zone, fromMs, Math.min(atMs, fromMs + 20 * DAY_MS));
    if (another !== undefined) return acrossChange(cron, zone, another);
  }
  return atMs;
}

/** The next matching time on a wall clock that never changes. */
function nextLocal(cron: Cron, after: LocalMs): LocalMs | undefined {
  const first = Math.floor(after / DAY_MS) * DAY_MS;
  for (let day = 0; day < DAYS_MAX; day++) {
    const midnight = first + day * DAY_MS;
    if (!matchesDay(cron, new Date(midnight))) continue;
    const time = timeOfDay(cron, day === 0 ? after - midnight : -1);
    if (time !== undefined) return midnight + time;
  }
  return undefined;
}

/** Milliseconds since midnight of the first match later than `afterMs`. */
function timeOfDay(cron: Cron, afterMs: number): number | undefined {
  for (const hour of cron.hours) {
    const hourMs = hour * 60 * MINUTE_MS;
    if (hourMs + 60 * MINUTE_MS <= afterMs) continue;
    for (const minute of cron.minutes) {
      const minuteMs = hourMs + minute * MINUTE_MS;
      if (minuteMs + MINUTE_MS <= afterMs) continue;
      for (const second of cron.seconds)
        if (minuteMs + second * 1000 > afterMs) return minuteMs + second * 1000;
    }
  }
  return undefined;
}

function matchesDay({ months, days }: Cron, date: Date): boolean {
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const byMonth = days.ofMonth === undefined ? undefined : matchesMonthDay(days, date);
  const byWeek = days.ofWeek === undefined ? undefined : matchesWeekday(days, date);
  if (byMonth === undefined || byWeek === undefined) return byMonth ?? byWeek ?? true;
  return byMonth || byWeek;
}

function matchesMonthDay({ ofMonth, isLastOfMonth }: DayRule, date: Date): boolean {
  const day = date.getUTCDate();
  return (ofMonth?.has(day) ?? true) || (isLastOfMonth && day === lastDay(date));
}

function matchesWeekday({ ofWeek, nth }: DayRule, date: Date): boolean {
  const weekday = date.getUTCDay();
  if (ofWeek?.has(weekday)) return true;
  const day = date.getUTCDate();
  return nth.some(
    ([wanted, which]) =>
      wanted === weekday && (which < 0 ? day + 7 > lastDay(date) : Math.ceil(day / 7) === which),
  );
}

function lastDay(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}
