/** Runners and wheel functions: calling them in the name of whoever asks. */
import { ApiFault } from '../fault.ts';
import { followRun } from '../follow-run.ts';
import { jidText } from '../job-views.ts';
import { runRunner, runWheel, startRunner } from '../master-functions.ts';
import { ownerOf, ownerOfJob } from '../owner.ts';
import { route, Special, streamRoute, type Route } from '../route.ts';
import { anything, component, dictionary, flag, list, object, optional, text } from '../schema.ts';
import { SEES_JOBS } from './jobs.ts';

const FUN = text({ pattern: '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_]+$', maxLength: 200 });

const ended = component('Ended', object({ jid: text(), return: anything(), success: flag() }));
const begun = component(
  'Begun',
  object({ jid: jidText, tag: text({ description: 'where its events begin' }) }),
);
const callShape = { arg: optional(list(anything())), kwarg: optional(dictionary()) } as const;

/** The routes. */
export const masterFunctionRoutes: readonly Route[] = [
  route({
    id: 'runners.run',
    method: 'POST',
    path: '/runners/{name}',
    summary: 'Starts a runner; with wait answers when it has ended.',
    doc: 'A run that has begun is a job: its events and its return are found under its id.',
    params: { name: FUN },
    body: object({ ...callShape, wait: optional(flag('answer 200 with what it returns')) }),
    status: 202,
    answer: begun,
    faults: ['not-allowed', 'bad-call', 'timed-out'],
    run: async ({ deps, caller, params, body, signal }) => {
      const call = { fun: params.name, arg: body.arg ?? [], kwarg: body.kwarg ?? new Map(), signal };
      if (body.wait !== true) {
        const run = await startRunner(deps, caller, call);
        deps.started.set(run.jid, ownerOf(await deps.rights.ask(caller)));
        return run;
      }
      return new Special({ status: 200, value: await runRunner(deps, caller, call) });
    },
  }),
  streamRoute({
    id: 'runners.stream',
    method: 'GET',
    path: '/runners/runs/{jid}/stream',
    summary: 'A runner as it runs.',
    doc: 'Others than whoever has started it need the right to the runner jobs.list_jobs.',
    params: { jid: jidText },
    events: {
      progress: object({ tag: text(), data: anything() }),
      end: object({ return: anything(), success: flag() }),
    },
    faults: ['not-found', 'master-down'],
    run: async ({ deps, caller, params: { jid } }, stream) => {
      const { owner: asker, allowed } = await deps.rights.may(caller, SEES_JOBS);
      const load = await deps.files.jobs((archive) => archive.job(jid));
      const begun = deps.started.get(jid);
      const owner = load === undefined ? begun : ownerOfJob(load);
      if ((load === undefined && begun === undefined) || (!allowed && owner !== asker))
        throw new ApiFault('not-found', `There is no run ${jid} of a runner here.`);
      await followRun(deps, jid, stream);
    },
  }),
  route({
    id: 'wheel.run',
    method: 'POST',
    path: '/wheel/{name}',
    summary: 'Calls a wheel function.',
    params: { name: FUN },
    body: object(callShape),
    answer: ended,
    faults: ['not-allowed', 'bad-call'],
    run: ({ deps, caller, params, body, signal }) =>
      runWheel(deps, caller, {
        fun: params.name,
        arg: body.arg ?? [],
        kwarg: body.kwarg ?? new Map(),
        signal,
      }),
  }),
];
