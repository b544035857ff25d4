/**
 * When a job is due, by each of the forms that a schedule knows (salt/utils/schedule.py `eval`, 3006.16). Intervals
 * count elapsed time, so that a clock change neither doubles nor drops a run; named times are read from the wall clock.
 */
import { readDate } from '../../python/text/date-text.ts';
import { strptime } from '../../python/text/strftime.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { nextCron, parseCron } from './cron.ts';
import type { JobState, Moment, TimeForm } from './job-state.ts';
import { fromLocal, toLocal } from './zone.ts';

/** The format of `once`, and of the times in `run_explicit` and `skip_explicit`. */
export const DEFAULT_TIME_FORMAT = '%Y-%m-%dT%H:%M:%S';

/** The fields that make an interval, and their seconds. */
export const INTERVAL_UNITS: readonly (readonly [key: string, seconds: number])[] = [
  ['seconds', 1],
  ['minutes', 60],
  ['hours', 3600],
  ['days', 86_400],
];
/** The fields that name times. */
export const NAMED_FORMS = ['when', 'cron', 'once'] as const;

/** A reason to ignore a job, in Salt's words, and what to do, which Salt does not say. */
export class ScheduleError extends Error {
  readonly hint: string;

  constructor(message: string, hint = '') {
    super(message);
    this.hint = hint;
  }
}

/** How dates are written. */
export const DATE_HINT =
  "Write it as '5:00pm', 'Tuesday 3:30pm' or '2026-12-24T17:00:00', or as a name of whens in pillar or grains.";

/** Whether a job is due, and for which instant. */
export interface Timing {
  readonly isDue: boolean;
  /** The instant it was due at, before a splay. */
  readonly dueMs?: number;
  /** It is due because of `run_explicit`, not of its form. */
  readonly isExplicit?: boolean;
}

const NOT_DUE: Timing = { isDue: false };

/**
 * Looks at a job's time; keeps `nextMs`, `splayMs` and what came due.
 * @param splay the job's, or the one for all
 * @returns undefined for a job without a time
 * @throws ScheduleError when the job cannot be understood
 */
export function timeJob(state: JobState, splay: Value, moment: Moment): Timing | undefined {
  state.form ??= { kind: formOf(state.data) };
  const explicit = takeExplicit(state, moment);
  const form = timeForm(state, splay, moment);
  if (form === undefined) return undefined;
  return explicit === undefined ? form : { isDue: true, dueMs: explicit, isExplicit: true };
}

function timeForm(state: JobState, splay: Value, moment: Moment): Timing | undefined {
  switch (state.form?.kind) {
    case 'interval':
      return interval(state, splay, moment);
    case 'once':
      return named(state, [onceMs(state, moment)], splay, moment);
    case 'when':
      return named(state, whenMs(state, moment), splay, moment);
    case 'cron':
      return cron(state, splay, moment);
    default:
      return undefined;
  }
}

/** @throws ScheduleError for several named forms */
function formOf(data: Dict): TimeForm | undefined {
  const found = NAMED_FORMS.filter((form) => data.has(form));
  if (found.length > 1)
    throw new ScheduleError(
      'Unable to use "when", "cron", "once" options together. Ignoring.',
      `Keep one of ${found.join(' and ')}.`,
    );
  // Salt compat: an interval wins over a named time, without a word
  return INTERVAL_UNITS.some(([unit]) => data.has(unit)) ? 'interval' : found[0];
}

function interval(state: JobState, splay: Value, moment: Moment): Timing {
  state.intervalMs ??= readInterval(state) * 1000;
  state.nextMs ??= moment.nowMs + (startsAtOnce(state.data) ? 0 : state.intervalMs);
  return dueBySecond(state, state.nextMs, splay, moment);
}

/**
 * An interval begins with a run, as Salt's documents have always said, and 3008 does again; `run_on_start: False` waits
 * for its end. Salt compat: that first run is subject to `splay`, `range`, `until` and the other conditions, as each
 * later one is; 3008 has it run whatever they say. With `run_on_start: True` it runs whatever they say here, too.
 */
function startsAtOnce(data: Dict): boolean {
  return !data.has('run_on_start');
}

function readInterval({ data, name }: JobState): number {
  let seconds = 0;
  for (const [unit, factor] of INTERVAL_UNITS) {
    const value = data.get(unit) ?? 0;
    const number =
      typeof value === 'string' && /^\s*[-+]?\d+\s*$/.test(value) ? Number(value) : toNumber(value);
    if (number === undefined || !Number.isFinite(number))
      throw new ScheduleError(`"${unit}" must be a number, not ${pyStr(value)}. Ignoring job ${name}.`);
    seconds += Math.trunc(number) * factor;
  }
  return seconds;
}

function cron(state: JobState, splay: Value, moment: Moment): Timing {
  const next = (): number => {
    const text = state.data.get('cron');
    const parsed = typeof text === 'string' ? parseCron(text) : undefined;
    const atMs = parsed && nextCron(parsed, moment.zone, moment.nowMs);
    if (atMs === undefined)
      throw new ScheduleError(
        `Invalid cron string. Ignoring job ${state.name}.`,
        `cron is ${pyStr(text ?? null)}; it takes five fields: minute, hour, day of month, month, day of week, such as '*/5 * * * *'.`,
      );
    return atMs;
  };
  const atMs = (state.nextMs ??= next());
  const timing = dueBySecond(state, atMs, splay, moment);
  if (timing.isDue) {
    state.nextMs = next();
    delete state.splayMs;
  }
  return timing;
}

/** Due from its second on, however late. */
function dueBySecond(state: JobState, atMs: number, splay: Value, moment: Moment): Timing {
  const target = splayed(state, atMs, splay, moment);
  return { isDue: Math.floor(target / 1000) <= Math.floor(moment.nowMs / 1000), dueMs: atMs };
}

/** Times that are missed when the scheduler is away for longer than its window. */
function named(state: JobState, times: readonly number[], splay: Value, moment: Moment): Timing {
  const { nowMs, windowMs } = moment;
  const waiting = state.splayMs === undefined ? undefined : state.nextMs;
  const atMs = waiting ?? earliest(times, Math.max(nowMs - windowMs, (state.lastWhenMs ?? -Infinity) + 1));
  if (atMs === undefined) {
    delete state.nextMs;
    return NOT_DUE;
  }
  state.nextMs = atMs;
  const target = splayed(state, atMs, splay, moment);
  if (target > nowMs) return NOT_DUE;
  state.lastWhenMs = atMs;
  delete state.splayMs;
  return { isDue: target >= nowMs - windowMs, dueMs: atMs };
}

/** The first of some times that is not before an instant. */
function earliest(times: readonly number[], fromMs: number): number | undefined {
  let found: number | undefined;
  for (const atMs of times) if (atMs >= fromMs && (found === undefined || atMs < found)) found = atMs;
  return found;
}

function onceMs({ data, name }: JobState, moment: Moment): number {
  const once = data.get('once') ?? null;
  const format = pyStr(data.get('once_fmt') ?? DEFAULT_TIME_FORMAT);
  const atMs = formatted(once, format, moment);
  if (atMs === undefined)
    throw new ScheduleError(
      `Date string could not be parsed: ${pyStr(once)}, ${format}. Ignoring job ${name}.`,
      'Write it in that format, such as 2026-12-24T17:00:00 for the default one, or give another in once_fmt.',
    );
  return atMs;
}

function whenMs({ data, name }: JobState, moment: Moment): number[] {
  const when = data.get('when') ?? null;
  return (Array.isArray(when) ? when : [when]).map((item) => {
    const atMs = instantOf(lookUpWhen(item, name, moment), moment);
    if (atMs === undefined)
      throw new ScheduleError(`Invalid date string ${pyStr(item)}. Ignoring job ${name}.`, DATE_HINT);
    return atMs;
  });
}

/**
 * The date behind a name in pillar or grain `whens`; other texts stay as they are.
 * @throws ScheduleError when `whens` is a list
 */
export function lookUpWhen(item: Value, name: string, { whens }: Moment): Value {
  for (const { source, value } of whens) {
    const isNamed = isDict(value) ? value.has(item) : Array.isArray(value) && value.includes(item);
    if (!isNamed) continue;
    if (isDict(value)) return value.get(item) ?? null;
    throw new ScheduleError(
      source === 'pillar'
        ? `Pillar item "whens" must be a dict. Ignoring job ${name}.`
        : `Grain "whens" must be a dict. Ignoring job ${name}.`,
    );
  }
  return item;
}

/** A date as people write it, read on the wall clock of now; undefined when it is none. */
export function instantOf(text: Value, moment: Moment): number | undefined {
  if (typeof text !== 'string') return undefined;
  const { nowMs, zone, dates } = moment;
  if (dates.has(text)) return dates.get(text);
  const read = readDate(text, toLocal(zone, nowMs));
  const atMs =
    read === undefined
      ? undefined
      : read.offsetMinutes === undefined
        ? fromLocal(zone, read.localMs)
        : read.localMs - read.offsetMinutes * 60_000;
  dates.set(text, atMs);
  return atMs;
}

/** The instant of a date in a given format; undefined when it does not fit. */
function formatted(text: Value | undefined, format: string, { zone, dates }: Moment): number | undefined {
  if (typeof text !== 'string') return undefined;
  const key = `${format}\n${text}`;
  if (dates.has(key)) return dates.get(key);
  const local = strptime(text, format);
  const atMs = local === undefined ? undefined : fromLocal(zone, local);
  dates.set(key, atMs);
  return atMs;
}

/** The instants of `run_explicit` or `skip_explicit`; entries that are no times are left out. */
export function explicitTimes(data: Dict, key: string, moment: Moment): number[] {
  const list = data.get(key);
  return (Array.isArray(list) ? list : []).flatMap((item) => {
    const time = isDict(item) ? item.get('time') : item;
    const format = isDict(item) ? item.get('time_fmt') : undefined;
    const atMs = formatted(time, pyStr(format ?? DEFAULT_TIME_FORMAT), moment);
    return atMs === undefined ? [] : [atMs];
  });
}

/** An explicit time that has come, each once. */
function takeExplicit(state: JobState, moment: Moment): number | undefined {
  if (state.extraMs.size === 0 && !state.data.has('run_explicit')) return undefined;
  const { nowMs, windowMs } = moment;
  const all = [...explicitTimes(state.data, 'run_explicit', moment), ...state.extraMs];
  const found = all.find((atMs) => atMs <= nowMs && nowMs <= atMs + windowMs && !state.doneMs.has(atMs));
  if (found !== undefined) {
    state.doneMs.add(found);
    state.extraMs.delete(found);
  }
  return found;
}

/** The time with its splay, which is drawn once for each run. */
function splayed(state: JobState, atMs: number, splay: Value, { nowMs, random }: Moment): number {
  if (!truthy(splay)) return atMs;
  if (state.splayMs !== undefined) return state.splayMs;
  const seconds = drawSplay(splay, random);
  const target = atMs + seconds * 1000;
  if (nowMs < target) state.splayMs = target;
  return nowMs < target ? target : atMs;
}

function drawSplay(splay: Value, random: Moment['random']): number {
  if (isDict(splay)) {
    const start = toNumber(splay.get('start'));
    const end = toNumber(splay.get('end'));
    if (start === undefined || end === undefined || end < start) return 0;
    return random.int(Math.trunc(start), Math.trunc(end));
  }
  const most = toNumber(splay);
  return most === undefined || most < 1 ? 0 : random.int(1, Math.trunc(most));
}
