/**
 * A minion's scheduled jobs: where they come from, how they are run, and how they are returned (salt/minion.py
 * `setup_scheduler`, salt/utils/schedule.py `handle_func`, 3006.16).
 */
import { messageOf } from '../../errors/errors.ts';
import { JidSource, REQUEST_JID } from '../../storage/jobs/jid.ts';
import type { FunctionSpec } from '../../runtime/loader/module.ts';
import { nearFunctions } from '../../runtime/loader/near-functions.ts';
import { functionOf } from '../../runtime/scheduler/job-state.ts';
import { orderSchedule, type OrderAnswer } from '../../runtime/scheduler/orders.ts';
import { saveSchedule } from '../../runtime/scheduler/saved.ts';
import { Scheduler, type ScheduledRun } from '../../runtime/scheduler/scheduler.ts';
import { systemZone, toLocal } from '../../runtime/scheduler/zone.ts';
import { strftime } from '../../python/text/strftime.ts';
import {
  copyValue,
  dict,
  isDict,
  toNumber,
  truthy,
  type Dict,
  type Value,
} from '../../python/values/value.ts';
import { sayMissingOfJob } from './further-returns.ts';
import type { Job, JobResult } from './job.ts';
import type { PeriodicDeps } from './periodic-context.ts';

/** Jobs that are the minion's own, and are made anew at each start. */
const MASTER_ALIVE = '__master_alive';
const MINE_JOB = '__mine_interval';
const GRAINS_JOB = '__update_grains';
/** Salt's return code of a scheduled job that did not run to its end. */
const FAILED_CODE = 254;
const NOT_CACHED_JID = 'nocache';

/** Runs a minion's scheduled jobs and returns their results. */
export class MinionSchedule {
  readonly #deps: PeriodicDeps;
  readonly #scheduler: Scheduler;
  readonly #jids: JidSource;
  /** Jobs whose function is not there, and which that was, as they were told; no more than there are jobs. */
  readonly #told = new Map<string, string>();

  constructor(deps: PeriodicDeps) {
    this.#deps = deps;
    const state = deps.state();
    const { clock, random, log } = state.deps;
    this.#jids = new JidSource(clock);
    const configured = state.opts.get('schedule');
    this.#scheduler = new Scheduler({
      clock,
      zone: systemZone,
      random,
      log,
      loopMs: (toNumber(state.opts.get('loop_interval')) ?? 1) * 1000,
      configured: isDict(configured) ? copyValue(configured) : new Map(),
      pillar: () => deps.state().pillar.get('schedule'),
      whens: () => this.#whens(),
      running: (name) => deps.running.list().filter((job) => job.get('schedule') === name).length,
      run: (run) => void this.#run(run),
      seen: (name, data) => {
        void this.#lookUp(name, data);
        void sayMissingOfJob(deps.state(), name, data.get('returner'));
      },
      persist: (schedule) => this.#persist(schedule),
    });
    this.#addOwnJobs(state.opts);
  }

  start(): void {
    this.#scheduler.start();
  }

  stop(): void {
    this.#scheduler.stop();
  }

  /** Carries out an order of `manage_schedule`. */
  manage(order: Dict): OrderAnswer | undefined {
    return orderSchedule(this.#scheduler, order, this.#deps.state().deps.log);
  }

  #whens(): { source: 'pillar' | 'grain'; value: Value }[] {
    const { pillar, grains } = this.#deps.state();
    const out: { source: 'pillar' | 'grain'; value: Value }[] = [];
    const [fromPillar, fromGrains] = [pillar.get('whens'), grains.get('whens')];
    if (fromPillar !== undefined) out.push({ source: 'pillar', value: fromPillar });
    if (fromGrains !== undefined) out.push({ source: 'grain', value: fromGrains });
    return out;
  }

  #addOwnJobs(opts: Dict): void {
    const scheduler = this.#scheduler;
    scheduler.remove((name) => typeof name === 'string' && name.startsWith(MASTER_ALIVE));
    if (truthy(opts.get('mine_enabled'))) {
      const job = dict({
        function: 'mine.update',
        minutes: opts.get('mine_interval') ?? 60,
        jid_include: true,
        maxrunning: 2,
        run_on_start: true,
        return_job: opts.get('mine_return_job') ?? false,
        enabled: true,
      });
      scheduler.set(MINE_JOB, job);
    } else scheduler.remove((name) => name === MINE_JOB);
    const minutes = Math.abs(toNumber(opts.get('grains_refresh_every')) ?? 0);
    if (minutes > 0 && !scheduler.configured.has(GRAINS_JOB))
      scheduler.set(
        GRAINS_JOB,
        // the grains of the start are new
        dict({ function: 'event.fire', args: [dict(), 'grains_refresh'], minutes, run_on_start: false }),
      );
    this.#persist(scheduler.configured);
  }

  #persist(schedule: Dict): void {
    const state = this.#deps.state();
    try {
      saveSchedule(state.opts, schedule);
    } catch (error) {
      state.deps.log.error(`Failed to persist the updated schedule: ${messageOf(error)}`, error);
    }
  }

  /** Whether a job's function is there is known before its first time, which may be a month away. */
  async #lookUp(name: string, data: Dict): Promise<void> {
    const fun = functionOf(data);
    if (fun === undefined) return;
    const { registry, deps } = this.#deps.state();
    try {
      const missing = await registry.missing(fun);
      if (missing !== undefined) await this.#tellMissing(name, fun, missing);
    } catch (error) {
      deps.log.error(
        `The function ${fun} of scheduled job "${name}" cannot be looked up: ${messageOf(error)}`,
        error,
      );
    }
  }

  /** Says once of a job that its function is not there; Salt says so at each interval, and only at the level info. */
  async #tellMissing(name: string, fun: string, missing: string): Promise<void> {
    if (this.#told.get(name) === fun) return;
    this.#told.set(name, fun);
    const { registry, deps } = this.#deps.state();
    const near = await nearFunctions(registry, fun);
    const text = missing.replace(/\.$/, '');
    deps.log.error(
      `Scheduled job "${name}" cannot run ${fun}: ${text}.${near} Each of its runs fails until the job names another ` +
        'function, or the module is there (saltutil.sync_modules); this is said once.',
    );
  }

  async #run({ name, fun, data, lateSeconds }: ScheduledRun): Promise<void> {
    const { log } = this.#deps.state().deps;
    const jid = this.#jids.next();
    const late = lateSeconds > 0 ? ` (runtime missed by ${lateSeconds} seconds)` : '';
    log.info(`Running scheduled job: ${name}${late} with jid ${jid}`);
    try {
      const found = await this.#deps.state().registry.find(fun);
      if (found.spec !== undefined) this.#told.delete(name);
      const job = this.#jobOf(name, fun, data, jid, found.spec);
      const result = await this.#resultOf(job, fun);
      await this.#handOn(job, data, result);
    } catch (error) {
      log.error(`The scheduled job ${name} failed in the minion itself: ${messageOf(error)}`, error);
    }
  }

  #jobOf(name: string, fun: string, data: Dict, jid: string, spec: FunctionSpec | undefined): Job {
    const { id } = this.#deps.state();
    const args = data.get('args');
    const kwargs = data.get('kwargs');
    const positional = Array.isArray(args) ? args : [];
    const arg = publishedArguments(positional, isDict(kwargs) ? kwargs : new Map(), spec);
    const pub = dict({
      id,
      fun,
      fun_args: isDict(kwargs) ? [...positional, kwargs] : positional,
      schedule: name,
      jid,
      arg,
      tgt: id,
      tgt_type: 'glob',
      pid: process.pid,
    });
    const metadata = this.#metadata(data);
    if (metadata !== undefined) pub.set('metadata', metadata);
    const common = {
      isMultiple: false,
      tgt: id,
      tgtType: 'glob',
      delimiter: undefined,
      executors: undefined,
    };
    return { ...common, jid, funs: [fun], args: [arg], pub: copyValue(pub) };
  }

  /** The job's own metadata and when it ran. */
  #metadata(data: Dict): Dict | undefined {
    const { clock } = this.#deps.state().deps;
    const given = data.get('metadata');
    // one that is no mapping was said when the job was first seen
    if (!isDict(given)) return undefined;
    const nowMs = clock.nowMs();
    const offset = systemZone.offsetMs(nowMs) / 60_000;
    const hours = String(Math.trunc(Math.abs(offset) / 60)).padStart(2, '0');
    const minutes = String(Math.abs(offset) % 60).padStart(2, '0');
    return new Map<Value, Value>([
      ...given,
      ['_TOS', `${offset < 0 ? '-' : '+'}${hours}${minutes}`],
      ['_TS', strftime(toLocal(systemZone, nowMs), '%a %b %e %H:%M:%S %Y')],
      // Salt's own format, with the month where minutes are meant
      ['_TT', strftime(nowMs, '%Y %B %d %a %H %m')],
    ]);
  }

  /** Salt's words for what did not run: only a function that ended by itself counts as a success, whatever its code. */
  async #resultOf(job: Job, fun: string): Promise<JobResult> {
    const state = this.#deps.state();
    const missing = await state.registry.missing(fun);
    if (missing !== undefined) {
      await this.#tellMissing(String(job.pub.get('schedule')), fun, missing);
      return { return: missing, retcode: FAILED_CODE, success: false };
    }
    const result = await this.#deps.runJob(job);
    const isException = result.success === false && result.out === 'nested';
    if (!isException) return { return: result.return, retcode: result.retcode, success: true };
    state.deps.log.error(`Unhandled exception running ${fun}: ${String(result.return)}`);
    return { return: `Unhandled exception running ${fun}`, retcode: FAILED_CODE, success: false };
  }

  async #handOn(job: Job, data: Dict, result: JobResult): Promise<void> {
    const { opts } = this.#deps.state();
    const returners = [data.get('returner'), opts.get('schedule_returner')].filter(truthy);
    const ret = this.#returnOf(job, result);
    const sending: Promise<void>[] = [];
    if (returners.length > 0 && result.success === true)
      sending.push(this.#sendFurther(job, data, ret, returners));
    const wanted = data.get('return_job') ?? true;
    if (truthy(wanted)) {
      const load: Dict = new Map([['cmd', '_return'], ...ret]);
      if (returners.length === 0) load.set('jid', wanted === NOT_CACHED_JID ? NOT_CACHED_JID : REQUEST_JID);
      sending.push(this.#deps.sendReturn(load));
    }
    await Promise.all(sending);
  }

  #returnOf(job: Job, result: JobResult): Dict {
    const ret: Dict = new Map();
    for (const field of ['id', 'fun', 'fun_args', 'schedule', 'jid', 'metadata', 'pid']) {
      const value = job.pub.get(field);
      if (value !== undefined) ret.set(field, value);
    }
    return ret.set('return', result.return).set('retcode', result.retcode).set('success', result.success);
  }

  async #sendFurther(
    job: Job,
    data: Dict,
    ret: Dict,
    returners: readonly (Value | undefined)[],
  ): Promise<void> {
    const names = returners.flatMap((one) => (Array.isArray(one) ? one : [one ?? null])).map(String);
    const pub: Dict = new Map([...job.pub, ['ret', [...new Set(names)].join(',')]]);
    for (const [field, key] of [
      ['ret_config', 'return_config'],
      ['ret_kwargs', 'return_kwargs'],
    ] as const) {
      const value = data.get(key);
      if (value !== undefined) pub.set(field, value);
    }
    await this.#deps.sendFurther({ ...job, pub }, ret);
  }
}

/**
 * Arguments as a publication carries them. There a text such as `A=1` among the positional ones would be read as a
 * keyword, which in a schedule it is not; so where one looks like that they are all given by name, when the function
 * names its parameters.
 */
export function publishedArguments(
  positional: readonly Value[],
  kwargs: Dict,
  spec: Pick<FunctionSpec, 'params'> | undefined,
): Value[] {
  const names = Object.entries(spec?.params ?? {}).flatMap(([name, param]) =>
    param.keywordOnly ? [] : [name],
  );
  const hasKeywordText = positional.some((value) => typeof value === 'string' && value.includes('='));
  const byName = hasKeywordText && positional.length <= names.length ? positional.length : 0;
  const keywords: Dict = new Map(positional.slice(0, byName).map((value, i) => [names[i] as string, value]));
  for (const [key, value] of kwargs) keywords.set(key, value);
  const rest = positional.slice(byName);
  return keywords.size === 0 ? rest : [...rest, keywords.set('__kwarg__', true)];
}
