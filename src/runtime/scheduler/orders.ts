/**
 * What may be asked of a running scheduler over the bus (`manage_schedule`), and the event that answers: salt/minion.py
 * `manage_schedule` and the methods of salt/utils/schedule.py that it calls (3006.16).
 */
import type { Logger } from '../../host/log.ts';
import { strftime } from '../../python/text/strftime.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import type { Scheduler } from './scheduler.ts';
import { DEFAULT_TIME_FORMAT } from './timing.ts';
import { datetimeMs } from './datetime.ts';

/** The event that says an order was carried out. */
export interface OrderAnswer {
  readonly tag: string;
  readonly data: Dict;
}

type Order = (scheduler: Scheduler, order: Dict, log: Logger) => OrderAnswer | undefined;

const answerTag = (what: string): string => `/salt/minion/minion_schedule_${what}`;

function done(what: string, scheduler: Scheduler): OrderAnswer {
  return { tag: answerTag(`${what}_complete`), data: dict({ complete: true, schedule: scheduler.list() }) };
}

const nameOf = (order: Dict): Value => order.get('name') ?? null;

function keep(scheduler: Scheduler, order: Dict): void {
  if (truthy(order.get('persist'))) scheduler.persist();
}

function refuse(log: Logger, scheduler: Scheduler, verb: string, name: Value): void {
  if (scheduler.isFromPillar(name)) log.warning(`Cannot ${verb} job ${pyStr(name)}, it's in the pillar!`);
}

function add(scheduler: Scheduler, order: Dict, log: Logger): OrderAnswer | undefined {
  const given = order.get('schedule');
  if (!isDict(given) || given.size !== 1) {
    log.error('Scheduled jobs have to be of type dict, one job at a time.');
    return undefined;
  }
  const [[name, data]] = [...given] as [[Value, Value]];
  if (isDict(data) && !data.has('enabled')) data.set('enabled', true);
  if (scheduler.isFromPillar(name)) log.warning(`Cannot update job ${pyStr(name)}, it's in the pillar!`);
  else {
    const isKnown = scheduler.configured.has(name);
    log.info(
      isKnown
        ? `Updating job settings for scheduled job: ${pyStr(name)}`
        : `Added new job ${pyStr(name)} to scheduler`,
    );
    scheduler.set(name, data);
  }
  const answer = done('add', scheduler);
  keep(scheduler, order);
  return answer;
}

function remove(scheduler: Scheduler, order: Dict, log: Logger): OrderAnswer {
  const name = nameOf(order);
  if (scheduler.configured.has(name)) scheduler.remove((each) => each === name);
  else refuse(log, scheduler, 'delete', name);
  const answer = done('delete', scheduler);
  keep(scheduler, order);
  return answer;
}

function modify(scheduler: Scheduler, order: Dict, log: Logger): OrderAnswer | undefined {
  const name = nameOf(order);
  let answer: OrderAnswer | undefined;
  if (scheduler.configured.has(name)) answer = remove(scheduler, order, log);
  else if (scheduler.isFromPillar(name)) {
    log.warning(`Cannot modify job ${pyStr(name)}, it's in the pillar!`);
    return undefined;
  }
  scheduler.set(name, order.get('schedule') ?? null);
  keep(scheduler, order);
  return answer;
}

function setEnabled(isEnabled: boolean): Order {
  return (scheduler, order, log) => {
    const name = nameOf(order);
    const isChanged = scheduler.change(name, (data) => data.set('enabled', isEnabled));
    if (isChanged) log.info(`${isEnabled ? 'Enabling' : 'Disabling'} job ${pyStr(name)} in scheduler`);
    else refuse(log, scheduler, 'modify', name);
    const answer = done(isEnabled ? 'enabled_job' : 'disabled_job', scheduler);
    keep(scheduler, order);
    return answer;
  };
}

function setAllEnabled(isEnabled: boolean): Order {
  return (scheduler, order) => {
    scheduler.configured.set('enabled', isEnabled);
    const answer = done(isEnabled ? 'enabled' : 'disabled', scheduler);
    keep(scheduler, order);
    return answer;
  };
}

/** Adds a time to one of the job's lists. */
function append(data: Dict, key: string, time: Value, format: Value): void {
  const list = data.get(key);
  data.set(key, [...(Array.isArray(list) ? list : []), dict({ time, time_fmt: format })]);
}

function setTimes(what: 'postpone_job' | 'skip_job'): Order {
  return (scheduler, order, log) => {
    const format = order.get('time_fmt') ?? DEFAULT_TIME_FORMAT;
    const isChanged = scheduler.change(nameOf(order), (data) => {
      append(data, 'skip_explicit', order.get('time') ?? null, format);
      if (what === 'postpone_job') append(data, 'run_explicit', order.get('new_time') ?? null, format);
    });
    if (!isChanged) refuse(log, scheduler, 'modify', nameOf(order));
    return done(what, scheduler);
  };
}

function nextFireTime(scheduler: Scheduler, order: Dict): OrderAnswer {
  const next = scheduler.describe(nameOf(order)).get('_next_fire_time') ?? null;
  const local = datetimeMs(next);
  return {
    tag: answerTag('next_fire_time_complete'),
    data: dict({
      complete: true,
      next_fire_time: local === undefined ? null : strftime(local, DEFAULT_TIME_FORMAT),
    }),
  };
}

function reload(scheduler: Scheduler, order: Dict): undefined {
  const given = order.get('schedule');
  const inner = isDict(given) ? given.get('schedule') : undefined;
  const schedule = inner !== undefined ? inner : given;
  scheduler.forget();
  if (isDict(schedule)) for (const [name, data] of schedule) scheduler.configured.set(name, data);
  return undefined;
}

const ORDERS: ReadonlyMap<string, Order> = new Map<string, Order>([
  ['add', add],
  ['delete', remove],
  ['modify', modify],
  ['enable', setAllEnabled(true)],
  ['disable', setAllEnabled(false)],
  ['enable_job', setEnabled(true)],
  ['disable_job', setEnabled(false)],
  ['postpone_job', setTimes('postpone_job')],
  ['skip_job', setTimes('skip_job')],
  ['reload', reload],
  ['get_next_fire_time', nextFireTime],
  [
    'run_job',
    (scheduler, order) => {
      scheduler.runNow(nameOf(order));
      return undefined;
    },
  ],
  [
    'list',
    (scheduler, order) => ({
      tag: answerTag('list_complete'),
      data: dict({ complete: true, schedule: scheduler.list(order.get('where')) }),
    }),
  ],
  [
    'save_schedule',
    (scheduler) => {
      scheduler.persist();
      return { tag: answerTag('saved'), data: dict({ complete: true }) };
    },
  ],
  [
    'job_status',
    (scheduler, order) => ({
      tag: answerTag('job_status_complete'),
      data: dict({ complete: true, data: scheduler.describe(nameOf(order)) }),
    }),
  ],
]);

/**
 * Carries out an order.
 * @param order `{func, name, schedule, where, persist, …}`
 * @returns the event that answers, for orders that have one
 */
export function orderSchedule(scheduler: Scheduler, order: Dict, log: Logger): OrderAnswer | undefined {
  const func = order.get('func');
  const run = typeof func === 'string' ? ORDERS.get(func) : undefined;
  if (run === undefined) {
    log.error(`Function "${pyStr(func ?? null)}" is unavailable in salt.utils.scheduler`);
    return undefined;
  }
  return run(scheduler, order, log);
}
