/**
 * Whether a job runs now: its time, then what may keep it from running (salt/utils/schedule.py `eval`, 3006.16). Where
 * several conditions are given all of them must hold; in Salt a later one overrules an earlier one.
 */
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { functionOf, type JobState, type Moment, type ScheduleSettings } from './job-state.ts';
import { DATE_HINT, explicitTimes, instantOf, ScheduleError, timeJob } from './timing.ts';

/** How long after a skipped range `run_after_skip_range` runs. */
const AFTER_RANGE_MS = 1000;

/** A job that is to run. */
export interface DueJob {
  readonly fun: string;
  /** How long after its time, in whole seconds. */
  readonly lateSeconds: number;
}

/** How a job that came due is dealt with. */
interface Verdict {
  readonly isDue: boolean;
  readonly fun: string | undefined;
  readonly dueMs: number | undefined;
  /** Its interval begins anew from now, not from when it was due. */
  readonly isOffGrid: boolean;
}

/**
 * Evaluates a job. Sets its `error` or `skipReason`, and its next time.
 * @param isFull whether the job runs as often as `maxrunning` allows already; asked only when it would run
 * @returns the run to start now, or undefined
 */
export function evaluateJob(
  state: JobState,
  settings: ScheduleSettings,
  moment: Moment,
  isFull: () => boolean,
): DueJob | undefined {
  delete state.error;
  delete state.errorHint;
  delete state.skipReason;
  delete state.skippedMs;
  try {
    const verdict = judge(state, settings, moment);
    if (verdict === undefined) return undefined;
    let { fun } = verdict;
    if (fun !== undefined && isFull()) {
      skip(state, 'maxrunning', moment);
      fun = undefined;
    }
    const lateMs = moment.nowMs - (verdict.dueMs ?? moment.nowMs);
    moveOn(state, fun !== undefined, verdict.isOffGrid, moment);
    return fun === undefined ? undefined : { fun, lateSeconds: Math.max(0, Math.floor(lateMs / 1000)) };
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    state.error = error.message;
    state.errorHint = error.hint;
    return undefined;
  }
}

function judge(state: JobState, settings: ScheduleSettings, moment: Moment): Verdict | undefined {
  const { data } = state;
  const fun = functionOf(data);
  const ownSplay = data.get('splay') ?? null;
  const splay = ownSplay ?? settings.splay;
  const wasSplayed = state.splayMs !== undefined;
  const timing = timeJob(state, splay, moment);
  if (timing === undefined) return undefined;
  const isStart = !state.isStarted && truthy(data.get('run_on_start'));
  state.isStarted = true;
  const isDue = timing.isDue || isStart;
  const isOffGrid = isStart || timing.isExplicit === true || wasSplayed;
  const wanted = !isDue ? undefined : isStart ? fun : allowed(state, settings, moment, fun);
  if (!settings.isEnabled || data.get('enabled') === false) {
    skip(state, 'disabled', moment);
    return { isDue, fun: undefined, dueMs: timing.dueMs, isOffGrid };
  }
  return { isDue, fun: wanted, dueMs: isStart ? undefined : timing.dueMs, isOffGrid };
}

function skip(state: JobState, reason: string, { nowMs }: Moment): void {
  state.skipReason = reason;
  state.skippedMs = nowMs;
}

/** The function to run, which may be the one that replaces skipped runs; undefined when the run is skipped. */
function allowed(
  state: JobState,
  settings: ScheduleSettings,
  moment: Moment,
  fun: string | undefined,
): string | undefined {
  const { data } = state;
  const { nowMs } = moment;
  const range = data.get('range');
  if (range !== undefined) {
    const { startMs, endMs } = readRange(range, state, moment, 'range');
    const isInverted = isDict(range) && truthy(range.get('invert'));
    const isWanted = isInverted ? nowMs <= startMs || nowMs >= endMs : startMs <= nowMs && nowMs <= endMs;
    if (!isWanted) {
      if (!isInverted && settings.skipFunction !== undefined) return settings.skipFunction;
      // not a skip that begins the interval anew: the job stays due, and runs when its range begins
      state.skipReason = isInverted ? 'in_skip_range' : 'not_in_range';
      return undefined;
    }
  }
  const skipRange = data.get('skip_during_range') ?? settings.skipDuringRange;
  if (truthy(skipRange)) {
    const { startMs, endMs } = readRange(skipRange, state, moment, 'skip_during_range');
    if (startMs <= nowMs && nowMs <= endMs) {
      if (truthy(data.get('run_after_skip_range'))) state.extraMs.add(endMs + AFTER_RANGE_MS);
      return settings.skipFunction ?? none(state, 'in_skip_range', moment);
    }
  }
  const skipTimes = explicitTimes(data, 'skip_explicit', moment);
  if (skipTimes.some((atMs) => atMs <= nowMs && nowMs <= atMs + moment.windowMs))
    return settings.skipFunction ?? none(state, 'skip_explicit', moment);
  if (data.has('until') && dateOf(data, 'until', state, moment) <= nowMs)
    return none(state, 'until_passed', moment);
  if (data.has('after') && dateOf(data, 'after', state, moment) >= nowMs)
    return none(state, 'after_not_passed', moment);
  return fun;
}

function none(state: JobState, reason: string, moment: Moment): undefined {
  skip(state, reason, moment);
  return undefined;
}

function dateOf(data: Dict, key: string, { name }: JobState, moment: Moment): number {
  const atMs = instantOf(data.get(key) ?? null, moment);
  if (atMs === undefined)
    throw new ScheduleError(
      `Invalid date string ${pyStr(data.get(key) ?? null)} for ${key}. Ignoring job ${name}.`,
      DATE_HINT,
    );
  return atMs;
}

/** @throws ScheduleError in Salt's words */
function readRange(
  range: Value,
  { name }: JobState,
  moment: Moment,
  where: 'range' | 'skip_during_range',
): { startMs: number; endMs: number } {
  if (!isDict(range)) {
    const gap = where === 'range' ? '' : ' ';
    throw new ScheduleError(
      `schedule.handle_func: Invalid, range must be specified as a dictionary.${gap}Ignoring job ${name}.`,
      `Write ${where} with start and end below it.`,
    );
  }
  const [startMs, endMs] = ['start', 'end'].map((key) => {
    const atMs = instantOf(range.get(key) ?? null, moment);
    const place = where === 'range' ? '' : ' in skip_during_range';
    if (atMs === undefined)
      throw new ScheduleError(
        `Invalid date string for ${key}${place}. Ignoring job ${name}.`,
        `It is ${pyStr(range.get(key) ?? null)}. ${DATE_HINT}`,
      );
    return atMs;
  }) as [number, number];
  if (endMs <= startMs)
    throw new ScheduleError(
      `schedule.handle_func: Invalid range, end must be larger than start. Ignoring job ${name}.`,
      `Both are times of one day; for hours over midnight give the hours of the day with "invert: True" in range, or skip them with skip_during_range.`,
    );
  return { startMs, endMs };
}

/** Sets the next time of an interval. */
function moveOn(state: JobState, hasRun: boolean, isOffGrid: boolean, { nowMs, windowMs }: Moment): void {
  if (hasRun) {
    state.lastRunMs = nowMs;
    delete state.splayMs;
  }
  const { intervalMs, nextMs } = state;
  if (intervalMs === undefined || nextMs === undefined) return;
  // by whole seconds, as it came due
  const isOver = Math.floor(nextMs / 1000) <= Math.floor(nowMs / 1000);
  const isSkipped = !hasRun && state.skippedMs !== undefined && isOver;
  if (!hasRun && !isSkipped) return;
  const onGrid = nextMs + intervalMs;
  const isRegular = !isOffGrid && nowMs - nextMs <= 2 * windowMs && onGrid > nowMs;
  state.nextMs = isRegular ? onGrid : nowMs + intervalMs;
  if (isSkipped) delete state.splayMs;
}
