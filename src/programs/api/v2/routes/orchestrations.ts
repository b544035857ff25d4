/** Orchestrations: their runs, the steps of each, and new ones. */
import { dict, isDict, toNumber, type Dict, type Value } from '../../../../python/values/value.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { jidTimeMs } from '../../../../storage/jobs/jid.ts';
import type { JobArchive } from '../../../../storage/jobs/job-store.ts';
import { keptOrchestrations, type KeptOrchestration } from '../../../../storage/orchestrations/kept.ts';
import type { Deps } from '../deps.ts';
import { ApiFault } from '../fault.ts';
import { isoTime, jidText, ofMaster } from '../job-views.ts';
import { startRunner } from '../master-functions.ts';
import { page, pageOf, pageQuery } from '../pages.ts';
import { route, type Route } from '../route.ts';
import {
  component,
  dictionary,
  either,
  flag,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  type SchemaType,
} from '../schema.ts';
import { SEES_JOBS } from './jobs.ts';

const FUNCTIONS: ReadonlySet<string> = new Set(
  ['orchestrate', 'orch', 'sls', 'orchestrate_high', 'orchestrate_single'].map(
    (name) => `runner.state.${name}`,
  ),
);
/** Runs that are listed. */
const LISTED_MAX = 500;

const shape = {
  jid: jidText,
  fun: text(),
  mods: text({ description: 'the names of its SLS, with commas' }),
  state: oneOf(['running', 'done', 'failed', 'paused']),
  started: nullable(text({ format: 'date-time' })),
  ended: nullable(text({ format: 'date-time' })),
  failed: integer({ description: 'steps that failed' }),
} as const;
const step = component(
  'OrchestrationStep',
  object({
    id: text(),
    name: text(),
    fun: text(),
    state: oneOf(['waiting', 'running', 'done', 'failed', 'skipped']),
    comment: nullable(text()),
    started: nullable(text()),
    seconds: nullable(number()),
    jid: nullable(text()),
  }),
);
const orchestration = component(
  'Orchestration',
  object({ ...shape, steps: integer({ description: 'steps that have ended' }) }),
);
const detail = component('OrchestrationDetail', object({ ...shape, steps: list(step) }));
type Step = SchemaType<typeof step>;
type Detail = SchemaType<typeof detail>;

/** The routes. */
export const orchestrationRoutes: readonly Route[] = [
  route({
    id: 'orchestrations.list',
    method: 'GET',
    path: '/orchestrations',
    summary: 'Runs of orchestrations, the newest first.',
    needs: SEES_JOBS,
    query: pageQuery,
    answer: page(orchestration),
    faults: ['bad-cursor'],
    run: async ({ deps, query }) => {
      const found = pageOf('orchestrations', await allRuns(deps), query);
      return { ...found, items: found.items.map((each) => ({ ...each, steps: each.steps.length })) };
    },
  }),
  route({
    id: 'orchestrations.get',
    method: 'GET',
    path: '/orchestrations/{jid}',
    summary: 'A run with its steps.',
    needs: SEES_JOBS,
    params: { jid: jidText },
    answer: detail,
    faults: ['not-found'],
    run: async ({ deps, params }) => {
      const found = (await allRuns(deps)).find(({ jid }) => jid === params.jid);
      if (found === undefined)
        throw new ApiFault('not-found', `There is no run ${params.jid} of an orchestration here.`);
      return found;
    },
  }),
  route({
    id: 'orchestrations.start',
    method: 'POST',
    path: '/orchestrations',
    summary: 'Starts an orchestration.',
    doc: 'Calls the runner state.orchestrate.',
    needs: { client: 'runner', fun: 'state.orchestrate' },
    body: object({
      mods: either(
        text({ minLength: 1, maxLength: 1000 }),
        list(text({ minLength: 1, maxLength: 1000 }), { minItems: 1, maxItems: 100 }),
      ),
      saltenv: optional(text({ maxLength: 200 })),
      pillar: optional(dictionary()),
      test: optional(flag()),
    }),
    status: 202,
    answer: object({ jid: jidText, tag: text() }),
    faults: ['not-allowed', 'bad-call'],
    run: ({ deps, caller, body: { mods, saltenv, pillar, test }, signal }) => {
      const kwarg: Dict = dict({
        mods: typeof mods === 'string' ? mods : [...mods],
        ...(saltenv === undefined ? {} : { saltenv }),
        ...(test === undefined ? {} : { test }),
      });
      if (pillar !== undefined) kwarg.set('pillar', pillar);
      return startRunner(deps, caller, { fun: 'state.orchestrate', kwarg, signal });
    },
  }),
];

/** Those in the job cache have ended; of the others a journal is kept. */
async function allRuns({ files }: Deps): Promise<Detail[]> {
  const kept = new Map(keptOrchestrations(files.opts.get('cachedir')).map((each) => [each.jid, each]));
  const ended = await files.jobs(async (archive) => {
    const jobs = await archive.jobs({
      limit: LISTED_MAX,
      withoutMinions: true,
      wantsFun: (fun) => FUNCTIONS.has(fun),
    });
    const out: Detail[] = [];
    for (const { jid, load } of jobs) {
      const run = await endedRun(archive, jid, load);
      if (run !== undefined) out.push(run);
    }
    return out;
  });
  const over = new Set(ended.map(({ jid }) => jid));
  const others = [...kept.values()].filter(({ jid }) => !over.has(jid)).map(keptRun);
  return [...others, ...ended].sort((a, b) => (a.jid < b.jid ? 1 : -1));
}

async function endedRun(archive: JobArchive, jid: string, load: Dict): Promise<Detail | undefined> {
  const [ret] = await archive.returns(jid);
  if (ret === undefined) return undefined;
  const { value, success, args } = ofMaster(ret);
  const steps = stepsIn(value);
  const failed = steps.filter(({ state }) => state === 'failed').length;
  const { arg, kwarg } = argumentsOf(args);
  return {
    jid,
    fun: pyStr(load.get('fun') ?? '').replace(/^runner\./, ''),
    mods: namesOf(kwarg.get('mods') ?? arg[0] ?? null),
    state: failed > 0 || !success ? 'failed' : 'done',
    started: isoTime(jidTimeMs(jid)),
    ended: isoTime(ret.atMs),
    failed,
    steps,
  };
}

function keptRun({ jid, asked, results, isRunning }: KeptOrchestration): Detail {
  const steps = [...results].map(([tag, result]) => stepOf(tag, result));
  const failed = steps.filter(({ state }) => state === 'failed').length;
  return {
    jid,
    fun: 'state.orchestrate',
    mods: namesOf(asked.get('mods') ?? null),
    state: isRunning ? 'running' : 'failed',
    started: isoTime(jidTimeMs(jid)),
    ended: null,
    failed,
    steps,
  };
}

function namesOf(mods: Value): string {
  return Array.isArray(mods) ? mods.map(pyStr).join(',') : mods === null ? '' : pyStr(mods);
}

function argumentsOf(all: readonly Value[]): { arg: Value[]; kwarg: Dict } {
  const named = all.filter(isDict).at(-1);
  return { arg: all.filter((each) => !isDict(each)), kwarg: named ?? new Map<Value, Value>() };
}

/** The results of an orchestration's return: by master, by step. */
function stepsIn(value: Value): Step[] {
  const data = isDict(value) ? value.get('data') : undefined;
  const ofMaster = isDict(data) ? [...data.values()].find(isDict) : undefined;
  if (ofMaster === undefined) return [];
  return [...ofMaster]
    .flatMap(([tag, result]) => (isDict(result) ? [{ tag: pyStr(tag), result }] : []))
    .sort((a, b) => runNumber(a.result) - runNumber(b.result))
    .map(({ tag, result }) => stepOf(tag, result));
}

function runNumber(result: Dict): number {
  return toNumber(result.get('__run_num__')) ?? 0;
}

function stepOf(tag: string, result: Dict): Step {
  const [module = '', id = tag, name = id, fun = ''] = tag.split('_|-');
  const verdict = result.get('result');
  const isSkipped = result.get('__state_ran__') === false || result.get('skip_watch') === true;
  const said = (field: string): string | null => {
    const value = result.get(field);
    return value === undefined || value === null ? null : pyStr(value);
  };
  const duration = toNumber(result.get('duration'));
  return {
    id,
    name: said('name') ?? name,
    fun: fun === '' ? module : `${module}.${fun}`,
    state: isSkipped ? 'skipped' : verdict === false ? 'failed' : 'done',
    comment: said('comment'),
    started: said('start_time'),
    seconds: duration === undefined ? null : duration / 1000,
    jid: said('__jid__'),
  };
}
