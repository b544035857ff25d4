/** `startup_states`: states that are applied once at the start (salt/minion.py `_state_run`, 3006.16). */
import { JidSource, REQUEST_JID } from '../../storage/jobs/jid.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { returnLoad, type Job } from './job.ts';
import type { PeriodicDeps } from './periodic-context.ts';

/** Runs them, and returns them to the master as a job that began here. */
export async function applyStartupStates(deps: PeriodicDeps): Promise<void> {
  const state = deps.state();
  const { log, clock } = state.deps;
  const { opts } = state;
  const isAlone = opts.get('master_type') === 'disable' && opts.get('file_client') === 'remote';
  if (isAlone)
    return log.warning(
      "Cannot run startup_states when 'master_type' is set to 'disable' and 'file_client' is set to 'remote'. Skipping.",
    );
  const [fun, arg] = wanted(opts);
  if ((await state.registry.missing(fun)) !== undefined)
    log.error(`startup_states: ${fun} is not available on this minion; nothing was applied.`);
  const jid = new JidSource(clock).next();
  const pub = dict({ jid, fun, arg, ret: opts.get('ext_job_cache') ?? '', tgt: state.id, tgt_type: 'glob' });
  const job: Job = {
    jid,
    funs: [fun],
    isMultiple: false,
    args: [arg],
    tgt: state.id,
    tgtType: 'glob',
    delimiter: undefined,
    executors: undefined,
    pub,
  };
  const load = returnLoad(job, state.id, await deps.runJob(job));
  load.set('jid', REQUEST_JID);
  await deps.sendReturn(load);
}

function wanted(opts: Dict): [fun: string, arg: Value[]] {
  if (opts.get('startup_states') === 'sls') return ['state.sls', [opts.get('sls_list') ?? []]];
  if (opts.get('startup_states') === 'top') return ['state.top', [opts.get('top_file') ?? '']];
  return ['state.highstate', []];
}
