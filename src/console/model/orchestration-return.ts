/** Runs of orchestrations, out of the job and the return of the runner `state.orchestrate`. */
import type { Job, OrchestrationDetail, OrchestrationStep, Return } from './contract.ts';
import { mappingIn } from './json.ts';
import { readStateReturn, type StateRow } from './state-run.ts';

/** @param returned undefined while it runs */
export function orchestrationOf(job: Job, returned: Return | undefined): OrchestrationDetail {
  const wrapped = mappingIn(returned?.return);
  const value = mappingIn('return' in wrapped ? wrapped['return'] : returned?.return);
  const steps = Object.values(mappingIn(value['data'])).flatMap((results) => stepsOf(results));
  const failed = steps.filter(({ state }) => state === 'failed').length;
  const isOver = returned !== undefined;
  const hasFailed = failed > 0 || (isOver && returned.success === false);
  return {
    jid: job.jid,
    fun: job.fun.replace(/^runner\./, ''),
    mods: modsOf(job, wrapped['fun_args']),
    state: !isOver ? 'running' : hasFailed ? 'failed' : 'done',
    started: job.start_time,
    // steps may have run side by side: when the last one ended is not known
    ended: null,
    failed,
    steps,
  };
}

function stepsOf(results: unknown): OrchestrationStep[] {
  const jids = new Map<string, unknown>();
  for (const [key, entry] of Object.entries(mappingIn(results))) jids.set(key, mappingIn(entry)['__jid__']);
  const rows = readStateReturn(results)?.rows ?? [];
  return rows.map((row): OrchestrationStep => {
    const jid = [...jids].find(([key]) => isKeyOf(key, row))?.[1];
    return {
      id: row.id,
      name: row.name,
      fun: row.fun,
      state: row.result === 'failed' ? 'failed' : 'done',
      comment: row.comment,
      started: null,
      seconds: row.seconds ?? null,
      jid: typeof jid === 'string' ? jid : null,
    };
  });
}

/** `salt_|-ID_|-NAME_|-function` */
function isKeyOf(key: string, { id, fun }: StateRow): boolean {
  const parts = key.split('_|-');
  return parts[1] === id && `${parts[0]}.${parts[3]}` === fun;
}

function modsOf(job: Job, args: unknown): string {
  const given: readonly unknown[] = Array.isArray(args) ? args : job.arg;
  for (const each of given) {
    if (typeof each === 'string') return each;
    const { mods } = mappingIn(each);
    if (typeof mods === 'string') return mods;
    if (Array.isArray(mods)) return mods.filter((mod) => typeof mod === 'string').join(',');
  }
  return job.fun;
}
