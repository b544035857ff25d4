/**
 * What is configured for a scheduled job and can have no effect: a job that never runs, and fields that nobody looks
 * at. Salt says nothing of these; here each is said once, when the job is first seen.
 */
import { settingsOfReturner, unreadReturnerKwargs } from '../../config/returner-kwargs.ts';
import { didYouMean } from '../../errors/did-you-mean.ts';
import { readDate } from '../../python/text/date-text.ts';
import { strptime } from '../../python/text/strftime.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, pyTypeName, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { parseCron } from './cron.ts';
import { functionOf, type Moment } from './job-state.ts';
import { DEFAULT_TIME_FORMAT, INTERVAL_UNITS, lookUpWhen, NAMED_FORMS } from './timing.ts';
import { fromLocal, toLocal } from './zone.ts';

const UNITS = INTERVAL_UNITS.map(([unit]) => unit);
const TIME_KEYS: readonly string[] = [...UNITS, ...NAMED_FORMS];
/** Every field that a job can have. */
const FIELDS: ReadonlySet<string> = new Set([
  ...TIME_KEYS,
  ...['function', 'func', 'fun', 'name', 'args', 'kwargs', 'metadata', 'enabled', 'dry_run', 'persist'],
  ...['once_fmt', 'range', 'until', 'after', 'splay', 'run_on_start', 'maxrunning', 'jid_include'],
  ...['run_explicit', 'skip_explicit', 'skip_during_range', 'run_after_skip_range'],
  ...['returner', 'return_job', 'return_config', 'return_kwargs'],
]);
/** A date that is the same this far from now names its day, and does not come back. */
const OTHER_DAY_MS = 400 * 86_400_000;

/**
 * The faults of one job as sentences, each with what to do. What stands beside the jobs, such as `splay` for all, is
 * not looked at.
 */
export function jobFaults(name: string, data: Dict, moment: Moment): string[] {
  const faults = [
    ...unknownFields(data),
    ...functionFaults(data),
    ...timeFaults(data),
    ...pastFaults(name, data, moment),
    ...limitFaults(data),
    ...explicitFaults(data),
    ...companionFaults(data),
    ...returnerFaults(data),
    ...typeFaults(data),
  ];
  return faults.map((fault) => `Scheduled job "${name}": ${fault}`);
}

/** Faults of a job that is about to be added: why it never runs, or what of it does nothing, whatever the time is. */
export function draftFaults(data: Dict): string[] {
  const numbers = UNITS.filter((unit) => data.has(unit) && !isNumber(data.get(unit) ?? null)).map(
    (unit) => `${unit} must be a number, not ${pyStr(data.get(unit) ?? null)}; the job never runs.`,
  );
  return [
    ...unknownFields(data),
    ...functionFaults(data),
    ...timeFaults(data),
    ...numbers,
    ...cronFaults(data),
    ...limitFaults(data),
    ...returnerFaults(data),
    ...typeFaults(data),
  ];
}

function isNumber(value: Value): boolean {
  return toNumber(value) !== undefined || (typeof value === 'string' && Number.isFinite(Number(value)));
}

function cronFaults(data: Dict): string[] {
  const cron = data.get('cron');
  if (typeof cron !== 'string') return [];
  if (parseCron(cron) !== undefined) return [];
  return [`cron is ${cron}; it takes five fields, such as '*/5 * * * *'. The job never runs.`];
}

function unknownFields(data: Dict): string[] {
  const unknown = [...data.keys()].filter(
    (key) => typeof key !== 'string' || (!FIELDS.has(key) && !key.startsWith('_')),
  );
  return unknown.map(
    (key) => `there is no field ${pyStr(key)}; it has no effect.${didYouMean(pyStr(key), FIELDS)}`,
  );
}

function functionFaults(data: Dict): string[] {
  if (functionOf(data) !== undefined) return [];
  return ['it names no function and never runs; add one, such as "function: state.apply".'];
}

function timeFaults(data: Dict): string[] {
  const units = UNITS.filter((unit) => data.has(unit));
  const named = NAMED_FORMS.filter((form) => data.has(form));
  if (units.length === 0 && named.length === 0) {
    const also = ['run_on_start', 'run_explicit', 'range'].filter((key) => data.has(key));
    const without =
      also.length > 0 ? `, whatever ${also.join(' and ')} say${also.length > 1 ? '' : 's'}` : '';
    return [`it has no time and never runs${without}; add one of ${TIME_KEYS.join(', ')}.`];
  }
  if (units.length === 0) return [];
  const out = named.map((form) => `${form} has no effect beside ${units.join(' and ')}; remove one of them.`);
  const seconds = intervalSeconds(data);
  if (seconds !== undefined && seconds <= 0)
    out.push(`an interval of ${seconds} seconds means a run each second; set one of 1 or more.`);
  return out;
}

function intervalSeconds(data: Dict): number | undefined {
  let sum = 0;
  for (const [unit, factor] of INTERVAL_UNITS) {
    const value = data.get(unit) ?? 0;
    const number = toNumber(value) ?? (typeof value === 'string' ? Number(value) : NaN);
    if (!Number.isFinite(number)) return undefined;
    sum += Math.trunc(number) * factor;
  }
  return sum;
}

/** Times that name a day which is over. A text without a day, such as `8am`, comes back. */
function pastFaults(name: string, data: Dict, moment: Moment): string[] {
  const out: string[] = [];
  const isInterval = UNITS.some((unit) => data.has(unit));
  const until = data.get('until');
  if (until !== undefined && isOver(until, moment))
    out.push(
      `its time ended (until: ${pyStr(until)}), it does not run any more; move the end or remove the job.`,
    );
  if (isInterval) return out;
  const once = data.get('once');
  const format = pyStr(data.get('once_fmt') ?? DEFAULT_TIME_FORMAT);
  const local = typeof once === 'string' ? strptime(once, format) : undefined;
  if (local !== undefined && fromLocal(moment.zone, local) < moment.nowMs - moment.windowMs)
    out.push(
      `its only time is over (once: ${pyStr(once ?? null)}), it does not run any more; set another or remove the job.`,
    );
  const when = data.get('when');
  const times = when === undefined ? [] : Array.isArray(when) ? when : [when];
  if (times.length > 0 && times.every((item) => isOver(whenOf(item, name, moment), moment)))
    out.push(
      `all its times are over (when: ${times.map(pyStr).join(', ')}), it does not run any more; set others or remove the job.`,
    );
  if (Array.isArray(when) && when.length === 0)
    out.push('its list of times (when) is empty and it never runs; add one, or remove the job.');
  return out;
}

function whenOf(item: Value, name: string, moment: Moment): Value {
  try {
    return lookUpWhen(item, name, moment);
  } catch {
    // said as an error of the job itself
    return null;
  }
}

function isOver(text: Value, { nowMs, windowMs, zone }: Moment): boolean {
  if (typeof text !== 'string') return false;
  const [now, then] = [nowMs, nowMs + OTHER_DAY_MS].map((atMs) => readDate(text, toLocal(zone, atMs)));
  if (now === undefined || now.localMs !== then?.localMs) return false;
  const atMs =
    now.offsetMinutes === undefined ? fromLocal(zone, now.localMs) : now.localMs - now.offsetMinutes * 60_000;
  return atMs < nowMs - windowMs;
}

function limitFaults(data: Dict): string[] {
  const limit = data.get('maxrunning');
  if (limit === undefined) return [];
  if (data.get('jid_include') === false)
    return ['maxrunning has no effect beside "jid_include: False"; remove one of them.'];
  if (typeof limit !== 'number' && typeof limit !== 'bigint')
    return [`maxrunning must be a number, not ${pyStr(limit)}; it runs without a limit.`];
  return limit < 1 ? [`"maxrunning: ${limit}" lets it never run; set 1 or more.`] : [];
}

/** Times in `run_explicit` and `skip_explicit` that nobody can read. */
function explicitFaults(data: Dict): string[] {
  return ['run_explicit', 'skip_explicit'].flatMap((key) => {
    const list = data.get(key);
    if (list === undefined) return [];
    if (!Array.isArray(list)) return [`${key} must be a list of times, and has no effect as it is.`];
    return list.flatMap((item) => {
      const time = isDict(item) ? item.get('time') : item;
      const format = pyStr((isDict(item) ? item.get('time_fmt') : undefined) ?? DEFAULT_TIME_FORMAT);
      if (typeof time === 'string' && strptime(time, format) !== undefined) return [];
      return [
        `the time ${pyStr(time ?? null)} in ${key} is left out; write it as ${format}, or give time_fmt.`,
      ];
    });
  });
}

/** Fields that only mean something beside another one. */
const COMPANIONS: readonly (readonly [field: string, of: readonly string[]])[] = [
  ['once_fmt', ['once']],
  ['return_config', ['returner']],
  ['return_kwargs', ['returner']],
];

function companionFaults(data: Dict): string[] {
  return COMPANIONS.filter(([field, of]) => data.has(field) && !of.some((one) => data.has(one))).map(
    ([field, of]) => `${field} has no effect without ${of.join(' or ')}; add it, or remove ${field}.`,
  );
}

function returnerFaults(data: Dict): string[] {
  const returner = data.get('returner') ?? null;
  const texts = (Array.isArray(returner) ? returner : [returner]).filter(truthy).map(pyStr);
  const names = texts.flatMap((text) => text.split(',')).map((name) => name.trim());
  return unreadReturnerKwargs(
    'return_kwargs',
    data.get('return_kwargs') ?? null,
    new Map(names.map((name) => [name, settingsOfReturner(name)])),
  );
}

function typeFaults(data: Dict): string[] {
  const out: string[] = [];
  const [args, kwargs, metadata] = ['args', 'kwargs', 'metadata'].map((key) => data.get(key));
  if (truthy(args) && !Array.isArray(args))
    out.push(`args must be a list, not ${pyTypeName(args ?? null)}; its function is called without it.`);
  if (truthy(kwargs) && !isDict(kwargs))
    out.push(
      `kwargs must be a mapping, not ${pyTypeName(kwargs ?? null)}; its function is called without it.`,
    );
  if (metadata !== undefined && !isDict(metadata))
    out.push(`metadata must be a mapping, not ${pyTypeName(metadata)}; it is left out.`);
  const splay = data.get('splay') ?? null;
  if (isDict(splay)) {
    const [start, end] = ['start', 'end'].map((key) => toNumber(splay.get(key)));
    if (start === undefined || end === undefined || end < start)
      out.push('splay has no effect; its start and end must be numbers, the end not below the start.');
  } else if (truthy(splay) && (toNumber(splay) ?? 0) < 1)
    out.push(
      `splay must be a number of seconds or a start and an end, not ${pyStr(splay)}; it has no effect.`,
    );
  return out;
}
