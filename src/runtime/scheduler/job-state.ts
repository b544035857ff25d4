/** One scheduled job: what is configured, and what the scheduler knows of it while it runs. */
import type { Random } from '../../host/random.ts';
import { PyDatetime, type Dict, type Value } from '../../python/values/value.ts';
import { toLocal, type Zone } from './zone.ts';

/** How a job's time is written. */
export type TimeForm = 'interval' | 'once' | 'when' | 'cron';

/** A job. All times are instants, in milliseconds since 1970. */
export interface JobState {
  readonly name: string;
  /** As configured; never changed here. */
  readonly data: Dict;
  /** The form of its time, once looked at; undefined when it has none. */
  form?: { readonly kind: TimeForm | undefined };
  /** The interval, for jobs with `seconds`, `minutes`, `hours` or `days`. */
  intervalMs?: number;
  nextMs?: number;
  /** The next time before a splay was added. */
  splayMs?: number;
  lastRunMs?: number;
  /** Why it does not run now. */
  skipReason?: string;
  skippedMs?: number;
  /** Why it cannot be scheduled; it is ignored while this is set. */
  error?: string;
  /** What to do about it; for the log only, as `_error` has Salt's words. */
  errorHint?: string;
  /** Whether its faults have been said. */
  isJudged?: boolean;
  /** Whether `run_on_start` has been honoured. */
  isStarted: boolean;
  /** The last of its `when` or `once` times that came due. */
  lastWhenMs?: number;
  /** Times at which to run besides: after a range that was skipped. */
  readonly extraMs: Set<number>;
  /** Explicit times that came due. */
  readonly doneMs: Set<number>;
}

/** What holds for all jobs: the keys beside them in `schedule`. */
export interface ScheduleSettings {
  readonly isEnabled: boolean;
  readonly splay: Value;
  readonly skipFunction: string | undefined;
  readonly skipDuringRange: Value;
}

/** The moment of an evaluation. */
export interface Moment {
  readonly nowMs: number;
  /** How late a time that is named (`when`, `once`) may be run. */
  readonly windowMs: number;
  readonly zone: Zone;
  readonly random: Random;
  /** Dates that were read today, by their text; reading them anew each second would be the scheduler's whole work. */
  readonly dates: Map<string, number | undefined>;
  /** The dates behind a name of `when`: pillar or grain `whens`. */
  readonly whens: readonly { readonly source: 'pillar' | 'grain'; readonly value: Value }[];
}

/** Keys of `schedule` that are no jobs. */
export const SETTINGS_KEYS: ReadonlySet<string> = new Set([
  'enabled',
  'skip_function',
  'skip_during_range',
  'splay',
]);

/** A job that has not been looked at. */
export function newJob(name: string, data: Dict): JobState {
  return { name, data, isStarted: false, extraMs: new Set(), doneMs: new Set() };
}

/** An instant as Python's naive datetime in local time. */
function localDatetime(zone: Zone, atMs: number): PyDatetime {
  const iso = new Date(Math.floor(toLocal(zone, atMs))).toISOString();
  return new PyDatetime(`${iso.slice(0, 19).replaceAll('-', '')}.${iso.slice(20, 23)}000`);
}

/** The job as Salt's own mapping shows it, with the attributes that begin with `_`. */
export function describeJob(state: JobState, zone: Zone): Dict {
  const out: Dict = new Map(state.data);
  const time = (atMs: number | undefined): Value => (atMs === undefined ? null : localDatetime(zone, atMs));
  if (!out.has('name')) out.set('name', state.name);
  if (state.lastRunMs !== undefined) {
    if (!out.has('jid_include')) out.set('jid_include', true);
    if (!out.has('maxrunning')) out.set('maxrunning', 1);
    out.set('_last_run', time(state.lastRunMs));
  }
  if (!out.has('splay')) out.set('splay', null);
  out.set('_next_fire_time', time(state.nextMs));
  out.set('_splay', time(state.splayMs));
  if (state.intervalMs !== undefined) out.set('_seconds', state.intervalMs / 1000);
  if (state.nextMs !== undefined) out.set('_next_scheduled_fire_time', time(state.nextMs));
  if (state.skipReason !== undefined) {
    out.set('_skip_reason', state.skipReason);
    out.set('_skipped', true);
    if (state.skippedMs !== undefined) out.set('_skipped_time', time(state.skippedMs));
  }
  if (state.error !== undefined) out.set('_error', state.error);
  return out;
}

/** The function a job names, or undefined. */
export function functionOf(data: Dict): string | undefined {
  for (const key of ['function', 'func', 'fun']) {
    const name = data.get(key);
    if (typeof name === 'string') return name;
  }
  return undefined;
}
