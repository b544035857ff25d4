/**
 * A job of a minion's schedule as a form: what stands in its fields, what is wrong with them, and the keywords of
 * `schedule.add` and `schedule.modify` that say the same. A field that nobody has touched is sent as it was; what no
 * field shows is kept.
 */
import { cronProblem } from './cron-text.ts';
import { isFunctionName } from './function-detail.ts';
import { isMapping, mappingIn, type Mapping } from './json.ts';

/** The ways in which a job's time is said. */
export type Timing = 'interval' | 'cron' | 'when' | 'once' | 'none';

/** The form, without the arguments of the job's function, which have one of their own. */
export interface JobForm {
  readonly name: string;
  readonly fun: string;
  readonly timing: Timing;
  /** Texts by the names of fields. */
  readonly fields: ReadonlyMap<string, string>;
  /** The job that is changed; empty for a new one. */
  readonly before: Mapping;
}

/** The units of an interval. */
export const UNITS = ['days', 'hours', 'minutes', 'seconds'] as const;
/** Names that stand for something else in a schedule. */
const RESERVED: ReadonlySet<string> = new Set(['enabled', 'splay', 'skip_function', 'skip_during_range']);
const TIME_FIELDS: Readonly<Record<Timing, readonly string[]>> = {
  interval: UNITS,
  cron: ['cron'],
  when: ['when'],
  once: ['once', 'once_fmt'],
  none: [],
};
const FLAGS = ['enabled', 'run_on_start', 'return_job', 'jid_include', 'run_after_skip_range'] as const;
const TEXTS = ['after', 'until', 'returner', 'return_config'] as const;
const MAPPINGS = ['metadata', 'return_kwargs'] as const;
const RANGES = ['range', 'skip_during_range'] as const;
/** What of a job has a field, or a form of its own. */
const SHOWN: ReadonlySet<string> = new Set([
  ...['name', 'function', 'func', 'fun', 'args', 'kwargs', 'splay', 'maxrunning'],
  ...Object.values(TIME_FIELDS).flat(),
  ...[...FLAGS, ...TEXTS, ...MAPPINGS, ...RANGES],
]);
/** What is not configuration: states and times of the scheduler, and what the list says of the file. */
const isOwn = (key: string): boolean => key.startsWith('_') || key === 'saved';

/** What would mean something else to the functions that take a job. */
const NOT_SENT: ReadonlySet<string> = new Set(['test', 'persist', 'offline', 'job_args', 'job_kwargs']);

/** A form for a new job. */
export const NEW_JOB: JobForm = {
  ...{ name: '', fun: '', timing: 'interval' },
  ...{ fields: new Map([['enabled', 'True']]), before: {} },
};

/** The form of a job that is there. @param data as `schedule.job_status` shows it */
export function formOf(name: string, data: Mapping): JobForm {
  const before = Object.fromEntries(
    Object.entries(data).filter(([key, value]) => !isOwn(key) && value !== null),
  );
  return {
    ...{ name, fun: functionOf(before), before, timing: timingOf(before) },
    fields: new Map(Object.keys(before).flatMap((key) => [...textsOf(key, before[key])])),
  };
}

/** The function of a job, under each of the names that a minion takes for it; empty when it has none. */
export function functionOf(job: Mapping): string {
  const [fun = ''] = [job['function'], job['func'], job['fun']].filter((each) => typeof each === 'string');
  return fun;
}

function timingOf(job: Mapping): Timing {
  // an interval wins over a named time, as on the minion
  const kinds: readonly Timing[] = ['interval', 'cron', 'when', 'once'];
  return kinds.find((kind) => TIME_FIELDS[kind].some((key) => key in job && key !== 'once_fmt')) ?? 'none';
}

/** What stands in the fields for one key. */
function textsOf(key: string, value: unknown): ReadonlyMap<string, string> {
  const part = (name: string): string => plainText(mappingIn(value)[name]);
  if (RANGES.some((each) => each === key) && isMapping(value))
    return new Map([
      [`${key}.start`, part('start')],
      [`${key}.end`, part('end')],
      [`${key}.invert`, part('invert') === 'True' ? 'True' : ''],
    ]);
  if (key === 'splay' && isMapping(value))
    return new Map([
      ['splay.start', part('start')],
      ['splay.end', part('end')],
    ]);
  if (key === 'splay') return new Map([['splay.end', plainText(value)]]);
  if (key === 'when' && Array.isArray(value)) return new Map([['when', value.map(plainText).join('\n')]]);
  return new Map([[key, plainText(value)]]);
}

function plainText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * What of the job no field shows; it is sent as it is, and kept by the minion where `schedule.modify` has no keyword
 * for it.
 */
export function keptOf({ before }: JobForm): Mapping {
  return Object.fromEntries(Object.entries(before).filter(([key]) => !SHOWN.has(key)));
}

/** Times of the job that have no effect beside the one that is chosen, and go when it is saved. */
export function droppedOf({ before, timing }: JobForm): string[] {
  const kept = TIME_FIELDS[timing];
  return Object.values(TIME_FIELDS)
    .flat()
    .filter((key) => key in before && !kept.includes(key));
}

/** The keywords that say the job, without those of its function. Only of use when `jobProblems` has none. */
export function keywordsOf(form: JobForm): Record<string, unknown> {
  const kept = Object.entries(keptOf(form)).filter(([key]) => !NOT_SENT.has(key));
  const out = new Map<string, unknown>([['function', form.fun.trim()], ...kept]);
  const put = (key: string, value: unknown): void => {
    if (value !== undefined) out.set(key, isUntouched(form, key) ? form.before[key] : value);
  };
  for (const unit of form.timing === 'interval' ? UNITS : []) put(unit, wholeNumber(text(form, unit)));
  for (const key of form.timing === 'interval' ? [] : TIME_FIELDS[form.timing])
    put(key, key === 'when' ? linesOf(text(form, key)) : given(text(form, key)));
  for (const key of FLAGS) put(key, flagOf(text(form, key)));
  for (const key of TEXTS) put(key, given(text(form, key)));
  for (const key of MAPPINGS) put(key, mappingOf(text(form, key)));
  for (const key of RANGES) put(key, rangeOf(form, key));
  put('maxrunning', wholeNumber(text(form, 'maxrunning')));
  put('splay', splayOf(form));
  return Object.fromEntries(out);
}

/** Whether what stands in the fields of a key is what the job had. */
function isUntouched({ before, fields }: JobForm, key: string): boolean {
  if (!(key in before)) return false;
  return [...textsOf(key, before[key])].every(([field, was]) => (fields.get(field) ?? '') === was);
}

const text = ({ fields }: JobForm, field: string): string => (fields.get(field) ?? '').trim();
const given = (value: string): string | undefined => (value === '' ? undefined : value);
const wholeNumber = (value: string): number | undefined =>
  /^\d{1,12}$/.test(value) ? Number(value) : undefined;
const flagOf = (value: string): boolean | undefined => (value === '' ? undefined : value === 'True');

function linesOf(value: string): string | string[] | undefined {
  const lines = value
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.length > 1 ? lines : lines[0];
}

function mappingOf(value: string): Mapping | undefined {
  try {
    const read = JSON.parse(value) as unknown;
    return isMapping(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function rangeOf(form: JobForm, key: string): Record<string, unknown> | undefined {
  const [start, end] = [text(form, `${key}.start`), text(form, `${key}.end`)];
  if (start === '' || end === '') return undefined;
  return { start, end, ...(text(form, `${key}.invert`) === 'True' ? { invert: true } : {}) };
}

function splayOf(form: JobForm): unknown {
  const [start, end] = [text(form, 'splay.start'), text(form, 'splay.end')].map(wholeNumber);
  if (end === undefined) return undefined;
  return start === undefined ? end : { start, end };
}

/**
 * What is wrong with a form, as sentences.
 * @param names of the jobs that are there, for a new one; none for one that is changed
 * @param nowMs for times that are over
 */
export function jobProblems(form: JobForm, names: readonly string[], nowMs: number): string[] {
  return [
    ...nameProblems(form, names),
    ...(isFunctionName(form.fun.trim()) ? [] : ['Name the function that is run, such as state.apply.']),
    ...timeProblems(form, nowMs),
    ...RANGES.flatMap((key) => rangeProblems(form, key)),
    ...splayProblems(form),
    ...countProblems(form),
    ...MAPPINGS.filter((key) => text(form, key) !== '' && mappingOf(text(form, key)) === undefined).map(
      (key) => `${key} is a mapping in JSON, such as {"ticket": "4711"}.`,
    ),
  ];
}

function nameProblems({ name, before }: JobForm, names: readonly string[]): string[] {
  const wanted = name.trim();
  if (Object.keys(before).length > 0) return [];
  if (wanted === '') return ['Give the job a name.'];
  if (RESERVED.has(wanted))
    return [`${wanted} is a setting of the whole schedule; give the job another name.`];
  if (wanted.startsWith('_'))
    return ['Names that begin with _ are those of the minion itself; give the job another one.'];
  if (names.includes(wanted))
    return [`There is a job ${wanted} already; change it, or give this one another name.`];
  return [];
}

function timeProblems(form: JobForm, nowMs: number): string[] {
  const { timing } = form;
  if (timing === 'interval') return intervalProblems(form);
  if (timing === 'cron') {
    const problem = cronProblem(text(form, 'cron'));
    return problem === undefined ? [] : [problem];
  }
  if (timing === 'when')
    return linesOf(text(form, 'when')) === undefined
      ? ['Say when it runs: 5:00pm, Tuesday 3:30pm, 2026-12-24T17:00:00, or a name of whens; each in a line.']
      : [];
  if (timing === 'once') return onceProblems(form, nowMs);
  return text(form, 'run_on_start') === 'True'
    ? [
        'A job without a time never runs by itself, when the minion starts neither; choose a time, or leave run_on_start.',
      ]
    : [];
}

function intervalProblems(form: JobForm): string[] {
  const texts = UNITS.map((unit) => [unit, text(form, unit)] as const).filter(([, value]) => value !== '');
  const wrong = texts.filter(([, value]) => wholeNumber(value) === undefined);
  if (wrong.length > 0) return wrong.map(([unit, value]) => `${unit} is a whole number, not ${value}.`);
  return texts.some(([, value]) => Number(value) > 0) ? [] : ['Say how often it runs: at least one second.'];
}

function onceProblems(form: JobForm, nowMs: number): string[] {
  const once = text(form, 'once');
  if (once === '') return ['Say when it runs, such as 2026-12-24T17:00:00.'];
  // another format is for the minion to read
  if (text(form, 'once_fmt') !== '') return [];
  const parts = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)$/.exec(once);
  if (parts === null)
    return [`Write ${once} as a date and a time, such as 2026-12-24T17:00:00, or give its format.`];
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1).map(Number);
  const atMs = Date.UTC(year, month - 1, day, hour, minute, second);
  if (new Date(atMs).toISOString().slice(0, 19) !== once) return [`There is no ${once}.`];
  // the minion's own clock counts, which may be most of a day away
  return atMs < nowMs - DAY_MS ? [`${once} is over; the job would never run.`] : [];
}

const DAY_MS = 86_400_000;

function rangeProblems(form: JobForm, key: string): string[] {
  const [start, end] = [text(form, `${key}.start`), text(form, `${key}.end`)];
  const what = key === 'range' ? 'The range' : 'The range that is left out';
  return (start === '') === (end === '') ? [] : [`${what} needs a start and an end.`];
}

function splayProblems(form: JobForm): string[] {
  const [start, end] = [text(form, 'splay.start'), text(form, 'splay.end')];
  const wrong = [start, end].filter((value) => value !== '' && wholeNumber(value) === undefined);
  if (wrong.length > 0) return [`A splay is a whole number of seconds, not ${wrong[0] ?? ''}.`];
  if (start !== '' && end === '') return ['A splay needs the most seconds that a run is put off.'];
  if (start !== '' && Number(start) > Number(end)) return ['The most of a splay is below its least.'];
  return end === '0' && start === '' ? ['A splay of 0 seconds has no effect; leave it empty.'] : [];
}

function countProblems(form: JobForm): string[] {
  const most = text(form, 'maxrunning');
  if (most === '') return [];
  if ((wholeNumber(most) ?? 0) < 1) return [`maxrunning is a whole number above 0, not ${most}.`];
  return text(form, 'jid_include') === 'False' && most !== '1'
    ? ['maxrunning has no effect when jid_include is False; change one of them.']
    : [];
}

/** A job's time in words. */
export function timeInWords(job: Mapping): string {
  const named = UNITS.filter((unit) => unit in job && job[unit] !== 0).map((unit) =>
    job[unit] === 1 ? unit.slice(0, -1) : `${plainText(job[unit])} ${unit}`,
  );
  if (UNITS.some((unit) => unit in job)) return `every ${named.join(' and ')}`;
  if ('cron' in job) return `cron ${plainText(job['cron'])}`;
  if ('once' in job) return `once, ${plainText(job['once'])}`;
  if (Array.isArray(job['when'])) return job['when'].map(plainText).join(', ');
  return 'when' in job ? plainText(job['when']) : 'only when it is asked to';
}
