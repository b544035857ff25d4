/** Where a return goes besides its master: the minion's own cache of jobs, and returners (salt/minion.py, 3006.16). */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { unreadReturnerKwargs } from '../../config/returner-kwargs.ts';
import { messageOf } from '../../errors/errors.ts';
import { safeJoin, writeFileAtomic } from '../../host/files.ts';
import { pyStr } from '../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../python/values/value.ts';
import { keepsSaltsCodes } from '../../runtime/loader/failing-returns.ts';
import { MISSING_RETURNERS } from '../../storage/jobs/stored-return.ts';
import { encode } from '../../formats/wire/msgpack.ts';
import type { Job } from './job.ts';
import type { MasterSide } from './masters/side.ts';
import type { MinionState } from './state.ts';

/** Hands a return on. Never throws: what fails is a line in the log. */
export async function returnFurther(
  job: Job,
  load: Dict,
  side: Pick<MasterSide, 'state' | 'services'>,
): Promise<void> {
  const { state, services } = side;
  const { opts, log } = state.deps;
  if (opts.get('cache_jobs')) cacheJob(side, job.jid, load);
  const wanted = [job.pub.get('ret'), opts.get('return')];
  if (!wanted.some(truthy)) return;
  try {
    const { returnerNames, returnerSettings, runReturners } =
      await import('../../plugins/registry/returner/run.ts');
    const never = new AbortController().signal;
    const context = state.context({ jid: job.jid, fun: job.funs[0] ?? '', pub: job.pub }, services, never);
    const names = returnerNames(...wanted);
    const [registry, troubles] = [await state.returners(), await state.returnerTroubles()];
    // a job of the schedule has been looked at as a whole
    if (truthy(job.pub.get('ret_kwargs')) && !load.has('schedule'))
      for (const fault of unreadReturnerKwargs(
        'ret_kwargs',
        job.pub.get('ret_kwargs') ?? null,
        await returnerSettings(registry, names, state),
      ))
        log.warning(`Job ${job.jid}: ${fault}`);
    await runReturners(registry, names, forReturners(load, job), context, state.deps.waiting, troubles);
  } catch (error) {
    log.error(`The return failed for job ${job.jid}: ${messageOf(error)}`, error);
  }
}

/**
 * Notes in a return which of the returners that its job names are not there: whoever asked for them learns of it, and
 * the return code is not 0. Salt compat: there it is a line in the minion's log, and so it is with `exit_codes: salt`.
 */
export async function noteMissingReturners(
  load: Dict,
  job: Job,
  { state }: Pick<MasterSide, 'state'>,
): Promise<void> {
  const wanted = job.pub.get('ret');
  const { log } = state.deps;
  if (!truthy(wanted) || keepsSaltsCodes(state.opts)) return;
  try {
    const { missingReturners, returnerNames } = await import('../../plugins/registry/returner/run.ts');
    const missing = await missingReturners(await state.returners(), returnerNames(wanted), state);
    if (missing.length === 0) return;
    load.set(
      MISSING_RETURNERS,
      missing.map(({ name }) => name),
    );
    if (load.get('retcode') === 0) load.set('retcode', 1);
  } catch (error) {
    log.error(`The returners of job ${job.jid} could not be looked for: ${messageOf(error)}`, error);
  }
}

/**
 * Says of the returners that options name and that are not there that they get no returns. Jobs of the schedule are
 * looked at when the schedule first sees them.
 */
export async function sayMissingReturners(state: MinionState): Promise<void> {
  await sayMissing(state, 'The option return', state.opts.get('return'), putRight(state));
  await sayMissing(
    state,
    'The option schedule_returner',
    state.opts.get('schedule_returner'),
    putRight(state),
  );
  const jobCache = state.opts.get('ext_job_cache');
  if (!truthy(jobCache)) return;
  if (truthy(state.opts.get('startup_states')))
    return sayMissing(state, 'The option ext_job_cache', jobCache, putRight(state));
  state.deps.log.warning(
    "The option ext_job_cache has no effect on a minion without startup_states: jobs bring their master's. Set it on " +
      'the master, or set return here.',
  );
}

/** The same of one job of the schedule. */
export function sayMissingOfJob(state: MinionState, job: string, wanted: Value | undefined): Promise<void> {
  return sayMissing(state, `Scheduled job "${job}"`, wanted, 'Correct its field returner');
}

const putRight = (state: MinionState): string =>
  `Correct it in ${pyStr(state.opts.get('conf_file') ?? null)}`;

async function sayMissing(
  state: MinionState,
  who: string,
  wanted: Value | undefined,
  putRight: string,
): Promise<void> {
  const { log } = state.deps;
  if (!truthy(wanted)) return;
  try {
    const { missingReturners, returnerNames } = await import('../../plugins/registry/returner/run.ts');
    const missing = await missingReturners(await state.returners(), returnerNames(wanted), state);
    for (const { name, why } of missing)
      log.warning(
        `${who} names a returner ${name} that is not there, and nothing is returned to it: ${why} ${putRight}, or ` +
          'bring the returner with saltutil.sync_returners.',
      );
  } catch (error) {
    log.error(`The returners of ${who} could not be looked for: ${messageOf(error)}`, error);
  }
}

/** The order in which Salt hands the fields to returners. */
const FIELDS = [
  ...['success', 'return', 'retcode', 'out', 'jid', 'fun', 'fun_args', 'user', 'master_id', 'metadata'],
  ...['ret_config', 'ret_kwargs', 'id'],
];

function forReturners(load: Dict, { pub }: Job): Dict {
  // what a schedule has made is in its order already
  const fields = load.has('schedule') ? [...load.keys(), 'ret_config', 'ret_kwargs'] : FIELDS;
  const out: Dict = new Map();
  for (const field of fields) {
    const isHow = field === 'ret_config' || field === 'ret_kwargs';
    const value: Value | undefined = isHow ? pub.get(field) : load.get(field);
    if (value !== undefined && field !== 'cmd') out.set(field, value);
  }
  return out;
}

/** `<cachedir>/minion_jobs/<jid>/return.p` (salt/utils/minion.py `cache_jobs`). */
function cacheJob({ state }: Pick<MasterSide, 'state'>, jid: string, load: Dict): void {
  const { opts, log } = state.deps;
  try {
    const folder = safeJoin(join(opts.get('cachedir'), 'minion_jobs'), jid);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const ret: Dict = new Map(load);
    ret.delete('cmd');
    writeFileAtomic(join(folder, 'return.p'), encode(ret, 'local'), { mode: 0o600 });
  } catch (error) {
    log.error(`The return of job ${jid} could not be kept on this minion: ${messageOf(error)}`, error);
  }
}
