/**
 * Jobs that a wanted one takes over, so that a command is not run twice: a line above those that Salt manages, and a
 * job that had no identifier but its command.
 *
 * Salt compat: Salt looks at neither and adds a second job.
 */
import { needsChange, TIME_FIELDS, type CronJob, type TimeField } from './table.ts';

/** What is compared of a wanted job; a time that is not text may be anything. */
export interface WantedLine {
  readonly cmd: string;
  readonly times: Readonly<Record<TimeField, string | null>> | undefined;
  readonly spec: string | null;
}

/** The job of a line that Salt does not manage; undefined for a remark, a variable, or what is no job. */
function unmanagedJob(line: string): CronJob | undefined {
  const rest = { identifier: null, comment: null, commented: false };
  const special = /^\s*(@\w+)\s+(\S.*?)\s*$/.exec(line);
  if (special !== null) return { ...rest, times: undefined, spec: special[1] ?? '', cmd: special[2] ?? '' };
  if (/^\s*(#|\w+\s*=)/.test(line)) return undefined;
  const words = /^\s*(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S.*?)\s*$/.exec(line);
  if (words === null) return undefined;
  const [minute = '', hour = '', daymonth = '', month = '', dayweek = ''] = words
    .slice(1, 6)
    .map((word) => word.toLowerCase());
  const times = { minute, hour, daymonth, month, dayweek };
  return { ...rest, times, spec: undefined, cmd: words[6] ?? '' };
}

type Times = Readonly<Record<TimeField, string | null>>;

const SPECIAL_TIMES: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

/** The times that a word stands for; undefined for `@reboot` and what else is no time. */
function timesOfSpecial(spec: string): Times | undefined {
  const words = SPECIAL_TIMES.get(spec)?.split(' ');
  const [minute = '', hour = '', daymonth = '', month = '', dayweek = ''] = words ?? [];
  return words && { minute, hour, daymonth, month, dayweek };
}

const NAMED: Readonly<Partial<Record<TimeField, readonly string[]>>> = {
  month: ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  dayweek: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
};

/**
 * One way to write a time that cron lets write in several: `07` and `7`, `mon` and `1`, 0 and 7 for Sunday, a step of
 * one.
 */
function plainTime(field: TimeField, text: string): string {
  const numbered = text
    .toLowerCase()
    .replace(/\/0*1(?=,|$)/g, '')
    .replace(/[a-z]{3,}|\d+/g, (word) => {
      const at = NAMED[field]?.indexOf(word) ?? -1;
      return at >= 0 ? String(at) : word.replace(/^0+(?=\d)/, '');
    });
  return field === 'dayweek' ? numbered.replace(/(?<=^|,)7(?=,|$)/g, '0') : numbered;
}

function isAtTimeOf(job: CronJob, { times, spec }: WantedLine): boolean {
  const wanted = times ?? timesOfSpecial(spec ?? '');
  const has = job.times ?? timesOfSpecial(job.spec ?? '');
  if (wanted === undefined || has === undefined) return times === undefined && job.spec === spec;
  return TIME_FIELDS.every((field) => {
    const [old, now] = [has[field], wanted[field]].map((time) => time && plainTime(field, time));
    return !needsChange(old ?? null, now ?? null);
  });
}

/**
 * The job of an unmanaged line with the command and the times of the wanted one; undefined when the line is another.
 */
export function unmanagedTwin(line: string, wanted: WantedLine): CronJob | undefined {
  const job = unmanagedJob(line);
  return job?.cmd === wanted.cmd && isAtTimeOf(job, wanted) ? job : undefined;
}

/** Whether a job has the command that is wanted, and no identifier but the one that `cron.present` makes of it. */
export function isNamedByCommand(job: Pick<CronJob, 'cmd' | 'identifier'>, cmd: string): boolean {
  return job.cmd === cmd && job.identifier === cmd;
}

/**
 * Whether a job that is named by its command is the wanted one before it had an identifier: it runs at the same times.
 */
export function isUnnamedTwin(
  job: CronJob,
  wanted: WantedLine & { readonly identifier: string | null },
): boolean {
  const hasName = wanted.identifier !== null && wanted.identifier !== '';
  return hasName && isNamedByCommand(job, wanted.cmd) && isAtTimeOf(job, wanted);
}
