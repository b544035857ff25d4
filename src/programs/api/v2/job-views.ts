/** Jobs and what became of their minions, as the interface shows them. */
import { outcomeReason, readOutcome } from '../../../runtime/client/outcome.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { jidTimeMs } from '../../../storage/jobs/jid.ts';
import type { JobArchive, JobSummary } from '../../../storage/jobs/job-store.ts';
import { hasSucceeded, judgeJob, type JobOutcome, type OutcomeKind } from '../../../storage/jobs/ledger.ts';
import type { StoredReturn } from '../../../storage/jobs/stored-return.ts';
import { userOf } from './owner.ts';
import type { MasterFiles } from './master-files.ts';
import {
  component,
  anything,
  dictionary,
  flag,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  text,
  type SchemaType,
} from './schema.ts';

/** Times: UTC, as ISO 8601 has it. */
export const time = text({ format: 'date-time' });
/** A job's id. */
export const jidText = text({ pattern: '^[0-9A-Za-z_]{1,64}$', description: 'the id of a job' });

const OUTCOMES = [
  'published',
  'still running',
  'returned',
  'failed',
  'returned late',
  'never received',
  'connection lost',
  'key not accepted',
  'not known',
  'not here yet',
  'no response',
  'refused',
] as const satisfies readonly OutcomeKind[];

/** The name of an outcome. */
export const outcomeName = component(
  'OutcomeName',
  oneOf(
    OUTCOMES,
    'what became of one minion of a job; `published` and `still running` are not the last word',
  ),
);

/** How many minions have come to what. */
export const counts = component(
  'Counts',
  object({
    expected: integer({ description: 'minions that the job was meant for; the others add up to it' }),
    returned: integer({ description: 'that have succeeded' }),
    failed: integer({ description: 'with another return code than 0, or with `success: false`' }),
    running: integer({ description: 'of which nothing final is known' }),
    silent: integer({ description: 'that have not returned and are not waited for' }),
  }),
);

const jobShape = {
  jid: jidText,
  fun: text({ description: 'the function; of several, their names with commas' }),
  funs: list(text()),
  arg: list(anything()),
  kwarg: dictionary(),
  tgt: anything('the target as it was given: a text, or a list'),
  tgt_type: text(),
  user: text(),
  start_time: nullable(time),
  test: flag('whether it was run in test mode'),
  metadata: anything(),
  state: oneOf(['running', 'done']),
  counts,
} as const;

/** A job in a list. */
export const job = component('Job', object(jobShape));

/** What became of one minion. */
export const minionOutcome = component(
  'MinionOutcome',
  object({
    minion: text(),
    outcome: outcomeName,
    retcode: nullable(integer()),
    success: nullable(flag('what the return says of itself; a function may fail with the code 0')),
    reason: nullable(text({ description: 'a sentence' })),
    key: nullable(text({ description: 'the state of its key, where that is the reason' })),
    since: nullable(text({ description: 'since when the connection is lost (UTC)' })),
    published: nullable(time),
    received: nullable(time),
    returned: nullable(time),
    given_up: nullable(time),
    seconds: nullable(number({ description: 'from the publication to the return' })),
  }),
);

/** A job with its ledger. */
export const jobDetail = component('JobDetail', object({ ...jobShape, minions: list(minionOutcome) }));

/** What one minion returned. */
export const minionReturn = component(
  'Return',
  object({
    minion: text(),
    jid: jidText,
    fun: text(),
    return: anything(),
    retcode: integer(),
    success: flag(),
    out: nullable(text({ description: 'the outputter that the function asks for' })),
    stamp: nullable(time),
  }),
);

/** The types of the above. */
export type Counts = SchemaType<typeof counts>;
export type JobView = SchemaType<typeof job>;
export type JobDetailView = SchemaType<typeof jobDetail>;
export type OutcomeView = SchemaType<typeof minionOutcome>;
export type ReturnView = SchemaType<typeof minionReturn>;

/** A time in milliseconds since 1970 as the interface shows it. */
export function isoTime(atMs: number | undefined): string | null {
  return atMs === undefined || !Number.isFinite(atMs) ? null : new Date(atMs).toISOString();
}

/** Reads jobs. */
export class JobViews {
  readonly #files: MasterFiles;
  readonly #nowMs: () => number;

  constructor(files: MasterFiles, nowMs: () => number) {
    this.#files = files;
    this.#nowMs = nowMs;
  }

  /** A job with what became of each minion; undefined for an unknown one. */
  async detail(jid: string): Promise<JobDetailView | undefined> {
    return this.#files.jobs(async (archive) => {
      const load = await archive.job(jid);
      if (load === undefined) return undefined;
      const outcomes = await this.#outcomes(archive, jid, load);
      return { ...describe(jid, load), ...progressOf(outcomes), minions: outcomes.map(outcomeView) };
    });
  }

  /** A job in a list. @param summary has its minions, or the job cache is asked for them */
  async row(archive: JobArchive, { jid, load }: JobSummary): Promise<JobView> {
    const whole = load.has('Minions') ? load : ((await archive.job(jid)) ?? load);
    return { ...describe(jid, whole), ...progressOf(await this.#outcomes(archive, jid, whole)) };
  }

  /** What became of each minion. */
  async outcomes(archive: JobArchive, { jid, load }: JobSummary): Promise<JobOutcome[]> {
    const whole = load.has('Minions') ? load : ((await archive.job(jid)) ?? load);
    return this.#outcomes(archive, jid, whole);
  }

  async #outcomes(archive: JobArchive, jid: string, load: Dict): Promise<JobOutcome[]> {
    const expected = load.get('Minions');
    const minions = Array.isArray(expected) ? expected.map(pyStr) : [];
    const [codes, entries] = await Promise.all([archive.codes(jid), archive.ledger(jid)]);
    const heard = new Set(codes.map(({ id }) => id));
    const silent = minions.filter((id) => !heard.has(id));
    return judgeJob({
      publishedMs: jidTimeMs(jid),
      minions,
      returns: codes,
      entries,
      presence: await this.#files.presence(silent),
      nowMs: this.#nowMs(),
      patienceMs: this.#files.opts.get('timeout') * 1000,
    });
  }
}

/** One minion's outcome. */
function outcomeView(outcome: JobOutcome): OutcomeView {
  const { id, kind, retcode, success, publishedMs, receivedMs, returnedMs, givenUpMs, detail } = outcome;
  const silent = readOutcome(kind, detail);
  const reason = silent === undefined ? '' : outcomeReason(id, silent);
  return {
    minion: id,
    outcome: kind,
    retcode: retcode ?? null,
    success: success ?? null,
    reason: reason === '' ? null : reason,
    key: kind === 'key not accepted' ? (detail ?? null) : null,
    since: kind === 'connection lost' || kind === 'never received' ? (detail ?? null) : null,
    published: isoTime(publishedMs),
    received: isoTime(receivedMs),
    returned: isoTime(returnedMs),
    given_up: isoTime(givenUpMs),
    seconds:
      returnedMs === undefined || publishedMs === undefined
        ? null
        : Math.max(0, Math.round(returnedMs - publishedMs) / 1000),
  };
}

/** What a function of the master returned: job caches keep all that its event says. */
export function ofMaster({ fun, return: value, success }: Pick<StoredReturn, 'fun' | 'return' | 'success'>): {
  readonly value: Value;
  readonly success: boolean;
  readonly args: readonly Value[];
} {
  if (!/^(runner|wheel)\./.test(fun) || !isDict(value) || !value.has('return'))
    return { value, success, args: [] };
  const args = value.get('fun_args');
  return {
    value: value.get('return') ?? null,
    success: value.has('success') ? truthy(value.get('success')) : success,
    args: Array.isArray(args) ? args : [],
  };
}

/** One return. */
export function returnView(ret: StoredReturn): ReturnView {
  const { value, success } = ofMaster(ret);
  return {
    minion: ret.id,
    jid: ret.jid,
    fun: ret.fun,
    return: value,
    retcode: ret.retcode,
    success,
    out: ret.out ?? null,
    stamp: isoTime(ret.atMs),
  };
}

/** How far a job is. */
export function progressOf(outcomes: readonly JobOutcome[]): Pick<JobView, 'state' | 'counts'> {
  const found = { returned: 0, failed: 0, running: 0, silent: 0 };
  for (const outcome of outcomes) found[classOf(outcome)]++;
  return {
    state: found.running > 0 ? 'running' : 'done',
    counts: { expected: outcomes.length, ...found },
  };
}

function classOf(outcome: JobOutcome): 'returned' | 'failed' | 'running' | 'silent' {
  switch (outcome.kind) {
    case 'returned':
      return 'returned';
    case 'failed':
      return 'failed';
    case 'returned late':
      return hasSucceeded(outcome) ? 'returned' : 'failed';
    case 'published':
    case 'still running':
      return 'running';
    default:
      return 'silent';
  }
}

function describe(jid: string, load: Dict): Omit<JobView, 'state' | 'counts'> {
  const fun = load.get('fun') ?? '';
  const funs = Array.isArray(fun) ? fun.map(pyStr) : [pyStr(fun)];
  const { arg, kwarg } = splitArguments(load.get('arg'));
  return {
    jid,
    fun: funs.join(','),
    funs,
    arg,
    kwarg,
    tgt: load.get('tgt') ?? '',
    tgt_type: pyStr(load.get('tgt_type') ?? 'glob'),
    user: userOf(load),
    start_time: isoTime(jidTimeMs(jid)),
    test: isTest(load),
    metadata: metadataOf(load),
  };
}

/** Whether a job was run in test mode. */
export function isTest(load: Dict): boolean {
  const { arg, kwarg } = splitArguments(load.get('arg'));
  return (
    truthy(kwarg.get('test')) || arg.some((each) => typeof each === 'string' && /^test=(true|1)$/i.test(each))
  );
}

function metadataOf(load: Dict): Value {
  const kwargs = load.get('kwargs');
  return load.get('metadata') ?? (isDict(kwargs) ? (kwargs.get('metadata') ?? null) : null);
}

/** Positional arguments and keywords. */
function splitArguments(given: Value | undefined): { arg: Value[]; kwarg: Dict } {
  const all = Array.isArray(given) ? given : [];
  const arg: Value[] = [];
  const kwarg: Dict = new Map();
  for (const each of all) {
    if (!isDict(each) || !truthy(each.get('__kwarg__'))) arg.push(each);
    else for (const [name, value] of each) if (name !== '__kwarg__') kwarg.set(name, value);
  }
  return { arg, kwarg };
}

/** A retcode out of an event, the worst of several functions. */
export function retcodeIn(data: Dict): number {
  const code = data.get('retcode');
  const codes = isDict(code) ? [...code.values()] : [code];
  return Math.max(0, ...codes.map((each) => toNumber(each) ?? 0));
}
