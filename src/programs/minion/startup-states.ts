/** `startup_states`: states that are applied once at the start (salt/minion.py `_state_run`, 3006.16). */
import { JidSource, REQUEST_JID } from '../../storage/jobs/jid.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { returnLoad, type Job } from './job.ts';
import type { PeriodicDeps } from './periodic-context.ts';

/** Characters of a failure in the log, at most. */
const TEXT_MAX = 1000;

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
  const result = await deps.runJob(job);
  if (result.retcode !== 0)
    log.error(
      `startup_states: ${fun}${arg.length > 0 ? ` of ${pyStr(arg[0] ?? null)}` : ''} failed with exit code ${pyStr(result.retcode)}: ` +
        `${failureText(result.return)} The whole return is job ${jid} on the master.`,
    );
  const ret = returnLoad(job, state.id, result);
  const load: Dict = new Map(ret);
  await Promise.all([deps.sendReturn(load.set('jid', REQUEST_JID)), deps.sendFurther(job, ret)]);
}

/** What failed, in a line: errors of SLS, or the states that failed and what they say. */
function failureText(value: Value): string {
  const texts = isDict(value)
    ? [...value].flatMap(([id, state]) =>
        isDict(state) && state.get('result') === false
          ? [`${pyStr(id)}: ${pyStr(state.get('comment') ?? '')}`]
          : [],
      )
    : Array.isArray(value)
      ? value.map(pyStr)
      : [pyStr(value)];
  return texts
    .join('; ')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replace(/\.?$/, '.')
    .slice(0, TEXT_MAX);
}

function wanted(opts: Dict): [fun: string, arg: Value[]] {
  if (opts.get('startup_states') === 'sls') return ['state.sls', [opts.get('sls_list') ?? []]];
  if (opts.get('startup_states') === 'top') return ['state.top', [opts.get('top_file') ?? '']];
  return ['state.highstate', []];
}
