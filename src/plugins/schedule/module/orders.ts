/** The orders of `schedule.*` that do not change what a job is (3006.16 salt/modules/schedule.py). */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../../errors/errors.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { datetimeMs } from '../../../runtime/scheduler/datetime.ts';
import { strftime, strptime } from '../../../python/text/strftime.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type DictInit, type Value } from '../../../python/values/value.ts';
import { loadYaml } from '../../../formats/yaml/load.ts';
import { deleteJob, placeOf } from './change.ts';
import { listJobs } from './listing.ts';

export const TIME_FORMAT = '%Y-%m-%dT%H:%M:%S';
const tag = (what: string): string => `/salt/minion/minion_schedule_${what}`;

const say = (comment: Value, result: boolean, more: DictInit = {}): Dict =>
  dict({ comment, result, ...more });

/** `schedule.enable_job` and `disable_job`. */
export async function setJobEnabled(
  ctx: ModuleContext,
  name: Value,
  isEnabled: boolean,
  kwargs: Dict,
): Promise<Dict> {
  const label = pyStr(name);
  const [verb, done] = isEnabled ? ['enable', 'enabled'] : ['disable', 'disabled'];
  const place = await placeOf(ctx, name);
  if (place === undefined) return say(`Job ${label} does not exist.`, false, { changes: dict() });
  // Salt compat: Salt looks at the minion's `test` option in one of the two, and at the argument in the other
  if (truthy(kwargs.get('test')) || truthy(ctx.opts.get('test')))
    return say(`Job: ${label} would be ${done} in schedule.`, true, { changes: dict() });
  const order: Dict = new Map([
    ...dict({ name, func: `${verb}_job`, persist: kwargs.get('persist') ?? true }),
    ...place,
  ]);
  const answer = await ctx.services.manage?.('schedule', order, tag(`${done}_job_complete`));
  const schedule = answer?.get('schedule');
  const job = isDict(schedule) ? schedule.get(name) : undefined;
  const isNow = isDict(job) && truthy(job.get('enabled') ?? true) === isEnabled;
  if (!isNow) return say(`Failed to ${verb} job ${label} in schedule.`, false, { changes: dict() });
  const comment = `${isEnabled ? 'Enabled' : 'Disabled'} Job ${label} in schedule.`;
  return say(comment, true, { changes: new Map([[name, done]]) });
}

/** `schedule.enable` and `disable`. */
export async function setScheduleEnabled(
  ctx: ModuleContext,
  isEnabled: boolean,
  kwargs: Dict,
): Promise<Dict> {
  const [verb, done] = isEnabled ? ['enable', 'enabled'] : ['disable', 'disabled'];
  const answer = (comment: string, changes: Dict, result: boolean): Dict =>
    dict({ comment, changes, result });
  if (truthy(kwargs.get('test'))) return answer(`Schedule would be ${done}.`, dict(), true);
  const order = dict({ func: verb, persist: kwargs.get('persist') ?? true });
  const schedule = (await ctx.services.manage?.('schedule', order, tag(`${done}_complete`)))?.get('schedule');
  const isNow = isDict(schedule) && schedule.has('enabled') && truthy(schedule.get('enabled')) === isEnabled;
  if (!isNow) return answer(`Failed to ${verb} schedule on minion.`, dict(), false);
  const word = isEnabled ? 'Enabled' : 'Disabled';
  return answer(`${word} schedule on minion.`, dict({ schedule: done }), true);
}

/** `schedule.save`. */
export async function saveJobs(ctx: ModuleContext, kwargs: Dict): Promise<Dict> {
  if (truthy(kwargs.get('test'))) return say('Schedule would be saved.', true);
  const answer = await ctx.services.manage?.('schedule', dict({ func: 'save_schedule' }), tag('saved'));
  return truthy(answer?.get('complete') ?? null)
    ? say('Schedule (non-pillar items) saved.', true)
    : say('Failed to save schedule.', false);
}

/** `schedule.reload`. */
export async function reloadJobs(ctx: ModuleContext): Promise<Dict> {
  const comments: Value[] = [];
  let isGood = true;
  if (ctx.pillar.has('schedule')) {
    const isTaken = await ctx.services.refresh('pillar');
    comments.push(
      isTaken
        ? 'Reloaded schedule from pillar on minion.'
        : 'Failed to reload schedule from pillar on minion.',
    );
    isGood = isTaken;
  }
  const schedule = readReloadable(ctx, comments);
  if (schedule === undefined) return say(comments, isGood);
  const inner = isDict(schedule) ? schedule.get('schedule') : undefined;
  if (!truthy(inner ?? null)) {
    comments.push('Failed to reload schedule on minion.  Saved file is empty or invalid.');
    return say(comments, false);
  }
  const isTaken = (await ctx.services.manage?.('schedule', dict({ func: 'reload', schedule }))) !== undefined;
  comments.push(
    isTaken
      ? 'Reloaded schedule on minion from schedule.conf.'
      : 'Failed to reload schedule on minion from schedule.conf.',
  );
  return say(comments, isGood && isTaken);
}

/** `minion.d/schedule.conf`, which only people write; undefined without it. */
function readReloadable(ctx: ModuleContext, comments: Value[]): Value | undefined {
  const conf = ctx.opts.get('conf_file');
  const include = ctx.opts.get('default_include');
  if (typeof conf !== 'string' || typeof include !== 'string') return undefined;
  const path = join(dirname(conf), dirname(include), 'schedule.conf');
  if (!existsSync(path)) return undefined;
  try {
    return loadYaml(readFileSync(path, 'utf8'));
  } catch (error) {
    comments.push(`Unable to read existing schedule file: ${messageOf(error)}`);
    return null;
  }
}

/** `schedule.run_job`. */
export async function runJob(ctx: ModuleContext, name: Value, force: boolean): Promise<Dict> {
  const label = pyStr(name);
  const job = (await listJobs(ctx, { showAll: true })).get(name);
  if (!isDict(job)) return say(`Job ${label} does not exist.`, false);
  if (job.get('enabled') === false && !force) return say(`Job ${label} is disabled.`, true);
  const isTaken = (await ctx.services.manage?.('schedule', dict({ name, func: 'run_job' }))) !== undefined;
  return isTaken
    ? say(`Scheduling Job ${label} on minion.`, true)
    : say(`Failed to run job ${label} on minion.`, false);
}

/** What differs between postponing and skipping. */
interface TimeOrder {
  readonly func: 'postpone_job' | 'skip_job';
  readonly done: string;
  readonly would: string;
  readonly failed: string;
}

const POSTPONE: TimeOrder = {
  func: 'postpone_job',
  done: 'Postponed Job',
  would: 'postponed',
  failed: 'Failed to postpone job',
};
const SKIP: TimeOrder = {
  func: 'skip_job',
  done: 'Added Skip Job',
  would: 'skipped',
  failed: 'Failed to skip job',
};

/** `schedule.postpone_job`. */
export async function postponeJob(
  ctx: ModuleContext,
  name: Value,
  currentTime: Value,
  newTime: Value,
  kwargs: Dict,
): Promise<Dict> {
  if (!truthy(name)) return say('Job name is required.', false);
  if (!truthy(currentTime)) return say('Job current time is required.', false);
  const format = timeFormat(kwargs);
  const isDate = (time: Value): boolean => typeof time === 'string' && strptime(time, format) !== undefined;
  if (!isDate(currentTime)) return say('Date string could not be parsed.', false);
  if (!truthy(newTime)) return say('Job new_time is required.', false);
  if (!isDate(newTime)) return say('Date string could not be parsed.', false);
  return changeTime(ctx, name, POSTPONE, { time: currentTime, new_time: newTime, time_fmt: format });
}

/** `schedule.skip_job`. */
export async function skipJob(
  ctx: ModuleContext,
  name: Value,
  currentTime: Value,
  kwargs: Dict,
): Promise<Dict> {
  if (!truthy(name)) return say('Job name is required.', false);
  if (!truthy(currentTime)) return say('Job time is required.', false);
  const format = timeFormat(kwargs);
  if (typeof currentTime !== 'string' || strptime(currentTime, format) === undefined)
    return say('Date string could not be parsed.', false);
  return changeTime(ctx, name, SKIP, { time: currentTime, time_fmt: format });
}

function timeFormat(kwargs: Dict): string {
  const format = kwargs.get('time_fmt') ?? null;
  return truthy(format) ? pyStr(format) : TIME_FORMAT;
}

async function changeTime(ctx: ModuleContext, name: Value, what: TimeOrder, times: DictInit): Promise<Dict> {
  const label = pyStr(name);
  if (truthy(ctx.opts.get('test'))) return say(`Job: ${label} would be ${what.would} in schedule.`, true);
  const place = await placeOf(ctx, name);
  if (place === undefined) return say(`Job ${label} does not exist.`, false);
  place.delete('persist');
  const order: Dict = new Map([...dict({ name, func: what.func, ...times }), ...place]);
  const answer = await ctx.services.manage?.('schedule', order, tag(`${what.func}_complete`));
  const schedule = answer?.get('schedule');
  const job = isDict(schedule) ? schedule.get(name) : undefined;
  const isEnabled = isDict(job) && job.get('enabled') !== false;
  return isEnabled
    ? say(`${what.done} ${label} in schedule.`, true)
    : say(`${what.failed} ${label} in schedule.`, false);
}

/** `schedule.show_next_fire_time`. */
export async function nextFireTime(ctx: ModuleContext, name: Value): Promise<Dict> {
  const order = dict({ name, func: 'get_next_fire_time' });
  const answer = await ctx.services.manage?.('schedule', order, tag('next_fire_time_complete'));
  const next = answer?.get('next_fire_time');
  return next === undefined
    ? dict({ result: true, comment: 'next fire time not available.' })
    : dict({ result: true, next_fire_time: next });
}

/** `schedule.job_status`. @returns None when no minion answers */
export async function jobStatus(ctx: ModuleContext, name: Value, format: string): Promise<Dict | null> {
  const order = dict({ func: 'job_status', name, fire_event: true });
  const answer = await ctx.services.manage?.('schedule', order, tag('job_status_complete'));
  if (answer === undefined) return null;
  const data = answer.get('data');
  const out: Dict = new Map();
  for (const [key, value] of isDict(data) ? data : []) {
    const local = datetimeMs(value);
    out.set(key, local === undefined ? value : strftime(local, format));
  }
  return out;
}

/** Whether a minion has not taken a job. */
function isRefusal(answer: Value): boolean {
  return !isDict(answer) || answer.get('result') !== true;
}

/** `schedule.move` and `copy`. */
export async function sendJob(
  ctx: ModuleContext,
  name: Value,
  target: Value,
  isMove: boolean,
  kwargs: Dict,
): Promise<Dict> {
  const label = pyStr(name);
  const would = isMove ? 'moved' : 'copied';
  if (truthy(kwargs.get('test'))) return say(`Job: ${label} would be ${would} from schedule.`, true);
  const jobs = [
    await listJobs(ctx, { showAll: true, where: 'opts' }),
    await listJobs(ctx, { showAll: true, where: 'pillar' }),
  ];
  const job = jobs.map((each) => each.get(name)).find(isDict);
  if (job === undefined) return say(`Job ${label} does not exist.`, false);
  const args = [...job].map(([key, value]) => `${pyStr(key)}=${pyStr(value)}`);
  const response = await ctx.functions.call('publish.publish', [target, 'schedule.add', args]);
  const answers = isDict(response) ? response : new Map<Value, Value>();
  const refused = [...answers].filter(([, value]) => isRefusal(value)).map(([minion]) => minion);
  // Salt compat: both are a success in Salt, where a mapping counts as one whatever its result is
  if (answers.size === 0)
    return say(
      'no servers answered the published schedule.add command: the option peer of the master has to allow schedule.add ' +
        'to this minion, and the target has to match',
      false,
    );
  if (refused.length > 0) return say('the following minions return False', false, { minions: refused });
  if (isMove) await deleteJob(ctx, name, dict());
  const comment = isMove
    ? `Moved Job ${label} from schedule.`
    : `Copied Job ${label} from schedule to minion(s).`;
  return say(comment, true, { minions: [...answers.keys()] });
}
