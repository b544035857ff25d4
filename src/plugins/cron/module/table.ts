/** A user's table of cron as Salt reads and writes it. Follows 3006.16 salt/modules/cron.py. */
import { pyStr } from '../../../python/values/repr.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';

const TAG = '# Lines below here are managed by Salt, do not edit';
const ID_MARK = 'SALT_CRON_IDENTIFIER';
const NO_ID = 'NO ID SET';
const DISABLED = '#DISABLED#';

/** The times of a job, in the order of the file. */
export const TIME_FIELDS = ['minute', 'hour', 'daymonth', 'month', 'dayweek'] as const;
/** One of them. */
export type TimeField = (typeof TIME_FIELDS)[number];

/** A job. `spec` (`@daily`) stands in place of the times. */
export interface CronJob {
  readonly times: Readonly<Record<TimeField, string>> | undefined;
  readonly spec: string | undefined;
  readonly cmd: string;
  readonly identifier: string | null;
  readonly comment: string | null;
  readonly commented: boolean;
}

/** A variable. */
export interface CronVariable {
  readonly name: string;
  readonly value: string | null;
}

/** The whole table. */
export interface CronTable {
  /** Lines above those that Salt manages. */
  readonly pre: string[];
  readonly crons: CronJob[];
  readonly special: CronJob[];
  readonly env: CronVariable[];
}

/** Reads a table. */
export function parseTable(text: string): CronTable {
  const table: CronTable = { pre: [], crons: [], special: [], env: [] };
  let [isManaged, comment, identifier] = [false, null as string | null, null as string | null];
  const add = (list: CronJob[], job: Pick<CronJob, 'times' | 'spec' | 'cmd' | 'commented'>): void => {
    list.push({ ...job, identifier, comment });
    [identifier, comment] = [null, null];
  };
  for (const raw of splitLines(text)) {
    if (raw === TAG) {
      isManaged = true;
      continue;
    }
    if (!isManaged) {
      table.pre.push(raw);
      continue;
    }
    const commented = raw.startsWith(DISABLED);
    const line = commented ? raw.slice(DISABLED.length) : raw;
    const equals = line.indexOf('=');
    const blank = line.indexOf(' ');
    const words = line.split(' ');
    if (line.startsWith('@')) {
      const [spec = '', ...rest] = line.trim().split(/\s+/);
      if (rest.length > 0) add(table.special, { times: undefined, spec, cmd: rest.join(' '), commented });
    } else if (line.startsWith('#')) {
      let remark = line.replace(/^[# ]+/, '');
      const at = remark.indexOf(ID_MARK);
      if (at >= 0) {
        const after = remark.slice(at + ID_MARK.length).split(ID_MARK)[0] ?? '';
        if (after.length > 1) identifier = after.slice(1);
        remark = remark.slice(0, at).trimEnd();
      }
      comment = comment === null ? remark : `${comment}\n${remark}`;
    } else if (equals > 0 && (blank < 0 || equals < blank)) {
      table.env.push({ name: line.slice(0, equals), value: line.slice(equals + 1) });
    } else if (words.length > 5) {
      const [minute = '', hour = '', daymonth = '', month = '', dayweek = '', ...cmd] = words;
      const times = { minute, hour, daymonth, month, dayweek };
      add(table.crons, { times, spec: undefined, cmd: cmd.join(' '), commented });
    }
  }
  return table;
}

function remarkLine(job: CronJob): string {
  if (job.comment === null && job.identifier === null) return '';
  const text = job.comment === null || job.comment === '' ? '' : ` ${job.comment.replaceAll('\n', '\n# ')}`;
  const id = job.identifier === null || job.identifier === '' ? '' : ` ${ID_MARK}:${job.identifier}`;
  return `#${text}${id}\n`;
}

function jobLine(job: CronJob): string {
  const times = job.times === undefined ? job.spec : TIME_FIELDS.map((field) => job.times?.[field]).join(' ');
  return `${job.commented ? DISABLED : ''}${times ?? ''} ${job.cmd}\n`;
}

/** Writes a table. */
export function renderTable(table: CronTable): string {
  const lines = table.pre.map((line) => `${line}\n`);
  if (lines.at(-1) !== `${TAG}\n`) lines.push(`${TAG}\n`);
  for (const { name, value } of table.env) lines.push(value ? `${name}=${value}\n` : `${name}=""\n`);
  for (const job of [...table.crons, ...table.special]) lines.push(remarkLine(job), jobLine(job));
  return lines.join('');
}

/** A job as Salt shows it. */
export function jobDict(job: CronJob): Dict {
  const { identifier, cmd, comment, commented } = job;
  if (job.times === undefined) return dict({ spec: job.spec, cmd, identifier, comment, commented });
  return dict({ ...job.times, identifier, cmd, comment, commented });
}

/** The table as Salt shows it. */
export function tableDict(table: CronTable): Dict {
  return dict({
    pre: table.pre,
    crons: table.crons.map(jobDict),
    special: table.special.map(jobDict),
    env: table.env.map(({ name, value }) => dict({ name, value })),
  });
}

/**
 * Whether a variable has a value. Salt compat: Salt writes one without a value as `""`, and takes that for another one
 * at each run.
 */
export function isSameVariable(now: Value, wanted: Value): boolean {
  const text = (value: Value): string => (value === null || value === '""' ? '' : pyStr(value));
  return text(now) === text(wanted);
}

/** Whether a job is the one that a command and an identifier mean. */
export function isMeant(job: CronJob, cmd: string, identifier: string | null): boolean {
  const own = job.identifier === null || job.identifier === '' ? NO_ID : job.identifier;
  const wanted = identifier === null || identifier === '' ? NO_ID : identifier;
  if (job.cmd !== cmd && own === NO_ID && wanted === NO_ID) return false;
  const effective = job.cmd === cmd && own === NO_ID ? wanted : own;
  return effective === wanted;
}

/** The identifier that stands for none. */
export const NO_IDENTIFIER = NO_ID;

/** Whether a new value has to replace an old one: `random` only replaces `*`, nothing replaces nothing. */
export function needsChange(old: Value, wanted: Value): boolean {
  if (old === wanted) return false;
  if (wanted === 'random') return old === '*';
  return wanted !== null;
}
