/** A job as it is written into the schedule (3006.16 salt/modules/schedule.py `build_schedule_item`). */
import { readDate } from '../../../python/text/date-text.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';

const TIME_UNITS = ['seconds', 'minutes', 'hours', 'days'] as const;
const COPIED = [
  ...[
    'range',
    'when',
    'once',
    'once_fmt',
    'cron',
    'returner',
    'after',
    'return_config',
    'return_kwargs',
    'until',
  ],
  ...['run_on_start', 'skip_during_range'],
];
/** Salt compat: Salt's own function drops this field, without which `skip_during_range` cannot be made up for. */
const ALSO_COPIED = ['run_after_skip_range', 'dry_run'];

/**
 * What keywords say of a job. Salt compat: what they cannot say is lost in Salt when a job is modified, such as times
 * that were postponed.
 */
const SAID: ReadonlySet<Value> = new Set([
  ...['function', 'func', 'fun', 'args', 'kwargs', 'maxrunning', 'name', 'enabled', 'jid_include', 'splay'],
  ...['return_job', 'metadata', ...TIME_UNITS, ...COPIED, ...ALSO_COPIED],
]);

/** What of a job no keyword can say, and what modifying it leaves as it is. */
export function beyondKeywords(job: Dict): Dict {
  return new Map([...job].filter(([key]) => !SAID.has(key) && !String(key).startsWith('_')));
}

/** True when an interval is given together with a named time. */
export function hasTimeConflict(kwargs: Dict): boolean {
  return TIME_UNITS.some((unit) => kwargs.has(unit)) && (kwargs.has('when') || kwargs.has('cron'));
}

const refusal = (comment: string): Dict => dict({ comment, result: false });

/**
 * Builds a job out of keywords.
 * @returns the job, or `{comment, result: False}`
 */
export function buildItem(name: Value, kwargs: Dict): Dict {
  if (name === null || name === '') return refusal('Job name is required.');
  const fun = kwargs.get('function');
  if (!truthy(fun))
    return refusal(`Job ${pyStr(name)} needs a function; add one, such as function=state.apply.`);
  const item: Dict = new Map([['function', fun ?? null]]);
  if (hasTimeConflict(kwargs))
    return refusal('Unable to use "seconds", "minutes", "hours", or "days" with "when" or "cron" options.');
  if (kwargs.has('when') && kwargs.has('cron'))
    return refusal('Unable to use "when" and "cron" options together.  Ignoring.');
  for (const key of [...TIME_UNITS, 'return_job', 'metadata']) copy(kwargs, key, item, key);
  const problem = takeArguments(kwargs, item);
  if (problem !== undefined) return refusal(problem);
  item.set('maxrunning', kwargs.get('maxrunning') ?? 1);
  item.set('name', kwargs.get('name') ?? name);
  item.set('enabled', kwargs.get('enabled') ?? true);
  item.set('jid_include', kwargs.get('jid_include') ?? true);
  takeSplay(kwargs, item);
  const wrongDate = badWhen(kwargs);
  if (wrongDate !== undefined) return refusal(`Schedule item ${pyStr(wrongDate)} for "when" in invalid.`);
  for (const key of [...COPIED, ...ALSO_COPIED]) copy(kwargs, key, item, key);
  return item;
}

function copy(from: Dict, key: string, to: Dict, toKey: string): void {
  const value = from.get(key);
  if (value !== undefined) to.set(toKey, value);
}

function takeArguments(kwargs: Dict, item: Dict): string | undefined {
  const args = kwargs.get('job_args');
  if (args !== undefined && !Array.isArray(args))
    return 'job_args is not a list. please correct and try again.';
  const keywords = kwargs.get('job_kwargs');
  if (keywords !== undefined && !isDict(keywords))
    return 'job_kwargs is not a dict. please correct and try again.';
  copy(kwargs, 'job_args', item, 'args');
  copy(kwargs, 'job_kwargs', item, 'kwargs');
  return undefined;
}

function takeSplay(kwargs: Dict, item: Dict): void {
  const splay = kwargs.get('splay');
  if (splay === undefined) return;
  item.set(
    'splay',
    isDict(splay) ? dict({ start: splay.get('start') ?? null, end: splay.get('end') ?? null }) : splay,
  );
}

/** The first date of `when` that is none. */
function badWhen(kwargs: Dict): Value | undefined {
  const when = kwargs.get('when');
  if (when === undefined) return undefined;
  const list = Array.isArray(when) ? when : [when];
  return list.find((text) => typeof text !== 'string' || readDate(text, 0) === undefined);
}
