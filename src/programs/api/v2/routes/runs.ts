/** Batches and canaries under way. */
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { ApiFault } from '../fault.ts';
import { route, streamRoute, type Route } from '../route.ts';
import { runView, type Run } from '../runs.ts';
import { text } from '../schema.ts';
import { SEES_JOBS } from './jobs.ts';

const PARAMS = { run: text({ pattern: '^[0-9a-f]{20}$' }) } as const;

/** The routes. */
export const runRoutes: readonly Route[] = [
  route({
    id: 'runs.get',
    method: 'GET',
    path: '/runs/{run}',
    summary: 'How far a batch or a canary is.',
    doc: 'They are known as long as this program runs.',
    params: PARAMS,
    answer: runView,
    faults: ['not-found'],
    run: async ({ deps, caller, params }) => (await runFor(deps, caller, params.run)).view,
  }),
  route({
    id: 'runs.stop',
    method: 'DELETE',
    path: '/runs/{run}',
    summary: 'Gives no further minions their turn; those that are at it go on.',
    params: PARAMS,
    faults: ['not-found'],
    run: async ({ deps, caller, params }) => {
      (await runFor(deps, caller, params.run)).isToStop = true;
      return undefined;
    },
  }),
  streamRoute({
    id: 'runs.stream',
    method: 'GET',
    path: '/runs/{run}/stream',
    summary: 'A batch or a canary as it happens.',
    doc: 'Its jobs have streams of their own: see `jids`.',
    params: PARAMS,
    events: { run: runView, end: runView },
    faults: ['not-found'],
    run: async ({ deps, caller, params }, stream) => {
      const run = await runFor(deps, caller, params.run);
      const stop = run.onChange(() => tell());
      const tell = (): void => {
        if (!run.isOver) return stream.send('run', run.view);
        stop();
        stream.end(run.view);
      };
      stream.over.addEventListener('abort', stop, { once: true });
      tell();
    },
  }),
];

async function runFor({ runs, rights }: Deps, caller: Caller, id: string): Promise<Run> {
  const { owner, allowed } = await rights.may(caller, SEES_JOBS);
  const run = runs.find(id);
  if (run === undefined || (!allowed && run.owner !== owner))
    throw new ApiFault('not-found', `There is no run ${id} here; its jobs are in GET /jobs.`);
  return run;
}
