/** `jobs.*`: jobs that run, and jobs that have run (salt/runners/jobs.py, 3006.16). */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NoMinionsError } from '../../runtime/client/errors.ts';
import { safeJoin } from '../../host/files.ts';
import { jobCacheDirectory } from '../../config/job-caches.ts';
import { messageOf } from '../../errors/errors.ts';
import { isSafeJid, jidAt } from '../../storage/jobs/jid.ts';
import { exportToSalt } from '../../storage/jobs/salts-export.ts';
import type { JobFilter } from '../../storage/jobs/job-store.ts';
import { minionsOutputter } from '../outputters/registry.ts';
import { compileGlob } from '../../python/text/fnmatch.ts';
import { pyStr } from '../../python/values/repr.ts';
import {
  dict,
  isDict,
  toNumber,
  truthy,
  valuesEqual,
  type Dict,
  type Value,
} from '../../python/values/value.ts';
import { decode } from '../../formats/wire/msgpack.ts';
import { formatJob, formatListed, formatReturns, jobMetadata } from './runner/format.ts';
import { jobCacheName, namedJobCache } from './runner/caches.ts';
import { outcomesOf, silentTexts } from './runner/outcomes.ts';
import { callMinions, returnValues } from '../shared/runner/minion-calls.ts';
import { parseTime } from './runner/parse-time.ts';
import { defineRunner, defineRunners, RunnerRefusal, type RunnerContext } from '../shared/runner/runner.ts';
import { param, type TypedArguments } from '../../runtime/loader/params.ts';

const jidParam = { jid: param.text({ doc: 'The job id.' }) } as const;
const sourceParam = {
  ext_source: {
    default: null,
    type: 'str',
    doc: 'Job cache to ask in place of `master_job_cache`: the name of a database.',
  },
} as const;
const outputterParam = {
  outputter: { default: null, type: 'str', doc: 'Outputter to show the result with.' },
} as const;
const progressParam = {
  display_progress: param.flag({ default: false, doc: 'Fire an event at each step, and show it.' }),
} as const;
const outcomesParam = {
  outcomes: param.flag({
    default: false,
    doc: 'Tell of each minion what became of it, and when. Not in Salt.',
  }),
} as const;
const lookupParams = {
  ...jidParam,
  ...sourceParam,
  returned: param.flag({ default: true, doc: 'Include minions that have returned.' }),
  missing: param.flag({ default: false, doc: 'Include minions that have not returned.' }),
  ...progressParam,
  ...outcomesParam,
} as const;
const searchParams = {
  search_metadata: {
    default: null,
    type: 'dict',
    doc: 'Only jobs that carry one of these keys with this value in their metadata.',
  },
  search_function: param.by(globsIfGiven, {
    default: null,
    type: 'str or list',
    doc: 'Only jobs of these functions; globs, separated by commas.',
  }),
  search_target: param.by(globsIfGiven, {
    default: null,
    type: 'str or list',
    doc: 'Only jobs with these targets, as they were written; globs, separated by commas.',
  }),
  start_time: param.textIfGiven({
    default: null,
    doc: "Only jobs from this time (UTC) on: '2015, Mar 16 19:00'.",
  }),
  end_time: param.textIfGiven({ default: null, doc: 'Only jobs up to this time.' }),
} as const;

type Search = TypedArguments<typeof searchParams>;

/** The jobs runner. */
export const jobsRunners = defineRunners({
  name: 'jobs',
  doc: 'Jobs that run now, and what the job cache knows of earlier ones.',
  failsWith: { error: ['list_job', 'print_job'], false: ['last_run'], empty: ['exit_success', 'outcomes'] },
  functions: {
    active: defineRunner({
      doc: 'Asks all minions for the jobs that run now.',
      params: { ...progressParam, ...outcomesParam },
      returns: 'mapping of job id to the job, with `Running` and `Returned`',
      examples: ['salt-run jobs.active', 'salt-run jobs.active outcomes=True'],
      run: (ctx, { display_progress, outcomes }) => active(ctx, display_progress, outcomes),
    }),
    lookup_jid: defineRunner({
      doc: 'Gives the returns of a job.',
      params: lookupParams,
      returns: 'mapping of minion to return; empty for an unknown job',
      examples: [
        'salt-run jobs.lookup_jid 20130916125524463507',
        'salt-run jobs.lookup_jid 20130916125524463507 --out=highstate',
        'salt-run jobs.lookup_jid 20130916125524463507 outcomes=True',
      ],
      run: (ctx, args) => lookupJid(ctx, args),
    }),
    list_job: defineRunner({
      doc: 'Gives all that is known of a job.',
      params: { ...jidParam, ...sourceParam, ...progressParam, ...outcomesParam },
      returns: 'the job with its returns under `Result`, and `Outcomes` when they are asked for',
      examples: [
        'salt-run jobs.list_job 20130916125524463507 --out=pprint',
        'salt-run jobs.list_job 20130916125524463507 outcomes=True --out=json',
      ],
      run: async (ctx, { jid, ext_source, display_progress, outcomes }) => {
        if (display_progress) await tellQuery(ctx, `Querying returner: ${jobCacheName(ctx, ext_source)}`);
        return listJob(ctx, jid, ext_source, outcomes);
      },
    }),
    outcomes: defineRunner({
      doc:
        'Shows what became of each minion of a job, and when it was published, received, given up and returned (UTC). Not in Salt. ' +
        'The outcome is one of returned, failed, returned late, still running, never received, connection lost, key not accepted, ' +
        'not known, not here yet (accepted, and not come since); published for a job that has just begun, and no response for a ' +
        'minion that gives no sign (one of Salt).',
      params: jidParam,
      returns:
        'mapping of minion to `outcome`, `retcode`, `since`, `key`, `published`, `received`, `given_up`, `returned`, as far as they are known',
      examples: [
        'salt-run jobs.outcomes 20130916125524463507',
        'salt-run jobs.outcomes 20130916125524463507 --out=json',
      ],
      run: async (ctx, { jid }) => {
        if ((await ctx.jobs.job(jid)) === undefined) sayUnknown(ctx, jid);
        return outcomesOf(ctx, jid);
      },
    }),
    list_jobs: defineRunner({
      doc: 'Lists the jobs of the job cache: all, or those that pass every filter.',
      params: { ...sourceParam, ...outputterParam, ...searchParams, ...progressParam },
      returns: 'mapping of job id to the job without its returns',
      examples: [
        'salt-run jobs.list_jobs',
        `salt-run jobs.list_jobs search_function='test.*' search_target='localhost' search_metadata='{"bar": "foo"}'`,
        "salt-run jobs.list_jobs start_time='2015, Mar 16 19:00' end_time='2015, Mar 18 22:00'",
      ],
      run: async (ctx, args) => {
        if (args.display_progress)
          await tellQuery(ctx, `Querying returner ${jobCacheName(ctx, args.ext_source)} for jobs.`);
        const jobs = await listJobs(ctx, args.ext_source, filterOf(ctx, args));
        return withOutputter(args.outputter, jobs);
      },
    }),
    list_jobs_filter: defineRunner({
      doc: 'Lists the newest jobs.',
      params: {
        count: param.count({ doc: 'How many.' }),
        filter_find_job: param.flag({
          default: true,
          doc: 'Leave out the saltutil.find_job of `salt` itself.',
        }),
        ...sourceParam,
        ...outputterParam,
        ...progressParam,
      },
      returns: 'list of jobs with their ids under `JID`, the newest last',
      examples: [
        'salt-run jobs.list_jobs_filter 50',
        'salt-run jobs.list_jobs_filter 100 filter_find_job=False',
      ],
      run: async (ctx, { count, filter_find_job, ext_source, outputter }) => {
        const wantsFun = (fun: string): boolean => fun !== 'saltutil.find_job';
        const limit = Math.max(0, count);
        const found = await (
          await namedJobCache(ctx, ext_source)
        ).jobs({
          limit,
          withoutMinions: true,
          ...(filter_find_job ? { wantsFun } : {}),
        });
        const listed = found.reverse().map(({ jid, load }) => {
          const { StartTime: start, ...rest } = Object.fromEntries(formatListed(jid, load)) as Record<
            string,
            Value
          >;
          return dict({ ...rest, JID: jid, StartTime: start as Value });
        });
        return withOutputter(outputter, listed);
      },
    }),
    print_job: defineRunner({
      doc: 'Gives all that is known of a job, under its id.',
      params: { ...jidParam, ...sourceParam, ...outcomesParam },
      returns: '`{jid: job}`',
      examples: ['salt-run jobs.print_job 20130916125524463507'],
      run: (ctx, { jid, ext_source, outcomes }) => printJob(ctx, jid, ext_source, outcomes),
    }),
    exit_success: defineRunner({
      doc: 'Shows for each minion of a job whether it returned something that is true.',
      params: { ...jidParam, ...sourceParam },
      returns: 'mapping of minion to bool',
      examples: ['salt-run jobs.exit_success 20160520145827701627'],
      run: async (ctx, { jid, ext_source }) => {
        const cache = await namedJobCache(ctx, ext_source);
        const job = await cache.job(jid);
        const minions = job?.get('Minions');
        const out: Dict = new Map();
        for (const id of Array.isArray(minions) ? minions : []) out.set(id, false);
        for (const { id, return: value } of await cache.returns(jid))
          if (out.has(id) || truthy(value)) out.set(id, truthy(value));
        if (out.size === 0 && job === undefined) sayUnknown(ctx, jid);
        return out;
      },
    }),
    last_run: defineRunner({
      doc: 'Gives the newest job: of all, or of those that pass every filter.',
      params: {
        ...sourceParam,
        ...outputterParam,
        metadata: param.valueIfGiven(searchParams.search_metadata),
        function: { ...searchParams.search_function },
        target: { ...searchParams.search_target },
        ...progressParam,
      },
      returns: '`{jid: job}`; False when there is none',
      examples: [
        'salt-run jobs.last_run',
        'salt-run jobs.last_run target=nodename',
        'salt-run jobs.last_run function=cmd.run',
      ],
      run: async (ctx, args) => {
        const { metadata = null } = args;
        if (metadata !== null && !isDict(metadata)) {
          ctx.log.info('The metadata parameter must be specified as a dictionary');
          return false;
        }
        const filter = filterOf(ctx, {
          search_metadata: metadata,
          search_function: args.function,
          search_target: args.target,
        });
        const cache = await namedJobCache(ctx, args.ext_source);
        const [last] = await cache.jobs({ ...filter, limit: 1 });
        return last === undefined ? false : printJob(ctx, last.jid, args.ext_source);
      },
    }),
    master: defineRunner({
      doc: 'Lists the runners that the master itself runs now.',
      returns: 'list of jobs with `pid`',
      examples: ['salt-run jobs.master'],
      run: (ctx) => masterJobs(ctx),
    }),
    export_to_salt: defineRunner({
      doc:
        "Writes the jobs that ran under Brine into the folders in which Salt keeps its own, for the way back to Salt. Not in Salt. Brine's " +
        'own records stay as they are, and a second call adds what has come since. Salt forgets the jobs when keep_jobs_seconds ' +
        'have passed since they were written.',
      params: {
        start_time: param.textIfGiven({
          default: null,
          doc: "Only jobs from this time (UTC) on: '2026, Mar 16 19:00'.",
        }),
      },
      returns:
        'mapping with `jobs`, `returns` (that were written), `returns_there` (that were there already) and `left_out` (whose names ' +
        "cannot be files of Salt's)",
      examples: [
        'salt-run jobs.export_to_salt',
        "salt-run jobs.export_to_salt start_time='2026, Mar 16 19:00'",
      ],
      run: (ctx, { start_time }) => exportJobs(ctx, jidFrom(ctx, start_time)),
    }),
  },
});

function tellQuery(ctx: RunnerContext, message: string): Promise<void> {
  return ctx.progress(dict({ message }));
}

async function active(ctx: RunnerContext, showProgress: boolean, withOutcomes: boolean): Promise<Value> {
  let answers: Dict;
  try {
    answers = returnValues(await callMinions(ctx, { tgt: '*', fun: 'saltutil.running' }));
  } catch (error) {
    // nobody to ask is an answer; that the master refuses, or is away, is none
    if (!(error instanceof NoMinionsError)) throw error;
    ctx.print(error.message);
    return new Map();
  }
  const ids = [...answers.keys()].map((id) => `'${pyStr(id)}'`).join(', ');
  if (showProgress) await ctx.progress(dict({ message: `Attempting to contact minions: [${ids}]` }));
  const out: Map<Value, Dict> = new Map();
  for (const [minion, jobs] of answers) {
    if (showProgress) await ctx.progress(dict({ message: `Received reply from minion ${pyStr(minion)}` }));
    for (const job of Array.isArray(jobs) ? jobs : []) {
      if (!isDict(job)) continue;
      const jid = pyStr(job.get('jid') ?? '');
      const known = out.get(jid) ?? formatJob(jid, job).set('Running', []).set('Returned', []);
      (known.get('Running') as Value[]).push(new Map([[minion, job.get('pid') ?? null]]));
      out.set(jid, known);
    }
  }
  for (const [jid, job] of out) {
    const returned = await ctx.jobs.returns(String(jid));
    job.set(
      'Returned',
      returned.map(({ id }) => id),
    );
    if (withOutcomes) job.set('Outcomes', await outcomesOf(ctx, String(jid)));
  }
  return out;
}

async function lookupJid(ctx: RunnerContext, args: TypedArguments<typeof lookupParams>): Promise<Value> {
  const { jid, ext_source: source } = args;
  const cache = await namedJobCache(ctx, source);
  if (args.display_progress) await tellQuery(ctx, `Querying returner: ${jobCacheName(ctx, source)}`);
  const returns = await cache.returns(jid);
  if (returns.length === 0 && (await cache.job(jid)) === undefined) sayUnknown(ctx, jid);
  const out: Dict = new Map();
  for (const { id, return: value } of returns) {
    if (args.display_progress) await ctx.progress(dict({ message: id }));
    if (args.returned) out.set(id, value);
  }
  if (args.outcomes) for (const [id, text] of await silentTexts(ctx, jid)) out.set(id, text);
  else if (args.missing) {
    const known = new Set(returns.map(({ id }) => id));
    const minions = (await cache.job(jid))?.get('Minions');
    for (const id of Array.isArray(minions) ? minions : [])
      if (!known.has(pyStr(id))) out.set(id, 'Minion did not return');
  }
  return withOutputter(minionsOutputter(returns[0]?.out) ?? null, out);
}

function sayUnknown(ctx: RunnerContext, jid: string): void {
  ctx.log.warning(
    `No job ${jid} is known; jobs are kept for keep_jobs_seconds, and jobs.list_jobs names them.`,
  );
  ctx.fallShort('none matched');
}

async function listJob(ctx: RunnerContext, jid: string, source: Value, withOutcomes: boolean): Promise<Dict> {
  const cache = await namedJobCache(ctx, source);
  const job = formatJob(jid, await cache.job(jid));
  const out = new Map<Value, Value>([
    ['jid', jid],
    ...job,
    ['Result', formatReturns(await cache.returns(jid))],
  ]);
  return withOutcomes ? out.set('Outcomes', await outcomesOf(ctx, jid)) : out;
}

async function printJob(ctx: RunnerContext, jid: string, source: Value, withOutcomes = false): Promise<Dict> {
  const job = await listJob(ctx, jid, source, withOutcomes);
  job.delete('jid');
  return new Map([[jid, job]]);
}

async function listJobs(ctx: RunnerContext, source: Value, filter: JobFilter): Promise<Dict> {
  const found = await (await namedJobCache(ctx, source)).jobs(filter);
  return new Map(found.reverse().map(({ jid, load }) => [jid, formatListed(jid, load)]));
}

function filterOf(ctx: RunnerContext, args: Partial<Search>): JobFilter {
  const { search_metadata: metadata, search_function: isFun, search_target: isTarget } = args;
  if (truthy(metadata) && !isDict(metadata))
    ctx.log.info('The search_metadata parameter must be specified as a dictionary.  Ignoring.');
  const [fromJid, toJid] = [jidFrom(ctx, args.start_time), jidFrom(ctx, args.end_time)];
  return {
    withoutMinions: true,
    ...(fromJid === undefined ? {} : { fromJid }),
    ...(toJid === undefined ? {} : { toJid }),
    ...(isFun === undefined ? {} : { wantsFun: isFun }),
    ...(isTarget === undefined && !truthy(metadata)
      ? {}
      : { accepts: ({ load }) => hasTarget(load, isTarget) && hasMetadata(load, metadata) }),
  };
}

/** The first job id of a time as it was written; undefined without one. */
function jidFrom({ clock }: RunnerContext, time: string | undefined): string | undefined {
  return time === undefined ? undefined : jidAt(parseTime(time, clock.nowMs()));
}

/** @throws RunnerRefusal when a file cannot be written */
async function exportJobs(ctx: RunnerContext, fromJid: string | undefined): Promise<Dict> {
  const cachedir = ctx.opts.get('cachedir');
  try {
    const { jobs, returns, returnsThere, leftOut } = await exportToSalt({
      cachedir,
      hashType: ctx.opts.get('hash_type'),
      directory: jobCacheDirectory(cachedir),
      signal: ctx.signal,
      ...(fromJid === undefined ? {} : { fromJid }),
    });
    return dict({ jobs, returns, returns_there: returnsThere, left_out: leftOut });
  } catch (error) {
    throw new RunnerRefusal(
      `The jobs could not be written for Salt: ${messageOf(error)}. What was written stays; call this again when that is put right.`,
      { cause: error },
    );
  }
}

/** Whether one of several globs matches; undefined where nothing was given. */
function globsIfGiven(value: Value): ((text: string) => boolean) | undefined {
  if (!truthy(value)) return undefined;
  const patterns = Array.isArray(value)
    ? value.map(pyStr)
    : pyStr(value)
        .split(',')
        .map((part) => part.trim());
  const compiled = patterns.map((pattern) => compileGlob(pattern));
  return (text) => compiled.some((glob) => glob.matches(text));
}

function hasTarget(load: Dict, isTarget: ((text: string) => boolean) | undefined): boolean {
  if (isTarget === undefined) return true;
  const target = load.get('tgt') ?? 'unknown-target';
  return (Array.isArray(target) ? target : [target]).some((text) => isTarget(pyStr(text)));
}

/** Salt compat: something else than a mapping matches no job. */
function hasMetadata(load: Dict, wanted: Value | undefined): boolean {
  if (!truthy(wanted)) return true;
  const metadata = jobMetadata(load);
  if (!isDict(wanted) || !isDict(metadata)) return false;
  return [...wanted].some(([key, value]) => {
    const found = metadata.get(key);
    return found !== undefined && valuesEqual(found, value);
  });
}

function withOutputter(outputter: Value, data: Value): Value {
  return truthy(outputter)
    ? new Map<Value, Value>([
        ['outputter', outputter],
        ['data', data],
      ])
    : data;
}

/** Salt compat: files of running runners below the master's `proc`, those of ended processes left out. */
function masterJobs({ opts }: RunnerContext): Value[] {
  const folder = join(opts.get('cachedir'), 'proc');
  const out: Value[] = [];
  for (const name of existsSync(folder) ? readdirSync(folder).filter(isSafeJid) : []) {
    try {
      const job = decode(readFileSync(safeJoin(folder, name)), 'network');
      const pid = isDict(job) ? toNumber(job.get('pid')) : undefined;
      if (pid !== undefined && existsSync(`/proc/${pid}`)) out.push(job);
    } catch {
      // it has ended meanwhile
    }
  }
  return out;
}
