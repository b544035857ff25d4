/** Jobs: those that were, those that are under way, and new ones. */
import { compileGlob } from '../../../../python/text/fnmatch.ts';
import { NotAuthorisedError } from '../../../../runtime/client/errors.ts';
import { jidTimeMs } from '../../../../storage/jobs/jid.ts';
import { jidOfTime } from '../jid-of-time.ts';
import type { JobArchive, JobSummary } from '../../../../storage/jobs/job-store.ts';
import type { PublishOptions } from '../../../../runtime/client/local-client.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { requireClient } from '../enabled-clients.ts';
import { ApiFault } from '../fault.ts';
import { followJob } from '../follow-job.ts';
import {
  counts,
  isTest,
  jidText,
  job,
  jobDetail,
  JobViews,
  minionOutcome,
  minionReturn,
  outcomeName,
  returnView,
  type JobDetailView,
  type JobView,
} from '../job-views.ts';
import { cursorOf, limitOf, page, pageOf, pageQuery, readCursor } from '../pages.ts';
import { jobArguments, newJob, publish, publishOptions, type NewJob } from '../publishing.ts';
import { ownerOf, ownerOfJob, userOf } from '../owner.ts';
import { requireAllowed } from '../rights.ts';
import { route, Special, streamRoute, type Route } from '../route.ts';
import type { Need } from '../need.ts';
import {
  anything,
  component,
  flag,
  list,
  nullable,
  object,
  oneOf,
  optional,
  text,
  type ObjectOf,
  type SchemaType,
} from '../schema.ts';
import { previewOf, targetText } from '../targets.ts';

/** Whoever may call this sees all jobs; others see their own. */
export const SEES_JOBS: Need = { client: 'runner', fun: 'jobs.list_jobs' };
/** Jobs that one page looks at, and those that are read at a time. */
const LOOKED_AT_MAX = 5_000;
const READ_AT_ONCE = 250;
/** A job that is not older than `timeout` and this may run although nobody has said so; clocks differ. */
const YOUNG_MS = 60_000;
/** What programs ask of minions while they wait. */
const QUESTIONS: ReadonlySet<string> = new Set([
  'saltutil.find_job',
  'saltutil.running',
  'runner.jobs.list_job',
]);

const started = component(
  'Started',
  object({
    jid: nullable(jidText),
    minions: list(text(), { description: 'that are expected to return' }),
    missing: list(text(), { description: 'names of a list that have no accepted key' }),
    run: nullable(text({ description: 'of a batch or a canary: see /runs/{run}' })),
  }),
);

const filters = {
  fun: optional(text({ maxLength: 200, description: 'glob of the function' })),
  target: optional(text({ maxLength: 1000, description: 'glob of the target as it was written' })),
  minion: optional(text({ maxLength: 256, description: 'a minion that it was meant for' })),
  user: optional(text({ maxLength: 256, description: 'glob of who published it' })),
  since: optional(text({ format: 'date-time', maxLength: 40 })),
  until: optional(text({ format: 'date-time', maxLength: 40 })),
  outcome: optional(outcomeName),
  state: optional(oneOf(['running', 'done'])),
  test: optional(flag('only those in test mode, or only the others')),
  find_job: optional(flag('with the questions that programs ask while they wait')),
} as const;
type Started = SchemaType<typeof started>;
/** The filters of lists of jobs. */
export type JobFilters = ObjectOf<typeof filters>;

/** The routes. */
export const jobRoutes: readonly Route[] = [
  route({
    id: 'jobs.list',
    method: 'GET',
    path: '/jobs',
    summary: 'Jobs, the newest first.',
    doc: 'Whoever may not call the runner jobs.list_jobs sees the jobs that he has published himself.',
    query: { ...filters, ...pageQuery },
    answer: page(job),
    faults: ['bad-cursor'],
    run: ({ deps, caller, query }) => listJobs(deps, caller, query),
  }),
  route({
    id: 'jobs.start',
    method: 'POST',
    path: '/jobs',
    summary: 'Starts a job, or with dry_run says whom it would reach.',
    doc: 'It is published in the name of whoever asks, by the rules that the master has for him.',
    offered: 'some job',
    body: newJob,
    status: 202,
    answer: started,
    faults: ['not-allowed', 'no-minions', 'bad-target', 'not-served'],
    run: ({ deps, caller, body }) => start(deps, caller, body),
  }),
  route({
    id: 'jobs.get',
    method: 'GET',
    path: '/jobs/{jid}',
    summary: 'A job with what became of each minion.',
    params: { jid: jidText },
    answer: jobDetail,
    faults: ['not-found', 'not-allowed'],
    run: ({ deps, caller, params }) => detailFor(deps, caller, params.jid),
  }),
  route({
    id: 'jobs.returns',
    method: 'GET',
    path: '/jobs/{jid}/returns',
    summary: 'What the minions of a job returned.',
    params: { jid: jidText },
    query: { minion: optional(text({ maxLength: 256 })), ...pageQuery },
    answer: page(minionReturn),
    faults: ['not-found', 'not-allowed', 'bad-cursor'],
    run: async ({ deps, caller, params, query }) => {
      await requireJob(deps, caller, params.jid);
      const returns = await deps.files.jobs((archive) => archive.returns(params.jid));
      const wanted = returns.filter(({ id }) => query.minion === undefined || id === query.minion);
      const found = pageOf('returns', wanted, query);
      return { ...found, items: found.items.map(returnView) };
    },
  }),
  streamRoute({
    id: 'jobs.stream',
    method: 'GET',
    path: '/jobs/{jid}/stream',
    summary: 'A job as it happens.',
    doc: 'Begins with the whole job and what has been returned, and ends when nothing more is expected.',
    params: { jid: jidText },
    events: {
      job: jobDetail,
      outcome: minionOutcome,
      return: minionReturn,
      counts,
      progress: object({ minion: text(), data: anything() }),
      end: counts,
    },
    faults: ['not-found', 'not-allowed', 'master-down'],
    run: async ({ deps, caller, params }, stream) => {
      await requireJob(deps, caller, params.jid);
      await followJob(deps, params.jid, stream);
    },
  }),
  ...(['term', 'kill'] as const).map((how) =>
    route({
      id: `jobs.${how}`,
      method: 'POST',
      path: `/jobs/{jid}/${how}`,
      summary:
        how === 'term' ? 'Asks the minions of a job to end it.' : 'Ends a job on its minions by force.',
      doc: `Starts saltutil.${how}_job on the minions that the job was meant for.`,
      offered: 'some job',
      params: { jid: jidText },
      status: 202,
      answer: started,
      faults: ['not-found', 'not-allowed', 'no-minions'],
      run: async ({ deps, caller, params }) => {
        const { minions } = await detailFor(deps, caller, params.jid);
        const tgt = minions.filter(({ returned }) => returned === null).map(({ minion }) => minion);
        if (tgt.length === 0)
          throw new ApiFault(
            'no-minions',
            `Every minion of the job ${params.jid} has returned: there is nothing to end.`,
          );
        return start(deps, caller, { tgt, tgt_type: 'list', fun: `saltutil.${how}_job`, arg: [params.jid] });
      },
    }),
  ),
];

async function start(
  deps: Deps,
  caller: Caller,
  order: NewJob,
): Promise<
  { jid: string | null; minions: readonly string[]; missing: readonly string[]; run: string | null } | Special
> {
  requireClient(deps.link, 'local', 'local_async');
  if (order.dry_run === true) {
    const { tgt, tgt_type: tgtType = 'glob', fun } = order;
    return new Special({
      status: 200,
      value: await previewOf(deps, caller, { tgt, tgtType, fun, args: jobArguments(order) }),
    });
  }
  deps.link.requireMaster();
  const options = publishOptions(deps, caller, order);
  try {
    if (order.batch !== undefined || order.canary !== undefined)
      return await startRun(deps, caller, order, options);
    const { jid, minions, missing } = await publish(deps, options);
    return { jid, minions, missing, run: null };
  } catch (error) {
    if (error instanceof NotAuthorisedError) throw refusal(order, error);
    throw error;
  }
}

/** A batch or a canary. Whether one may is asked for the whole target, before the first minion has its turn. */
async function startRun(
  { rights, runs, link }: Deps,
  caller: Caller,
  order: NewJob,
  publish: PublishOptions,
): Promise<Started> {
  const question = {
    client: 'local',
    fun: order.fun,
    args: publish.arg,
    tgt: publish.tgt,
    tgtType: publish.tgtType,
  } as const;
  const standing = await rights.ask(caller, [question], { isAttempt: true });
  const { decisions } = standing;
  requireAllowed(decisions[0], question);
  const run = await runs.start({
    owner: ownerOf(standing),
    publish,
    patience: {
      timeoutMs: publish.timeoutMs,
      gatherMs: (order.gather_timeout ?? link.opts.get('gather_job_timeout')) * 1000,
    },
    batch: order.batch,
    waitMs: (order.batch_wait ?? 0) * 1000,
    failHard: order.failhard ?? false,
    canary: order.canary?.size,
  });
  return { jid: null, minions: run.view.minions, missing: decisions[0]?.missing ?? [], run: run.id };
}

/** What the master's refusal means here. */
function refusal({ fun, tgt }: NewJob, { message }: NotAuthorisedError): ApiFault {
  if (/Authentication/.test(message))
    return new ApiFault('not-logged-in', 'The token is not known, or its time is over. Log in again.');
  const names = typeof fun === 'string' ? fun : fun.join(', ');
  return new ApiFault(
    'not-allowed',
    `The master does not let you run ${names} with these arguments on all minions of ${targetText(tgt)}.`,
    { details: { client: 'local', fun } },
  );
}

/** The jobs that somebody may see, and that pass the filters. */
export async function listJobs(
  deps: Deps,
  caller: Caller,
  query: JobFilters & { readonly limit?: number; readonly cursor?: string },
): Promise<{ items: JobView[]; next: string | null }> {
  const { owner, allowed } = await deps.rights.may(caller, SEES_JOBS);
  const { wantsFun, wants } = readFilters(query, allowed ? undefined : owner);
  const limit = limitOf(query);
  const views = new JobViews(deps.files, () => deps.clock.nowMs());
  const fromJid = jidOfTime(query.since, 'since');
  let before = readCursor('jobs', query.cursor);
  const toJid = jidOfTime(query.until, 'until');
  return deps.files.jobs(async (archive) => {
    const items: JobView[] = [];
    for (let looked = 0; looked < LOOKED_AT_MAX; looked += READ_AT_ONCE) {
      const last = before;
      const found = await archive.jobs({
        limit: READ_AT_ONCE,
        withoutMinions: true,
        wantsFun,
        ...(fromJid === undefined ? {} : { fromJid }),
        ...(last !== undefined ? { toJid: last } : toJid === undefined ? {} : { toJid }),
        accepts: ({ jid }) => last === undefined || jid < last,
      });
      // jobs that are old and settled do not run: there may be thousands of them
      const maybe =
        query.state === 'running' ? await archive.unsettled(found.map(({ jid }) => jid)) : undefined;
      const youngMs = deps.clock.nowMs() - deps.files.opts.get('timeout') * 1000 - YOUNG_MS;
      for (const each of found) {
        before = each.jid;
        if (maybe !== undefined && !maybe.has(each.jid) && (jidTimeMs(each.jid) ?? 0) < youngMs) continue;
        const row = await wantedRow(archive, views, each, wants, query);
        if (row !== undefined) items.push(row);
        if (items.length >= limit) return { items, next: cursorOf('jobs', each.jid) };
      }
      if (found.length < READ_AT_ONCE) return { items, next: null };
      // reading takes no turns by itself: others wait meanwhile
      await deps.clock.sleep(0);
    }
    return { items, next: before === undefined ? null : cursorOf('jobs', before) };
  });
}

/** The row of a job that passes the filters. */
async function wantedRow(
  archive: JobArchive,
  views: JobViews,
  summary: JobSummary,
  wants: (job: JobSummary) => boolean,
  { minion, outcome, state }: JobFilters,
): Promise<JobView | undefined> {
  if (!wants(summary)) return undefined;
  if (minion !== undefined || outcome !== undefined) {
    const outcomes = await views.outcomes(archive, summary);
    const fits = outcomes.some(
      (each) =>
        (minion === undefined || each.id === minion) && (outcome === undefined || each.kind === outcome),
    );
    if (!fits) return undefined;
  }
  const row = await views.row(archive, summary);
  return state === undefined || row.state === state ? row : undefined;
}

/** @param onlyOf the owner whose jobs alone are shown */
function readFilters(
  { fun, target, user, test, find_job }: JobFilters,
  onlyOf: string | undefined,
): { wantsFun: (fun: string) => boolean; wants: (job: JobSummary) => boolean } {
  const [funs, targets, users] = [fun, target, user].map((glob) =>
    glob === undefined ? undefined : compileGlob(glob),
  );
  return {
    wantsFun: (name) =>
      (find_job === true || !QUESTIONS.has(name)) && (funs === undefined || funs.matches(name)),
    wants: ({ load }) =>
      (onlyOf === undefined || ownerOfJob(load) === onlyOf) &&
      (users === undefined || users.matches(userOf(load))) &&
      (targets === undefined || targets.matches(targetText(load.get('tgt') ?? ''))) &&
      (test === undefined || isTest(load) === test),
  };
}

/** @throws ApiFault `not-found`, `not-allowed` */
async function requireJob({ rights, files }: Deps, caller: Caller, jid: string): Promise<void> {
  const { owner, allowed } = await rights.may(caller, SEES_JOBS);
  const load = await files.jobs((archive) => archive.job(jid));
  if (load !== undefined && (allowed || ownerOfJob(load) === owner)) return;
  // whoever sees his own jobs only is not told which others there are
  const whose = allowed
    ? 'jobs are kept for keep_jobs_seconds'
    : 'jobs of others take the right to the runner jobs.list_jobs';
  throw new ApiFault('not-found', `There is no job ${jid} here; ${whose}.`);
}

async function detailFor(deps: Deps, caller: Caller, jid: string): Promise<JobDetailView> {
  await requireJob(deps, caller, jid);
  const found = await new JobViews(deps.files, () => deps.clock.nowMs()).detail(jid);
  if (found === undefined) throw new ApiFault('not-found', `There is no job ${jid}.`);
  return found;
}
