/** `schedule.add`, `modify`, `delete`, `purge` (3006.16 salt/modules/schedule.py). */
import { messageOf } from '../../../errors/errors.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { draftFaults } from '../../../runtime/scheduler/faults.ts';
import { saveSchedule } from '../../../runtime/scheduler/saved.ts';
import {
  copyValue,
  dict,
  isDict,
  truthy,
  valuesEqual,
  type Dict,
  type Value,
} from '../../../python/values/value.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { beyondKeywords, buildItem, hasTimeConflict } from './item.ts';
import { askForJobs, listJobs } from './listing.ts';

const BOTH = 'Unable to use "when" and "cron" options together.  Ignoring.';
const tag = (what: string): string => `/salt/minion/minion_schedule_${what}_complete`;

/** `{comment, result, changes}`. */
function result(comment: Value, isGood: boolean, changes: Dict = new Map()): Dict {
  return dict({ comment, result: isGood, changes });
}

/** The same, in the order in which `modify` gives it. */
function changed(comment: Value, isGood: boolean, changes: Dict = new Map()): Dict {
  return dict({ comment, changes, result: isGood });
}

/** Writes the saved file, for changes without a running minion. */
function writeOffline(ctx: ModuleContext, schedule: Dict): void {
  try {
    saveSchedule(ctx.opts, schedule);
  } catch (error) {
    ctx.log.error(`Failed to persist the updated schedule: ${messageOf(error)}`, error);
  }
}

const isOffline = (kwargs: Dict): boolean => truthy(kwargs.get('offline'));
const persist = (kwargs: Dict): Value => kwargs.get('persist') ?? true;

/** `schedule.add`. */
export async function addJob(ctx: ModuleContext, name: Value, kwargs: Dict): Promise<Dict> {
  const failed = result(`Failed to add job ${pyStr(name)} to schedule.`, false);
  const current = await listJobs(ctx, { showAll: true, isOffline: isOffline(kwargs) });
  if (current.has(name)) return result(`Job ${pyStr(name)} already exists in schedule.`, false);
  if (hasTimeConflict(kwargs))
    return result(
      'Error: Unable to use "seconds", "minutes", "hours", or "days" with "when" or "cron" options.',
      false,
    );
  if (kwargs.has('when') && kwargs.has('cron')) return result(BOTH, false);
  const item = buildItem(name, kwargs);
  if (item.get('result') === false) return item;
  if (truthy(kwargs.get('test'))) return result(`Job: ${pyStr(name)} would be added to schedule.`, true);
  const changes: Dict = new Map([[name, 'added']]);
  const added = result(`Added job: ${pyStr(name)} to schedule.${butThat(item, kwargs)}`, true, changes);
  if (isOffline(kwargs)) {
    writeOffline(ctx, current.set(name, item));
    return added;
  }
  const answer = await ctx.services.manage?.(
    'schedule',
    dict({ name, schedule: new Map([[name, item]]), func: 'add', persist: persist(kwargs) }),
    tag('add'),
  );
  return inSchedule(answer, name) === undefined ? failed : added;
}

/** What a job is given for its place in the schedule, and not for its runs. */
const ABOUT_THE_CHANGE: ReadonlySet<Value> = new Set([
  ...['function', 'job_args', 'job_kwargs', 'persist', 'offline', 'test', 'saltenv'],
]);

/**
 * Why a job never runs, or what of it does nothing, behind what has been done; mostly ''. Salt compat: Salt says
 * nothing of it, and drops a misspelt keyword.
 */
function butThat(item: Dict, kwargs: Dict): string {
  const lost = [...kwargs].filter(
    ([key]) => !item.has(key) && !ABOUT_THE_CHANGE.has(key) && !pyStr(key).startsWith('_'),
  );
  const [first, ...others] = draftFaults(new Map([...item, ...lost]));
  if (first === undefined) return '';
  const further = others.map((fault) => ` ${fault.charAt(0).toUpperCase()}${fault.slice(1)}`);
  return ` But ${first}${further.join('')}`;
}

function inSchedule(answer: Dict | undefined, name: Value): Value | undefined {
  const schedule = answer?.get('schedule');
  return isDict(schedule) ? schedule.get(name) : undefined;
}

/** Where a job is configured: its order says so for those of the pillar, which are not persisted. */
export async function placeOf(ctx: ModuleContext, name: Value): Promise<Dict | undefined> {
  if ((await listJobs(ctx, { showAll: true, where: 'opts' })).has(name)) return dict();
  if ((await listJobs(ctx, { showAll: true, where: 'pillar' })).has(name))
    return dict({ where: 'pillar', persist: false });
  return undefined;
}

/** `schedule.delete`. */
export async function deleteJob(ctx: ModuleContext, name: Value, kwargs: Dict): Promise<Dict> {
  const label = pyStr(name);
  const isTest = truthy(kwargs.get('test'));
  const would = result(`Job: ${label} would be deleted from schedule.`, true);
  const deleted = result(`Deleted Job ${label} from schedule.`, true, new Map([[name, 'removed']]));
  if (isOffline(kwargs)) {
    const current = await listJobs(ctx, { showAll: true, isOffline: true });
    if (!current.delete(name)) return result(`Job ${label} does not exist.`, false);
    if (isTest) return would;
    writeOffline(ctx, current);
    return deleted;
  }
  const place = await placeOf(ctx, name);
  if (place === undefined) return result(`Job ${label} does not exist.`, false);
  if (isTest) return would;
  const order: Dict = new Map([...dict({ name, func: 'delete', persist: persist(kwargs) }), ...place]);
  const answer = await ctx.services.manage?.('schedule', order, tag('delete'));
  const isGone = answer !== undefined && inSchedule(answer, name) === undefined;
  return isGone ? deleted : result(`Failed to delete job ${label} from schedule.`, false);
}

/** `schedule.purge`: every job but the minion's own. */
export async function purgeJobs(ctx: ModuleContext, kwargs: Dict): Promise<Dict> {
  const current = await listJobs(ctx, { showAll: true, isOffline: isOffline(kwargs) });
  const comments: Value[] = [];
  const changes: Dict = new Map();
  for (const name of [...current.keys()]) {
    const label = pyStr(name);
    if (name === 'enabled' || label.startsWith('__')) continue;
    if (truthy(kwargs.get('test'))) {
      comments.push(`Job: ${label} would be deleted from schedule.`);
      continue;
    }
    if (isOffline(kwargs)) current.delete(name);
    else {
      const order = dict({ name, func: 'delete', persist: persist(kwargs) });
      const answer = await ctx.services.manage?.('schedule', order, tag('delete'));
      if (answer === undefined || inSchedule(answer, name) !== undefined) {
        if (answer !== undefined) comments.push(`Failed to delete job ${label} from schedule.`);
        continue;
      }
    }
    changes.set(name, 'removed');
    comments.push(`Deleted job: ${label} from schedule.`);
  }
  if (isOffline(kwargs) && !truthy(kwargs.get('test'))) writeOffline(ctx, current);
  return dict({ comment: comments, changes, result: true });
}

/** `schedule.modify`. */
export async function modifyJob(ctx: ModuleContext, name: Value, given: Dict): Promise<Dict> {
  const kwargs: Dict = new Map(given);
  const label = pyStr(name);
  if (hasTimeConflict(kwargs))
    return changed(
      'Error: Unable to use "seconds", "minutes", "hours", or "days" with "when" option.',
      false,
    );
  if (kwargs.has('when') && kwargs.has('cron')) return changed(BOTH, false);
  const current = await listJobs(ctx, { showAll: true, isOffline: isOffline(kwargs) });
  const old = current.get(name);
  if (!isDict(old)) return changed(`Job ${label} does not exist in schedule.`, false);
  if (!kwargs.has('function')) kwargs.set('function', old.get('function') ?? null);
  const item = buildItem(name, kwargs);
  if (item.get('result') === false) return item;
  if (valuesEqual(item, old)) return changed(`Job ${label} in correct state`, true);
  const changes: Dict = new Map([[name, dict({ old: copyValue(old), new: copyValue(item) })]]);
  if (truthy(kwargs.get('test')))
    return changed(`Job: ${label} would be modified in schedule.`, true, changes);
  const modified = changed(`Modified job: ${label} in schedule.${butThat(item, kwargs)}`, true, changes);
  if (isOffline(kwargs)) {
    writeOffline(ctx, current.set(name, new Map([...old, ...item])));
    return modified;
  }
  const place = (await placeOf(ctx, name)) ?? dict();
  const whole = (await askForJobs(ctx, place.get('where') ?? 'opts')).get(name);
  const schedule = isDict(whole) ? new Map([...beyondKeywords(whole), ...item]) : item;
  const order: Dict = new Map([
    ...dict({ name, schedule, func: 'modify', persist: persist(kwargs) }),
    ...place,
  ]);
  const isTaken = (await ctx.services.manage?.('schedule', order)) !== undefined;
  return isTaken ? modified : changed(`Failed to modify job ${label} in schedule.`, false, changes);
}
