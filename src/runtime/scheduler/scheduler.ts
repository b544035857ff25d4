/**
 * The scheduler: jobs from the configuration and from the pillar, evaluated once a second, and the orders by which they
 * are listed and changed while it runs (salt/utils/schedule.py `Schedule`, 3006.16). Starts no job itself: it says
 * which.
 */
import type { Clock, Timer } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import {
  copyValue,
  isDict,
  pyTypeName,
  truthy,
  valuesEqual,
  type Dict,
  type Value,
} from '../../python/values/value.ts';
import { evaluateJob } from './evaluate.ts';
import { jobFaults } from './faults.ts';
import {
  describeJob,
  functionOf,
  newJob,
  SETTINGS_KEYS,
  type JobState,
  type Moment,
  type ScheduleSettings,
} from './job-state.ts';
import { toLocal, type Zone } from './zone.ts';

/** Jobs are looked at at each full second. */
const TICK_MS = 1000;
/** A named time is still run when the scheduler comes this late to it, because the machine is busy. */
const LATE_MAX_MS = 30_000;
const DAY_MS = 86_400_000;
/** Dates kept at most. */
const DATES_MAX = 10_000;

/** A run that is to be started. */
export interface ScheduledRun {
  readonly name: string;
  readonly fun: string;
  /** The job's configuration. */
  readonly data: Dict;
  readonly lateSeconds: number;
}

/** What the scheduler needs. */
export interface SchedulerDeps {
  readonly clock: Clock;
  readonly zone: Zone;
  readonly random: Random;
  readonly log: Logger;
  /** `loop_interval` in milliseconds: how late a named time may be run. */
  readonly loopMs: number;
  /** `schedule` of the configuration; changed by orders. */
  readonly configured: Dict;
  /** `schedule` of the pillar as it is now. */
  readonly pillar: () => Value | undefined;
  /** Names for dates. */
  readonly whens: () => Moment['whens'];
  /** How many runs of a job are alive. */
  readonly running: (name: string) => number;
  readonly run: (job: ScheduledRun) => void;
  /** Told of each job when it is first looked at, and not again until it changes. */
  readonly seen?: (name: string, data: Dict) => void;
  /** Writes the jobs that are not from the pillar. */
  readonly persist: (schedule: Dict) => void;
}

/** Decides each second which jobs are due, and carries out the orders that list and change them. */
export class Scheduler {
  readonly #deps: SchedulerDeps;
  readonly #configured: Dict;
  readonly #jobs = new Map<Value, JobState>();
  readonly #lastErrors = new Map<string, string>();
  readonly #dates = new Map<string, number | undefined>();
  #day: number | undefined;
  #timer: Timer | undefined;
  #lastTickMs: number | undefined;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
    this.#configured = deps.configured;
  }

  get zone(): Zone {
    return this.#deps.zone;
  }

  /** Evaluates now, and from now on at each full second. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#next();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #next(): void {
    const { clock, log } = this.#deps;
    try {
      this.tick();
    } catch (error) {
      log.error(`Exception ${(error as Error).message} occurred in scheduled job`, error);
    }
    const sinceSecond = clock.nowMs() % TICK_MS;
    this.#timer = clock.after(TICK_MS - sinceSecond, () => this.#next(), { background: true });
  }

  /** Evaluates every job once. */
  tick(): void {
    const { clock, loopMs, zone, random, whens } = this.#deps;
    const nowMs = clock.nowMs();
    const gapMs = Math.min(LATE_MAX_MS, Math.max(0, nowMs - (this.#lastTickMs ?? nowMs)));
    this.#lastTickMs = nowMs;
    const windowMs = Math.max(loopMs, gapMs);
    const dates = this.#datesOfToday(Math.floor(toLocal(zone, nowMs) / DAY_MS));
    const moment: Moment = { nowMs, windowMs, zone, random, dates, whens: whens() };
    const schedule = this.#merged();
    const settings = settingsOf(schedule);
    for (const state of this.#states(schedule)) this.#evaluate(state, settings, moment);
  }

  /** What a date without a day means changes at midnight. */
  #datesOfToday(day: number): Map<string, number | undefined> {
    if (day !== this.#day || this.#dates.size > DATES_MAX) this.#dates.clear();
    this.#day = day;
    return this.#dates;
  }

  #evaluate(state: JobState, settings: ScheduleSettings, moment: Moment): void {
    const { log, run } = this.#deps;
    if (state.isJudged !== true) this.#judge(state, moment);
    const due = evaluateJob(state, settings, moment, () => this.#isFull(state));
    this.#report(state.name, state.error, state.errorHint);
    if (due === undefined) return;
    if (truthy(state.data.get('dry_run')))
      return log.debug(`Job ${state.name} has 'dry_run' set to True. Not running it.`);
    run({ name: state.name, fun: due.fun, data: state.data, lateSeconds: due.lateSeconds });
  }

  /**
   * Says once what of a job has no effect, and has its function looked up. A job that is switched off is left alone.
   */
  #judge(state: JobState, moment: Moment): void {
    if (state.data.get('enabled') === false) return;
    state.isJudged = true;
    for (const fault of jobFaults(state.name, state.data, moment)) this.#deps.log.warning(fault);
    this.#deps.seen?.(state.name, state.data);
  }

  /** An error is logged when it appears, not each second. */
  #report(name: string, error: string | undefined, hint = ''): void {
    if (error === undefined) this.#lastErrors.delete(name);
    else if (this.#lastErrors.get(name) !== error) {
      this.#lastErrors.set(name, error);
      this.#deps.log.error(hint === '' ? error : `${error} ${hint}`);
    }
  }

  #isFull({ name, data }: JobState): boolean {
    if (data.get('jid_include') === false) return false;
    const limit = data.get('maxrunning') ?? 1;
    return typeof limit === 'number' && this.#deps.running(name) >= limit;
  }

  /** All entries, those of the configuration over those of the pillar. */
  #merged(): Dict {
    return new Map([...this.#fromPillar(), ...this.#configured]);
  }

  #fromPillar(): Dict {
    const pillar = this.#deps.pillar();
    if (pillar === undefined || pillar === null) return new Map();
    if (isDict(pillar)) return pillar;
    this.#report('pillar', 'Schedule must be of type dict.');
    return new Map();
  }

  /** The jobs; what is known of one that was changed or removed is forgotten. */
  #states(schedule: Dict): JobState[] {
    for (const name of this.#jobs.keys()) if (!schedule.has(name)) this.#jobs.delete(name);
    const out: JobState[] = [];
    for (const [key, data] of schedule) {
      if (typeof key === 'string' && SETTINGS_KEYS.has(key)) continue;
      const name = String(key);
      if (!isDict(data)) {
        this.#report(
          name,
          `Scheduled job "${name}" should have a dict value, not <class '${pyTypeName(data)}'>`,
        );
        continue;
      }
      let state = this.#jobs.get(key);
      // the same mapping is the same job, and so is an equal one that a refresh of the pillar brings
      if (state === undefined || (state.data !== data && !valuesEqual(state.data, data))) {
        const ownName = data.get('name');
        state = newJob(typeof ownName === 'string' ? ownName : name, data);
        this.#jobs.set(key, state);
      }
      out.push(state);
    }
    return out;
  }

  /** The entries with what is known of each job. */
  list(where?: Value): Dict {
    const schedule =
      where === 'pillar' ? this.#fromPillar() : where === 'opts' ? this.#configured : this.#merged();
    const out: Dict = new Map();
    for (const [name, data] of schedule) {
      const state = this.#jobs.get(name);
      const isKnown =
        isDict(data) && state !== undefined && (state.data === data || valuesEqual(state.data, data));
      out.set(name, isKnown ? describeJob(state, this.#deps.zone) : copyValue(data));
    }
    return out;
  }

  /** The entry of one job; empty when there is none. */
  describe(name: Value): Dict {
    const found = this.list().get(name);
    return isDict(found) ? found : new Map();
  }

  /** The jobs from the configuration. */
  get configured(): Dict {
    return this.#configured;
  }

  isFromPillar(name: Value): boolean {
    return this.#fromPillar().has(name);
  }

  /** Puts a job into the configuration, in the place of one of that name; it begins anew. */
  set(name: Value, data: Value): void {
    this.#jobs.delete(name);
    this.#configured.set(name, data);
  }

  /** Changes fields of a configured job, which goes on. @returns false when it is not configured */
  change(name: Value, edit: (data: Dict) => void): boolean {
    const data = this.#configured.get(name);
    if (!isDict(data)) return false;
    edit(data);
    return true;
  }

  /** Removes configured jobs. */
  remove(isMeant: (name: Value) => boolean): void {
    for (const name of [...this.#configured.keys()]) {
      if (!isMeant(name)) continue;
      this.#configured.delete(name);
      this.#jobs.delete(name);
    }
  }

  persist(): void {
    this.#deps.persist(this.#configured);
  }

  /** Forgets what is known of all jobs. */
  forget(): void {
    this.#jobs.clear();
  }

  /** Runs a job at once, unless `maxrunning` forbids it. */
  runNow(name: Value): void {
    const { log, run } = this.#deps;
    const data = this.#merged().get(name);
    const fun = isDict(data) ? functionOf(data) : undefined;
    if (!isDict(data) || fun === undefined)
      return log.info(`Invalid function: ${String(fun ?? 'None')} in scheduled job ${String(name)}.`);
    const state = this.#jobs.get(name) ?? newJob(String(name), data);
    if (this.#isFull(state)) return;
    log.info(`Running Job: ${state.name}`);
    run({ name: state.name, fun, data, lateSeconds: 0 });
  }
}

function settingsOf(schedule: Dict): ScheduleSettings {
  const skipFunction = schedule.get('skip_function');
  return {
    isEnabled: truthy(schedule.get('enabled') ?? true),
    splay: schedule.get('splay') ?? null,
    skipFunction: typeof skipFunction === 'string' ? skipFunction : undefined,
    skipDuringRange: schedule.get('skip_during_range') ?? null,
  };
}
